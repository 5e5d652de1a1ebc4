/** Decides which paths a page may name: paths that the user has opened, and everything below them. */
import { existsSync, realpathSync } from 'node:fs';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { ApiError, type ApiFailure, notFound, refused } from '../../shared/api/errors.ts';

/** @param granted real paths */
export function isBelowAny(path: string, granted: ReadonlySet<string>): boolean {
  // The system takes `..` after a link as the parent of its target, Node as that of the link.
  if (path.split(/[\\/]/).includes('..')) return false;
  const real = resolvedPath(resolve(path));
  return [...granted].some(
    (root) => real === root || real.startsWith(root.endsWith(sep) ? root : root + sep),
  );
}

/** The failure for a path outside all granted paths: it does not exist, or the user has not opened it. */
export function refusalOfPath(path: string): ApiFailure {
  return existsSync(path)
    ? { code: 'not_granted', message: `${path} has not been opened by the user` }
    : { code: 'not_found', message: `there is no file or directory ${path}` };
}

/** The real path of a file that may not exist yet: its nearest parent that exists decides. */
function resolvedPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : join(resolvedPath(parent), basename(path));
  }
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
    directory = realpathSync(dirname(path));
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
