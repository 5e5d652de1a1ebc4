/**
 * A library that cannot be written is read from a private copy. SQLite needs additional files beside a library. If the
 * reader could create them, they would belong to the reader and lock the owner out.
 */
import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  statfsSync,
  statSync,
} from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { refused } from '../../shared/api/errors.ts';

export interface ReadableLibrary {
  /** The library, or its copy. */
  readonly path: string;
  /** Why the library cannot be written; absent when it can. */
  readonly readOnly?: string;
  /** Deletes the copy. */
  remove(): void;
}

/** Attempts to copy. Another program may write during a copy and make it inconsistent. */
const MOST_TRIES = 5;
/** Directory name, without the process id that follows. */
const PREFIX = 'turnwise-read-only-';

/** @throws ApiError `refused` when the library cannot be read, or the copy has no room */
export async function readableLibrary(named: string): Promise<ReadableLibrary> {
  // If the path is a link, SQLite keeps its files beside the link's target.
  const library = existsSync(named) ? realpathSync(named) : named;
  requireRegularFiles(library);
  const readOnly = whyReadOnly(library);
  if (readOnly === undefined) return { path: named, remove: () => undefined };
  removeLeftCopies();
  const directory = mkdtempSync(join(tmpdir(), `${PREFIX}${process.pid}-`));
  const remove = (): void => {
    process.off('exit', remove);
    rmSync(directory, { recursive: true, force: true });
  };
  process.once('exit', remove);
  try {
    const path = join(directory, basename(library));
    await copyLibrary(library, path);
    return { path, readOnly, remove };
  } catch (error) {
    remove();
    throw error;
  }
}

/** Refuses pipes: opening one would block, and SQLite would read one beside the library as its own file. */
function requireRegularFiles(library: string): void {
  for (const path of ['', '-wal', '-shm', '-journal'].map((suffix) => library + suffix)) {
    if (lstatSync(path, { throwIfNoEntry: false })?.isFile() === false)
      throw refused(`the library ${library} is not opened: ${path} is not a regular file`);
  }
}

/** Deletes copies left by processes that were killed. */
function removeLeftCopies(): void {
  for (const name of readdirSync(tmpdir())) {
    const pid = Number(name.startsWith(PREFIX) ? name.slice(PREFIX.length).split('-')[0] : Number.NaN);
    if (!Number.isInteger(pid) || pid === process.pid || isRunning(pid)) continue;
    try {
      rmSync(join(tmpdir(), name), { recursive: true, force: true });
    } catch {
      // The copy belongs to another user.
    }
  }
}

export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // The process exists but belongs to another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
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

async function copyLibrary(library: string, copy: string): Promise<void> {
  const { bavail, bsize } = statfsSync(dirname(copy));
  const { size } = statSync(library);
  if (size > bavail * bsize) {
    throw refused(
      `the library ${library} is read-only, so it is read from a copy in ${dirname(copy)}. The copy needs ${size} bytes, but ${bavail * bsize} are free`,
    );
  }
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const before = changeOf(library);
    try {
      // Data that is appended to the write-ahead log later is not needed.
      if (existsSync(`${library}-wal`)) await copyFile(`${library}-wal`, `${copy}-wal`);
      await copyFile(library, copy, constants.COPYFILE_FICLONE);
    } catch (error) {
      throw refused(`the library ${library} cannot be read: ${error instanceof Error ? error.message : ''}`);
    }
    // The copy has the permissions of the library.
    for (const each of [copy, `${copy}-wal`]) if (existsSync(each)) chmodSync(each, 0o600);
    if (changeOf(library) === before) return;
    for (const each of [copy, `${copy}-wal`]) rmSync(each, { force: true });
  }
  throw refused(`the library ${library} is being written by another program. Try again when it has finished`);
}

function changeOf(path: string): string {
  const { size, mtimeNs } = statSync(path, { bigint: true });
  return `${size} ${mtimeNs}`;
}
