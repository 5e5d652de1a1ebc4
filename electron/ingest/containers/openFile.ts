/** Opens files of logs. A pipe or a device would block its thread for good, and a blocked thread cannot be ended. */
import {
  closeSync,
  constants,
  createReadStream,
  fstatSync,
  lstatSync,
  openSync,
  type ReadStream,
  read,
  readlinkSync,
  readSync,
  realpathSync,
  type Stats,
} from 'node:fs';
import { promisify } from 'node:util';

/** Code of the error for a pipe, a socket or a device. */
export const NOT_A_FILE = 'ENOTFILE';
/** Code of the error for a path that leads through a link. */
export const LINKED = 'ELINKED';

/**
 * Opens a file for reading, without waiting for the other end of a pipe.
 *
 * @param path a real path, which was checked when it was found. It may have become a link since, so it is compared with
 * the file that was opened
 * @returns its descriptor
 * @throws the system's error, or one with the code `NOT_A_FILE` or `LINKED`
 */
export function openFile(path: string): number {
  // Windows has neither the flag nor such pipes.
  const file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  const fault = faultOf(path, file, fstatSync(file));
  if (fault === undefined) return file;
  closeSync(file);
  const [code, what] = fault;
  throw Object.assign(new Error(`${path} ${what}`), { code, syscall: 'open' });
}

/** Linux names an open file itself. Elsewhere the path is looked up again, between whose looks it may change. */
function nameOfOpened(file: number): string | undefined {
  try {
    return readlinkSync(`/proc/self/fd/${file}`);
  } catch {
    return undefined;
  }
}

function faultOf(
  path: string,
  file: number,
  opened: Stats,
): readonly [code: string, what: string] | undefined {
  if (opened.isDirectory()) return ['EISDIR', 'is a directory'];
  if (!opened.isFile()) return [NOT_A_FILE, 'is not a regular file'];
  const name = nameOfOpened(file);
  if (name !== undefined) return name === path ? undefined : [LINKED, 'leads through a link'];
  const there = lstatSync(path, { throwIfNoEntry: false });
  const isSame = there !== undefined && there.ino === opened.ino && there.dev === opened.dev;
  return isSame && realpathSync.native(path) === path ? undefined : [LINKED, 'leads through a link'];
}

/**
 * Streams a file that `openFile` accepts.
 *
 * @param bytes end of reading
 */
export function streamFile(path: string, bytes = Number.POSITIVE_INFINITY, from = 0): ReadStream {
  return createReadStream(path, { fd: openFile(path), start: from, end: bytes - 1, highWaterMark: 1 << 18 });
}

/** Reads a file that stays open, in chunks. A stream that is not read to its end would close it. @param bytes end of reading */
export async function* readOpened(file: number, bytes: number, from: number): AsyncGenerator<Buffer> {
  for (let position = from; position < bytes; ) {
    const chunk = Buffer.allocUnsafe(Math.min(1 << 18, bytes - position));
    const { bytesRead } = await readAt(file, chunk, 0, chunk.byteLength, position);
    if (bytesRead === 0) return;
    yield chunk.subarray(0, bytesRead);
    position += bytesRead;
  }
}
const readAt = promisify(read);

/**
 * Reads a file that `openFile` accepts.
 *
 * @returns its bytes, or its size if it has more than `most`
 */
export function readWhole(path: string, most: number): Buffer | number {
  const file = openFile(path);
  try {
    const { size } = fstatSync(file);
    if (size > most) return size;
    const bytes = Buffer.alloc(size);
    return bytes.subarray(0, readSync(file, bytes, 0, size, 0));
  } finally {
    closeSync(file);
  }
}
