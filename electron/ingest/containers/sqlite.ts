/**
 * Reads other programs' SQLite files. Three kinds are known.
 * - The tracking store of MLflow, to which verl writes traces with `rollout.trace.backend`. A trace becomes the
 *   record that MLflow exports: `{"info": {trace_id, tags, …}, "data": {"spans": […]}}`.
 * - The store of Trackio, likewise. A trace is its row, with JSON parsed:
 *   `{"id", "run_name", "step", "key", "messages": […], "metadata": {…}, …}`.
 * - The capture store of tinker-cookbook. The rows of a trajectory become `{"wire_rows": […], …}`
 *   (`shared/format/tinkerCapture.ts`).
 *
 * This is the only SQL outside `electron/storage`, because the database is not ours.
 */
import { closeSync, existsSync, readSync, realpathSync } from 'node:fs';
import { dirname, join, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import { isObject } from '../../../shared/format/fields.ts';
import { readJson } from '../../../shared/format/lenientJson.ts';
import { bytesOnDisk } from '../../storage/bytesOnDisk.ts';
import { copyDatabase, type DatabaseCopy, irregularFile } from '../../storage/databaseFiles.ts';
import { problemOf, sharedPages } from '../../storage/pageTrees.ts';
import { foreignStatistics } from '../../storage/plannerStatistics.ts';
import { LONGEST_RECORD } from './bytes.ts';
import { CorruptContainerError, type RecordSource, type SourceRecord } from './container.ts';
import { openFile, readWhole } from './openFile.ts';
import { rowRecord } from './rowJson.ts';
import { checkRows, checkStored, mostRows } from './sizes.ts';

/** Limit in characters of the names of a table's columns. Stores have some 200. */
const LONGEST_NAMES = 4096;
/** Rows whose keys are in memory at once. */
const PAGE = 64;

export class SqliteSource implements RecordSource {
  private readonly path: string;
  private readonly db: Database.Database;
  private readonly copy: DatabaseCopy | undefined;
  readonly tables: ReadonlySet<string>;
  private isListed = false;
  private readonly columns = new Map<string, string>();
  /** Caches `byIndex` by table name. */
  private readonly indexed = new Map<string, string>();
  /** The trace that names each file beside the store. */
  private readonly artifacts = new Map<string, string>();
  otherBytes = 0;

  private constructor(
    path: string,
    db: Database.Database,
    copy: DatabaseCopy | undefined,
    tables: ReadonlySet<string>,
  ) {
    this.path = path;
    this.db = db;
    this.copy = copy;
    this.tables = tables;
  }

  /** @throws CorruptContainerError when SQLite refuses the file */
  static async open(path: string): Promise<SqliteSource> {
    let db: Database.Database | undefined;
    let copy: DatabaseCopy | undefined;
    try {
      const needsCopy = wouldCreateFiles(path);
      const irregular = irregularFile(path);
      if (irregular !== undefined) throw new Error(`${irregular} is not a regular file`);
      const foreign = foreignStatistics(path);
      if (foreign !== undefined) throw new Error(`its ${foreign} is not the one that SQLite creates`);
      const [shared] = sharedPages(path);
      if (shared !== undefined) throw new Error(`its ${problemOf(shared)}`);
      if (needsCopy) copy = await copyDatabase(path);
      db = new Database(copy?.path ?? path, { readonly: true, fileMustExist: true });
      db.pragma('trusted_schema = OFF');
      // Skip views and virtual tables, because their rows are computed.
      const names = db
        .prepare("SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table'")
        .pluck()
        .all();
      return new SqliteSource(path, db, copy, new Set(names.map(String)));
    } catch (error) {
      db?.close();
      copy?.remove();
      if (error instanceof Error && 'syscall' in error) throw error;
      throw new CorruptContainerError(
        `the SQLite database cannot be read: ${error instanceof Error ? error.message : String(error)}`,
      );
    }
  }

  private get isMlflow(): boolean {
    return this.tables.has('trace_info') && this.tables.has('trace_tags');
  }

  private get isTrackio(): boolean {
    return this.tables.has('traces') && this.tables.has('metrics') && this.tables.has('configs');
  }

  private get isCapture(): boolean {
    return this.tables.has('wire_rows') && this.tables.has('annotations');
  }

  get isKnown(): boolean {
    return this.isMlflow || this.isTrackio || this.isCapture;
  }

  async *records(from: number): AsyncGenerator<Iterable<SourceRecord>> {
    if (!this.isKnown) return;
    for (let at = from; ; at += PAGE) {
      const rows = this.named(at, () => this.listedRows(at));
      if (rows.length === 0) return;
      yield this.page(rows, at);
    }
  }

  private *page(rows: readonly StoredRow[], start: number): Generator<SourceRecord> {
    for (const [i, row] of rows.entries()) {
      const offset = start + i;
      if (row.bytes > LONGEST_RECORD) yield { tooLong: row.bytes, nextOffset: offset + 1 };
      else yield this.named(offset, () => rowRecord(this.read(row), offset));
    }
  }

  /** @throws CorruptContainerError when SQLite cannot continue, or the tables are not those of their program */
  private named<T>(at: number, read: () => T): T {
    try {
      return read();
    } catch (error) {
      if (error instanceof Error && 'syscall' in error) throw error;
      throw new CorruptContainerError(
        `the SQLite database cannot be read behind row ${at}: ${error instanceof Error ? error.message : String(error)}`,
      );
    }
  }

  async close(): Promise<void> {
    this.db.close();
    this.copy?.remove();
  }

  /**
   * The columns of a table, quoted.
   *
   * @throws Error when one of them is generated, because its values are computed and may have any size
   */
  private columnsOf(table: string): readonly string[] {
    const columns = this.db
      .prepare<[string], { name: string; hidden: number }>('SELECT name, hidden FROM pragma_table_xinfo(?)')
      .all(table);
    const computed = columns.find(({ hidden }) => hidden !== 0);
    if (computed !== undefined)
      throw new Error(
        `the column ${computed.name} of the table ${table} is generated, which no store of a trainer has`,
      );
    const letters = columns.reduce((sum, { name }) => sum + name.length, 0);
    // Each row is read with the names of its columns.
    if (letters > LONGEST_NAMES)
      throw new Error(`the names of the columns of the table ${table} have ${letters} characters in all`);
    const shadow = columns.find(({ name }) => /^(?:rowid|oid|_rowid_)$/i.test(name));
    if (shadow !== undefined)
      throw new Error(`the table ${table} has a column ${shadow.name}, which hides the number of its rows`);
    return columns.map(({ name }) => `"${name.replaceAll('"', '""')}"`);
  }

  /** The columns of a table as an SQL list. */
  private listOf(table: string): string {
    const known = this.columns.get(table) ?? this.columnsOf(table).join(', ');
    this.columns.set(table, known);
    return known;
  }

  /** An SQL expression of the stored bytes of a row. It does not read the values. */
  private sizeOf(table: string): string {
    return this.columnsOf(table)
      .map((name) => `coalesce(octet_length(${name}), 0)`)
      .join(' + ');
  }

  /**
   * The rows that become records, from the one at this place. The list is made once, in a temporary table, because
   * sizes and order need every row.
   */
  private listedRows(at: number): readonly StoredRow[] {
    if (!this.isListed) this.list();
    this.isListed = true;
    return this.db
      .prepare<[number, number], StoredRow>(
        'SELECT * FROM temp.listed WHERE rowid > ? ORDER BY rowid LIMIT ?',
      )
      .all(at, PAGE);
  }

  private list(): void {
    const bytes = bytesOnDisk(this.path) ?? 0;
    this.db.exec(`CREATE TEMP TABLE listed AS ${this.listSql()} LIMIT ${mostRows(bytes) + 1}`);
    const listed = this.db.prepare<[], { rows: number; stored: number }>(
      'SELECT count(*) AS rows, total(bytes) AS stored FROM temp.listed',
    );
    const { rows = 0, stored = 0 } = listed.get() ?? {};
    checkRows(rows, bytes);
    checkStored(stored, bytes);
  }

  private listSql(): string {
    if (this.isCapture) {
      this.requireUnique('wire_rows', 'cursor');
      return trajectoriesSql(this.sizeOf('wire_rows'));
    }
    if (!this.isMlflow)
      return `SELECT rowid AS key, ${this.sizeOf('traces')} AS bytes FROM main.traces ORDER BY rowid`;
    this.requireUnique('trace_info', 'request_id');
    const parts = PARTS_OF_A_TRACE.flatMap(([table, id]) => {
      if (!this.tables.has(table)) return [];
      // The operator `+` and COLLATE make SQLite compare as in the index, whatever the columns declare.
      return [
        `(SELECT coalesce(sum(${this.sizeOf(table)}), 0) FROM ${this.byIndex(table, id)} WHERE ${id} = (+trace.request_id) COLLATE BINARY)`,
      ];
    });
    return `SELECT rowid AS key, ${[this.sizeOf('trace_info'), ...parts].join(' + ')} AS bytes
      FROM main.trace_info AS trace ORDER BY timestamp_ms, request_id`;
  }

  /**
   * The table for a FROM clause, with the index on a column, which SQLite uses even if the file's statistics claim
   * that it does not help.
   *
   * @throws Error when each record would need a scan of the whole table
   */
  private byIndex(table: string, column: string): string {
    const known = this.indexed.get(table);
    if (known !== undefined) return known;
    const index = this.indexOn(table, column, false);
    if (index === undefined)
      throw new Error(`the table ${table} has no index on ${column}, which every store of its program has`);
    const read = `main.${table} INDEXED BY "${index.replaceAll('"', '""')}"`;
    this.indexed.set(table, read);
    return read;
  }

  /** @throws Error when several records could share rows, which would then be read once per record */
  private requireUnique(table: string, column: string): void {
    const key = this.db
      .prepare<[string, string]>(
        "SELECT 1 FROM pragma_table_xinfo(?) WHERE name = ? AND pk = 1 AND upper(type) = 'INTEGER'",
      )
      .get(table, column);
    if (key === undefined && this.indexOn(table, column, true) === undefined)
      throw new Error(
        `${column} is not a key of the table ${table}, although every store of its program has that key`,
      );
  }

  /** The name of an index that begins with a column and compares by bytes. */
  private indexOn(table: string, column: string, isUnique: boolean): string | undefined {
    return this.db
      .prepare<[string, string, number], string>(
        `SELECT list.name FROM pragma_index_list(?) AS list, pragma_index_xinfo(list.name) AS first
         WHERE first.seqno = 0 AND first.name = ? AND first.coll = 'BINARY' AND list.partial = 0
           AND (? = 0 OR list."unique" = 1
             AND (SELECT count(*) FROM pragma_index_xinfo(list.name) WHERE key = 1) = 1)`,
      )
      .pluck()
      .get(table, column, isUnique ? 1 : 0);
  }

  private read(row: StoredRow): unknown {
    if ('cursors' in row) return this.trajectory(row as Trajectory);
    const table = this.isMlflow ? 'trace_info' : 'traces';
    const found = this.db
      .prepare<[number], Row>(`SELECT ${this.listOf(table)} FROM ${table} WHERE rowid = ?`)
      .get(row.key);
    if (found === undefined) throw new Error('a row has been removed while it was read');
    return this.isMlflow ? this.recordOf(found) : trackioRecord(found);
  }

  private trajectory({ cursors, runs, isLatest }: Trajectory): unknown {
    const rows = this.db
      .prepare<[string], Row>(
        `SELECT ${this.listOf('wire_rows')} FROM wire_rows
         WHERE cursor COLLATE BINARY IN (SELECT value FROM json_each(?)) ORDER BY cursor`,
      )
      .all(cursors);
    return { runs, isLatest: isLatest === 1, wire_rows: rows.map(decoded) };
  }

  private recordOf(trace: Row): unknown {
    const { request_id: id, ...info } = trace;
    const traceId = String(id);
    const tags = this.pairs('trace_tags', traceId);
    const metadata = this.pairs('trace_request_metadata', traceId);
    return {
      info: { trace_id: traceId, ...info, tags, trace_metadata: metadata },
      data: { spans: this.spansOf(traceId, tags['mlflow.artifactLocation']) },
    };
  }

  private pairs(table: 'trace_tags' | 'trace_request_metadata', traceId: string): Record<string, string> {
    if (!this.tables.has(table)) return {};
    const rows = this.db
      .prepare(
        `SELECT key, value FROM ${this.byIndex(table, 'request_id')} WHERE request_id = ? COLLATE BINARY ORDER BY key`,
      )
      .all(traceId);
    return Object.fromEntries(
      (rows as { key: string; value: string }[]).map(({ key, value }) => [key, value]),
    );
  }

  /** Newer stores keep spans in a table, older ones in a file beside the artifacts. */
  private spansOf(traceId: string, artifacts: string | undefined): readonly unknown[] {
    if (this.tables.has('spans')) {
      const contents = this.db
        .prepare(
          `SELECT content FROM ${this.byIndex('spans', 'trace_id')} WHERE trace_id = ? COLLATE BINARY
           ORDER BY start_time_unix_nano, span_id`,
        )
        .pluck()
        .all(traceId);
      if (contents.length > 0) return contents.map((content) => parsed(String(content)));
    }
    const file = artifacts === undefined ? undefined : this.localFile(artifacts);
    if (file === undefined) return [];
    const owner = this.artifacts.get(file) ?? traceId;
    // Without this check, a small store could read one file for each of its rows.
    if (owner !== traceId) throw new Error(`the traces ${owner} and ${traceId} name the same file ${file}`);
    this.artifacts.set(file, owner);
    const bytes = readWhole(file, LONGEST_RECORD);
    if (typeof bytes === 'number')
      throw new Error(`${file} has ${bytes} bytes; the limit is ${LONGEST_RECORD}`);
    this.otherBytes += bytes.byteLength;
    const trace = parsed(bytes.toString('utf8'));
    return isObject(trace) && Array.isArray(trace['spans']) ? trace['spans'] : [];
  }

  /** Only reads below the store's own directory, because the database's locations are untrusted. */
  private localFile(location: string): string | undefined {
    if (/^[a-z][a-z0-9+.-]*:/i.test(location) && !location.startsWith('file:')) return undefined;
    const root = dirname(this.path);
    const directory = location.startsWith('file:') ? pathOfUrl(location) : resolve(root, location);
    if (directory === undefined) return undefined;
    try {
      const file = realpathSync(resolve(directory, 'traces.json'));
      return file.startsWith(join(realpathSync(root), sep)) ? file : undefined;
    } catch {
      // The file does not exist.
      return undefined;
    }
  }
}

type Row = Record<string, unknown>;

/** Tables of MLflow with rows of a trace, and their column of its id. */
const PARTS_OF_A_TRACE = [
  ['trace_tags', 'request_id'],
  ['trace_request_metadata', 'request_id'],
  ['spans', 'trace_id'],
] as const;

/** A row that becomes one record, with its stored size. */
interface StoredRow {
  readonly key: number;
  readonly bytes: number;
}

/** `cursors`: its rows as JSON. `runs`: number of runs in the store. `isLatest`: 1 if no later attempt replaces it. */
interface Trajectory extends StoredRow {
  readonly cursors: string;
  readonly runs: number;
  readonly isLatest: number;
}

/** A row without a trajectory number counts as a separate trajectory. */
const trajectoriesSql = (size: string): string => `
  SELECT min(cursor) AS key, sum(${size}) AS bytes, json_group_array(cursor) AS cursors, (SELECT count(DISTINCT run_id) FROM main.wire_rows) AS runs,
    run_attempt IS max(run_attempt) OVER (PARTITION BY run_id, split, iteration, group_idx, traj_idx) AS isLatest
  FROM main.wire_rows
  GROUP BY run_id, run_attempt, split, iteration, group_idx, traj_idx, purpose, sample_idx, iif(traj_idx IS NULL, cursor, 0)
  ORDER BY min(cursor)`;

const JSON_COLUMNS = ['prompt_tokens', 'sampled_tokens', 'logprobs', 'metadata'] as const;

function decoded(row: Row): Row {
  const decodedColumns = JSON_COLUMNS.map((name) => {
    const value = row[name];
    return [name, typeof value === 'string' ? parsed(value) : value];
  });
  return { ...row, ...(Object.fromEntries(decodedColumns) as Row) };
}

function trackioRecord({ search_text: _search, messages, metadata, ...row }: Row): unknown {
  return { ...row, messages: parsed(textOf(messages)), metadata: parsed(textOf(metadata)) };
}

/** Trackio writes JSON as a blob. */
const textOf = (value: unknown): string =>
  ArrayBuffer.isView(value)
    ? Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString()
    : String(value);

function parsed(text: string): unknown {
  const reading = readJson(text);
  return reading.ok ? reading.value : text;
}

function pathOfUrl(url: string): string | undefined {
  try {
    return fileURLToPath(url);
  } catch {
    // A file URL with a host is not a local path.
    return undefined;
  }
}

const HEADER_BYTES = 100;
/** The place in the header of the version needed to read; 2 means a write-ahead log. */
const READ_VERSION = 19;

/** True if SQLite would create the files of a write-ahead log beside the database, even to read it. */
function wouldCreateFiles(path: string): boolean {
  const header = Buffer.alloc(HEADER_BYTES);
  const file = openFile(path);
  try {
    readSync(file, header, 0, HEADER_BYTES, 0);
  } finally {
    closeSync(file);
  }
  const hasLog = header[READ_VERSION] === 2;
  return hasLog && !['-wal', '-shm'].every((suffix) => existsSync(path + suffix));
}
