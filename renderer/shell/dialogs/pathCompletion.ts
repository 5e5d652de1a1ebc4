/** Completion of a typed path, as in a shell. */
import type { PathEntry } from '../../../shared/api/contract.ts';

/** The longest common prefix of all entries. A single directory gets its separator. */
export function completedPath(typed: string, entries: readonly PathEntry[], separator: string): string {
  const [first, ...others] = entries;
  if (first === undefined) return typed;
  const { path, kind } = first;
  if (others.length === 0) return kind === 'directory' && !path.endsWith(separator) ? path + separator : path;
  let length = path.length;
  for (const other of others) while (!other.path.startsWith(path.slice(0, length))) length -= 1;
  // Do not split a surrogate pair.
  if (/[\uD800-\uDBFF]$/.test(path.slice(0, length))) length -= 1;
  return length > typed.length ? path.slice(0, length) : typed;
}

/** The part of a path after the typed directory. */
export function shownPath(typed: string, path: string, separator: string): string {
  return path.slice(typed.lastIndexOf(separator) + 1);
}
