/** Which paths a page may name: those the user has opened, and what lies below them. */
import { existsSync, realpathSync } from 'node:fs';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { ApiError, type ApiFailure, notFound, refused } from '../../shared/api/errors.ts';

/** @param granted real paths */
export function isBelowAny(path: string, granted: ReadonlySet<string>): boolean {
  let real: string;
  try {
    real = realpathSync(path);
  } catch {
    // No such file: nothing to protect, and whoever reads it will say that it is missing.
    real = path;
  }
  return [...granted].some(
    (root) => real === root || real.startsWith(root.endsWith(sep) ? root : root + sep),
  );
}

/** Why a path that is below none of them is not read: nothing lies there, or the user has not opened it. */
export function refusalOfPath(path: string): ApiFailure {
  return existsSync(path)
    ? { code: 'not_granted', message: `${path} has not been opened by the user` }
    : { code: 'not_found', message: `there is no file or directory ${path}` };
}

export interface OutputServices {
  readonly libraryPath: string;
  /** Paths that the user has named for new files. */
  readonly writable: ReadonlySet<string>;
  isGranted(path: string): boolean;
}

const ELSEWHERE =
  'Give a name alone, which lies beside the library, or start Turnwise with that directory: npm start -- DIRECTORY';

/**
 * A page may have a file made where the user has named it in a dialog, in a directory that was opened, or beside the
 * library, which no page chooses. The file is always new.
 *
 * @param asked a bare name, or a path
 * @param ending appended where it is missing
 * @throws ApiError where the file may not be made
 */
export function resolveOutputPath(host: OutputServices, asked: string, ending = ''): string {
  // `..` is its own base name, and leads elsewhere.
  const isName = basename(asked) === asked && !asked.startsWith('.');
  const named = isName ? join(dirname(resolve(host.libraryPath)), asked) : resolve(asked);
  const path = named.endsWith(ending) ? named : named + ending;
  if (host.writable.has(named) || host.writable.has(path)) return path;
  let directory: string;
  try {
    directory = realpathSync(dirname(path));
  } catch {
    throw notFound(`there is no directory ${dirname(path)}`);
  }
  if (!isName && !host.isGranted(directory)) {
    const message = `${directory} has not been opened by the user. ${ELSEWHERE}`;
    throw new ApiError({ code: 'not_granted', message });
  }
  const file = join(directory, basename(path));
  if (existsSync(file)) throw refused(`${file} already exists`);
  return file;
}
