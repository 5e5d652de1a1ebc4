/**
 * Saves the user's data from a damaged library into a new one. Reads each table from both ends up to the damage, then
 * tries the rows in between one by one. All other data in a library can be read from the logs again.
 */
import { closeSync, openSync, readSync, statSync, writeSync } from 'node:fs';
import type Database from 'better-sqlite3';
import { refused } from '../../shared/api/errors.ts';
import type { Annotation, ReviewMark } from '../../shared/domain/annotate/annotation.ts';
import { changesFrom } from './annotationHistory.ts';
import { AnnotationPlaces } from './annotationPlaces.ts';
import { AnnotationStore } from './annotationStore.ts';
import { copyDatabase, type DatabaseCopy } from './databaseFiles.ts';
import { APPLICATION_ID, NEWEST_VERSION } from './migrate.ts';
import { LIBRARY_PAGE, openCopy, openDamaged, type ReadableLibrary, type WritableLibrary } from './open.ts';
import { sharedPages } from './pageTrees.ts';
import { number, query, queryValue, type RowSpec, text } from './rows.ts';
import { unreadableMessage } from './storageFailure.ts';

/** The rescued rows of a user table, described by its contents. */
interface RescuedTable {
  readonly name: string;
  readonly saved: number;
  /** Whether a part of the table could not be read. */
  readonly isDamaged: boolean;
}

interface RescuedLog {
  readonly path: string;
  readonly hasAdapter: boolean;
  /** Whether the file's format was recognized, so that it may contain rollouts. */
  readonly wasLog: boolean;
}

export interface RescueReport {
  readonly tables: readonly RescuedTable[];
  /** Labels, notes and review marks with unreadable rows, restored from the last state in the undo history. */
  readonly restored: number;
  /** Logs that the damaged library was read from, in their original order. */
  readonly logs: readonly RescuedLog[];
  /** Whether a part of the list of logs could not be read. */
  readonly lacksLogs: boolean;
}

/** The user's tables in the order they are reported; keys of annotated rollouts first. */
export const RESCUED_TABLES: Readonly<Record<string, string>> = {
  annotated_row: 'annotated rollouts',
  annotation_row: 'labels and notes',
  reading_row: 'review marks',
  annotation_conflict_row: 'conflicts',
  annotation_history_row: 'undo steps',
  taxonomy_row: 'taxonomy',
  label_row: 'labels of the taxonomy',
  saved_view_row: 'saved views',
  saved_query_row: 'saved queries',
  mapping_row: 'mappings',
  run_name_row: 'run names',
  group_rule_row: 'grouping rules',
  pool_join_row: 'pool joins',
  tokenizer_row: 'tokenizers',
  known_library_row: 'known libraries',
};
/** Tables that the undo history can complete. */
const ANNOTATED: ReadonlySet<string> = new Set(['annotated rollouts', 'labels and notes', 'review marks']);
/** Columns that contain JSON. A row with any other content in them is damaged. */
const JSON_COLUMNS: ReadonlySet<string> = new Set(['mapping', 'target', 'changes', 'theirs']);
/** Rows tried one by one when the end of a table cannot be read, and rows read of one that may have no end. */
const MOST_TRIED = 100_000;

const READ_TABLES: readonly string[] = [...Object.keys(RESCUED_TABLES), 'file_row', 'unread_row'];

/**
 * Fields of SQLite's header, by offset, that are the same in every library: magic, page size, WAL, payload fractions,
 * schema format, UTF-8, no incremental vacuum, reserved bytes (https://www.sqlite.org/fileformat2.html#the_database_header).
 */
const FIXED_FIELDS: readonly (readonly [offset: number, bytes: Buffer])[] = [
  [0, Buffer.from('SQLite format 3\0', 'latin1')],
  [16, Buffer.from([LIBRARY_PAGE >> 8, LIBRARY_PAGE & 0xff, 2, 2, 0, 64, 32, 32])],
  [44, Buffer.from([0, 0, 0, 4])],
  [52, Buffer.from([0, 0, 0, 0, 0, 0, 0, 1])],
  [64, Buffer.from([0, 0, 0, 0, ...[24, 16, 8, 0].map((bits) => (APPLICATION_ID >> bits) & 0xff)])],
  [72, Buffer.alloc(20)],
];
const HEADER_BYTES = 100;
const [CHANGES, PAGES, FREE_PAGES, VERSION, VALID_FOR] = [24, 28, 32, 60, 92];

/**
 * Copies a library whose header is damaged, and gives the copy a header: every field but the version is fixed or can
 * be derived. Pages that were free are left out.
 *
 * @returns undefined when the header is not damaged, or the file is not a library in spite of the new header
 */
export async function copyWithHeader(path: string): Promise<DatabaseCopy | undefined> {
  const header = Buffer.alloc(HEADER_BYTES);
  const file = openSync(path, 'r');
  try {
    if (readSync(file, header, 0, HEADER_BYTES, 0) < HEADER_BYTES) return undefined;
  } finally {
    closeSync(file);
  }
  if (FIXED_FIELDS.every(([at, bytes]) => bytes.equals(header.subarray(at, at + bytes.byteLength))))
    return undefined;
  const copy = await copyDatabase(path);
  for (const [at, bytes] of FIXED_FIELDS) bytes.copy(header, at);
  header.writeUInt32BE(Math.floor(statSync(copy.path).size / LIBRARY_PAGE), PAGES);
  header.fill(0, FREE_PAGES, FREE_PAGES + 8);
  // SQLite uses the number of pages only if these are equal.
  header.writeUInt32BE(header.readUInt32BE(CHANGES), VALID_FOR);
  const version = header.readUInt32BE(VERSION);
  if (version === 0 || version > NEWEST_VERSION) header.writeUInt32BE(NEWEST_VERSION, VERSION);
  writeAt(copy.path, header);
  if (listsLibrary(copy.path)) return copy;
  copy.remove();
  return undefined;
}

function writeAt(path: string, header: Buffer): void {
  const file = openSync(path, 'r+');
  try {
    writeSync(file, header, 0, header.byteLength, 0);
  } finally {
    closeSync(file);
  }
}

/** Whether the list of tables names the tables that are rescued. */
function listsLibrary(path: string): boolean {
  let db: Database.Database | undefined;
  try {
    db = openCopy(path);
    const tables = new Set(queryValue(db, `SELECT name FROM sqlite_schema WHERE type = 'table'`, text).all());
    return READ_TABLES.filter((table) => tables.has(table)).length > READ_TABLES.length / 2;
  } catch (error) {
    if (!isDamage(error)) throw error;
    return false;
  } finally {
    db?.close();
  }
}

/**
 * Calls `read` with a library whose list of tables is what Turnwise creates: the damaged one, or a copy with that list.
 * A definition in the file is never run: one bit of it can be wrong, and another program can have written one that
 * computes without end. The rows are where the list says, whatever the definition.
 *
 * @throws ApiError `refused` when there is no room for the copy
 */
export async function withOwnTables<T>(
  db: WritableLibrary,
  damaged: string,
  read: (path: string) => T,
): Promise<T> {
  const made = query(db, LISTED, LISTED_ROW).all();
  if (!isAltered(damaged, made)) return read(damaged);
  const copy = await copyDatabase(damaged).catch((error: unknown) => {
    throw refused(`${damaged} is not read: ${error instanceof Error ? error.message : String(error)}`);
  });
  try {
    const own = openCopy(copy.path);
    try {
      writeList(own, made);
    } finally {
      own.close();
    }
    return read(copy.path);
  } finally {
    copy.remove();
  }
}

interface Listed {
  readonly row: number;
  readonly type: string;
  readonly name: string;
  readonly tableName: string;
  readonly page: number;
  readonly sql: string;
}

const LISTED = `SELECT rowid AS row, type, name, tbl_name AS tableName, rootpage AS page, coalesce(sql, '') AS sql
  FROM sqlite_schema ORDER BY rowid`;
const LISTED_ROW: RowSpec<Listed> = {
  ...{ row: number, type: text, name: text, tableName: text, page: number, sql: text },
};

function isAltered(damaged: string, made: readonly Listed[]): boolean {
  const from = openDamaged(damaged);
  try {
    const found = from.prepare<[], unknown[]>(LISTED).raw().all();
    return READ_TABLES.some((table) => {
      const own = made.find(({ name }) => name === table);
      // SQLite's table names are case-insensitive.
      const same = found.filter(([, , name]) => String(name).toLowerCase() === table);
      return same.length !== 1 || same[0]?.[5] !== own?.sql || same[0]?.[1] !== 'table';
    });
  } catch (error) {
    if (!isDamage(error)) throw error;
    // Pages of the list cannot be read, so it cannot be written either.
    return false;
  } finally {
    from.close();
  }
}

/** Gives every object that Turnwise creates its own definition, and drops all others from the list. */
function writeList(copy: Database.Database, made: readonly Listed[]): void {
  const found = copy.prepare<[], unknown[]>(LISTED).raw().all();
  const owners = new Map<string, unknown>();
  const taken = new Set<unknown>();
  const claim = (fits: (own: Listed, row: readonly unknown[]) => boolean): void => {
    for (const own of made) {
      if (owners.has(own.name)) continue;
      const row = found.find((each) => !taken.has(each[0]) && fits(own, each));
      if (row === undefined) continue;
      owners.set(own.name, row[0]);
      taken.add(row[0]);
    }
  };
  claim((own, [, , name]) => name === own.name);
  // One of the two cells can be damaged.
  claim((own, [, , , , , sql]) => own.sql !== '' && sql === own.sql);
  // A new library lists its objects in the same order.
  claim((own, [row]) => row === own.row);
  const set = copy.prepare(
    'UPDATE sqlite_schema SET type = ?, name = ?, tbl_name = ?, sql = ? WHERE rowid = ?',
  );
  const drop = copy.prepare('DELETE FROM sqlite_schema WHERE rowid = ?');
  const pages = new Map(found.map((row) => [row[0], row[4]]));
  copy.transaction(() => {
    for (const [row] of found) if (!taken.has(row)) drop.run(row);
    for (const { type, name, tableName, sql } of made) {
      const row = owners.get(name);
      if (row === undefined) continue;
      // Views and virtual tables have no page. In place of a table, they hold no rows of it.
      const page = pages.get(row);
      const hasRows = typeof page === 'number' && page > 0;
      if (READ_TABLES.includes(name) && hasRows) set.run(type, name, tableName, sql, row);
      else if (type !== 'index' || sql !== '' || !READ_TABLES.includes(tableName)) drop.run(row);
    }
  })();
}

/**
 * Must run inside a transaction of a new library.
 *
 * @param named the library that `damaged` is a copy of
 * @throws ApiError `refused` when nothing can be read
 */
export function rescue(db: WritableLibrary, damaged: string, named = damaged): RescueReport {
  const from = openDamaged(damaged);
  const source = { db: from, isEndless: sharedPages(damaged).length > 0 };
  try {
    const read = Object.entries(RESCUED_TABLES).map(([table, name]) => {
      const columns = columnsOf(db, table).map((column) => column.name);
      const add = db.prepare(
        `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')}) ON CONFLICT DO NOTHING`,
      );
      let saved = 0;
      let isDamaged = false;
      const isWhole = readRows(source, table, columnsOf(db, table), (row) => {
        if (columns.some((name, i) => JSON_COLUMNS.has(name) && !isJson(row[i]))) isDamaged = true;
        else
          try {
            saved += add.run(row).changes;
          } catch (error) {
            // Skip a row with a value of the wrong type.
            if (!isConstraint(error)) throw error;
            isDamaged = true;
          }
      });
      return { table, name, saved, isDamaged: isDamaged || !isWhole };
    });
    const tables = read.map(({ table, name, saved, isDamaged }) => {
      const dropped = dropWithoutKey(db, table);
      return { name, saved: saved - dropped, isDamaged: isDamaged || dropped > 0 };
    });
    const restored = tables.some(({ name, isDamaged }) => isDamaged && ANNOTATED.has(name))
      ? restoreFromHistory(db)
      : 0;
    const logs = new Map<string, Omit<RescuedLog, 'path'>>();
    const areFilesWhole = readRows(source, 'file_row', FILE_COLUMNS, ([path, adapter, format]) =>
      logs.set(String(path), { hasAdapter: adapter !== null, wasLog: format !== null }),
    );
    const arePathsWhole =
      areFilesWhole ||
      readRows(source, 'file_row', PATH_COLUMN, ([path]) => {
        if (!logs.has(String(path))) logs.set(String(path), { hasAdapter: false, wasLog: true });
      });
    const areUnreadWhole = readRows(source, 'unread_row', UNREAD_COLUMNS, ([path, hasAdapter]) =>
      logs.set(String(path), { hasAdapter: hasAdapter === 1, wasLog: true }),
    );
    if (logs.size === 0 && tables.every(({ saved, isDamaged }) => saved === 0 && isDamaged))
      throw refused(unreadableMessage(named));
    return {
      tables,
      restored,
      logs: [...logs].map(([path, log]) => ({ path, ...log })),
      lacksLogs: !areUnreadWhole || (!areFilesWhole && !arePathsWhole),
    };
  } finally {
    from.close();
  }
}

/**
 * Drops annotations or marks whose rollout key was not rescued.
 *
 * @returns how many; 0 for other tables
 */
function dropWithoutKey(db: WritableLibrary, table: string): number {
  if (table !== 'annotation_row' && table !== 'reading_row') return 0;
  return db
    .prepare(`DELETE FROM ${table} WHERE annotated_no NOT IN (SELECT annotated_no FROM annotated_row)`)
    .run().changes;
}

/**
 * Adds missing annotations and review marks, in their last state in the undo history.
 *
 * @returns number of annotations and marks added
 */
function restoreFromHistory(db: WritableLibrary): number {
  const store = new AnnotationStore(db, new AnnotationPlaces(db));
  const annotations = new Map<string, Annotation | null>();
  const marks = new Map<string, ReviewMark | null>();
  const sql = 'SELECT changes FROM annotation_history_row WHERE is_undone = 0 ORDER BY history_no';
  for (const changes of queryValue(db, sql, text).all()) {
    for (const change of changesFrom(changes) ?? []) {
      if (change.of === 'annotation') annotations.set(change.id, change.after);
      else if (change.of === 'reading') {
        const mark = change.after ?? change.before;
        if (mark !== null) marks.set(JSON.stringify([mark.rollout, mark.author]), change.after);
      }
    }
  }
  let restored = 0;
  for (const [id, annotation] of annotations) {
    if (annotation === null || store.get(id) !== undefined) continue;
    store.set(annotation);
    restored += 1;
  }
  for (const mark of marks.values()) {
    if (mark === null || store.reading(mark) !== undefined) continue;
    store.setReading(mark);
    restored += 1;
  }
  return restored;
}

interface Column {
  readonly name: string;
  readonly type: string;
  /** Position in the primary key, from 1. */
  readonly pk: number;
}

const FILE_COLUMNS: readonly Column[] = [
  { name: 'path', type: 'TEXT', pk: 0 },
  { name: 'adapter', type: 'TEXT', pk: 0 },
  { name: 'format', type: 'TEXT', pk: 0 },
  { name: 'file_id', type: 'INTEGER', pk: 1 },
];
/** Paths are also stored in a separate index, which may be readable when the table is not. */
const PATH_COLUMN: readonly Column[] = [{ name: 'path', type: 'TEXT', pk: 1 }];
const UNREAD_COLUMNS: readonly Column[] = [
  { name: 'path', type: 'TEXT', pk: 1 },
  { name: 'has_adapter', type: 'INTEGER', pk: 0 },
];

function columnsOf(db: ReadableLibrary, table: string): readonly Column[] {
  return db.pragma(`table_info(${table})`) as Column[];
}

interface DamagedSource {
  readonly db: ReadableLibrary;
  /** Whether a page has several places in its trees, so that a table may have rows without end. */
  readonly isEndless: boolean;
}

/**
 * Calls `onRow` for every readable row. Some rows are passed twice.
 *
 * @returns whether the whole table could be read
 */
function readRows(
  { db: from, isEndless }: DamagedSource,
  table: string,
  columns: readonly Column[],
  onRow: (row: readonly unknown[]) => void,
): boolean {
  const names = columns.map(({ name }) => name).join(', ');
  const keys = columns.filter(({ pk }) => pk > 0).sort((a, b) => a.pk - b.pk);
  const [first] = keys;
  const keyAt = first === undefined ? -1 : columns.indexOf(first);
  /** @returns the key of the last row read, and whether it is the last row of the table */
  const scan = (direction: 'ASC' | 'DESC'): { readonly last: unknown; readonly isWhole: boolean } => {
    let last: unknown;
    try {
      const order = keys.map(({ name }) => `${name} ${direction}`).join(', ');
      const all = from.prepare<[], unknown[]>(`SELECT ${names} FROM ${table} ORDER BY ${order}`).raw();
      let read = 0;
      for (const row of all.iterate()) {
        onRow(row);
        last = row[keyAt];
        read += 1;
        if (isEndless && read === MOST_TRIED) return { last, isWhole: false };
      }
      return { last, isWhole: true };
    } catch (error) {
      if (!isDamage(error)) throw error;
      return { last, isWhole: false };
    }
  };
  const { last: before, isWhole } = scan('ASC');
  if (isWhole) return true;
  const { last: after } = scan('DESC');
  if (first === undefined || first.type !== 'INTEGER') return false;
  // Keys may come from damaged pages, so check them.
  const start = isRowKey(before) ? before : 0;
  const end = Math.min(isRowKey(after) ? after : Number.POSITIVE_INFINITY, start + MOST_TRIED);
  try {
    const one = from
      .prepare<[number], unknown[]>(`SELECT ${names} FROM ${table} WHERE ${first.name} = ?`)
      .raw();
    for (let key = start; key <= end; key += 1) readRow(one, key, onRow);
  } catch (error) {
    if (!isDamage(error)) throw error;
  }
  return false;
}

function readRow(
  one: Database.Statement<[number], unknown[]>,
  key: number,
  onRow: (row: readonly unknown[]) => void,
): void {
  try {
    for (const row of one.all(key)) onRow(row);
  } catch (error) {
    if (!isDamage(error)) throw error;
  }
}

function isJson(value: unknown): boolean {
  try {
    JSON.parse(String(value));
    return true;
  } catch {
    return false;
  }
}

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : '';
const isRowKey = (key: unknown): key is number => Number.isSafeInteger(key) && (key as number) >= 0;

/** If the list of tables is damaged, tables and columns can be missing. */
const isDamage = (error: unknown): boolean =>
  /^SQLITE_(CORRUPT|NOTADB|IOERR)/.test(codeOf(error)) ||
  (error instanceof Error && /^no such (?:table|column)/.test(error.message));
const isConstraint = (error: unknown): boolean => codeOf(error).startsWith('SQLITE_CONSTRAINT');
