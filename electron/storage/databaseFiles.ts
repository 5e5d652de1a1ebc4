/**
 * The files that make up an SQLite database, and a private copy of them. SQLite keeps additional files beside a
 * database. Files created by a reader would belong to that reader and lock the writer out.
 */
import {
  chmodSync,
  constants,
  existsSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  type Stats,
  statfsSync,
  statSync,
} from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';

export interface DatabaseCopy {
  readonly path: string;
  /** Deletes the copy. */
  remove(): void;
}

/** Bytes: of a block as the system counts them, and of a file that may be sparse. */
const [BLOCK, LARGEST_SPARSE] = [512, 64 << 20];
/** Times. */
const MOST_COMPRESSED = 64;
/** Attempts to copy. Another program may write during a copy and make it inconsistent. */
const MOST_TRIES = 5;
/** Directory name, without the process id that follows. */
const PREFIX = 'turnwise-read-only-';

const SQLITE_FILES = ['', '-wal', '-shm', '-journal'];

/** The files of a library: those of SQLite, and the application's log beside it. */
export function filesOfLibrary(library: string): readonly string[] {
  return [...SQLITE_FILES, '.log', '.log.1'].map((suffix) => library + suffix);
}

/**
 * Opening a pipe would block, and SQLite reads files beside a database as its own.
 *
 * @returns the first file of a database that exists and is not a regular file
 */
export function irregularFile(database: string): string | undefined {
  return SQLITE_FILES.map((suffix) => database + suffix).find(
    (path) => lstatSync(path, { throwIfNoEntry: false })?.isFile() === false,
  );
}

/**
 * Copies a database, with its write-ahead log, into a temporary directory of this process. The copy is deleted by
 * `remove`, or when the process ends.
 *
 * @throws Error with a sentence when there is no room, or another program keeps writing; or the system's error
 */
export async function copyDatabase(database: string): Promise<DatabaseCopy> {
  removeLeftCopies();
  const directory = mkdtempSync(join(tmpdir(), `${PREFIX}${process.pid}-`));
  const remove = (): void => {
    process.off('exit', remove);
    rmSync(directory, { recursive: true, force: true });
  };
  process.once('exit', remove);
  try {
    const path = join(directory, basename(database));
    await copyFiles(database, path);
    return { path, remove };
  } catch (error) {
    remove();
    throw error;
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

async function copyFiles(database: string, copy: string): Promise<void> {
  const { bavail, bsize } = statfsSync(dirname(copy));
  const files = [database, `${database}-wal`].flatMap(
    (path) => statSync(path, { throwIfNoEntry: false }) ?? [],
  );
  const sum = (of: (file: Stats) => number): number => files.reduce((all, file) => all + of(file), 0);
  const [size, blocks] = [sum((file) => file.size), sum((file) => file.blocks)];
  // A copy takes the whole size, also of what was never written. No file system compresses that much.
  if (blocks > 0 && size > LARGEST_SPARSE && size > MOST_COMPRESSED * BLOCK * blocks)
    throw new Error(`it has ${size} bytes, of which ${BLOCK * blocks} are on the disk`);
  if (size > bavail * bsize) {
    throw new Error(
      `it must be read from a copy in ${dirname(copy)}. The copy needs ${size} bytes, but ${bavail * bsize} are free`,
    );
  }
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const before = changeOf(database);
    // Data that is appended to the write-ahead log later is not needed.
    if (existsSync(`${database}-wal`)) await copyFile(`${database}-wal`, `${copy}-wal`);
    await copyFile(database, copy, constants.COPYFILE_FICLONE);
    // The copy has the permissions of the database.
    for (const each of [copy, `${copy}-wal`]) if (existsSync(each)) chmodSync(each, 0o600);
    if (changeOf(database) === before) return;
    for (const each of [copy, `${copy}-wal`]) rmSync(each, { force: true });
  }
  throw new Error('another program is writing it. Try again when that has finished');
}

function changeOf(path: string): string {
  const { size, mtimeNs } = statSync(path, { bigint: true });
  return `${size} ${mtimeNs}`;
}
