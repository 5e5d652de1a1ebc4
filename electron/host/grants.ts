/** Stores which paths the user has opened, and decides where a page may create files. */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, realpathSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { ApiError, type ApiFailure, notFound, refused } from '../../shared/api/errors.ts';
import { isBelowAny } from '../ingest/granted.ts';
import { defaultLibraryPath } from './libraryPath.ts';

/** In the directory of the user's default library. */
const DIRECTORY = 'granted';

/**
 * Paths that the user has opened for one library, on this machine. They are stored in the user's own directory,
 * because the library may come from somebody else. A stored file belongs to a library by its path, inode and creation
 * time.
 */
export class Grants {
  /** Real paths: the stored ones, and those opened in this session. */
  readonly paths = new Set<string>();
  private readonly kept = new Set<string>();
  private readonly onNotKept: (path: string, error: unknown) => void;
  private file: string | undefined;

  /** @param onNotKept called once for a path whose grant cannot be stored and ends when the library is closed */
  constructor(onNotKept: (path: string, error: unknown) => void = () => undefined) {
    this.onNotKept = onNotKept;
  }

  /** @param library path of an existing file */
  open(library: string): void {
    const path = realpathSync.native(library);
    // A new file can reuse the inode of a removed one, so compare the creation time, too.
    const { ino, birthtimeNs } = statSync(path, { bigint: true });
    const name = createHash('sha256').update(`${ino} ${birthtimeNs} ${path}`).digest('hex').slice(0, 32);
    this.file = join(dirname(defaultLibraryPath()), DIRECTORY, name);
    for (const path of linesOf(this.file)) {
      this.paths.add(path);
      this.kept.add(path);
    }
  }

  /** Stores the grants that give access to this path. */
  keepFor(path: string): void {
    const others = [...this.paths].filter((opened) => !this.kept.has(opened));
    if (others.length === 0 || !isBelowAny(path, others)) return;
    for (const opened of others) if (isBelowAny(path, [opened])) this.keep(opened);
  }

  keepAllOf(other: Grants): void {
    for (const path of other.kept) {
      this.paths.add(path);
      if (!this.kept.has(path)) this.keep(path);
    }
  }

  private keep(path: string): void {
    if (this.file === undefined) return;
    // Mark it even if storing fails, so that it is not tried again.
    this.kept.add(path);
    try {
      mkdirSync(dirname(this.file), { recursive: true, mode: 0o700 });
      // Several processes may append at the same time.
      writeFileSync(this.file, `${JSON.stringify(path)}\n`, { flag: 'a', mode: 0o600 });
    } catch (error) {
      this.onNotKept(path, error);
    }
  }
}

function linesOf(file: string): readonly string[] {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    // There are no grants for this library, or the file cannot be read.
    return [];
  }
  return text.split('\n').flatMap((line) => {
    try {
      const path: unknown = JSON.parse(line);
      return typeof path === 'string' ? [path] : [];
    } catch {
      // Skip the empty last line, or a truncated line.
      return [];
    }
  });
}

/** @returns undefined when there is no such path */
export function realOf(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch {
    return undefined;
  }
}

/** The failure for a path outside all granted paths. It is the same whether the path exists or not. */
export function refusalOfPath(path: string): ApiFailure {
  const message = `Turnwise has no permission to read ${path}: it was not opened, or does not exist`;
  return { code: 'not_granted', message };
}

export interface OutputServices {
  readonly libraryPath: string;
  /** Paths that the user has chosen for new files. */
  readonly writable: ReadonlySet<string>;
  isGranted(path: string): boolean;
}

const OUTPUT_HELP =
  'Give a bare name for a file beside the library, or start Turnwise with that directory: npm start -- DIRECTORY';

/** Files that SQLite reads and deletes beside a database. */
const OF_SQLITE = /-(?:wal|shm|journal)$/i;
/** Directories of Turnwise beside the library, or in the directory of the user's default library. */
const OWN_DIRECTORIES = [
  ...[DIRECTORY, 'downloads', 'uploads', 'compiled'],
  ...['counterfactual', 'wheels', 'from-warehouse'],
];
/** Bytes. Most file systems refuse longer names. */
const LONGEST_NAME = 255;
/** Characters that would show another name, or several lines. */
const DISGUISING = /[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]/u;

/** Refuses names of files that Turnwise or SQLite would take for their own. */
function requireFreeName(file: string, libraryPath: string): void {
  const name = basename(file);
  const directories = [libraryPath, defaultLibraryPath()].map((library) => realOf(dirname(resolve(library))));
  const own = [...OWN_DIRECTORIES, basename(libraryPath), `${basename(libraryPath)}.log`];
  // Some file systems ignore case.
  const isOwn = own.some((one) => one.toLowerCase() === name.toLowerCase());
  if (Buffer.byteLength(name) > LONGEST_NAME)
    throw refused(`a file name has at most ${LONGEST_NAME} bytes. Choose a shorter one`);
  if (DISGUISING.test(name))
    throw refused(
      'the file name has a line break, a control or a bidirectional character. Choose another name',
    );
  if (OF_SQLITE.test(name))
    throw refused(`SQLite uses names like ${name} beside databases. Choose another name`);
  if (isOwn && directories.includes(dirname(file)))
    throw refused(`Turnwise needs the name ${file} for itself. Choose another name`);
}

/**
 * Resolves the path of a new file for a page. Allowed are paths that the user chose in a dialog, and files in an
 * opened directory or in the directory of the library. Existing files are never overwritten, and names that Turnwise or
 * SQLite needs are refused.
 *
 * @param asked a bare name, or a path
 * @param extensions without a dot; the first is appended to a name that has none of them
 * @throws ApiError when the path is not allowed
 */
export function resolveOutputPath(
  host: OutputServices,
  asked: string,
  extensions: readonly string[] = [],
): string {
  // `..` equals its own base name but leads to another directory.
  const isName = basename(asked) === asked && !asked.startsWith('.');
  const named = isName ? join(dirname(resolve(host.libraryPath)), asked) : resolve(asked);
  const [extension] = extensions;
  const isComplete = extension === undefined || extensions.some((one) => named.endsWith(`.${one}`));
  const path = isComplete ? named : `${named}.${extension}`;
  if (host.writable.has(named) || host.writable.has(path)) return path;
  const directory = realOf(dirname(path));
  // The error is the same whether or not a directory that was not opened exists.
  if (!isName && !host.isGranted(directory ?? dirname(path))) {
    const message = `Turnwise has no permission to write in ${dirname(path)}. ${OUTPUT_HELP}`;
    throw new ApiError({ code: 'not_granted', message });
  }
  if (directory === undefined) throw notFound(`there is no directory ${dirname(path)}`);
  const file = join(directory, basename(path));
  requireFreeName(file, host.libraryPath);
  if (existsSync(file)) throw refused(`${file} already exists`);
  return file;
}
