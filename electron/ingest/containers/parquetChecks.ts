/**
 * Checks of Parquet data before it is decoded. The decoder trusts counts and lengths, so a wrong one would make it
 * allocate any amount of memory (apache/parquet-format:src/main/thrift/parquet.thrift).
 *
 *   checkGroup ── headers of all pages
 *   Page ── contents of a page, before it is decoded
 */
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';
import type { ColumnMetaData, Compressors, PageHeader, RowGroup, SchemaTree } from 'hyparquet';
import { Encodings } from 'hyparquet/src/constants.js';
import { deltaBinaryUnpack } from 'hyparquet/src/delta.js';
import { compressors as packaged } from 'hyparquet-compressors';
import { unpackLz4Block, unpackLz4Blocks } from './lz4Frame.ts';
import { unpackSnappy } from './snappy.ts';

/** Limit of structures in a footer. 1,000 row groups with 100 columns stay below it. */
const MOST_STRUCTS = 1 << 20;
const DEEPEST = 32;
/** Estimated bytes of memory for a decoded value and its levels. */
const VALUE_BYTES = 24;
/** A run may exceed the remaining values by this many: some writers pad the last run. */
const RUN_SLACK = 1 << 12;
/** Limit in bytes. Texts with shared prefixes (`DELTA_BYTE_ARRAY`) unpack to at most their number times the page. */
const MOST_SHARED = 1 << 30;
/** Types of pages (parquet.thrift, `PageType`), and their fields in a header. */
const [DATA_PAGE, DICTIONARY_PAGE, DATA_PAGE_V2] = [0, 2, 3];
/** Encodings of values (parquet.thrift, `Encoding`). */
const [
  PLAIN,
  PLAIN_DICTIONARY,
  RLE,
  DELTA_BINARY_PACKED,
  DELTA_LENGTH_BYTE_ARRAY,
  DELTA_BYTE_ARRAY,
  RLE_DICTIONARY,
] = [0, 2, 3, 5, 6, 7, 8];
/** Encodings are 0 to 9, without 1. */
const LAST_ENCODING = 9;

/** Bytes. The least that `node:zlib` takes. */
const LEAST_CHUNK = 64;
/** One byte more than the page has, because a full chunk is followed by another one. */
const limited = (length: number) => ({
  maxOutputLength: Math.max(1, length),
  chunkSize: Math.max(LEAST_CHUNK, length + 1),
});

/** Bytes. Beyond it, the faster decompressor of Snappy takes too much memory, because it keeps a copy of the page. */
const MOST_COPIED = 8 << 20;

function unpackSnappyPage(bytes: Uint8Array, length: number): Uint8Array {
  return length <= MOST_COPIED && packaged.SNAPPY !== undefined
    ? packaged.SNAPPY(bytes, length)
    : unpackSnappy(bytes, length);
}

/** Decompressors that never return more bytes than the page header claims. `ColumnReader` refuses fewer. */
export const compressors: Compressors = {
  SNAPPY: unpackSnappyPage,
  LZ4: unpackLz4Blocks,
  LZ4_RAW: unpackLz4Block,
  GZIP: (bytes, length) => gunzipSync(bytes, limited(length)),
  BROTLI: (bytes, length) => brotliDecompressSync(bytes, limited(length)),
  ZSTD: (bytes, length) => zstdDecompressSync(bytes, limited(length)),
};

/** A page whose header was checked. */
export interface Page {
  /** Position of its contents in the file. */
  readonly start: number;
  readonly header: PageHeader;
  readonly values: number;
  /** Bytes of memory that it takes when it is decoded. */
  readonly bytes: number;
  readonly isDictionary: boolean;
  /** Whether its values refer to the dictionary. */
  readonly usesDictionary: boolean;
  /** Whether its values are compressed. */
  readonly isPacked: boolean;
  /** Checks its contents as they are in the file. @throws Error when they claim more than they have */
  readonly check: (bytes: Uint8Array) => void;
  /** Checks its values when they are unpacked. */
  readonly checkUnpacked: (bytes: Uint8Array) => void;
}

/** A column chunk whose pages were checked. */
export interface CheckedColumn {
  readonly chunk: ColumnMetaData;
  readonly leaf: Leaf;
  readonly pages: readonly Page[];
}

/** Limit of pages in a row group. Usual writers make one page per MiB and column. */
const MOST_PAGES = 1 << 18;
const unchecked = (): void => undefined;

/** Bits of numbers: of fields, whole numbers and long ones. */
const [SHORT, INTEGER, LONG] = [16, 32, 64];

/** The numbers, lengths of texts and nested structures of a Thrift structure, by field number. */
export interface Fields {
  readonly [field: number]: number | Fields | undefined;
}

/** Walks Thrift's compact protocol. @throws Error when a list or text claims more than there is */
export class ThriftWalker {
  at: number;
  /** Called with each structure and the numbers of the fields that it is in, such as `4.1.3`. */
  onStruct: ((path: string, fields: Fields) => void) | undefined;
  private readonly path: number[] = [];
  private readonly bytes: Uint8Array;
  private structs = 0;

  constructor(bytes: Uint8Array, at = 0) {
    this.bytes = bytes;
    this.at = at;
  }

  struct(depth = 0): Fields {
    if (depth > DEEPEST || ++this.structs > MOST_STRUCTS) throw new Error('it has too many structures');
    const fields: Record<number, number | Fields | undefined> = {};
    let field = 0;
    for (let head = this.byte(); (head & 15) !== 0; head = this.byte()) {
      field = head >> 4 === 0 ? this.zigZag(SHORT) : field + (head >> 4);
      this.path.push(field);
      fields[field] = this.value(head & 15, depth);
      this.path.pop();
    }
    this.onStruct?.(this.path.join('.'), fields);
    return fields;
  }

  private value(type: number, depth: number): number | Fields | undefined {
    switch (type) {
      case 1:
      case 2:
        return type === 1 ? 1 : 0;
      case 3:
        return this.byte();
      case 4:
      case 5:
        return this.zigZag(INTEGER);
      case 6:
        return this.zigZag();
      case 7:
        return this.double();
      case 8:
        return this.skip(this.varint(INTEGER));
      case 9:
        return this.list(depth);
      case 12:
        return this.struct(depth + 1);
      default:
        throw new Error(`it has a field of the unknown type ${type}`);
    }
  }

  private list(depth: number): undefined {
    const head = this.byte();
    const count = head >> 4 === 15 ? this.varint(INTEGER) : head >> 4;
    // Each entry takes at least one byte.
    if (count > this.bytes.byteLength - this.at) throw new Error(`it has a list of ${count} entries`);
    const type = head & 15;
    for (let i = 0; i < count; i++) this.value(type === 1 || type === 2 ? 3 : type, depth + 1);
  }

  private skip(length: number): number {
    if (length > this.bytes.byteLength - this.at) throw new Error(`it has a text of ${length} bytes`);
    this.at += length;
    return length;
  }

  /** A decoder takes it where a whole number belongs. */
  private double(): number {
    const { buffer, byteOffset } = this.bytes;
    const at = byteOffset + this.at;
    this.skip(8);
    return new DataView(buffer).getFloat64(at, true);
  }

  private byte(): number {
    const byte = this.bytes[this.at++];
    if (byte === undefined) throw new Error('it ends within a structure');
    return byte;
  }

  private zigZag(bits = LONG): number {
    const value = this.varint(bits);
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }

  /** @param bits of the number. The decoder takes the lowest ones of a longer number, which would be another one */
  varint(bits = LONG): number {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = this.byte();
      value += (byte & 127) * scale;
      if (byte < 128 && value < 2 ** bits) return value;
      if (byte < 128 || scale > 2 ** bits) throw new Error(`it has a number of more than ${bits} bits`);
    }
  }
}

/** The file that page headers are read from. */
export interface HeaderBytes {
  readonly byteLength: number;
  /** Fewer bytes at the end of the file. Valid until the next call. */
  bytesAt(start: number, length: number): Uint8Array;
}

interface Leaf {
  readonly element: SchemaTree['element'];
  /** The nodes of the schema, from the root. */
  readonly path: readonly SchemaTree[];
  /** Levels of structures and lists that it is in. */
  readonly depth: number;
  /** Bytes of a value of a fixed length. */
  readonly fixed: number;
  readonly definition: number;
  readonly repetition: number;
  readonly isFlat: boolean;
}

/** First and largest number of bytes to read of a page header. Its statistics may contain long texts. */
const [SHORT_HEADER, LONGEST_HEADER] = [1 << 10, 16 << 20];

/**
 * Checks the header of every page of a row group.
 *
 * @param most bytes of memory that the group may take at once
 * @returns bytes that all its rows take when they are decoded
 * @throws Error when a page claims more than it has
 */
export function checkGroup(
  file: HeaderBytes,
  group: RowGroup,
  schema: SchemaTree,
  most: number,
): { readonly bytes: number; readonly work: number; readonly columns: readonly CheckedColumn[] } {
  const columns: CheckedColumn[] = [];
  let bytes = 0;
  let atOnce = 0;
  let work = 0;
  let pages = 0;
  for (const { meta_data: chunk } of group.columns) {
    if (chunk === undefined) throw new Error('it has a column without metadata');
    const leaf = leafOf(schema, chunk.path_in_schema);
    const checker = new PageChecker(file, chunk, leaf, { bytes: most, pages: MOST_PAGES - pages });
    checker.check();
    const name = chunk.path_in_schema.join('.');
    if (leaf.isFlat && checker.values !== Number(group.num_rows))
      throw new Error(`it claims ${group.num_rows} rows, but its column ${name} has ${checker.values}`);
    if (checker.values !== Number(chunk.num_values))
      throw new Error(
        `its column ${name} claims ${chunk.num_values} values, and its pages ${checker.values}`,
      );
    bytes += checker.bytes;
    pages += checker.pages.length;
    // The decoder goes through all levels for each level.
    work += checker.values * leaf.depth ** 2;
    // Columns are decoded page by page.
    atOnce += checker.longest;
    if (atOnce > most)
      throw new Error(
        `one page of each of its columns takes more than ${most} bytes of memory; write smaller pages`,
      );
    columns.push({ chunk, leaf, pages: checker.pages });
  }
  return { bytes, work, columns };
}

function leafOf(schema: SchemaTree, names: readonly string[]): Leaf {
  let [node, definition, repetition]: [SchemaTree | undefined, number, number] = [schema, 0, 0];
  const path = [schema];
  for (const name of names) {
    node = node.children.find(({ element }) => element.name === name);
    if (node === undefined) throw new Error(`it has no column ${names.join('.')}`);
    path.push(node);
    if (node.element.repetition_type !== 'REQUIRED') definition++;
    if (node.element.repetition_type === 'REPEATED') repetition++;
  }
  const { element } = node;
  const fixed = element.type === 'FIXED_LEN_BYTE_ARRAY' ? Math.max(0, element.type_length ?? 0) : 0;
  const isFlat = names.length === 1 && repetition === 0;
  return { element, path, depth: names.length, fixed, definition, repetition, isFlat };
}

/** Walks the pages of a column chunk. */
class PageChecker {
  readonly pages: Page[] = [];
  values = 0;
  /** Decoded size of all pages. */
  bytes = 0;
  /** Number of values in the dictionary of the pages that follow. */
  private inDictionary = Infinity;
  private readonly file: HeaderBytes;
  private readonly chunk: ColumnMetaData;
  private readonly leaf: Leaf;
  private readonly most: { readonly bytes: number; readonly pages: number };

  constructor(
    file: HeaderBytes,
    chunk: ColumnMetaData,
    leaf: Leaf,
    most: { readonly bytes: number; readonly pages: number },
  ) {
    this.file = file;
    this.chunk = chunk;
    this.leaf = leaf;
    this.most = most;
  }

  /** Most bytes that are decoded at once: a page, and the dictionary until the last page that uses it. */
  get longest(): number {
    const last = this.pages.findLastIndex((page) => page.usesDictionary);
    let [longest, dictionary] = [0, 0];
    for (const [i, { bytes, isDictionary }] of this.pages.entries()) {
      if (isDictionary) dictionary = bytes;
      else if (i > last) dictionary = 0;
      longest = Math.max(longest, isDictionary ? bytes : dictionary + bytes);
    }
    return longest;
  }

  check(): void {
    const { dictionary_page_offset, data_page_offset, total_compressed_size } = this.chunk;
    const start = Number(dictionary_page_offset || data_page_offset);
    const end = start + Number(total_compressed_size);
    if (!(start >= 0 && end >= start && end <= this.file.byteLength))
      throw new Error(`it has a column at the bytes ${start} to ${end}`);
    // The last byte is padding of some writers.
    for (let at = start; at < end - 1; ) at = this.page(at, end);
  }

  private page(at: number, end: number): number {
    const { fields, length } = this.header(at, end);
    const start = at + length;
    const [type, unpacked, packed] = [number(fields[1]), number(fields[2]), number(fields[3])];
    if (!(packed >= 0 && packed <= end - start)) throw new Error(`it has a page of ${packed} bytes`);
    const page = { [DATA_PAGE]: fields[5], [DICTIONARY_PAGE]: fields[7], [DATA_PAGE_V2]: fields[8] }[type];
    if (typeof page !== 'object') throw new Error(`it has a page of the unknown type ${type}`);
    const values = number(page[1]);
    const bytes = unpacked + (VALUE_BYTES + this.leaf.fixed) * values;
    if (!(unpacked >= 0 && values >= 0 && bytes <= this.most.bytes))
      throw new Error(`it has a page of ${values} values and ${unpacked} bytes`);
    if (this.pages.length >= this.most.pages) throw new Error('a row group has too many pages');
    const isDictionary = type === DICTIONARY_PAGE;
    this.bytes += bytes;
    if (isDictionary) this.inDictionary = values;
    else this.values += values;
    const sizes = { uncompressed_page_size: unpacked, compressed_page_size: packed };
    this.pages.push({
      ...{ start, values, bytes, isDictionary },
      ...(type === DATA_PAGE
        ? this.dataPage(sizes, values, page)
        : type === DATA_PAGE_V2
          ? this.dataPageV2(sizes, values, page)
          : this.dictionaryPage(sizes, values)),
    });
    return start + packed;
  }

  /** Reads the header again with a larger limit if it is longer than most. */
  private header(start: number, end: number): { fields: Fields; length: number } {
    for (let length = SHORT_HEADER; ; length *= 16) {
      const bytes = this.file.bytesAt(start, Math.min(length, end - start));
      try {
        const walker = new ThriftWalker(bytes);
        return { fields: walker.struct(), length: walker.at };
      } catch (error) {
        if (bytes.byteLength < length || length >= LONGEST_HEADER) throw error;
      }
    }
  }

  private get isPacked(): boolean {
    return this.chunk.codec !== 'UNCOMPRESSED';
  }

  /** Undefined for texts, whose length is before them, and 0 for booleans, which have a bit. */
  private get bytesOfValue(): number | undefined {
    const { type } = this.chunk;
    return type === 'FIXED_LEN_BYTE_ARRAY' ? this.leaf.fixed : BYTES_OF[type];
  }

  private dictionaryPage(sizes: PageSizes, values: number): PageContents {
    const header = {
      ...{ type: 'DICTIONARY_PAGE' as const, ...sizes },
      dictionary_page_header: { num_values: values, encoding: 'PLAIN' as const },
    };
    return {
      ...{ header, usesDictionary: false, isPacked: this.isPacked },
      ...{ check: unchecked, checkUnpacked: unchecked },
    };
  }

  private dataPage(sizes: PageSizes, values: number, page: Fields): PageContents {
    const encoding = number(page[2]);
    const { isPacked, inDictionary } = this;
    const checkUnpacked = (bytes: Uint8Array): void => {
      let at = 0;
      let levels = 0;
      for (const level of [this.leaf.repetition, this.leaf.definition]) {
        if (level === 0) continue;
        const length = lengthAt(bytes, at);
        levels = at + 4;
        if (checkLevels(bytes, levels, level, values) > levels + length)
          throw new Error(`it has levels of ${length} bytes, which are too few for ${values} values`);
        at += 4 + length;
      }
      const { definition } = this.leaf;
      const known =
        definition === 0 ? values : countRuns(bytes, levels, widthOf(definition), definition, values);
      this.checkValues(bytes, at, { values, known, inDictionary }, encoding);
    };
    const levelEncoding = 'RLE' as const;
    const header = {
      ...{ type: 'DATA_PAGE' as const, ...sizes },
      data_page_header: {
        ...{ num_values: values, encoding: encodingOf(encoding) },
        ...{ definition_level_encoding: levelEncoding, repetition_level_encoding: levelEncoding },
      },
    };
    return {
      ...{ header, usesDictionary: usesDictionary(encoding), isPacked, checkUnpacked },
      check: isPacked ? unchecked : checkUnpacked,
    };
  }

  /** The levels of a version 2 page are not compressed. */
  private dataPageV2(sizes: PageSizes, values: number, page: Fields): PageContents {
    const { uncompressed_page_size: unpacked, compressed_page_size: packed } = sizes;
    const [rows, encoding] = [number(page[3]), number(page[4])];
    const [definition, repetition] = [number(page[5]), number(page[6])];
    let levels = 0;
    for (const length of [repetition, definition]) {
      if (!(length >= 0 && levels + length <= packed)) throw new Error(`it has levels of ${length} bytes`);
      levels += length;
    }
    const length = unpacked - levels;
    const nulls = number(page[2] ?? 0);
    if (!(length >= 0 && nulls >= 0 && nulls <= values))
      throw new Error(`it has a page of ${length} bytes, with ${nulls} of ${values} values missing`);
    const ofPage = {
      ...{ num_values: values, num_nulls: nulls, num_rows: rows, encoding: encodingOf(encoding) },
      ...{ definition_levels_byte_length: definition, repetition_levels_byte_length: repetition },
      is_compressed: page[7] !== 0,
    };
    const { inDictionary } = this;
    const checkUnpacked = (plain: Uint8Array): void =>
      this.checkValues(plain, 0, { values, known: values - ofPage.num_nulls, inDictionary }, encoding);
    const isPacked = page[7] !== 0 && this.isPacked;
    const check = (bytes: Uint8Array): void => {
      let at = 0;
      for (const [level, size] of [
        [this.leaf.repetition, repetition],
        [this.leaf.definition, definition],
      ] as const) {
        if (level > 0 && checkLevels(bytes, at, level, values) > at + size)
          throw new Error(`it has levels of ${size} bytes, which are too few for ${values} values`);
        at += size;
      }
      // Writers count the missing values of lists in different ways, and the decoder takes their number.
      const { leaf } = this;
      if (leaf.definition > 0)
        ofPage.num_nulls =
          values - countRuns(bytes, repetition, widthOf(leaf.definition), leaf.definition, values);
      if (!isPacked) checkUnpacked(bytes.subarray(at));
    };
    const header = { type: 'DATA_PAGE_V2' as const, ...sizes, data_page_header_v2: ofPage };
    return { header, usesDictionary: usesDictionary(encoding), isPacked, check, checkUnpacked };
  }

  private checkValues(
    bytes: Uint8Array,
    at: number,
    { values, known, inDictionary }: ValueCounts,
    encoding: number,
  ): void {
    const isBoolean = this.chunk.type === 'BOOLEAN';
    if (encoding === PLAIN) checkPlain(bytes, at, known, this.bytesOfValue);
    if (encoding === DELTA_BYTE_ARRAY && values * bytes.byteLength > MOST_SHARED)
      throw new Error(`it has a page of ${values} texts that share their beginnings`);
    if (encoding === DELTA_BINARY_PACKED || encoding === DELTA_LENGTH_BYTE_ARRAY)
      checkDeltas(bytes, at, known, this.chunk.type === 'INT32');
    if (encoding === DELTA_BYTE_ARRAY) {
      checkDeltas(bytes, checkDeltas(bytes, at, known), known);
      checkPrefixes(bytes, at, known);
    }
    if (encoding === RLE && !isBoolean)
      throw new Error(
        `it has a page of ${values} values of the type ${this.chunk.type} in the encoding RLE, which is for booleans`,
      );
    if (encoding === RLE || (isBoolean && usesDictionary(encoding)))
      checkRuns(bytes, at + 4, bytes.byteLength, 1, values);
    else if (usesDictionary(encoding)) {
      const width = bytes[at] ?? 0;
      checkRuns(bytes, at + 1, bytes.byteLength, width, values);
      if (2 ** width > inDictionary) checkIndexes(bytes, at + 1, width, known, inDictionary);
    }
  }
}

/** Numbers of values of a page. */
interface ValueCounts {
  readonly values: number;
  /** How many are not null. */
  readonly known: number;
  /** How many its dictionary has. */
  readonly inDictionary: number;
}

const BYTES_OF: Partial<Record<ColumnMetaData['type'], number>> = {
  ...{ BOOLEAN: 0, INT32: 4, INT64: 8, INT96: 12, FLOAT: 4, DOUBLE: 8 },
};

type PageSizes = Pick<PageHeader, 'uncompressed_page_size' | 'compressed_page_size'>;
type PageContents = Omit<Page, 'start' | 'values' | 'bytes' | 'isDictionary'>;

function encodingOf(encoding: number): NonNullable<PageHeader['data_page_header']>['encoding'] {
  const name = Encodings[encoding];
  if (!(encoding >= 0 && encoding <= LAST_ENCODING) || name === undefined)
    throw new Error(`it has a page in the encoding ${encoding}`);
  return name;
}

const usesDictionary = (encoding: number): boolean =>
  encoding === PLAIN_DICTIONARY || encoding === RLE_DICTIONARY;

function number(value: number | Fields | undefined): number {
  if (typeof value !== 'number') throw new Error('it has a page header without a required field');
  return value;
}

function lengthAt(bytes: Uint8Array, at: number): number {
  return (
    ((bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8) | ((bytes[at + 2] ?? 0) << 16)) +
    (bytes[at + 3] ?? 0) * 2 ** 24
  );
}

function widthOf(level: number): number {
  return 32 - Math.clz32(level);
}

/** Zeros that fastparquet writes behind the values. */
const PADDING = 8;

/**
 * @param size bytes of a value; undefined if its length is before it, and 0 for a bit
 * @throws Error when the values do not take all bytes, because their number is wrong then, and with it all rows
 */
function checkPlain(bytes: Uint8Array, start: number, values: number, size: number | undefined): void {
  const most = bytes.byteLength;
  let end = start + (size === 0 ? (values + 7) >> 3 : values * (size ?? 0));
  if (size === undefined) for (let i = 0; i < values && end < most; i++) end += 4 + lengthAt(bytes, end);
  const isPadded = end + PADDING === most && bytes.subarray(end).every((byte) => byte === 0);
  if (end !== most && !isPadded)
    throw new Error(`it has a page of ${most - start} bytes, and its values take ${end - start}`);
}

/** Each part of a block fills whole words of so many bits. */
const WORD_BITS = 32;
/** Limit of the parts of a block; writers make four. */
const MOST_PARTS = 1024;

/**
 * Walks blocks of differences, of which each begins with a number. The decoder would take any length of it, in
 * quadratic time.
 *
 * @param isShort whether the values have 32 bits
 * @returns where they end
 * @throws Error when a number has more than 64 bits, or a block another form than the format allows
 */
function checkDeltas(bytes: Uint8Array, start: number, values: number, isShort = false): number {
  // A page of nulls.
  if (start >= bytes.byteLength) return start;
  const walker = new ThriftWalker(bytes, start);
  const [block, parts] = [walker.varint(INTEGER), walker.varint(INTEGER)];
  const perPart = block / parts;
  if (!(parts >= 1 && parts <= MOST_PARTS && perPart >= WORD_BITS && perPart % WORD_BITS === 0))
    throw new Error(`it has a page with blocks of ${block} values in ${parts} parts`);
  const count = walker.varint();
  if (count !== values) throw new Error(`it has a page of ${values} values that stores ${count}`);
  const first = walker.at;
  walker.varint();
  if (isShort) shorten(bytes, first, walker.at);
  // The page may end before its last part is full.
  for (let left = values - 1; left > 0 && walker.at < bytes.byteLength; ) {
    walker.varint();
    const widths = walker.at;
    walker.at += parts;
    for (let i = 0; i < parts && left > 0; i++, left -= perPart)
      walker.at += (perPart / 8) * (bytes[widths + i] ?? 0);
  }
  return walker.at;
}

/**
 * @returns where the levels end
 * @throws Error when one of them is larger than the largest of the column
 */
function checkLevels(bytes: Uint8Array, start: number, largest: number, values: number): number {
  const width = widthOf(largest);
  const end = checkRuns(bytes, start, bytes.byteLength, width, values);
  if (2 ** width > largest + 1) checkIndexes(bytes, start, width, values, largest + 1);
  return end;
}

/** @throws Error when a text begins with more bytes of the one before than that has; the decoder would add zeros */
function checkPrefixes(bytes: Uint8Array, start: number, values: number): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const reader = { view, offset: start };
  const [prefixes, suffixes] = [new Int32Array(values), new Int32Array(values)];
  if (values === 0) return;
  deltaBinaryUnpack(reader, values, prefixes);
  deltaBinaryUnpack(reader, values, suffixes);
  let before = 0;
  for (const [i, prefix] of prefixes.entries()) {
    const suffix = suffixes[i] ?? 0;
    if (!(prefix >= 0 && prefix <= before && suffix >= 0))
      throw new Error(`it has a text of ${suffix} bytes after ${prefix} of the ${before} bytes of another`);
    before = prefix + suffix;
  }
}

/** Most bits for which a byte fits beside a begun value. */
const FAST_WIDTH = 24;

/** @throws Error when one of the values in runs that `checkRuns` has checked is not below the limit */
function checkIndexes(bytes: Uint8Array, start: number, width: number, values: number, limit: number): void {
  const walker = new ThriftWalker(bytes, start);
  const check = (index: number): void => {
    if (index >= limit) throw new Error(`it has a page with the index or level ${index} of ${limit}`);
  };
  for (let seen = 0; seen < values && walker.at < bytes.byteLength; ) {
    const head = walker.varint(INTEGER);
    if (head % 2 === 0) {
      if (head > 0) check(bitsAt(bytes, 8 * walker.at, 8 * ((width + 7) >> 3)));
      seen += head / 2;
      walker.at += (width + 7) >> 3;
      continue;
    }
    const run = 8 * Math.floor(head / 2);
    const count = Math.min(run, values - seen);
    if (width > FAST_WIDTH)
      for (let i = 0; i < count; i++) check(bitsAt(bytes, 8 * walker.at + i * width, width));
    else {
      let [begun, bits, at] = [0, 0, walker.at];
      const mask = 2 ** width - 1;
      for (let i = 0; i < count; i++) {
        for (; bits < width; bits += 8) begun |= (bytes[at++] ?? 0) << bits;
        check(begun & mask);
        begun >>>= width;
        bits -= width;
      }
    }
    seen += run;
    walker.at += (run / 8) * width;
  }
}

/**
 * Writes a number of up to 33 bits with the sign in its lowest bit as the one of 32 bits that is equal modulo 2^32, in as
 * many bytes. DuckDB writes the first unsigned value of a page with 33 bits, of which the decoder takes 32.
 */
function shorten(bytes: Uint8Array, start: number, end: number): void {
  let number = 0n;
  for (let i = start; i < end; i++) number |= BigInt((bytes[i] ?? 0) & 127) << BigInt(7 * (i - start));
  const value = BigInt.asIntN(32, number % 2n === 0n ? number / 2n : -(number + 1n) / 2n);
  let left = value >= 0n ? 2n * value : -2n * value - 1n;
  for (let i = start; i < end; i++, left >>= 7n) bytes[i] = Number(left & 127n) | (i + 1 < end ? 128 : 0);
}

/** How often a value is in runs that `checkRuns` has checked. */
function countRuns(bytes: Uint8Array, start: number, width: number, value: number, values: number): number {
  const walker = new ThriftWalker(bytes, start);
  let count = 0;
  for (let seen = 0; seen < values && walker.at < bytes.byteLength; ) {
    const head = walker.varint(INTEGER);
    if (head % 2 === 0) {
      const run = Math.min(head / 2, values - seen);
      if (bitsAt(bytes, 8 * walker.at, 8 * ((width + 7) >> 3)) === value) count += run;
      seen += head / 2;
      walker.at += (width + 7) >> 3;
    } else {
      const run = 8 * Math.floor(head / 2);
      for (let i = 0; i < run && seen + i < values; i++)
        if (bitsAt(bytes, 8 * walker.at + i * width, width) === value) count++;
      seen += run;
      walker.at += (run / 8) * width;
    }
  }
  return count;
}

/** Lowest bits first. */
function bitsAt(bytes: Uint8Array, at: number, width: number): number {
  let bits = 0;
  for (let i = 0; i < width; i++) bits += (((bytes[(at + i) >> 3] ?? 0) >> ((at + i) & 7)) & 1) * 2 ** i;
  return bits;
}

/**
 * @param width bits of a value
 * @returns where the runs end
 * @throws Error when its runs repeat more values than the page has
 */
function checkRuns(bytes: Uint8Array, start: number, end: number, width: number, values: number): number {
  const walker = new ThriftWalker(bytes, start);
  for (let seen = 0; seen < values && walker.at < end; ) {
    const head = walker.varint(INTEGER);
    const isPacked = head % 2 === 1;
    const run = Math.floor(head / 2) * (isPacked ? 8 : 1);
    seen += run;
    if (seen > values + RUN_SLACK) throw new Error(`it has a page of ${values} values with a run of ${run}`);
    walker.at += isPacked ? (run / 8) * width : (width + 7) >> 3;
  }
  return walker.at;
}
