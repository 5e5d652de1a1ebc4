/** What is done to a library as a whole, not to what is in it. */
import { bytesOnDisk } from './bytesOnDisk.ts';
import {
  forgetLibrary,
  type KnownLibrary,
  type KnownLibraryChange,
  listKnownLibraries,
  rememberLibrary,
} from './knownLibraries.ts';
import { roomFor, usedBytes, vacuum } from './libraryFile.ts';
import type { WritableLibrary } from './open.ts';

export class WholeLibrary {
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
