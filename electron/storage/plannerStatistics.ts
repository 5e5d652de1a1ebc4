/**
 * Checks the tables of planner statistics in an SQLite file without SQLite. SQLite reads them with the schema,
 * before the first statement of a connection. A generated column in one of them would then be computed for
 * each row, and nothing could interrupt it.
 *
 * File formats: https://www.sqlite.org/fileformat2.html
 */
import { existsSync } from 'node:fs';
import { bytesAt, FRAME_HEADER, HEADER_BYTES, WAL_HEADER, withFiles } from './databaseHeader.ts';

/** The definitions that `ANALYZE` writes. */
export const STATISTICS_SQL = [
  'CREATE TABLE sqlite_stat1(tbl,idx,stat)',
  'CREATE TABLE sqlite_stat4(tbl,idx,neq,nlt,ndlt,sample)',
];
const STATISTICS = /^sqlite_stat/i;
/** Bytes of a name that tell whether it is one of them. */
const NAME_BYTES = 'sqlite_stat'.length;
/** Bytes of a text that is compared or named; longer than each of the definitions. */
const LONGEST_TEXT = 200;

const [INTERIOR, LEAF] = [5, 13];
/** In place of an object whose name is not in its page, or on too many pages. SQLite writes no such row. */
const HIDDEN_NAME = 'list of tables';

/** More than any schema has. A page is visited once, so circles end. */
const MOST_PAGES = 10_000;

const UTF8 = 1;

/**
 * Reads every stored version of the schema's pages: those of the file, and those of its write-ahead log.
 *
 * @returns the first object in the place of planner statistics that `ANALYZE` would not have created, such as
 * `table sqlite_stat1`, or `text encoding` if its names cannot be read here; undefined when no
 * object differs, or when the file is not an SQLite database
 * @throws DamagedFileError when its header differs from that in the log; Error when the file cannot be read
 */
export function foreignStatistics(path: string): string | undefined {
  if (!existsSync(path)) return undefined;
  return withFiles(path, ({ file, log, header: { pageSize, usable, encoding } }) => {
    // A new file has no encoding yet.
    if (encoding > UTF8) return 'text encoding';
    const logged = log === undefined ? new Map<number, readonly number[]>() : framesOf(log, pageSize);
    const pages = [1];
    const visited = new Set<number>();
    for (let page = pages.pop(); page !== undefined; page = pages.pop()) {
      if (visited.has(page)) continue;
      // The pages that are left may be the real ones.
      if (visited.size === MOST_PAGES) return HIDDEN_NAME;
      visited.add(page);
      const versions = [pageAt(file, (page - 1) * pageSize, pageSize)];
      for (const at of logged.get(page) ?? [])
        if (log !== undefined) versions.push(pageAt(log, at, pageSize));
      for (const bytes of versions) {
        const { foreign, below } = readPage(bytes, page === 1 ? HEADER_BYTES : 0, usable);
        if (foreign !== undefined) return foreign;
        pages.push(...below);
      }
    }
    return undefined;
  });
}

/** Like SQLite, takes what is missing of the last page for zeros. */
function pageAt(file: number, position: number, pageSize: number): Buffer {
  const page = Buffer.alloc(pageSize);
  bytesAt(file, position, pageSize).copy(page);
  return page;
}

/** @returns by page, where the write-ahead log has its versions */
function framesOf(log: number, pageSize: number): ReadonlyMap<number, readonly number[]> {
  const frames = new Map<number, number[]>();
  for (let at = WAL_HEADER; ; at += FRAME_HEADER + pageSize) {
    const header = bytesAt(log, at, FRAME_HEADER);
    if (header.length < FRAME_HEADER) return frames;
    const page = header.readUInt32BE(0);
    const known = frames.get(page);
    if (known === undefined) frames.set(page, [at + FRAME_HEADER]);
    else known.push(at + FRAME_HEADER);
  }
}

interface SchemaPage {
  /** The first object in the place of planner statistics. */
  readonly foreign: string | undefined;
  readonly below: readonly number[];
}

/** Skips what is damaged. SQLite reports it later. */
function readPage(page: Buffer, start: number, usable: number): SchemaPage {
  const below: number[] = [];
  const kind = page[start];
  if (kind !== INTERIOR && kind !== LEAF) return { foreign: undefined, below };
  const pointers = start + (kind === INTERIOR ? 12 : 8);
  const cells = page.readUInt16BE(start + 3);
  if (cells > mostCells(page)) return { foreign: undefined, below };
  if (kind === INTERIOR) below.push(page.readUInt32BE(start + 8));
  for (let cell = 0; cell < cells; cell++) {
    // SQLite takes the place modulo the size of the page, too.
    const at = page.readUInt16BE(pointers + 2 * cell) & (page.length - 1);
    if (kind === INTERIOR) {
      if (at + 4 <= page.length) below.push(page.readUInt32BE(at));
      continue;
    }
    const [payload, key] = varint(page, at, 7);
    const [, record] = varint(page, key);
    const foreign = foreignIn(page.subarray(record, record + localBytes(payload, usable)), payload);
    if (foreign !== undefined) return { foreign, below };
  }
  return { foreign: undefined, below };
}

/**
 * Reads a row (type, name, tbl_name, rootpage, sql) of `payload` bytes. Of a long SQL, only the part in this page.
 * A page may list one long row thousands of times, so texts are only read of what has the name of statistics.
 */
function foreignIn(record: Buffer, payload: number): string | undefined {
  const [headerBytes, first] = varint(record, 0);
  const lengths: number[] = [];
  for (let at = first; at < headerBytes && lengths.length < 5; ) {
    const [type, next] = varint(record, at);
    lengths.push(lengthOf(type));
    at = next;
  }
  const field = (no: number, most = LONGEST_TEXT): string => {
    const start = lengths.slice(0, no).reduce((sum, length) => sum + length, headerBytes);
    return record.toString('utf8', start, start + Math.min(lengths[no] ?? 0, most));
  };
  // A type or a header of thousands of bytes would move the name to a page that is not read here. A damaged row is
  // not reported: its parts are rarely as long as it is.
  const isRow = lengths.length === 5 && lengths.reduce((sum, length) => sum + length, headerBytes) <= payload;
  const nameEnd = headerBytes + (lengths[0] ?? 0) + Math.min(lengths[1] ?? 0, NAME_BYTES);
  if (isRow && nameEnd > record.length) return HIDDEN_NAME;
  if (!STATISTICS.test(field(1, NAME_BYTES)) || STATISTICS_SQL.includes(field(4))) return undefined;
  return `${field(0)} ${field(1)}`;
}

/** Bytes of a row of a table that are in the page itself. */
export function localBytes(payload: number, usable: number, most = usable - 35): number {
  if (payload <= most) return payload;
  const least = Math.floor(((usable - 12) * 32) / 255) - 23;
  const local = least + ((payload - least) % (usable - 4));
  return local <= most ? local : least;
}

/** SQLite refuses a page with more cells. */
export function mostCells(page: Buffer): number {
  return Math.floor((page.length - 8) / 6);
}

/** Bytes of a value, by its serial type. */
export function lengthOf(type: number): number {
  if (type >= 12) return (type - 12) >> 1;
  return [0, 1, 2, 3, 4, 6, 8, 8, 0, 0, 0, 0][type] ?? 0;
}

/**
 * @param lastBits of the ninth byte. SQLite takes 7 of it for the length of a row, and 8 elsewhere
 * @returns the number, at most 32 bits of it, and the offset after it
 */
export function varint(
  bytes: Buffer,
  at: number,
  lastBits: 7 | 8 = 8,
): readonly [value: number, next: number] {
  let value = 0;
  for (let i = 0; i < 8; i++) {
    const byte = bytes[at + i] ?? 0;
    value = (value << 7) | (byte & 0x7f);
    if (byte < 0x80) return [value >>> 0, at + i + 1];
  }
  const last = (bytes[at + 8] ?? 0) & (lastBits === 7 ? 0x7f : 0xff);
  return [((value << lastBits) | last) >>> 0, at + 9];
}
