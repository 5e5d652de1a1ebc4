/** Logs that have grown since they were read, which nobody follows and no job has found yet. */
import { stat } from 'node:fs/promises';
import type { UnreadFile } from '../../shared/api/contract.ts';
import { isOpened, isWithin } from '../ingest/granted.ts';

/**
 * Leaves out files that were read to their end and are not longer now.
 *
 * @param files those with `hasGrown` may have grown, and have the size of then
 * @param granted real paths. Other files are not looked at: a library may come from somebody else
 */
export async function onlyGrown(
  files: readonly UnreadFile[],
  granted: ReadonlySet<string>,
): Promise<readonly UnreadFile[]> {
  const looked = files.map(async (file) => {
    if (file.hasGrown !== true) return file;
    const bytes = isWithin(file.path, granted) ? await sizeOf(file.path) : 0;
    return bytes > file.bytes && isOpened(file.path, granted) ? { ...file, bytes } : undefined;
  });
  return (await Promise.all(looked)).filter((file) => file !== undefined);
}

/** In bytes. 0 for a file that is gone or cannot be looked at. */
async function sizeOf(path: string): Promise<number> {
  try {
    return (await stat(path)).size;
  } catch {
    return 0;
  }
}
