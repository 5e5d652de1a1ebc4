/** Limits the sizes that a file claims for its contents, in proportion to the size of the file. */
import { CorruptContainerError } from './container.ts';

/** Row limit: a base, plus this many per byte of the file. Equal rows may take a bit each, but logs do not repeat one row. */
const [ROWS_OF_ANY, ROWS_PER_BYTE] = [1 << 16, 1];
/**
 * Memory limit in bytes: at least the first, the second per byte of the file, at most the third. The process that parses
 * may hold 920 MiB, and needs a part of it for compressed bytes, rows and itself.
 */
const [MEMORY_OF_ANY, MEMORY_PER_BYTE, MOST_MEMORY] = [128 << 20, 8, 512 << 20];

/** Limit in bytes of what all records take: a base, plus this many per byte of the file. gzip does not compress better. */
const [ALL_OF_ANY, ALL_PER_BYTE] = [256 << 20, 1024];

export function mostRows(fileBytes: number): number {
  return ROWS_OF_ANY + ROWS_PER_BYTE * fileBytes;
}

/** @throws CorruptContainerError when a file of this size cannot have so many rows */
export function checkRows(rows: number, fileBytes: number): void {
  if (!(rows >= 0 && rows <= mostRows(fileBytes)))
    throw new CorruptContainerError(`it claims ${rows} rows, in ${fileBytes} bytes`);
}

/** Limit in bytes for all values of a file that stores them as they are: a base, plus this many per byte of the file. */
const [STORED_OF_ANY, STORED_PER_BYTE] = [16 << 20, 4];

/**
 * @param bytes of the values as text; a number may take fewer in the file
 * @throws CorruptContainerError when a file of this size cannot store them. A column that was added later has a default,
 * which may be long, in rows that do not store it
 */
export function checkStored(bytes: number, fileBytes: number): void {
  if (bytes > STORED_OF_ANY + STORED_PER_BYTE * fileBytes)
    throw new CorruptContainerError(`its rows claim ${bytes} bytes, in ${fileBytes} bytes`);
}

/**
 * Limit in bytes for the unpacked size of data that must be in memory at once.
 *
 * @param most a higher limit, for a size that includes the compressed bytes
 */
export function mostMemory(fileBytes: number, most = MOST_MEMORY): number {
  return Math.min(most, Math.max(MEMORY_OF_ANY, MEMORY_PER_BYTE * fileBytes));
}

/**
 * Limit in bytes for all records together: unpacked, decoded or as JSON. Any number of rows may share one text, and zstd
 * unpacks 30,000 to 1.
 */
export function mostInAll(fileBytes: number): number {
  return ALL_OF_ANY + ALL_PER_BYTE * fileBytes;
}
