/**
 * Checks the tables of planner statistics in an SQLite file without SQLite. SQLite reads them with the schema,
 * before the first statement of a connection. A generated column in one of them would then be computed for
 * each row, and nothing could interrupt it.
 *
 * File formats: https://www.sqlite.org/fileformat2.html
 */
import { closeSync, constants, existsSync, openSync, readSync } from 'node:fs';

/** The definitions that `ANALYZE` writes. */
export const STATISTICS_SQL = [
  'CREATE TABLE sqlite_stat1(tbl,idx,stat)',
  'CREATE TABLE sqlite_stat4(tbl,idx,neq,nlt,ndlt,sample)',
];
const STATISTICS = /^sqlite_stat/i;

export const HEADER_BYTES = 100;
const MAGIC = 'SQLite format 3\0';
const [INTERIOR, LEAF] = [5, 13];
export const [WAL_HEADER, FRAME_HEADER] = [32, 24];
/** More than any schema has. A page is visited once, so circles end. */
const MOST_PAGES = 10_000;

/** Opening a FIFO without this flag waits for a writer. Windows has no such flag. */
export const READ = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);
const UTF8 = 1;

/**
 * Reads every stored version of the schema's pages: those of the file, and those of its write-ahead log.
 *
 * @returns the first object in the place of planner statistics that `ANALYZE` would not have created, such as
 * `table sqlite_stat1`, or `text encoding` if its names cannot be read here; undefined when no
 * object differs, or when the file is not an SQLite database
 * @throws Error when the file cannot be read
 */
export function foreignStatistics(path: string): string | undefined {
  if (!existsSync(path)) return undefined;
  const file = openSync(path, READ);
  const log = existsSync(`${path}-wal`) ? openSync(`${path}-wal`, READ) : undefined;
  try {
    const header = headerOf(file);
    if (header === undefined) return undefined;
    const { pageSize, usable, encoding } = header;
    // A new file has no encoding yet.
    if (encoding > UTF8) return 'text encoding';
    const logged = log === undefined ? new Map<number, readonly number[]>() : framesOf(log, pageSize);
    const pages = [1];
    const visited = new Set<number>();
    for (let page = pages.pop(); page !== undefined; page = pages.pop()) {
      if (visited.has(page) || visited.size > MOST_PAGES) continue;
      visited.add(page);
      const versions = [bytesAt(file, (page - 1) * pageSize, pageSize)];
      for (const at of logged.get(page) ?? [])
        if (log !== undefined) versions.push(bytesAt(log, at, pageSize));
      for (const bytes of versions) {
        const { rows, below } = readPage(bytes, page === 1 ? HEADER_BYTES : 0, usable);
        const foreign = rows.find(({ name, sql }) => STATISTICS.test(name) && !STATISTICS_SQL.includes(sql));
        if (foreign !== undefined) return `${foreign.type} ${foreign.name}`;
        pages.push(...below);
      }
    }
    return undefined;
  } finally {
    closeSync(file);
    if (log !== undefined) closeSync(log);
  }
}

interface FileHeader {
  readonly pageSize: number;
  /** Bytes of a page that SQLite uses. */
  readonly usable: number;
  readonly encoding: number;
}

/** @returns undefined when the file is not an SQLite database */
export function headerOf(file: number): FileHeader | undefined {
  const header = bytesAt(file, 0, HEADER_BYTES);
  if (header.length < HEADER_BYTES || header.toString('latin1', 0, MAGIC.length) !== MAGIC) return undefined;
  // Stored as 1 because 65536 does not fit.
  const pageSize = header.readUInt16BE(16) === 1 ? 65_536 : header.readUInt16BE(16);
  if (pageSize < 512) return undefined;
  return { pageSize, usable: pageSize - header.readUInt8(20), encoding: header.readUInt32BE(56) };
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

interface SchemaRow {
  readonly type: string;
  readonly name: string;
  readonly sql: string;
}

interface SchemaPage {
  readonly rows: readonly SchemaRow[];
  readonly below: readonly number[];
}

/** Skips what is damaged. SQLite reports it later. */
function readPage(page: Buffer, start: number, usable: number): SchemaPage {
  const [rows, below]: [SchemaRow[], number[]] = [[], []];
  const kind = page[start];
  if (page.length < usable || (kind !== INTERIOR && kind !== LEAF)) return { rows, below };
  const pointers = start + (kind === INTERIOR ? 12 : 8);
  const cells = Math.min(page.readUInt16BE(start + 3), (page.length - pointers) >> 1);
  if (kind === INTERIOR) below.push(page.readUInt32BE(start + 8));
  for (let cell = 0; cell < cells; cell++) {
    const at = page.readUInt16BE(pointers + 2 * cell);
    if (kind === INTERIOR) {
      if (at + 4 <= page.length) below.push(page.readUInt32BE(at));
      continue;
    }
    const [, key] = varint(page, at);
    const [, record] = varint(page, key);
    rows.push(schemaRow(page.subarray(record)));
  }
  return { rows, below };
}

/** Reads a row (type, name, tbl_name, rootpage, sql). Of a long SQL, only the part in this page. */
function schemaRow(record: Buffer): SchemaRow {
  const [headerBytes, first] = varint(record, 0);
  const lengths: number[] = [];
  for (let at = first; at < headerBytes && lengths.length < 5; ) {
    const [type, next] = varint(record, at);
    lengths.push(lengthOf(type));
    at = next;
  }
  const field = (no: number): string => {
    const start = lengths.slice(0, no).reduce((sum, length) => sum + length, headerBytes);
    return record.toString('utf8', start, start + (lengths[no] ?? 0));
  };
  return { type: field(0), name: field(1), sql: field(4) };
}

/** Bytes of a value, by its serial type. */
export function lengthOf(type: number): number {
  if (type >= 12) return (type - 12) >> 1;
  return [0, 1, 2, 3, 4, 6, 8, 8, 0, 0, 0, 0][type] ?? 0;
}

/** @returns the number, at most 32 bits of it, and the offset after it */
export function varint(bytes: Buffer, at: number): readonly [value: number, next: number] {
  let value = 0;
  for (let i = 0; i < 9; i++) {
    const byte = bytes[at + i] ?? 0;
    if (i === 8) return [(value << 8) | byte, at + 9];
    value = (value << 7) | (byte & 0x7f);
    if (byte < 0x80) return [value >>> 0, at + i + 1];
  }
  return [value >>> 0, at + 9];
}

export function bytesAt(file: number, position: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  return bytes.subarray(0, readSync(file, bytes, 0, length, position));
}
