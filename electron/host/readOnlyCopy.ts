/** A library that cannot be written is read from a private copy. */
import { accessSync, constants, existsSync, realpathSync } from 'node:fs';
import { dirname } from 'node:path';
import { refused } from '../../shared/api/errors.ts';
import { copyDatabase, type DatabaseCopy, irregularFile } from '../storage/databaseFiles.ts';

/** The library, or its copy. */
export interface ReadableLibrary extends DatabaseCopy {
  /** Why the library cannot be written; absent when it can. */
  readonly readOnly?: string;
}

/** @throws ApiError `refused` when the library cannot be read, or the copy has no room */
export async function readableLibrary(named: string): Promise<ReadableLibrary> {
  // If the path is a link, SQLite keeps its files beside the link's target.
  const library = existsSync(named) ? realpathSync(named) : named;
  const irregular = irregularFile(library);
  if (irregular !== undefined)
    throw refused(`the library ${library} is not opened: ${irregular} is not a regular file`);
  const readOnly = whyReadOnly(library);
  if (readOnly === undefined) return { path: named, remove: () => undefined };
  try {
    return { ...(await copyDatabase(library)), readOnly };
  } catch (error) {
    throw refused(
      `the library ${library} is read-only and cannot be read: ${error instanceof Error ? error.message : ''}`,
    );
  }
}

/** @returns undefined also when there is no file, because the library may be created */
function whyReadOnly(library: string): string | undefined {
  if (!existsSync(library)) return undefined;
  for (const [path, what] of [
    [library, 'the file'],
    [dirname(library), 'its directory'],
  ] as const) {
    try {
      accessSync(path, constants.W_OK);
    } catch (error) {
      const isMount = error instanceof Error && 'code' in error && error.code === 'EROFS';
      return isMount ? 'its file system is mounted read-only' : `${what} may not be written by this user`;
    }
  }
  return undefined;
}
