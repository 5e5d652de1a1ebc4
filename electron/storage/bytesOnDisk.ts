import { statSync } from 'node:fs';

/**
 * What a library takes on the disk: its file and its write-ahead log. Whoever says the size of a library says this.
 *
 * @returns undefined where there is no file
 */
export function bytesOnDisk(path: string): number | undefined {
  const sizeOf = (of: string): number | undefined => statSync(of, { throwIfNoEntry: false })?.size;
  const file = sizeOf(path);
  return file === undefined ? undefined : file + (sizeOf(`${path}-wal`) ?? 0);
}
