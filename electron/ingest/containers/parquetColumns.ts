/**
 * Reads the columns of a row group page by page, so that memory is bounded by pages and not by row groups. Usual writers
 * put up to a million rows into a row group, and 1,024 rows or 1 MiB into a page. A page is the smallest unit that can
 * be unpacked, and one page of every column is in memory at a time.
 */
import type { DecodedArray, ParquetParsers, SchemaTree } from 'hyparquet';
import { assembleNested } from 'hyparquet/src/assemble.js';
import { readPage } from 'hyparquet/src/column.js';
import { convert, DEFAULT_PARSERS } from 'hyparquet/src/convert.js';
import { readJson } from '../../../shared/format/lenientJson.ts';
import { LONGEST_RECORD } from './bytes.ts';
import { type CheckedColumn, compressors, type Page } from './parquetChecks.ts';
import { COLUMN_TEXT } from './rowJson.ts';

/** The file that pages are read from. */
export interface PageFile {
  /** @throws Error when the file ends before */
  read(into: Uint8Array, start: number): void;
}

/** Longer values of columns that are not nested stay bytes until their row is converted. */
const LONG_VALUE = 1 << 12;
/** Bytes of a page that are released at once, and not when the garbage is collected. */
const LARGE_PAGE = 1 << 20;
/** Limit in bytes of the JSON values of a page. */
const MOST_JSON = 256 << 20;
/** A module variable, because the decoder does not tell its parsers which page it decodes. */
let jsonLeft = MOST_JSON;

/** Bytes of a text or of JSON. */
class LongValue {
  readonly bytes: Uint8Array;
  readonly isJson: boolean;

  constructor(bytes: Uint8Array, isJson: boolean) {
    this.bytes = bytes;
    this.isJson = isJson;
  }
}

function jsonOf(bytes: Uint8Array): unknown {
  // A longer row is not read, and parsing takes many times the memory of the text.
  if (bytes.byteLength > LONGEST_RECORD) throw new Error(`a JSON value has ${bytes.byteLength} bytes`);
  const reading = readJson(Buffer.from(bytes).toString('utf8'));
  if (!reading.ok) throw new Error(reading.message);
  return reading.value;
}

const NESTED_PARSERS: ParquetParsers = {
  ...DEFAULT_PARSERS,
  stringFromBytes: (bytes) => bytes && COLUMN_TEXT.decode(bytes),
  jsonFromBytes(bytes) {
    if (bytes === undefined) return undefined;
    jsonLeft -= bytes.byteLength;
    if (jsonLeft < 0) throw new Error(`${MOST_JSON} bytes of JSON are in rows that are decoded at once`);
    return jsonOf(bytes);
  },
};

const isLong = (bytes: Uint8Array | undefined): bytes is Uint8Array => (bytes?.byteLength ?? 0) > LONG_VALUE;
const FLAT_PARSERS: ParquetParsers = {
  ...NESTED_PARSERS,
  stringFromBytes: (bytes) =>
    isLong(bytes) ? new LongValue(bytes, false) : NESTED_PARSERS.stringFromBytes(bytes),
  jsonFromBytes: (bytes) =>
    isLong(bytes) ? new LongValue(bytes, true) : NESTED_PARSERS.jsonFromBytes(bytes),
};

interface LoadedPage {
  readonly page: Page;
  values: DecodedArray;
  /** Its unpacked bytes, which values refer to. Unknown for nested columns, whose values are decoded at once. */
  readonly bytes: Uint8Array | undefined;
}

type ColumnDecoder = Parameters<typeof readPage>[2];

/** State shared by the columns of a row group. */
interface GroupState {
  readonly file: PageFile;
  /** Compressed bytes of the current page. */
  packed: Uint8Array<ArrayBuffer>;
  /** Limit in bytes of pages that are decoded at once, and how many of them are free. */
  readonly most: number;
  left: number;
  /** Bytes of JSON that may still be parsed. Rows may share a value, which is then parsed for each. */
  jsonLeft: number;
}

/** A top-level column. */
interface TopColumn {
  readonly name: string;
  readonly tree: SchemaTree;
  readonly leaves: readonly ColumnReader[];
}

/** The rows of a row group, in order. */
export class RowGroupReader {
  private readonly columns: readonly TopColumn[];

  /**
   * @param most bytes of memory for decoded pages
   * @param mostJson bytes of JSON that may be parsed
   */
  constructor(
    file: PageFile,
    columns: readonly CheckedColumn[],
    schema: SchemaTree,
    { most, mostJson }: { readonly most: number; readonly mostJson: number },
  ) {
    const state: GroupState = { file, packed: new Uint8Array(0), most, left: most, jsonLeft: mostJson };
    const names = new Set<string>();
    const found: TopColumn[] = [];
    for (const tree of schema.children) {
      const { name } = tree.element;
      if (names.has(name)) continue;
      names.add(name);
      const own = columns.filter(({ chunk }) => chunk.path_in_schema[0] === name);
      const leaves = (tree.children.length === 0 ? own.slice(0, 1) : own).map(
        (column) => new ColumnReader(state, column),
      );
      if (leaves.length > 0) found.push({ name, tree, leaves });
    }
    this.columns = found;
  }

  /**
   * Skips rows before any is read, a page at each step. Pages of skipped rows are not decoded if they have no nested
   * lists.
   */
  *skip(rows: number): Generator<void> {
    for (const { leaves } of this.columns) for (const leaf of leaves) yield* leaf.skip(rows);
  }

  /**
   * Rows up to the end of a page of any column.
   *
   * @returns the number of rows, at most `most`, and the rows, which must be taken before the next call
   */
  next(most: number): { readonly count: number; readonly rows: Iterable<unknown> } {
    let count = most;
    for (const { leaves } of this.columns) for (const leaf of leaves) count = Math.min(count, leaf.fill());
    const values = this.columns.map(({ tree, leaves }) => columnValues(tree, leaves, count));
    return { count, rows: this.rowsOf(values, count) };
  }

  /** @throws Error when a column has more rows. Its lists would belong to other rows */
  end(): void {
    for (const { leaves } of this.columns) for (const leaf of leaves) leaf.end();
  }

  private *rowsOf(values: readonly ((row: number) => unknown)[], count: number): Generator<unknown> {
    const names = this.columns.map(({ name }) => name);
    for (let row = 0; row < count; row++) {
      // A column may be named __proto__.
      const record: Record<string, unknown> = Object.create(null);
      for (let i = 0; i < names.length; i++) record[names[i] ?? ''] = values[i]?.(row);
      yield record;
    }
  }
}

function columnValues(
  tree: SchemaTree,
  leaves: readonly ColumnReader[],
  count: number,
): (row: number) => unknown {
  const [leaf] = leaves;
  if (tree.children.length === 0 && leaf !== undefined) {
    const { values, start } = leaf.take(count);
    return (row) => leaf.value(values[start + row]);
  }
  const nested = new Map<string, DecodedArray>();
  for (const one of leaves) {
    const { values, start } = one.take(count);
    nested.set(one.name, values.slice(start, start + count));
  }
  assembleNested(nested, tree, NESTED_PARSERS);
  const values = nested.get(tree.element.name);
  if (values === undefined) throw new Error(`its column ${tree.element.name} could not be assembled`);
  return (row) => values[row];
}

function hasValue(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(hasValue);
  if (ArrayBuffer.isView(value)) return value.byteLength > 0;
  return value !== undefined && value !== null;
}

/** The values of a column chunk, in order. */
class ColumnReader {
  readonly name: string;
  private readonly state: GroupState;
  private readonly column: CheckedColumn;
  private readonly decoder: ColumnDecoder;
  private readonly lastWithDictionary: number;
  private dictionary: LoadedPage | undefined;
  /** Pages of `values`: one, or those that a row of nested lists is in. */
  private loaded: LoadedPage[] = [];
  private values: DecodedArray = [];
  /** Position in `values` of the next row. */
  private at = 0;
  private nextPage = 0;
  private toSkip = 0;
  /** The page that is being decoded, and its unpacked bytes. */
  private page: Page | undefined;
  private unpacked: Uint8Array | undefined;
  /** The last long value that was decoded. The rollouts of a group share their prompt. */
  private lastLong: LongValue | undefined;
  private lastValue: unknown;

  constructor(state: GroupState, column: CheckedColumn) {
    const { chunk, leaf } = column;
    this.state = state;
    this.column = column;
    this.name = chunk.path_in_schema.join('.');
    const unpack = chunk.codec === 'UNCOMPRESSED' ? undefined : compressors[chunk.codec];
    this.decoder = {
      pathInSchema: chunk.path_in_schema,
      element: leaf.element,
      schemaPath: [...leaf.path],
      type: chunk.type,
      codec: chunk.codec,
      parsers: leaf.isFlat ? FLAT_PARSERS : NESTED_PARSERS,
      ...(unpack && {
        compressors: {
          [chunk.codec]: (bytes: Uint8Array, length: number) => this.unpack(bytes, length, unpack),
        },
      }),
    };
    this.lastWithDictionary = column.pages.findLastIndex((page) => page.usesDictionary);
  }

  *skip(rows: number): Generator<void> {
    this.toSkip = rows;
    while (this.toSkip > 0) {
      // Also skips whole pages.
      const ready = this.fill();
      const skipped = Math.min(this.toSkip, ready);
      this.at += skipped;
      this.toSkip -= skipped;
      yield;
    }
  }

  /** @returns number of rows that are ready, at least one */
  fill(): number {
    for (;;) {
      const ready = this.ready();
      if (ready > 0) return ready;
      if (!this.load()) throw new Error(`its column ${this.name} has too few rows`);
    }
  }

  /** The rest of the last row may be in the next page. */
  private ready(): number {
    const isOpen = this.column.leaf.repetition > 0 && this.nextPage < this.column.pages.length;
    return Math.max(0, this.values.length - this.at - (isOpen ? 1 : 0));
  }

  end(): void {
    const { pages } = this.column;
    const isRead =
      this.at >= this.values.length && !pages.slice(this.nextPage).some(({ values }) => values > 0);
    if (!isRead) throw new Error(`its column ${this.name} has more rows than its row group`);
  }

  take(count: number): { readonly values: DecodedArray; readonly start: number } {
    const start = this.at;
    this.at += count;
    return { values: this.values, start };
  }

  /** @returns false if there is no further page */
  private load(): boolean {
    const { pages, leaf } = this.column;
    const page = pages[this.nextPage];
    if (page === undefined) return false;
    this.nextPage++;
    if (page.isDictionary) {
      this.release(this.dictionary);
      this.dictionary = this.decode(page, undefined);
      this.dictionary.values = convert(this.dictionary.values, this.decoder);
      return true;
    }
    // The first part of a row of nested lists may be in the page before.
    const rest = leaf.repetition > 0 ? this.values.slice(this.at) : [];
    const kept = rest.length === 0 ? 0 : this.at === 0 ? this.loaded.length : 1;
    for (const old of this.loaded.splice(0, this.loaded.length - kept)) this.release(old);
    this.values = rest;
    this.at = 0;
    if (rest.length === 0 && leaf.repetition === 0 && this.toSkip >= page.values) {
      this.toSkip -= page.values;
      return true;
    }
    if (this.nextPage - 1 > this.lastWithDictionary) {
      this.release(this.dictionary);
      this.dictionary = undefined;
    }
    const loaded = this.decode(page, rest.length > 0 ? rest : undefined);
    this.loaded.push(loaded);
    // A page without values has none that continue a row.
    if (loaded.values.length > 0 || rest.length === 0) this.values = loaded.values;
    return true;
  }

  private decode(page: Page, previous: DecodedArray | undefined): LoadedPage {
    const { state } = this;
    state.left -= page.bytes;
    if (state.left < 0)
      throw new Error(
        `the pages of one row take more than ${state.most} bytes of memory; write shorter lists`,
      );
    const length = page.header.compressed_page_size;
    if (page.isPacked && state.packed.byteLength < length) state.packed = new Uint8Array(length);
    const bytes = page.isPacked ? state.packed.subarray(0, length) : new Uint8Array(length);
    state.file.read(bytes, page.start);
    page.check(bytes);
    this.page = page;
    this.unpacked = bytes;
    jsonLeft = MOST_JSON;
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const reader = { view, offset: 0 };
    const { data = [] } = readPage(reader, page.header, this.decoder, this.dictionary?.values, previous, 0);
    // The decoder takes indexes for values then. A page without values needs no dictionary.
    if (page.usesDictionary && this.dictionary === undefined && hasValue(data))
      throw new Error(`its column ${this.name} refers to a dictionary that it does not have`);
    if (state.packed.byteLength > LARGE_PAGE) {
      state.packed.buffer.transfer(0);
      state.packed = new Uint8Array(0);
    }
    return { page, values: data, bytes: this.column.leaf.isFlat ? this.unpacked : undefined };
  }

  private unpack(
    bytes: Uint8Array,
    length: number,
    unpack: (bytes: Uint8Array, length: number) => Uint8Array,
  ): Uint8Array {
    // Some decompressors refuse no bytes at all, as in a page without values.
    const unpacked = length === 0 && bytes.byteLength === 0 ? new Uint8Array(0) : unpack(bytes, length);
    if (unpacked.byteLength !== length)
      throw new Error(`a page unpacks to ${unpacked.byteLength} bytes and claims ${length}`);
    // The decoder makes arrays over the whole buffer. Node shares it between small results, so values beyond the page
    // would come from other data.
    this.unpacked = unpacked.buffer.byteLength === length ? unpacked : new Uint8Array(unpacked);
    this.page?.checkUnpacked(this.unpacked);
    return this.unpacked;
  }

  private release(loaded: LoadedPage | undefined): void {
    if (loaded === undefined) return;
    const { page, bytes } = loaded;
    this.state.left += page.bytes;
    // Otherwise pages add up until the garbage is collected.
    if (bytes !== undefined && bytes.byteLength > LARGE_PAGE && bytes.buffer instanceof ArrayBuffer)
      bytes.buffer.transfer(0);
  }

  value(value: unknown): unknown {
    if (!(value instanceof LongValue)) return value;
    if (value === this.lastLong) return this.lastValue;
    if (value.isJson) {
      this.state.jsonLeft -= value.bytes.byteLength;
      if (this.state.jsonLeft < 0) throw new Error('the rows repeat more JSON than a file of its size holds');
    }
    this.lastValue = value.isJson ? jsonOf(value.bytes) : COLUMN_TEXT.decode(value.bytes);
    this.lastLong = value;
    return this.lastValue;
  }
}
