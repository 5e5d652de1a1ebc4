/**
 * Checks of Parquet data before it is decoded. The decoder trusts counts and lengths, so a wrong one would make it
 * allocate any amount of memory (apache/parquet-format:src/main/thrift/parquet.thrift).
 *
 *   checkGroup ── headers of all pages, contents of uncompressed pages
 *   checkedCompressors ── contents of compressed pages, when the decoder unpacks them
 */
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';
import type { ColumnMetaData, Compressors, RowGroup, SchemaTree } from 'hyparquet';
import { compressors as packaged } from 'hyparquet-compressors';

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
  PLAIN_DICTIONARY,
  RLE,
  DELTA_BINARY_PACKED,
  DELTA_LENGTH_BYTE_ARRAY,
  DELTA_BYTE_ARRAY,
  RLE_DICTIONARY,
] = [2, 3, 5, 6, 7, 8];
/** Encodings are 0 to 9, without 1. */
const LAST_ENCODING = 9;

const limited = (length: number) => ({ maxOutputLength: Math.max(1, length) });

/** Decompressors that never return more bytes than the page header claims. */
const compressors: Compressors = {
  ...packaged,
  GZIP: (bytes, length) => gunzipSync(bytes, limited(length)),
  BROTLI: (bytes, length) => brotliDecompressSync(bytes, limited(length)),
  ZSTD: (bytes, length) => zstdDecompressSync(bytes, limited(length)),
};

/** Checks of compressed pages' contents, by position of the page in the file. */
type PageChecks = Map<number, (unpacked: Uint8Array) => void>;
/** Limit of pages in a row group. Usual writers make one page per MiB and column. */
const MOST_PAGES = 1 << 18;

/**
 * @param positionOf position of the bytes in the file
 * @param checks from `checkGroup`
 * @returns decompressors that check what they have unpacked
 */
export function checkedCompressors(
  positionOf: (bytes: Uint8Array) => number | undefined,
  checks: PageChecks,
): Compressors {
  return Object.fromEntries(
    Object.entries(compressors).map(([codec, unpack]) => [
      codec,
      (bytes: Uint8Array, length: number): Uint8Array => {
        const check = checks.get(positionOf(bytes) ?? -1);
        if (check === undefined) throw new Error('it has a page that was not checked');
        const unpacked = unpack(bytes, length);
        check(unpacked);
        return unpacked;
      },
    ]),
  );
}

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

/** The part of the file that pages are read from. */
export interface PageBytes {
  readonly byteLength: number;
  /** Fewer bytes at the end of the file. Valid until the next call. */
  bytesAt(start: number, length: number): Uint8Array;
}

interface Leaf {
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
 * Checks every page of a row group.
 *
 * @param most bytes of memory that the group may take at once
 * @returns bytes that its rows take when they are decoded, and the checks to run after decompression
 * @throws Error when a page claims more than it has
 */
export function checkGroup(
  file: PageBytes,
  group: RowGroup,
  schema: SchemaTree,
  most: number,
): { readonly bytes: number; readonly work: number; readonly checks: PageChecks } {
  const checks: PageChecks = new Map();
  let bytes = 0;
  let atOnce = 0;
  let work = 0;
  for (const { meta_data: chunk } of group.columns) {
    if (chunk === undefined) throw new Error('it has a column without metadata');
    const leaf = leafOf(schema, chunk.path_in_schema);
    const pages = new PageChecker(file, chunk, leaf, most, checks);
    pages.check();
    const name = chunk.path_in_schema.join('.');
    if (leaf.isFlat && pages.values !== Number(group.num_rows))
      throw new Error(`it claims ${group.num_rows} rows, but its column ${name} has ${pages.values}`);
    bytes += pages.bytes;
    // The decoder goes through all levels for each level.
    work += pages.values * leaf.depth ** 2;
    // Nested columns are decoded whole, others page by page.
    atOnce += leaf.isFlat ? pages.longest : pages.bytes;
    if (atOnce > most)
      throw new Error(`a row group takes more than ${most} bytes of memory; write smaller row groups`);
  }
  return { bytes, work, checks };
}

function leafOf(schema: SchemaTree, path: readonly string[]): Leaf {
  let [node, definition, repetition]: [SchemaTree | undefined, number, number] = [schema, 0, 0];
  for (const name of path) {
    node = node?.children.find(({ element }) => element.name === name);
    if (node === undefined) throw new Error(`it has no column ${path.join('.')}`);
    if (node.element.repetition_type !== 'REQUIRED') definition++;
    if (node.element.repetition_type === 'REPEATED') repetition++;
  }
  const { type, type_length } = node.element;
  const fixed = type === 'FIXED_LEN_BYTE_ARRAY' ? Math.max(0, type_length ?? 0) : 0;
  return { depth: path.length, fixed, definition, repetition, isFlat: path.length === 1 && repetition === 0 };
}

/** Walks the pages of a column chunk. */
class PageChecker {
  values = 0;
  /** Decoded sizes: all pages together, and the longest page. */
  bytes = 0;
  longest = 0;
  private readonly file: PageBytes;
  private readonly chunk: ColumnMetaData;
  private readonly leaf: Leaf;
  private readonly most: number;
  private readonly checks: PageChecks;

  constructor(file: PageBytes, chunk: ColumnMetaData, leaf: Leaf, most: number, checks: PageChecks) {
    this.checks = checks;
    this.file = file;
    this.chunk = chunk;
    this.leaf = leaf;
    this.most = most;
  }

  check(): void {
    const { dictionary_page_offset, data_page_offset, total_compressed_size } = this.chunk;
    const start = Number(dictionary_page_offset || data_page_offset);
    const end = start + Number(total_compressed_size);
    if (!(start >= 0 && end >= start && end <= this.file.byteLength))
      throw new Error(`it has a column at the bytes ${start} to ${end}`);
    // The decoder uses the same end condition.
    for (let at = start; at < end - 1; ) at = this.page(at, end);
  }

  private page(start: number, end: number): number {
    const { fields, length } = this.header(start, end);
    const at = start + length;
    const [type, unpacked, packed] = [number(fields[1]), number(fields[2]), number(fields[3])];
    if (!(packed >= 0 && packed <= end - at)) throw new Error(`it has a page of ${packed} bytes`);
    const page = { [DATA_PAGE]: fields[5], [DICTIONARY_PAGE]: fields[7], [DATA_PAGE_V2]: fields[8] }[type];
    if (typeof page !== 'object') throw new Error(`it has a page of the unknown type ${type}`);
    const values = number(page[1]);
    const decoded = unpacked + (VALUE_BYTES + this.leaf.fixed) * values;
    if (!(unpacked >= 0 && values >= 0 && decoded <= this.most))
      throw new Error(`it has a page of ${values} values and ${unpacked} bytes`);
    this.bytes += decoded;
    this.longest = Math.max(this.longest, decoded);
    if (this.bytes > this.most && !this.leaf.isFlat)
      throw new Error(`a row group takes more than ${this.most} bytes of memory; write smaller row groups`);
    if (type !== DICTIONARY_PAGE) this.values += values;
    if (type === DATA_PAGE) this.dataPage(at, packed, values, number(page[2]));
    else if (type === DATA_PAGE_V2) this.dataPageV2(at, { packed, unpacked, values }, page);
    else this.whenUnpacked(at, packed, () => undefined);
    return at + packed;
  }

  /** Runs the check now if the bytes are not compressed, otherwise when they are unpacked. */
  private whenUnpacked(at: number, packed: number, check: (bytes: Uint8Array) => void): void {
    if (this.chunk.codec === 'UNCOMPRESSED') check(this.file.bytesAt(at, packed));
    else if (this.checks.has(at)) throw new Error('two columns share a page');
    else if (this.checks.size >= MOST_PAGES) throw new Error('a row group has too many pages');
    else this.checks.set(at, check);
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

  private dataPage(start: number, packed: number, values: number, encoding: number): void {
    this.whenUnpacked(start, packed, (bytes) => {
      let at = 0;
      let levels = 0;
      for (const level of [this.leaf.repetition, this.leaf.definition]) {
        if (level === 0) continue;
        const length = lengthAt(bytes, at);
        levels = at + 4;
        checkRuns(bytes, levels, bytes.byteLength, widthOf(level), values);
        at += 4 + length;
      }
      const { definition } = this.leaf;
      const known = (): number =>
        definition === 0 ? values : countRuns(bytes, levels, widthOf(definition), definition, values);
      this.checkValues(bytes, at, { values, known }, encoding);
    });
  }

  /** The levels of a version 2 page are not compressed. */
  private dataPageV2(
    start: number,
    { packed, unpacked, values }: { packed: number; unpacked: number; values: number },
    page: Fields,
  ): void {
    let at = 0;
    const [definition, repetition, encoding] = [number(page[5]), number(page[6]), number(page[4])];
    const bytes = this.file.bytesAt(start, packed);
    for (const [level, length] of [
      [this.leaf.repetition, repetition],
      [this.leaf.definition, definition],
    ] as const) {
      if (!(length >= 0 && at + length <= packed)) throw new Error(`it has levels of ${length} bytes`);
      if (level > 0) checkRuns(bytes, at, bytes.byteLength, widthOf(level), values);
      at += length;
    }
    const length = unpacked - at;
    const nulls = number(page[2] ?? 0);
    if (!(length >= 0 && nulls >= 0 && nulls <= values))
      throw new Error(`it has a page of ${length} bytes, with ${nulls} of ${values} values missing`);
    const known = (): number => values - nulls;
    const check = (plain: Uint8Array): void => this.checkValues(plain, 0, { values, known }, encoding);
    if (page[7] === 0) check(bytes.subarray(at));
    else this.whenUnpacked(start + at, packed - at, check);
  }

  /** @param known number of values that are not null */
  private checkValues(
    bytes: Uint8Array,
    at: number,
    { values, known }: { readonly values: number; readonly known: () => number },
    encoding: number,
  ): void {
    if (!(encoding >= 0 && encoding <= LAST_ENCODING))
      throw new Error(`it has a page in the encoding ${encoding}`);
    const isBoolean = this.chunk.type === 'BOOLEAN';
    if (encoding === DELTA_BYTE_ARRAY && values * bytes.byteLength > MOST_SHARED)
      throw new Error(`it has a page of ${values} texts that share their beginnings`);
    if (encoding === DELTA_BINARY_PACKED || encoding === DELTA_LENGTH_BYTE_ARRAY)
      checkDeltas(bytes, at, known());
    if (encoding === DELTA_BYTE_ARRAY) checkDeltas(bytes, checkDeltas(bytes, at, known()), known());
    if (encoding === RLE && !isBoolean)
      throw new Error(
        `it has a page of ${values} values of the type ${this.chunk.type} in the encoding RLE, which is for booleans`,
      );
    if (encoding === RLE || (isBoolean && (encoding === PLAIN_DICTIONARY || encoding === RLE_DICTIONARY)))
      checkRuns(bytes, at + 4, bytes.byteLength, 1, values);
    else if (encoding === PLAIN_DICTIONARY || encoding === RLE_DICTIONARY)
      checkRuns(bytes, at + 1, bytes.byteLength, bytes[at] ?? 0, values);
  }
}

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

/** Each part of a block fills whole words of so many bits. */
const WORD_BITS = 32;
/** Limit of the parts of a block; writers make four. */
const MOST_PARTS = 1024;

/**
 * Walks blocks of differences, of which each begins with a number. The decoder would take any length of it, in
 * quadratic time.
 *
 * @returns where they end
 * @throws Error when a number has more than 64 bits, or a block another form than the format allows
 */
function checkDeltas(bytes: Uint8Array, start: number, values: number): number {
  // A page of nulls.
  if (start >= bytes.byteLength) return start;
  const walker = new ThriftWalker(bytes, start);
  const [block, parts] = [walker.varint(INTEGER), walker.varint(INTEGER)];
  const perPart = block / parts;
  if (!(parts >= 1 && parts <= MOST_PARTS && perPart >= WORD_BITS && perPart % WORD_BITS === 0))
    throw new Error(`it has a page with blocks of ${block} values in ${parts} parts`);
  walker.varint();
  walker.varint();
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
 * @throws Error when its runs repeat more values than the page has
 */
function checkRuns(bytes: Uint8Array, start: number, end: number, width: number, values: number): void {
  const walker = new ThriftWalker(bytes, start);
  for (let seen = 0; seen < values && walker.at < end; ) {
    const head = walker.varint(INTEGER);
    const isPacked = head % 2 === 1;
    const run = Math.floor(head / 2) * (isPacked ? 8 : 1);
    seen += run;
    if (seen > values + RUN_SLACK) throw new Error(`it has a page of ${values} values with a run of ${run}`);
    walker.at += isPacked ? (run / 8) * width : (width + 7) >> 3;
  }
}
