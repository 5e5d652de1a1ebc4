/** Sizes and times of all files below a path: what a look can tell without opening them. */
import { readdir, realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** Path → size, time and inode; unequal means somebody wrote to it, or put another file in its place. */
export type FileStates = ReadonlyMap<string, string>;

/** @returns undefined when nothing is there */
export async function lookAt(
  path: string,
  isIgnored: (path: string) => boolean = () => false,
): Promise<FileStates | undefined> {
  const states = new Map<string, string>();
  if (!(await walk(path, states, new Set()))) return undefined;
  for (const found of states.keys()) if (isIgnored(found)) states.delete(found);
  return states;
}

/** @param seen real paths of the directories looked at: links may form circles */
async function walk(path: string, states: Map<string, string>, seen: Set<string>): Promise<boolean> {
  try {
    const found = await stat(path, { bigint: true });
    if (found.isFile()) states.set(path, `${found.size} ${found.mtimeNs} ${found.ino}`);
    else if (found.isDirectory()) {
      const real = await realpath(path);
      if (seen.has(real)) return true;
      seen.add(real);
      const names = await readdir(path);
      for (const name of names.filter((entry) => !entry.startsWith('.')).sort()) {
        await walk(join(path, name), states, seen);
      }
    }
    return true;
  } catch {
    // Gone between two looks, or not readable: the next look, or the ingest of the directory, says so.
    return false;
  }
}
