/** The library file: its size, its identity, and compaction. */
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

/**
 * Distinguishes the file at a path from a later file at the same path. @returns undefined when there is no
 * file
 */
export function fileIdentity(path: string): string | undefined {
  const status = statSync(path, { throwIfNoEntry: false, bigint: true });
  return status === undefined ? undefined : `${status.dev}:${status.ino}`;
}

/** Bytes in use, without free pages inside the file. */
export function usedBytes(db: WritableLibrary): number {
  const one = (name: string): number => Number(db.pragma(name, { simple: true }));
  return (one('page_count') - one('freelist_count')) * one('page_size');
}

/**
 * Rewrites the file without free pages, which also erases deleted data. Opens a separate connection,
 * because the library's connection keeps temporary data in memory, and a copy of the library may not fit
 * there.
 *
 * @throws SqliteError SQLITE_BUSY when another process writes, SQLITE_FULL when the disk is full; the file
 * is unchanged
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
 * Returns the space of deleted rows to the file system, if possible now. While other connections read or
 * write, or if the disk has no room for a copy, the pages stay free inside the file and are reused.
 */
export function shrink(db: WritableLibrary): void {
  try {
    if (missingSpace(db.name, usedBytes(db)) === undefined) vacuum(db);
    else db.pragma('wal_checkpoint(TRUNCATE)');
  } catch (error) {
    // The rows are deleted already, so the caller has succeeded even if no space is freed.
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    if (!code.startsWith('SQLITE_BUSY') && code !== 'SQLITE_FULL') throw error;
  }
}

/**
 * VACUUM makes two copies: one among the system's temporary files, then one beside the file.
 *
 * @returns a description of the missing space; undefined when there is enough
 */
function missingSpace(path: string, bytes: number): string | undefined {
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
    if (free < needs) return `${directory} has ${free} bytes free, but a copy needs ${needs}`;
  }
  return undefined;
}

export class LibraryFile {
  private readonly db: WritableLibrary;

  constructor(db: WritableLibrary) {
    this.db = db;
  }

  /** @returns the remembered libraries after this change */
  known({ remember, forget }: KnownLibraryChange): readonly KnownLibrary[] {
    if (remember !== undefined) rememberLibrary(this.db, remember);
    if (forget !== undefined) forgetLibrary(this.db, forget);
    return listKnownLibraries(this.db);
  }

  /**
   * Returns free pages to the file system. Sizes are bytes of the file and its write-ahead log.
   *
   * @throws SqliteError when another process writes, or the disk fills up during the copy
   */
  compact(): { readonly before: number; readonly after: number } | { readonly refusal: string } {
    const missing = missingSpace(this.db.name, usedBytes(this.db));
    if (missing !== undefined) return { refusal: `not compacted: ${missing}. The library is unchanged` };
    const before = bytesOnDisk(this.db.name) ?? 0;
    vacuum(this.db);
    return { before, after: bytesOnDisk(this.db.name) ?? 0 };
  }
}
