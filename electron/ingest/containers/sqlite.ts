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
import { existsSync, readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import { isObject } from '../../../shared/format/fields.ts';
import { readJson } from '../../../shared/format/lenientJson.ts';
import { CorruptContainerError, type RecordSource, type SourceRecord } from './container.ts';

const PAGE = 64;

export class SqliteSource implements RecordSource {
  private readonly path: string;
  private readonly db: Database.Database;
  readonly tables: ReadonlySet<string>;
  private captured: readonly Trajectory[] | undefined;

  private constructor(path: string, db: Database.Database, tables: ReadonlySet<string>) {
    this.path = path;
    this.db = db;
    this.tables = tables;
  }

  /** @throws CorruptContainerError when SQLite refuses the file */
  static open(path: string): SqliteSource {
    let db: Database.Database | undefined;
    try {
      db = new Database(path, { readonly: true, fileMustExist: true });
      const names = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").pluck().all();
      return new SqliteSource(path, db, new Set(names.map(String)));
    } catch (error) {
      db?.close();
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
      const records = this.page(at);
      if (records.length === 0) return;
      yield records;
    }
  }

  /** @throws CorruptContainerError when SQLite cannot continue, or the tables are not those of their program */
  private page(at: number): readonly SourceRecord[] {
    try {
      const records = this.isCapture ? this.trajectories(at) : this.traces(at);
      return records.map((record, i) => ({
        bytes: Buffer.from(JSON.stringify(record)),
        offset: at + i,
        nextOffset: at + i + 1,
      }));
    } catch (error) {
      if (error instanceof Error && 'syscall' in error) throw error;
      throw new CorruptContainerError(
        `the SQLite database cannot be read behind row ${at}: ${error instanceof Error ? error.message : String(error)}`,
      );
    }
  }

  async close(): Promise<void> {
    this.db.close();
  }

  private traces(at: number): readonly unknown[] {
    const [table, order] = this.isMlflow ? ['trace_info', 'timestamp_ms, request_id'] : ['traces', 'rowid'];
    const rows = this.db
      .prepare<[number, number]>(`SELECT * FROM ${table} ORDER BY ${order} LIMIT ? OFFSET ?`)
      .all(PAGE, at) as Row[];
    return rows.map((row) => (this.isMlflow ? this.recordOf(row) : trackioRecord(row)));
  }

  /** Trajectories by their first row. The list of all is read once, because grouping reads every row. */
  private trajectories(at: number): readonly unknown[] {
    this.captured ??= this.db.prepare(TRAJECTORIES).all() as Trajectory[];
    const rows = this.db.prepare<[string]>(
      'SELECT * FROM wire_rows WHERE cursor IN (SELECT value FROM json_each(?)) ORDER BY cursor',
    );
    return this.captured.slice(at, at + PAGE).map(({ cursors, runs, isLatest }) => ({
      runs,
      isLatest: isLatest === 1,
      wire_rows: (rows.all(cursors) as Row[]).map(decoded),
    }));
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
      .prepare(`SELECT key, value FROM ${table} WHERE request_id = ? ORDER BY key`)
      .all(traceId);
    return Object.fromEntries(
      (rows as { key: string; value: string }[]).map(({ key, value }) => [key, value]),
    );
  }

  /** Newer stores have spans in a table, older ones in a file beside the store's artifacts. */
  private spansOf(traceId: string, artifacts: string | undefined): readonly unknown[] {
    if (this.tables.has('spans')) {
      const contents = this.db
        .prepare('SELECT content FROM spans WHERE trace_id = ? ORDER BY start_time_unix_nano, span_id')
        .pluck()
        .all(traceId);
      if (contents.length > 0) return contents.map((content) => parsed(String(content)));
    }
    const file = artifacts === undefined ? undefined : this.localFile(artifacts);
    if (file === undefined) return [];
    const trace = parsed(readFileSync(file, 'utf8'));
    return isObject(trace) && Array.isArray(trace['spans']) ? trace['spans'] : [];
  }

  /** Only reads below the store's own directory, because the database's locations are untrusted. */
  private localFile(location: string): string | undefined {
    if (/^[a-z][a-z0-9+.-]*:/i.test(location) && !location.startsWith('file:')) return undefined;
    const root = dirname(this.path);
    const directory = location.startsWith('file:') ? pathOfUrl(location) : resolve(root, location);
    if (directory === undefined) return undefined;
    const file = resolve(directory, 'traces.json');
    return file.startsWith(`${root}/`) && existsSync(file) ? file : undefined;
  }
}

type Row = Record<string, unknown>;

/** Its rows as a JSON array, the number of runs in the store, and 1 if no later attempt has its address. */
interface Trajectory {
  readonly cursors: string;
  readonly runs: number;
  readonly isLatest: number;
}

/** A row without a number of the trajectory is one of its own. */
const TRAJECTORIES = `
  SELECT json_group_array(cursor) AS cursors, (SELECT count(DISTINCT run_id) FROM wire_rows) AS runs,
    run_attempt IS max(run_attempt) OVER (PARTITION BY run_id, split, iteration, group_idx, traj_idx) AS isLatest
  FROM wire_rows
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
