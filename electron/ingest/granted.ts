/**
 * The only check before a file is opened: the path must be below one that the user has opened. A library contains
 * paths, too, and may come from somebody else.
 */
import { realpathSync } from 'node:fs';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { ApiError } from '../../shared/api/errors.ts';
import { shellWord } from '../../shared/domain/shellWord.ts';

/** Sent to a thread with each request that opens files named by the library. */
export interface Granted {
  /** Path of the library, for messages. */
  readonly library: string;
  /** Real paths. */
  readonly paths: readonly string[];
}

/** Deeper paths are not granted: a path that does not exist is resolved level by level. */
export const MOST_LEVELS = 256;

/** @param granted real paths */
export function isBelowAny(path: string, granted: Iterable<string>): boolean {
  const levels = path.split(/[\\/]/);
  // After a link, the system resolves `..` to the parent of the link's target, but Node to the parent of the link.
  if (levels.includes('..') || levels.length > MOST_LEVELS) return false;
  return isWithin(resolvedPath(resolve(path)), granted);
}

/**
 * For a path that the library names. The path's text is checked first, because even `stat` can reach another machine.
 *
 * @param path the real path at the time of ingest
 * @param granted real paths
 */
export function isOpened(path: string, granted: Iterable<string>): boolean {
  return isWithin(path, granted) && isBelowAny(path, granted);
}

/** By the path's text alone. */
export function isWithin(path: string, roots: Iterable<string>): boolean {
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

/** The real path of a file that may not exist yet, resolved through its nearest existing parent. */
export function resolvedPath(path: string): string {
  try {
    // `native` follows links as the system does. Node's own version resolves `..` in a link's target differently.
    return realpathSync.native(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : join(resolvedPath(parent), basename(path));
  }
}
