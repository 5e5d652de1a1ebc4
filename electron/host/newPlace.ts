/** Where files may be made. */
import { existsSync, realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import type { ApiFailure } from '../../shared/api/errors.ts';

export interface PlaceServices {
  readonly libraryPath: string;
  /** Paths of files that may be made: the user has named them. */
  readonly writable: ReadonlySet<string>;
  isGranted(path: string): boolean;
}

const ELSEWHERE =
  'Give a name alone, which lies beside the library, or start Turnwise with that directory: npm start -- DIRECTORY';

/**
 * Where a page may have a file or a directory made: where the user has said so in a dialog, in a directory that was opened, or beside
 * the library, which is no place of the page's choosing. Always a new one, never another one's.
 */
export function newPlace(
  host: PlaceServices,
  asked: string,
  ending: string,
): { path: string } | { failure: ApiFailure } {
  // `..` is its own base name, and leads elsewhere.
  const isName = basename(asked) === asked && !asked.startsWith('.');
  const named = isName ? join(dirname(resolve(host.libraryPath)), asked) : resolve(asked);
  const path = named.endsWith(ending) ? named : named + ending;
  if (host.writable.has(named) || host.writable.has(path)) return { path };
  let directory: string;
  try {
    directory = realpathSync(dirname(path));
  } catch {
    return { failure: { code: 'not_found', message: `there is no directory ${dirname(path)}` } };
  }
  if (!isName && !host.isGranted(directory)) {
    return {
      failure: { code: 'not_granted', message: `${directory} has not been opened by the user. ${ELSEWHERE}` },
    };
  }
  const file = join(directory, basename(path));
  return existsSync(file)
    ? { failure: { code: 'refused', message: `${file} is there already` } }
    : { path: file };
}
