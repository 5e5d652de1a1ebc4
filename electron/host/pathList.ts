/** Completes a path that a user types on a page, below what the user has opened. */
import type { Dirent } from 'node:fs';
import { opendir, stat } from 'node:fs/promises';
import { sep } from 'node:path';
import type { PathEntry, PathListing } from '../../shared/api/contract.ts';
import { isBelowAny, isOpened } from '../ingest/granted.ts';

const MOST_LISTED = 200;
/** Names read of one directory. */
const MOST_READ = 100_000;

const byName = new Intl.Collator('en', { numeric: true, sensitivity: 'variant' });

/** @param roots real paths that the user has opened */
export async function listPaths(prefix: string, roots: readonly string[]): Promise<PathListing> {
  const end = Math.max(prefix.lastIndexOf('/'), prefix.lastIndexOf(sep)) + 1;
  const directory = prefix.slice(0, end);
  // Check the path's text first, so that nothing outside is accessed.
  return isOpened(directory, roots)
    ? listBelow(directory, prefix.slice(end), roots)
    : listRoots(prefix, roots);
}

async function listRoots(prefix: string, roots: readonly string[]): Promise<PathListing> {
  return listing(await entriesOf(roots.filter((root) => root.startsWith(prefix))), true);
}

async function listBelow(
  directory: string,
  beginning: string,
  roots: readonly string[],
): Promise<PathListing> {
  const found: Dirent[] = [];
  let read = 0;
  try {
    for await (const entry of await opendir(directory, { bufferSize: 512 })) {
      read += 1;
      if (read > MOST_READ) break;
      // Ingest skips dot entries too.
      if (entry.name.startsWith(beginning) && !entry.name.startsWith('.')) found.push(entry);
    }
  } catch {
    // The directory is gone, is not a directory, or may not be read, so nothing in it can be opened.
    return { entries: [], isWhole: true };
  }
  found.sort((a, b) => byName.compare(a.name, b.name));
  const namesOf = (isKind: (entry: Dirent) => boolean) =>
    found.filter(isKind).map(({ name }) => directory + name);
  const directories = namesOf((entry) => entry.isDirectory());
  const links = namesOf((entry) => entry.isSymbolicLink());
  const files = namesOf((entry) => entry.isFile());
  const inside = links.slice(0, MOST_LISTED).filter((path) => isBelowAny(path, roots));
  const looked = await entriesOf([...inside, ...files.slice(0, MOST_LISTED)]);
  const all = [...directories.map((path): PathEntry => ({ path, kind: 'directory' })), ...looked];
  const isLookedAt = links.length <= MOST_LISTED && files.length <= MOST_LISTED;
  return listing(all, isLookedAt && read <= MOST_READ);
}

/** Skips entries that are neither files nor directories. */
async function entriesOf(paths: readonly string[]): Promise<readonly PathEntry[]> {
  const entries = await Promise.all(
    paths.map(async (path): Promise<PathEntry | undefined> => {
      const found = await stat(path).catch(() => undefined);
      if (found?.isDirectory() === true) return { path, kind: 'directory' };
      return found?.isFile() === true ? { path, kind: 'file', bytes: found.size } : undefined;
    }),
  );
  return entries.filter((entry) => entry !== undefined);
}

function listing(entries: readonly PathEntry[], isWhole: boolean): PathListing {
  const sorted = entries.toSorted(
    (a, b) => Number(a.kind === 'file') - Number(b.kind === 'file') || byName.compare(a.path, b.path),
  );
  return { entries: sorted.slice(0, MOST_LISTED), isWhole: isWhole && sorted.length <= MOST_LISTED };
}
