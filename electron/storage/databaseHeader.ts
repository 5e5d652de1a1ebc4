/**
 * Reads the header of an SQLite file, and which pages its write-ahead log has, without SQLite.
 *
 * File formats: https://www.sqlite.org/fileformat2.html
 */
import { closeSync, constants, existsSync, fstatSync, openSync, readSync } from 'node:fs';

export const HEADER_BYTES = 100;
const MAGIC = 'SQLite format 3\0';
export const [WAL_HEADER, FRAME_HEADER] = [32, 24];
/** The magic number of a log whose checksums are of little-endian words; the other is one more. */
const WAL_MAGIC = 0x377f0682;
const UTF8 = 1;

/** Opening a FIFO without this flag waits for a writer. Windows has no such flag. */
const READ = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

export interface DatabaseFiles {
  readonly file: number;
  readonly log: number | undefined;
  /** That of the last commit. */
  readonly header: FileHeader;
  /** By page, where the write-ahead log has its last committed version. */
  readonly logged: ReadonlyMap<number, number>;
}

interface FileHeader {
  readonly pageSize: number;
  /** Bytes of a page that SQLite uses. */
  readonly usable: number;
  readonly encoding: number;
}

/** SQLite would still read the file. The message ends a sentence that begins with the file's name. */
export class DamagedFileError extends Error {
  readonly code = 'SQLITE_CORRUPT';
}

/**
 * @returns undefined when the file is not an SQLite database
 * @throws DamagedFileError when the header of the file is not the one that SQLite would take from the log; Error when
 * one of the two cannot be read
 */
export function withFiles<T>(path: string, read: (files: DatabaseFiles) => T): T | undefined {
  const file = openSync(path, READ);
  const log = existsSync(`${path}-wal`) ? openSync(`${path}-wal`, READ) : undefined;
  try {
    const committed = log === undefined ? undefined : committedPages(log);
    const header = headerOf(file, committed);
    if (header === undefined) return undefined;
    return read({ file, log, header, logged: committed?.pages ?? new Map<number, number>() });
  } finally {
    closeSync(file);
    if (log !== undefined) closeSync(log);
  }
}

/** SQLite takes the header from the log, if page 1 is there. Honest writers never change these three in it. */
function headerOf(file: number, committed: CommittedPages | undefined): FileHeader | undefined {
  const isEmpty = fstatSync(file).size === 0;
  const own = parsed(bytesAt(file, 0, HEADER_BYTES));
  if (committed === undefined) return own;
  if (own === undefined && !isEmpty) throw new DamagedFileError('the header of the file is damaged');
  const { pageSize, first } = committed;
  const inLog = first === undefined ? own : parsed(first);
  if (inLog === undefined) {
    if (first === undefined) return undefined;
    throw new DamagedFileError('the header in its write-ahead log is damaged');
  }
  if (inLog.pageSize !== pageSize)
    throw new DamagedFileError('the pages of its write-ahead log have another size');
  // A new file has no encoding yet.
  const isSame =
    own === undefined ||
    (own.pageSize === inLog.pageSize &&
      own.usable === inLog.usable &&
      (own.encoding || UTF8) === (inLog.encoding || UTF8));
  if (!isSame) throw new DamagedFileError('its header is another one in its write-ahead log');
  return inLog;
}

function parsed(header: Buffer): FileHeader | undefined {
  if (header.length < HEADER_BYTES || header.toString('latin1', 0, MAGIC.length) !== MAGIC) return undefined;
  const pageSize = pageSizeOf(header.readUInt16BE(16));
  if (pageSize < 512) return undefined;
  return { pageSize, usable: pageSize - header.readUInt8(20), encoding: header.readUInt32BE(56) };
}

/** Stored as 1 in two bytes, because 65536 does not fit. */
function pageSizeOf(stored: number): number {
  return stored === 1 ? 65_536 : stored;
}

interface CommittedPages {
  readonly pageSize: number;
  readonly pages: ReadonlyMap<number, number>;
  /** The header in the last version of page 1. Another process may overwrite that version later. */
  readonly first: Buffer | undefined;
}

/**
 * Reads the log as SQLite does, which ignores frames after the first with another salt or a wrong checksum.
 *
 * @returns undefined when SQLite would take no page from it
 */
function committedPages(log: number): CommittedPages | undefined {
  const header = bytesAt(log, 0, WAL_HEADER);
  if (header.length < WAL_HEADER) return undefined;
  const magic = header.readUInt32BE(0);
  if (magic !== WAL_MAGIC && magic !== WAL_MAGIC + 1) return undefined;
  const checksum = new Checksum(magic !== WAL_MAGIC);
  checksum.add(header.subarray(0, 24));
  const pageSize = header.readUInt32BE(8);
  const isSize = pageSize >= 512 && pageSize <= 65_536 && (pageSize & (pageSize - 1)) === 0;
  if (!isSize || !checksum.is(header, 24)) return undefined;
  const pages = new Map<number, number>();
  let first: Buffer | undefined;
  let pending: [page: number, at: number][] = [];
  let pendingFirst: Buffer | undefined;
  const salts = header.subarray(16, 24);
  for (let at = WAL_HEADER; ; at += FRAME_HEADER + pageSize) {
    const frame = bytesAt(log, at, FRAME_HEADER + pageSize);
    if (frame.length < FRAME_HEADER + pageSize || !salts.equals(frame.subarray(8, 16))) break;
    checksum.add(frame.subarray(0, 8));
    checksum.add(frame.subarray(FRAME_HEADER));
    const page = frame.readUInt32BE(0);
    if (page === 0 || !checksum.is(frame, 16)) break;
    pending.push([page, at + FRAME_HEADER]);
    if (page === 1) pendingFirst = frame.subarray(FRAME_HEADER, FRAME_HEADER + HEADER_BYTES);
    // Only the last frame of a transaction has the number of pages.
    if (frame.readUInt32BE(4) === 0) continue;
    for (const [logged, place] of pending) pages.set(logged, place);
    pending = [];
    first = pendingFirst;
  }
  return pages.size === 0 ? undefined : { pageSize, pages, first };
}

class Checksum {
  private readonly isBigEndian: boolean;
  private first = 0;
  private second = 0;

  constructor(isBigEndian: boolean) {
    this.isBigEndian = isBigEndian;
  }

  add(bytes: Buffer): void {
    const words = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    let [first, second] = [this.first, this.second];
    for (let at = 0; at < bytes.byteLength; at += 8) {
      first = (first + words.getUint32(at, !this.isBigEndian) + second) | 0;
      second = (second + words.getUint32(at + 4, !this.isBigEndian) + first) | 0;
    }
    [this.first, this.second] = [first, second];
  }

  is(bytes: Buffer, at: number): boolean {
    return bytes.readInt32BE(at) === this.first && bytes.readInt32BE(at + 4) === this.second;
  }
}

export function bytesAt(file: number, position: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  return bytes.subarray(0, readSync(file, bytes, 0, length, position));
}
