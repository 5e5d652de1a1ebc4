/** The file of a library: how large it is, and giving free pages back to the file system. */
import { statfsSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname } from 'node:path';
import Database from 'better-sqlite3';
import { bytesOnDisk } from './bytesOnDisk.ts';
import {
  forgetLibrary,
  type KnownLibrary,
  type KnownLibraryChange,
  listKnownLibraries,
  rememberLibrary,
} from './knownLibraries.ts';
import type { WritableLibrary } from './open.ts';

/** Tells the file at a path from another one that has come to lie there. @returns undefined where there is none */
export function fileIdentity(path: string): string | undefined {
  const status = statSync(path, { throwIfNoEntry: false, bigint: true });
  return status === undefined ? undefined : `${status.dev}:${status.ino}`;
}

/** Bytes in use: free pages inside the file are none. */
export function usedBytes(db: WritableLibrary): number {
  const one = (name: string): number => Number(db.pragma(name, { simple: true }));
  return (one('page_count') - one('freelist_count')) * one('page_size');
}

/**
 * Writes the file anew without free pages, and with that removes the last traces of what stood there. On a connection
 * of its own: the library's keeps temporary data in memory, and a copy of a library does not fit there.
 *
 * @throws SqliteError SQLITE_BUSY when another process writes, SQLITE_FULL when the disk is full: nothing has changed
 */
function vacuum(db: WritableLibrary): void {
  const other = new Database(db.name, { timeout: 10_000 });
  try {
    other.pragma('temp_store = FILE');
    other.exec('VACUUM');
  } finally {
    other.close();
  }
  db.pragma('wal_checkpoint(TRUNCATE)');
}

/**
 * Gives the space of deleted rows back where that can be done now. Where somebody is reading or writing just now the
 * pages stay free inside the file, to be written over by what comes next; likewise where the disk has no room for a copy.
 */
export function shrink(db: WritableLibrary): void {
  try {
    if (roomFor(db.name, usedBytes(db)) === undefined) vacuum(db);
  } catch (error) {
    const isBusy = error instanceof Error && 'code' in error && String(error.code).startsWith('SQLITE_BUSY');
    if (!isBusy) throw error;
  }
  db.pragma('wal_checkpoint(TRUNCATE)');
}

/**
 * A copy is made twice: among the system's temporary files, then beside the file.
 *
 * @returns what is missing; undefined where there is room
 */
function roomFor(path: string, bytes: number): string | undefined {
  const places = new Map<number, { readonly directory: string; needs: number }>();
  for (const directory of [dirname(path), process.env['SQLITE_TMPDIR'] ?? tmpdir()]) {
    const { dev } = statSync(directory);
    const place = places.get(dev);
    if (place === undefined) places.set(dev, { directory, needs: bytes });
    else place.needs += bytes;
  }
  for (const { directory, needs } of places.values()) {
    const { bavail, bsize } = statfsSync(directory);
    const free = bavail * bsize;
    if (free < needs) return `${directory} has ${free} bytes free, and ${needs} are needed for a copy`;
  }
  return undefined;
}

export class LibraryFile {
  private readonly db: WritableLibrary;

  constructor(db: WritableLibrary) {
    this.db = db;
  }

  /** @returns the others that are remembered, once this has been changed */
  known({ remember, forget }: KnownLibraryChange): readonly KnownLibrary[] {
    if (remember !== undefined) rememberLibrary(this.db, remember);
    if (forget !== undefined) forgetLibrary(this.db, forget);
    return listKnownLibraries(this.db);
  }

  /**
   * Gives free pages back. Bytes are of the file and its log.
   *
   * @throws SqliteError when another process writes, or the disk is full after all
   */
  compact(): { readonly before: number; readonly after: number } | { readonly refusal: string } {
    const missing = roomFor(this.db.name, usedBytes(this.db));
    if (missing !== undefined) return { refusal: missing };
    const before = bytesOnDisk(this.db.name) ?? 0;
    vacuum(this.db);
    return { before, after: bytesOnDisk(this.db.name) ?? 0 };
  }
}
