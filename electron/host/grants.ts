/** Keeps which paths the user has opened, and decides where a page may make new files. */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, realpathSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { ApiError, type ApiFailure, notFound, refused } from '../../shared/api/errors.ts';
import { defaultLibraryPath } from './libraryPath.ts';

/** Below the directory of the user's default library. */
const DIRECTORY = 'granted';

/**
 * Paths that the user has opened for one library, on this machine. They are kept in the user's own directory, because
 * the library may come from somebody else. A file there belongs to a library by its path, inode
 * and time of creation.
 */
export class Grants {
  /** Real paths. */
  readonly paths = new Set<string>();
  private file: string | undefined;

  /** @param library path of an existing file */
  open(library: string): void {
    const path = realpathSync.native(library);
    // A new file can have the inode of a removed one.
    const { ino, birthtimeNs } = statSync(path, { bigint: true });
    const name = createHash('sha256').update(`${ino} ${birthtimeNs} ${path}`).digest('hex').slice(0, 32);
    this.file = join(dirname(defaultLibraryPath()), DIRECTORY, name);
    for (const kept of linesOf(this.file)) this.paths.add(kept);
  }

  /**
   * @param path real path
   * @throws the system's error when it cannot be kept; it is granted until the library is closed
   */
  add(path: string): void {
    if (this.paths.has(path)) return;
    this.paths.add(path);
    if (this.file === undefined) return;
    mkdirSync(dirname(this.file), { recursive: true, mode: 0o700 });
    // Processes append at once.
    writeFileSync(this.file, `${JSON.stringify(path)}\n`, { flag: 'a', mode: 0o600 });
  }
}

function linesOf(file: string): readonly string[] {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    // Nothing has been opened for this library, or nobody may know what.
    return [];
  }
  return text.split('\n').flatMap((line) => {
    try {
      const path: unknown = JSON.parse(line);
      return typeof path === 'string' ? [path] : [];
    } catch {
      // The end of the file, or a line that was cut off.
      return [];
    }
  });
}

/** The failure for a path outside all granted paths: it does not exist, or the user has not opened it. */
export function refusalOfPath(path: string): ApiFailure {
  return existsSync(path)
    ? { code: 'not_granted', message: `${path} has not been opened by the user` }
    : { code: 'not_found', message: `there is no file or directory ${path}` };
}

export interface OutputServices {
  readonly libraryPath: string;
  /** Paths that the user has chosen for new files. */
  readonly writable: ReadonlySet<string>;
  isGranted(path: string): boolean;
}

const OUTPUT_HELP =
  'Give a bare name for a file beside the library, or start Turnwise with that directory: npm start -- DIRECTORY';

/**
 * Resolves the path of a new file for a page. Allowed are a path that the user chose in a dialog, an opened
 * directory, and the directory of the library. Existing files are never overwritten.
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
  let directory: string;
  try {
    directory = realpathSync.native(dirname(path));
  } catch {
    throw notFound(`there is no directory ${dirname(path)}`);
  }
  if (!isName && !host.isGranted(directory)) {
    const message = `${directory} has not been opened by the user. ${OUTPUT_HELP}`;
    throw new ApiError({ code: 'not_granted', message });
  }
  const file = join(directory, basename(path));
  if (existsSync(file)) throw refused(`${file} already exists`);
  return file;
}
