import { statSync } from 'node:fs';

/**
 * The size of a library on disk: its file and its write-ahead log. Every displayed size comes from here.
 *
 * @returns undefined when there is no file
 */
export function bytesOnDisk(path: string): number | undefined {
  const sizeOf = (of: string): number | undefined => statSync(of, { throwIfNoEntry: false })?.size;
  const file = sizeOf(path);
  return file === undefined ? undefined : file + (sizeOf(`${path}-wal`) ?? 0);
}
