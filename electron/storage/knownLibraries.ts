/** Remembers other libraries that were opened. */
import type { ReadableLibrary, WritableLibrary } from './open.ts';
import { number, query, text } from './rows.ts';

export interface KnownLibrary {
  readonly path: string;
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly openedAt: number;
}

export interface KnownLibraryChange {
  readonly remember?: KnownLibrary;
  /** The path to forget. */
  readonly forget?: string;
}

/** Number of libraries kept. The oldest ones are forgotten. */
const MOST_KNOWN = 30;

/** Most recently opened first. */
export function listKnownLibraries(db: ReadableLibrary): readonly KnownLibrary[] {
  const sql =
    'SELECT path, id, opened_at AS openedAt FROM known_library_row ORDER BY opened_at DESC, path LIMIT ?';
  return query(db, sql, { path: text, id: text, openedAt: number }).all(MOST_KNOWN);
}

export function rememberLibrary(db: WritableLibrary, { path, id, openedAt }: KnownLibrary): void {
  db.transaction(() => {
    // Two processes may have given the same id to two files. The latest one keeps it.
    db.prepare('DELETE FROM known_library_row WHERE id = ? AND path <> ?').run(id, path);
    // Keep the last one first even if the clock was set back. Otherwise it could be the one that is forgotten.
    db.prepare(
      `INSERT INTO known_library_row (path, id, opened_at)
        SELECT ?, ?, max(?, coalesce(max(opened_at) + 1, 0)) FROM known_library_row WHERE true
        ON CONFLICT (path) DO UPDATE SET id = excluded.id, opened_at = excluded.opened_at`,
    ).run(path, id, openedAt);
    db.prepare(
      `DELETE FROM known_library_row WHERE path NOT IN
        (SELECT path FROM known_library_row ORDER BY opened_at DESC, path LIMIT ?)`,
    ).run(MOST_KNOWN);
  })();
}

export function forgetLibrary(db: WritableLibrary, path: string): boolean {
  return db.prepare('DELETE FROM known_library_row WHERE path = ?').run(path).changes > 0;
}
