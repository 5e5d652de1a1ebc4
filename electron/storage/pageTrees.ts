/**
 * Walks the trees of pages of an SQLite file without SQLite. Each page of a tree has one parent. In a file where a page
 * has several, a few kilobytes can hold more rows than could ever be read, and SQLite does not notice. The same holds
 * for rows: those that share a place in a page, or the pages on which a long row is continued, claim more bytes than the
 * file has.
 *
 * File formats: https://www.sqlite.org/fileformat2.html
 */
import { existsSync, fstatSync, readSync, statSync } from 'node:fs';
import { DamagedFileError, type DatabaseFiles, HEADER_BYTES, withFiles } from './databaseHeader.ts';
import { lengthOf, localBytes, mostCells, varint } from './plannerStatistics.ts';

/** A tree with a page that was reached before or with too long rows, or a list of tables that cannot be read in bounded time. */
export interface SharedPage {
  /** The table of the tree, as the file names it: letters and digits. */
  readonly table: string;
  readonly problem: string;
}

/** Describes the damage. The text ends a sentence that begins with the file's name. */
export function problemOf({ table, problem }: SharedPage): string {
  return problem.endsWith(SEVERAL_PLACES) ? `${problem}, one of them in ${table}` : problem;
}

/** Bytes of a library whose every page is read when it is opened. */
export const ALL_READ = 256 << 20;
/**
 * A commit of another process during the walk looks like damage, so it is repeated. Damage in all of the tries is real:
 * its author may touch the file without end.
 */
const [MOST_TRIES, PAUSE_MS] = [8, 20];

/** The name of the list of tables. */
export const SCHEMA = 'sqlite_schema';
const [INTERIOR_INDEX, INTERIOR_TABLE, LEAF_INDEX, LEAF_TABLE] = [2, 5, 10, 13];
/** Bytes of a row of the schema up to its root page. The rest may be long. */
const LONGEST_NAMES = 1 << 16;
const STATISTICS = /sqlite_stat/i;
/** Bytes that may be read of the smallest file. */
const LEAST_BUDGET = 16 << 20;
const SEVERAL_PLACES = 'has several places in its trees';

/**
 * @param allRead bytes. Pages of a larger file are only read above the lowest level of a tree, which is taken to be where
 * the first page without children is: reading each page of 10 GB would take minutes
 * @returns per damaged table, its first page that has several parents, or its first row of more bytes than are left;
 * that of the schema first. Nothing when the file is not an SQLite database
 * @throws Error when the file or its write-ahead log cannot be read
 */
export function sharedPages(path: string, allRead = Number.POSITIVE_INFINITY): readonly SharedPage[] {
  if (!existsSync(path)) return [];
  for (let tries = 1; ; tries++) {
    const before = changesOf(path);
    const found = walk(path, allRead);
    // A change in the same tick of the clock has the same time.
    if (found.length === 0 || tries === MOST_TRIES || (tries > 1 && changesOf(path) === before)) return found;
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
  }
}

function changesOf(path: string): string {
  return ['', '-wal']
    .map((suffix) => statSync(path + suffix, { bigint: true, throwIfNoEntry: false }))
    .map((status) => `${status?.ino} ${status?.size} ${status?.mtimeNs}`)
    .join(' ');
}

/** Damage other than a shared page ends the walk. All of it is in the list of tables. */
function walk(path: string, allRead: number): readonly SharedPage[] {
  try {
    return withFiles(path, (files) => new Walk(files, allRead).run()) ?? [];
  } catch (error) {
    if (error instanceof DamagedFileError) return [{ table: SCHEMA, problem: error.message }];
    throw error;
  }
}

interface Root {
  readonly table: string;
  readonly page: number;
}

/** A row in a page. */
interface Cell {
  readonly at: number;
  readonly payload: number;
  /** The record begins at this place, and the page holds this many of its bytes. */
  readonly from: number;
  readonly local: number;
  readonly end: number;
}

class Walk {
  private readonly file: number;
  private readonly log: number | undefined;
  private readonly pageSize: number;
  private readonly usable: number;
  private readonly logged: ReadonlyMap<number, number>;
  /** Pages of the file that were reached, and those that only the log has. */
  private readonly seen: Uint8Array;
  private readonly seenInLog = new Set<number>();
  private readonly isLarge: boolean;
  /** Reused, because this is read of each page. */
  private readonly kind = Buffer.alloc(1);
  /** The page that was read last, likewise. */
  private readonly page: Buffer;
  /** Pages on which rows may still be continued. Each page of the file continues one row at most. */
  private continuations: number;
  /** Bytes that may still be read. Long rows of the list of tables may share pages, which costs no bytes of the file. */
  private budget: number;

  constructor({ file, log, header: { pageSize, usable }, logged }: DatabaseFiles, allRead: number) {
    this.file = file;
    this.log = log;
    this.pageSize = pageSize;
    this.page = Buffer.alloc(pageSize);
    this.usable = usable;
    this.logged = logged;
    const { size } = fstatSync(file);
    this.isLarge = size > allRead;
    this.seen = new Uint8Array(Math.ceil(size / pageSize) + 1);
    this.continuations = this.seen.length + logged.size;
    this.budget = 4 * (size + (log === undefined ? 0 : fstatSync(log).size)) + LEAST_BUDGET;
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
    let tooLong: number | undefined;
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
      const kind = this.readRows(page);
      if (this.continuations < 0) {
        tooLong = page;
        // Only the first table is named: the rows of the next ones may be whole.
        this.continuations = Number.POSITIVE_INFINITY;
      }
      if (kind !== INTERIOR_INDEX && kind !== INTERIOR_TABLE) {
        onLeaf?.(page);
        continue;
      }
      const below = this.childrenOf(page);
      const areRead = !this.isLarge || onLeaf !== undefined || this.isInterior(below[0] ?? 1);
      for (const child of below) reach(child, areRead);
    }
    if (shared !== undefined) return { table: root.table, problem: `page ${shared} ${SEVERAL_PLACES}` };
    if (tooLong === undefined) return undefined;
    return {
      table: root.table,
      problem: `page ${tooLong} has rows of more bytes than the file has room for`,
    };
  }

  /** Takes the pages on which its rows are continued from `continuations`, all of them if its rows overlap. @returns the kind of the page */
  private readRows(no: number): number {
    const { page } = this;
    const [file, place] = this.placeOf(no);
    page.fill(0, readSync(file, page, 0, this.pageSize, place));
    const start = no === 1 ? HEADER_BYTES : 0;
    const kind = page[start] ?? 0;
    if (kind !== LEAF_TABLE && kind !== LEAF_INDEX && kind !== INTERIOR_INDEX) return kind;
    const isIndex = kind !== LEAF_TABLE;
    const most = isIndex ? Math.floor(((this.usable - 12) * 64) / 255) - 23 : this.usable - 35;
    const pointers = start + (kind === INTERIOR_INDEX ? 12 : 8);
    const cells = Math.min(page.readUInt16BE(start + 3), mostCells(page), (page.length - pointers) >> 1);
    let room = page.length;
    for (let cell = 0; cell < cells; cell++) {
      const from = page.readUInt16BE(pointers + 2 * cell) & (page.length - 1);
      const at = kind === INTERIOR_INDEX ? from + 4 : from;
      // Most rows have less than 128 bytes, and their length is one byte.
      const first = page[at] ?? 0;
      const [payload] = first < 0x80 ? [first] : varint(page, at, 7);
      const local = payload <= most ? payload : localBytes(payload, this.usable, most);
      room -= local;
      if (local < payload) this.continuations -= Math.ceil((payload - local) / (this.usable - 4));
    }
    // Only rows that overlap take more than the page.
    if (room < 0) this.continuations = -1;
    return kind;
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
    const cells = cellsIn(page, start, 8)
      .map((at) => this.cellAt(page, at))
      .sort((a, b) => a.at - b.at);
    // Else a page could list one long row thousands of times.
    if (cells.some(({ at }, i) => i > 0 && (cells[i - 1]?.end ?? 0) > at))
      throw new DamagedFileError(`page ${no} lists tables in places that overlap`);
    return cells.map((cell) => this.rootIn(no, page, cell));
  }

  private cellAt(page: Buffer, at: number): Cell {
    const [payload, afterPayload] = varint(page, at, 7);
    const [, from] = varint(page, afterPayload);
    const local = localBytes(payload, this.usable);
    return { at, payload, from, local, end: from + local + (local < payload ? 4 : 0) };
  }

  private rootIn(no: number, page: Buffer, { payload, from, local }: Cell): Root {
    const parts = [page.subarray(from, from + local)];
    let length = parts[0]?.length ?? 0;
    let next = length < payload ? readUInt32(page, from + length) : 0;
    const chain = new Set<number>();
    while (next > 0 && length < payload) {
      if (chain.has(next))
        throw new DamagedFileError(`page ${next} comes twice in a row of the list of tables`);
      chain.add(next);
      const more = this.bytesOf(next, this.usable);
      parts.push(more.subarray(4));
      length += more.length - 4;
      next = more.readUInt32BE(0);
    }
    const record = Buffer.concat(parts);
    // type, name, tbl_name, rootpage, sql
    const [headerBytes, first] = varint(record, 0);
    let [at, value] = [first, headerBytes];
    const fields: { readonly type: number; readonly bytes: Buffer }[] = [];
    while (at < headerBytes && fields.length < 4) {
      const [type, after] = varint(record, at);
      fields.push({ type, bytes: record.subarray(value, value + lengthOf(type)) });
      value += lengthOf(type);
      at = after;
    }
    // With a writable schema, SQLite takes the name from the SQL.
    const isNamed = STATISTICS.test(fields[1]?.bytes.toString('latin1') ?? '');
    if (!isNamed && STATISTICS.test(record.toString('latin1', value)))
      throw new DamagedFileError(`page ${no} has planner statistics under another name`);
    const { type = 0, bytes = Buffer.alloc(0) } = fields[3] ?? {};
    // Behind longer names, SQLite would find a root that is not read here. Page 1 is a shared one.
    const root = value > LONGEST_NAMES ? 1 : pageNumber(type, bytes);
    const table = (fields[2]?.bytes.toString() ?? '').slice(0, 100).replaceAll(/\W/g, '?');
    return { table, page: root };
  }

  /** Like SQLite, takes what is missing of the last page for zeros. */
  private bytesOf(page: number, length: number): Buffer {
    this.budget -= length;
    if (this.budget < 0)
      throw new DamagedFileError('page 1 leads to a list of tables that is longer than the file');
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
  const cells = Math.min(page.readUInt16BE(start + 3), mostCells(page), (page.length - pointers) >> 1);
  return Array.from(
    { length: Math.max(0, cells) },
    (_, cell) => page.readUInt16BE(pointers + 2 * cell) & (page.length - 1),
  );
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
