/**
 * The one check before a file is opened: only below what the user has opened. A library names files, too, and may
 * come from somebody else.
 */
import { realpathSync } from 'node:fs';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { ApiError } from '../../shared/api/errors.ts';
import { shellWord } from '../../shared/domain/shellWord.ts';

/** Goes to a thread with each request that opens files which the library names. */
export interface Granted {
  /** Path of the library, for messages. */
  readonly library: string;
  /** Real paths. */
  readonly paths: readonly string[];
}

/** @param granted real paths */
export function isBelowAny(path: string, granted: Iterable<string>): boolean {
  // The system takes `..` after a link as the parent of its target, Node as that of the link.
  if (path.split(/[\\/]/).includes('..')) return false;
  return isWithin(resolvedPath(resolve(path)), granted);
}

/**
 * For a path that the library names. Its text decides first: even a look at a path can reach another machine.
 *
 * @param path as ingest stored it, real at the time
 * @param granted real paths
 */
export function isOpened(path: string, granted: Iterable<string>): boolean {
  return isWithin(path, granted) && isBelowAny(path, granted);
}

function isWithin(path: string, roots: Iterable<string>): boolean {
  return [...roots].some((root) => path === root || path.startsWith(root.endsWith(sep) ? root : root + sep));
}

/** @throws ApiError `not_granted` when the user has not opened this path, which the library names */
export function requireGranted(path: string, { library, paths }: Granted): void {
  if (isOpened(path, paths)) return;
  const directory = dirname(path);
  const command = `turnwise ingest ${shellWord(directory)} --library ${shellWord(library)}`;
  const message = `this library names files in ${directory}, which you have not opened here. To allow reading them, open that directory in Turnwise, or run: ${command}`;
  throw new ApiError({ code: 'not_granted', message });
}

/** The real path of a file that may not exist yet: its nearest parent that exists decides. */
export function resolvedPath(path: string): string {
  try {
    // As the system follows links: Node's own resolves `..` in the target of a link otherwise.
    return realpathSync.native(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : join(resolvedPath(parent), basename(path));
  }
}
