/**
 * Connections to a library: one writer, any number of readers. A reader never creates or
 * migrates; a writer does both.
 */
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import Database from 'better-sqlite3';
import { registerFunctions } from './functions.ts';
import { assertOurs, migrate } from './migrate.ts';
import { registerTokenTable } from './tokenTable.ts';

export type WritableLibrary = Database.Database & { readonly writable: true };
export type ReadableLibrary = Database.Database;

/** WAL frames that may pile up before a checkpoint, in pages of 8 KiB: 64 MiB. */
const CHECKPOINT_PAGES = 8192;

/** A library that another program holds for itself is given up after this long, whatever the single attempts wait. */
const PATIENCE_MS = 10_000;

/** @throws NewerDatabaseError, ForeignDatabaseError, SqliteError (not a database, locked) */
export function openWriter(path: string): WritableLibrary {
  mkdirSync(dirname(path), { recursive: true });
  const db = new Database(path, { timeout: 10_000 });
  try {
    patiently(() => assertOurs(db));
    db.pragma('page_size = 8192');
    patiently(() => db.pragma('journal_mode = WAL'));
    db.pragma('synchronous = NORMAL');
    db.pragma(`wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
    db.pragma(`journal_size_limit = ${CHECKPOINT_PAGES * 8192}`);
    db.pragma('cache_size = -65536');
    db.pragma('temp_store = MEMORY');
    // The writer keeps the references itself; checking each would cost a lookup per row of a bulk insert.
    db.pragma('foreign_keys = OFF');
    patiently(() => migrate(db));
    register(db, path);
  } catch (error) {
    db.close();
    throw error;
  }
  return Object.assign(db, { writable: true as const });
}

/**
 * Two processes that make the same library at once: switching to WAL needs the file for itself
 * and does not wait for it, whatever the connection's timeout says.
 */
function patiently(work: () => void): void {
  const until = Date.now() + PATIENCE_MS;
  const pause = new Int32Array(new SharedArrayBuffer(4));
  for (let attempt = 1; ; attempt++) {
    try {
      work();
      return;
    } catch (error) {
      const isBusy = error instanceof Database.SqliteError && error.code.startsWith('SQLITE_BUSY');
      if (!isBusy || attempt >= 100 || Date.now() > until) throw error;
      Atomics.wait(pause, 0, 0, 50);
    }
  }
}

/** @throws NewerDatabaseError, ForeignDatabaseError, SqliteError */
export function openReader(path: string): ReadableLibrary {
  const db = connectReader(path);
  try {
    assertOurs(db);
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

function connectReader(path: string): Database.Database {
  const db = new Database(path, { readonly: true, fileMustExist: true, timeout: 10_000 });
  db.pragma('query_only = 1');
  db.pragma('cache_size = -32768');
  db.pragma('mmap_size = 268435456');
  db.pragma('temp_store = MEMORY');
  return db;
}
