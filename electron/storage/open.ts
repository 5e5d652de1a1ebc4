/**
 * Connections to a library: one writer, any number of readers. A reader never creates or migrates a
 * library; a writer does both.
 */
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import Database from 'better-sqlite3';
import { registerFunctions } from './functions.ts';
import { AlteredDatabaseError, assertOurs, assertOursByHeader, migrate } from './migrate.ts';
import { ALL_READ, problemOf, SCHEMA, sharedPages } from './pageTrees.ts';
import { foreignStatistics } from './plannerStatistics.ts';
import { damaged } from './storageFailure.ts';
import { registerTokenTable } from './tokenTable.ts';

export type WritableLibrary = Database.Database & { readonly writable: true };
export type ReadableLibrary = Database.Database;

/** Bytes of a page. */
export const LIBRARY_PAGE = 8192;
/** Pages in the write-ahead log before a checkpoint: 64 MiB. */
const CHECKPOINT_PAGES = 8192;

/** Time limit for waiting on a locked library, including all retries. */
const BUSY_TIMEOUT_MS = 10_000;

/**
 * @throws NewerDatabaseError, ForeignDatabaseError, AlteredDatabaseError, SqliteError (not a database, locked), or an
 * error of `storageFailure` when the library would have rows without end
 */
export function openWriter(path: string): WritableLibrary {
  createPrivately(path);
  assertTrees(path);
  const db = connect(path, { timeout: 10_000 });
  try {
    retryWhileBusy(() => assertOurs(db));
    db.pragma(`page_size = ${LIBRARY_PAGE}`);
    retryWhileBusy(() => db.pragma('journal_mode = WAL'));
    // Sync changes by a user before they are answered. Repeatable work uses `withoutSync`.
    db.pragma('synchronous = FULL');
    // On macOS, a plain fsync leaves the data in the drive's cache.
    db.pragma('fullfsync = 1');
    db.pragma(`wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
    db.pragma(`journal_size_limit = ${CHECKPOINT_PAGES * LIBRARY_PAGE}`);
    db.pragma('cache_size = -65536');
    db.pragma('temp_store = MEMORY');
    // The writer keeps references valid itself; SQLite's check would cost a lookup per row of a bulk
    // insert.
    db.pragma('foreign_keys = OFF');
    retryWhileBusy(() => migrate(db));
    register(db, path);
  } catch (error) {
    db.close();
    throw error;
  }
  return Object.assign(db, { writable: true as const });
}

/**
 * Runs work whose commits reach the disk at a later checkpoint. A power failure may undo the last transactions, but
 * never a part of one. For data that is read from the logs or derived.
 */
export function withoutSync<T>(db: WritableLibrary, work: () => T): T {
  return withSynchronous(db, 'NORMAL', work);
}

/** Runs work whose commits are on disk when it returns. Works inside asynchronous `withoutSync` work, too. */
export function withSync<T>(db: WritableLibrary, work: () => T): T {
  return withSynchronous(db, 'FULL', work);
}

function withSynchronous<T>(db: WritableLibrary, level: 'NORMAL' | 'FULL', work: () => T): T {
  const before = db.pragma('synchronous', { simple: true });
  db.pragma(`synchronous = ${level}`);
  const restore = (): void => {
    if (db.open) db.pragma(`synchronous = ${before}`);
  };
  let result: T;
  try {
    result = work();
  } catch (error) {
    restore();
    throw error;
  }
  if (result instanceof Promise) return result.finally(restore) as T;
  restore();
  return result;
}

/** Only the user may read the library. SQLite gives its other files the permissions of the first. */
function createPrivately(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  closeSync(openSync(path, 'a', 0o600));
}

/**
 * Retries while SQLite reports a busy library. Switching to WAL needs exclusive access and ignores the
 * connection's timeout, so two processes that create the same library collide.
 */
function retryWhileBusy(work: () => void): void {
  // Use a monotonic clock, because the system clock may be set back.
  const until = performance.now() + BUSY_TIMEOUT_MS;
  const pause = new Int32Array(new SharedArrayBuffer(4));
  for (let attempt = 1; ; attempt++) {
    try {
      work();
      return;
    } catch (error) {
      const isBusy = error instanceof Database.SqliteError && error.code.startsWith('SQLITE_BUSY');
      if (!isBusy || attempt >= 100 || performance.now() > until) throw error;
      Atomics.wait(pause, 0, 0, 50);
    }
  }
}

const READ_ONLY = { readonly: true, fileMustExist: true, timeout: 10_000 };

/**
 * Must be called before a library is read by a process without a writer, which does it.
 *
 * @throws Error of `storageFailure` when a page has several places in the library's trees
 */
export function assertTrees(path: string): void {
  const [shared] = sharedPages(path, ALL_READ);
  if (shared !== undefined) throw damaged(problemOf(shared));
}

/** @throws NewerDatabaseError, ForeignDatabaseError, AlteredDatabaseError, SqliteError */
export function openReader(path: string): ReadableLibrary {
  return opened(path, connectReader(path));
}

/**
 * Opens a library that may be damaged, for checking it and rescuing its data.
 *
 * @throws as `openReader`; an error with the code SQLITE_CORRUPT when its header or list of tables is damaged
 */
export function openDamaged(path: string): ReadableLibrary {
  assertList(path);
  const db = connect(path, READ_ONLY);
  // SQLite refuses a truncated file unless the schema is writable. The connection itself stays read-only.
  db.unsafeMode(true);
  db.pragma('writable_schema = ON');
  // The library, and so its schema, may come from somebody else.
  db.pragma('trusted_schema = OFF');
  return opened(path, db, assertOursByHeader);
}

/**
 * Opens a private copy of a damaged library, to repair its list of tables.
 *
 * @throws Error with the code SQLITE_CORRUPT when SQLite would read that list without end
 */
export function openCopy(path: string): Database.Database {
  assertList(path);
  const db = connect(path, {});
  db.unsafeMode(true);
  db.pragma('writable_schema = ON');
  db.pragma('trusted_schema = OFF');
  return db;
}

function assertList(path: string): void {
  const shared = sharedPages(path).find(({ table }) => table === SCHEMA);
  if (shared !== undefined) throw Object.assign(new Error(shared.problem), { code: 'SQLITE_CORRUPT' });
}

function opened(path: string, db: Database.Database, check = assertOurs): ReadableLibrary {
  try {
    check(db);
    register(db, path);
  } catch (error) {
    db.close();
    throw error;
  }
  return db;
}

function register(db: Database.Database, path: string): void {
  registerFunctions(db, () => connectReader(path));
  let another: Database.Database | undefined;
  registerTokenTable(db, () => {
    another ??= connectReader(path);
    return another;
  });
}

/** @throws AlteredDatabaseError before SQLite reads the schema, which may never end */
function connect(path: string, options: Database.Options): Database.Database {
  const foreign = foreignStatistics(path);
  if (foreign !== undefined) throw new AlteredDatabaseError(path, foreign);
  return new Database(path, options);
}

function connectReader(path: string): Database.Database {
  const db = connect(path, READ_ONLY);
  db.pragma('query_only = 1');
  // Some ten threads have one to three connections each. The system keeps the file's pages in memory, too.
  db.pragma('cache_size = -8192');
  // If another process truncates the file, reading mapped pages would crash this process. Mapping is no faster.
  db.pragma('mmap_size = 0');
  db.pragma('temp_store = MEMORY');
  return db;
}
