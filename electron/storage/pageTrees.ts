/**
 * Walks the trees of pages of an SQLite file without SQLite. Each page of a tree has one parent. In a file where a page
 * has several, a few kilobytes can hold more rows than could ever be read, and SQLite does not notice.
 *
 * File formats: https://www.sqlite.org/fileformat2.html
 */
import { closeSync, existsSync, fstatSync, openSync, readSync, statSync } from 'node:fs';
import {
  bytesAt,
  FRAME_HEADER,
  HEADER_BYTES,
  headerOf,
  lengthOf,
  READ,
  varint,
  WAL_HEADER,
} from './plannerStatistics.ts';

/** A tree with a page that was reached before. */
export interface SharedPage {
  /** The table of the tree, as the file names it: letters and digits. */
  readonly table: string;
  readonly problem: string;
}

/** Bytes of a library whose every page is read when it is opened. */
export const ALL_READ = 256 << 20;
/** A commit of another process during the walk looks like damage, so it is repeated. */
const [MOST_TRIES, PAUSE_MS] = [5, 20];

/** The name of the list of tables. */
export const SCHEMA = 'sqlite_schema';
const [INTERIOR_INDEX, INTERIOR_TABLE, LEAF_TABLE] = [2, 5, 13];
/** Bytes of a row of the schema up to its root page. The rest may be long. */
const LONGEST_NAMES = 1 << 16;

/**
 * @param allRead bytes. Pages of a larger file are only read above the lowest level of a tree, which is taken to be where
 * the first page without children is: reading each page of 10 GB would take minutes
 * @returns per damaged table, its first page that has several parents, that of the schema first; nothing when the file
 * is not an SQLite database, or keeps changing
 * @throws Error when the file or its write-ahead log cannot be read
 */
export function sharedPages(path: string, allRead = Number.POSITIVE_INFINITY): readonly SharedPage[] {
  if (!existsSync(path)) return [];
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const before = changesOf(path);
    const found = walk(path, allRead);
    // A change in the same tick of the clock has the same time.
    if (found.length === 0 || (tries > 0 && changesOf(path) === before)) return found;
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
  }
  return [];
}

function changesOf(path: string): string {
  return ['', '-wal']
    .map((suffix) => statSync(path + suffix, { bigint: true, throwIfNoEntry: false }))
    .map((status) => `${status?.ino} ${status?.size} ${status?.mtimeNs}`)
    .join(' ');
}

function walk(path: string, allRead: number): readonly SharedPage[] {
  const file = openSync(path, READ);
  const log = existsSync(`${path}-wal`) ? openSync(`${path}-wal`, READ) : undefined;
  try {
    const header = headerOf(file);
    return header === undefined ? [] : new Walk(file, log, header, allRead).run();
  } finally {
    closeSync(file);
    if (log !== undefined) closeSync(log);
  }
}

interface Root {
  readonly table: string;
  readonly page: number;
}

class Walk {
  private readonly file: number;
  private readonly log: number | undefined;
  private readonly pageSize: number;
  private readonly usable: number;
  /** By page, where the write-ahead log has its last committed version. */
  private readonly logged: ReadonlyMap<number, number>;
  /** Pages of the file that were reached, and those that only the log has. */
  private readonly seen: Uint8Array;
  private readonly seenInLog = new Set<number>();
  private readonly isLarge: boolean;
  /** Reused, because this is read of each page. */
  private readonly kind = Buffer.alloc(1);

  constructor(
    file: number,
    log: number | undefined,
    { pageSize, usable }: { readonly pageSize: number; readonly usable: number },
    allRead: number,
  ) {
    this.file = file;
    this.log = log;
    this.pageSize = pageSize;
    this.usable = usable;
    this.logged = log === undefined ? new Map<number, number>() : committedPages(log, pageSize);
    const { size } = fstatSync(file);
    this.isLarge = size > allRead;
    this.seen = new Uint8Array(Math.ceil(size / pageSize) + 1);
  }

  run(): readonly SharedPage[] {
    const roots: Root[] = [];
    const ofSchema = this.walkTree({ table: SCHEMA, page: 1 }, (page) => roots.push(...this.rootsIn(page)));
    const found = new Map<string, SharedPage>();
    if (ofSchema !== undefined) found.set(SCHEMA, ofSchema);
    for (const root of roots) {
      const shared = this.walkTree(root);
      if (shared !== undefined && !found.has(root.table)) found.set(root.table, shared);
    }
    return [...found.values()];
  }

  /** Goes on after a shared page, so that the others of the tree are marked. */
  private walkTree(root: Root, onLeaf?: (page: number) => void): SharedPage | undefined {
    let shared: number | undefined;
    const toRead: number[] = [];
    const reach = (page: number, isRead = true): void => {
      const isInFile = page < this.seen.length;
      // SQLite reports pages that are nowhere.
      if (page < 1 || (!isInFile && !this.logged.has(page))) return;
      if (this.seen[page] === 1 || this.seenInLog.has(page)) shared ??= page;
      else if (isRead) toRead.push(page);
      if (isInFile) this.seen[page] = 1;
      else this.seenInLog.add(page);
    };
    reach(root.page);
    for (let page = toRead.pop(); page !== undefined; page = toRead.pop()) {
      if (!this.isInterior(page)) {
        onLeaf?.(page);
        continue;
      }
      const below = this.childrenOf(page);
      const areRead = !this.isLarge || onLeaf !== undefined || this.isInterior(below[0] ?? 1);
      for (const child of below) reach(child, areRead);
    }
    if (shared === undefined) return undefined;
    return { table: root.table, problem: `page ${shared} has several places in its trees` };
  }

  private isInterior(page: number): boolean {
    const [file, start] = this.placeOf(page);
    this.kind[0] = 0;
    readSync(file, this.kind, 0, 1, start + (page === 1 ? HEADER_BYTES : 0));
    const [kind] = this.kind;
    return kind === INTERIOR_INDEX || kind === INTERIOR_TABLE;
  }

  private childrenOf(no: number): readonly number[] {
    const page = this.bytesOf(no, this.pageSize);
    const start = no === 1 ? HEADER_BYTES : 0;
    const children = cellsIn(page, start, 12).map((cell) => readUInt32(page, cell));
    // The last child is in the header of the page.
    children.push(page.readUInt32BE(start + 8));
    return children;
  }

  /** The roots that the rows of a page of the schema name. */
  private rootsIn(no: number): readonly Root[] {
    const page = this.bytesOf(no, this.pageSize);
    const start = no === 1 ? HEADER_BYTES : 0;
    if (page[start] !== LEAF_TABLE) return [];
    return cellsIn(page, start, 8).map((cell) => this.rootIn(page, cell));
  }

  private rootIn(page: Buffer, cell: number): Root {
    const [payload, afterPayload] = varint(page, cell);
    const [, from] = varint(page, afterPayload);
    let record = page.subarray(from, from + localBytes(payload, this.usable));
    let next = record.length < payload ? readUInt32(page, from + record.length) : 0;
    const wanted = Math.min(payload, LONGEST_NAMES);
    while (next > 0 && record.length < wanted) {
      const more = this.bytesOf(next, this.usable);
      record = Buffer.concat([record, more.subarray(4)]);
      next = more.readUInt32BE(0);
    }
    // type, name, tbl_name, rootpage
    const [headerBytes, first] = varint(record, 0);
    let [at, value] = [first, headerBytes];
    const fields: { readonly type: number; readonly bytes: Buffer }[] = [];
    while (at < headerBytes && fields.length < 4) {
      const [type, after] = varint(record, at);
      fields.push({ type, bytes: record.subarray(value, value + lengthOf(type)) });
      value += lengthOf(type);
      at = after;
    }
    const { type = 0, bytes = Buffer.alloc(0) } = fields[3] ?? {};
    // Behind longer names, SQLite would find a root that is not read here. Page 1 is a shared one.
    const root = value > LONGEST_NAMES ? 1 : pageNumber(type, bytes);
    const table = (fields[2]?.bytes.toString() ?? '').slice(0, 100).replaceAll(/\W/g, '?');
    return { table, page: root };
  }

  /** Like SQLite, takes what is missing of the last page for zeros. */
  private bytesOf(page: number, length: number): Buffer {
    const [file, start] = this.placeOf(page);
    const bytes = Buffer.alloc(length);
    readSync(file, bytes, 0, length, start);
    return bytes;
  }

  private placeOf(page: number): readonly [file: number, start: number] {
    const inLog = this.logged.get(page);
    return this.log !== undefined && inLog !== undefined
      ? [this.log, inLog]
      : [this.file, (page - 1) * this.pageSize];
  }
}

/** @returns offsets of the cells that a page lists */
function cellsIn(page: Buffer, start: number, header: number): readonly number[] {
  const pointers = start + header;
  const cells = Math.min(page.readUInt16BE(start + 3), (page.length - pointers) >> 1);
  return Array.from(
    { length: Math.max(0, cells) },
    (_, cell) => page.readUInt16BE(pointers + 2 * cell) & (page.length - 1),
  );
}

/** Bytes of a row that are in the page itself. */
function localBytes(payload: number, usable: number): number {
  const most = usable - 35;
  if (payload <= most) return payload;
  const least = Math.floor(((usable - 12) * 32) / 255) - 23;
  const local = least + ((payload - least) % (usable - 4));
  return local <= most ? local : least;
}

/** SQLite converts the value to a text and takes its digits, up to a zero byte. */
function pageNumber(type: number, bytes: Buffer): number {
  if (type >= 12) return Number(/^\d+(?=\0|$)/.exec(bytes.toString('latin1'))?.[0] ?? 0);
  if (type === 9) return 1;
  if (type === 6) return bytes.length === 8 ? Number(bytes.readBigInt64BE()) : 0;
  return bytes.length === 0 || bytes.length > 6 ? 0 : bytes.readUIntBE(0, bytes.length);
}

function readUInt32(bytes: Buffer, at: number): number {
  return at + 4 <= bytes.length ? bytes.readUInt32BE(at) : 0;
}

/** The magic number of a log whose checksums are of little-endian words; the other is one more. */
const WAL_MAGIC = 0x377f0682;

/**
 * Reads the log as SQLite does, which ignores frames after the first with another salt or a wrong checksum.
 *
 * @returns by page, the offset of its last committed version
 */
function committedPages(log: number, pageSize: number): ReadonlyMap<number, number> {
  const committed = new Map<number, number>();
  const header = bytesAt(log, 0, WAL_HEADER);
  if (header.length < WAL_HEADER) return committed;
  const magic = header.readUInt32BE(0);
  if (magic !== WAL_MAGIC && magic !== WAL_MAGIC + 1) return committed;
  const checksum = new Checksum(magic !== WAL_MAGIC);
  checksum.add(header.subarray(0, 24));
  if (!checksum.is(header, 24)) return committed;
  if (header.readUInt32BE(8) !== pageSize)
    throw new Error('the pages of its write-ahead log have another size');
  let pending: [page: number, at: number][] = [];
  const salts = header.subarray(16, 24);
  for (let at = WAL_HEADER; ; at += FRAME_HEADER + pageSize) {
    const frame = bytesAt(log, at, FRAME_HEADER + pageSize);
    if (frame.length < FRAME_HEADER + pageSize || !salts.equals(frame.subarray(8, 16))) return committed;
    checksum.add(frame.subarray(0, 8));
    checksum.add(frame.subarray(FRAME_HEADER));
    const page = frame.readUInt32BE(0);
    if (page === 0 || !checksum.is(frame, 16)) return committed;
    pending.push([page, at + FRAME_HEADER]);
    // Only the last frame of a transaction has the number of pages.
    if (frame.readUInt32BE(4) === 0) continue;
    for (const [logged, place] of pending) committed.set(logged, place);
    pending = [];
  }
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
