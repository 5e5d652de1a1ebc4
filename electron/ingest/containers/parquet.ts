/** Parquet files: rows with nested lists, converted to JSON bytes. */
import { closeSync, fstatSync, readSync } from 'node:fs';
import {
  type AsyncBuffer,
  type Compressors,
  type FileMetaData,
  parquetMetadataAsync,
  parquetReadObjects,
  parquetSchema,
  type RowGroup,
  type SchemaTree,
} from 'hyparquet';
import { HEADER_KEY } from '../../../shared/format/dataSetColumns.ts';
import type { ParquetColumn } from '../../../shared/format/format.ts';
import { readJson } from '../../../shared/format/lenientJson.ts';
import { LONGEST_RECORD } from './bytes.ts';
import { CorruptContainerError, type RecordSource, type SourceRecord } from './container.ts';
import { openFile } from './openFile.ts';
import {
  checkedCompressors,
  checkGroup,
  type Fields,
  type PageBytes,
  ThriftWalker,
} from './parquetChecks.ts';
import { COLUMN_TEXT, RowConverter } from './rowJson.ts';
import { checkRows, mostInAll, mostMemory } from './sizes.ts';

/** Memory limit in bytes for rows that are decoded at once. A larger row group is read in several passes. */
const WINDOW = 64 << 20;
const MOST_ROWS = 1 << 16;
const LONGEST_FOOTER = 64 << 20;
/** Limit of values times the square of their depth: a base, plus this many per byte of the file. */
const [WORK_OF_ANY, WORK_PER_BYTE] = [1 << 24, 128];
/** "PAR1", which ends the file. */
const MAGIC = 0x31524150;

/** Limit in bytes of JSON values that are decoded at once. */
const MOST_JSON = 256 << 20;
/** A module variable, because the decoder does not tell its parsers which rows it decodes. */
let jsonLeft = MOST_JSON;

const PARSERS = {
  stringFromBytes: (bytes: Uint8Array | undefined): string | undefined => bytes && COLUMN_TEXT.decode(bytes),
  jsonFromBytes(bytes: Uint8Array | undefined): unknown {
    if (bytes === undefined) return undefined;
    // A longer row is not read, and parsing takes many times the memory of the text.
    if (bytes.byteLength > LONGEST_RECORD) throw new Error(`a JSON value has ${bytes.byteLength} bytes`);
    jsonLeft -= bytes.byteLength;
    if (jsonLeft < 0) throw new Error(`${MOST_JSON} bytes of JSON are in rows that are decoded at once`);
    const reading = readJson(Buffer.from(bytes).toString('utf8'));
    if (!reading.ok) throw new Error(reading.message);
    return reading.value;
  },
};

export class ParquetSource implements RecordSource {
  private readonly file: FileSlices;
  private readonly metadata: FileMetaData;
  private readonly converter: RowConverter;

  private constructor(file: FileSlices, metadata: FileMetaData) {
    this.file = file;
    this.converter = new RowConverter('Parquet', file.byteLength);
    this.metadata = metadata;
  }

  /** @throws CorruptContainerError when the file has no readable footer */
  static async open(path: string): Promise<ParquetSource> {
    const file = new FileSlices(path);
    try {
      checkFooter(file);
      const metadata = await parquetMetadataAsync(file, { parsers: PARSERS, geoparquet: false });
      checkRows(Number(metadata.num_rows), file.byteLength);
      checkSchema(metadata.schema);
      checkColumns(metadata, file.byteLength);
      return new ParquetSource(file, metadata);
    } catch (error) {
      file.end();
      // The decoder meets a footer of other types only as an error of JavaScript.
      if (error instanceof TypeError)
        throw new CorruptContainerError('damaged Parquet file: its footer cannot be read');
      throw asCorrupt(error, 'damaged or unfinished Parquet file');
    }
  }

  /** Metadata of a file that Turnwise has written, or facts about the columns of any other file. */
  get header(): Readonly<Record<string, unknown>> | undefined {
    const value = this.metadata.key_value_metadata?.find(({ key }) => key === HEADER_KEY)?.value;
    if (value === undefined) return { columns: columnsOf(this.metadata) };
    try {
      const header: unknown = JSON.parse(value);
      return typeof header === 'object' && header !== null ? { ...header } : undefined;
    } catch {
      return undefined;
    }
  }

  get rows(): number {
    return Number(this.metadata.num_rows);
  }

  async *records(from: number): AsyncGenerator<Iterable<SourceRecord>> {
    const schema = parquetSchema(this.metadata);
    let start = 0;
    let inAll = 0;
    let workInAll = 0;
    for (const group of this.metadata.row_groups) {
      const rows = Number(group.num_rows);
      const end = start + rows;
      if (end > from && rows > 0) {
        const { bytes, work, checks } = this.checked(group, schema, start);
        inAll += bytes;
        workInAll += work;
        if (workInAll > WORK_OF_ANY + WORK_PER_BYTE * this.file.byteLength)
          throw new CorruptContainerError(
            `its columns up to row ${end} are nested too deeply for their number`,
          );
        // Row groups may share pages.
        if (inAll > mostInAll(this.file.byteLength))
          throw new CorruptContainerError(
            `its rows up to ${end} take ${inAll} bytes, in ${this.file.byteLength} bytes`,
          );
        const compressors = checkedCompressors((page) => this.file.positionOf(page), checks);
        const parts = Math.max(1, Math.ceil(bytes / WINDOW));
        const perPart = Math.min(MOST_ROWS, Math.max(1, Math.ceil(rows / parts)));
        for (let at = start; at < end; at += perPart) {
          const partEnd = Math.min(at + perPart, end);
          if (partEnd <= from) continue;
          yield* this.read({ group, start, compressors }, Math.max(at, from), partEnd);
        }
      }
      start = end;
    }
  }

  async close(): Promise<void> {
    this.file.end();
  }

  private checked(group: RowGroup, schema: SchemaTree, start: number): ReturnType<typeof checkGroup> {
    try {
      const { byteLength } = this.file;
      checkRows(start + Number(group.num_rows), byteLength);
      return checkGroup(this.file, group, schema, mostMemory(byteLength));
    } catch (error) {
      throw asCorrupt(error, `the rows after ${start} of the Parquet file cannot be read`);
    }
  }

  /** Decodes some rows of a row group. Gets metadata of this group only, since the decoder plans over all it gets. */
  private async *read(
    { group, start, compressors }: { group: RowGroup; start: number; compressors: Compressors },
    rowStart: number,
    rowEnd: number,
  ): AsyncGenerator<Iterable<SourceRecord>> {
    try {
      const { file } = this;
      jsonLeft = MOST_JSON;
      const metadata = { ...this.metadata, num_rows: group.num_rows, row_groups: [group] };
      const rows = await parquetReadObjects({
        ...{ file, metadata, compressors, parsers: PARSERS },
        ...{ rowStart: rowStart - start, rowEnd: rowEnd - start },
      });
      yield this.converter.records(rows, rowStart);
    } catch (error) {
      this.file.stop();
      throw asCorrupt(error, `rows ${rowStart + 1} to ${rowEnd} of the Parquet file cannot be read`);
    }
  }
}

/** @throws Error when the footer claims more than it has */
function checkFooter(file: FileSlices): void {
  const tail = Buffer.from(file.bytesAt(Math.max(0, file.byteLength - 8), 8));
  if (tail.byteLength < 8 || tail.readUInt32LE(4) !== MAGIC) return;
  const length = tail.readUInt32LE(0);
  if (length > LONGEST_FOOTER) throw new Error(`its footer has ${length} bytes`);
  if (length > file.byteLength - 8) return;
  const walker = new ThriftWalker(file.bytesAt(file.byteLength - 8 - length, length));
  let hasDecimals = false;
  let longest = 0;
  walker.onStruct = (path, fields) => {
    if (path === SCHEMA_ELEMENT) hasDecimals ||= isDecimal(fields);
    if (path === STATISTICS)
      for (const at of [1, 2, 5, 6]) longest = Math.max(longest, Number(fields[at] ?? 0));
  };
  walker.struct();
  // The decoder reads them with the footer, in quadratic time.
  if (hasDecimals && !(longest <= LONGEST_STATISTICS))
    throw new Error(`it has statistics of ${longest} bytes`);
}

/** Fields of the footer's structures (parquet.thrift, `FileMetaData`). */
const [SCHEMA_ELEMENT, STATISTICS] = ['2', '4.1.3.12'];
/** Bytes. Usual writers leave out longer ones. */
const LONGEST_STATISTICS = 4096;
/** `ConvertedType`, and the field of `LogicalType`. */
const DECIMAL = 5;

/** @param fields of a `SchemaElement` */
function isDecimal({ 6: converted, 10: logical }: Fields): boolean {
  return converted === DECIMAL || (typeof logical === 'object' && logical[DECIMAL] !== undefined);
}

/** Limits: of elements of a schema, and bytes of a decimal. Logs have some hundred columns, and decimals 16 bytes. */
const [MOST_ELEMENTS, LONGEST_DECIMAL] = [10_000, 32];

/** @throws Error when it has elements whose decoding takes more than linear time */
function checkSchema(schema: FileMetaData['schema']): void {
  if (schema.length > MOST_ELEMENTS) throw new Error(`its schema has ${schema.length} elements`);
  for (const { name, type, type_length, num_children = 0, converted_type, logical_type } of schema) {
    if (!(num_children >= 0)) throw new Error(`its column ${name} has ${num_children} children`);
    // Each of its values may be in it any number of times.
    if (logical_type?.type === 'VARIANT')
      throw new Error(`its column ${name} has the type VARIANT, which is not read`);
    const hasDecimals = converted_type === 'DECIMAL' || logical_type?.type === 'DECIMAL';
    if (hasDecimals && (type === 'BYTE_ARRAY' || (type_length ?? 0) > LONGEST_DECIMAL))
      throw new Error(`its column ${name} has decimals of any length, which are not read`);
  }
}

/** @throws Error when columns share bytes. Each of thousands of columns could have the same thousands of pages. */
function checkColumns(metadata: FileMetaData, fileBytes: number): void {
  let bytes = 0;
  const elements = metadata.schema.length;
  for (const { columns } of metadata.row_groups) {
    if (columns.length > elements) throw new Error(`a row group has ${columns.length} columns`);
    for (const { meta_data: chunk } of columns)
      bytes += Math.max(0, Number(chunk?.total_compressed_size ?? 0));
  }
  // A size may be of another type in the footer, and not a number.
  if (!(bytes <= fileBytes)) throw new Error(`its columns claim ${bytes} bytes, and it has ${fileBytes}`);
}

function columnsOf(metadata: FileMetaData): Readonly<Record<string, ParquetColumn>> {
  // The pairs are bytes: uncompressed, compressed.
  const sizes = new Map<string, [number, number]>();
  for (const { columns } of metadata.row_groups)
    for (const { meta_data: chunk } of columns) {
      const name = chunk?.path_in_schema[0];
      if (chunk === undefined || name === undefined) continue;
      const [raw, compressed] = sizes.get(name) ?? [0, 0];
      sizes.set(name, [
        raw + Number(chunk.total_uncompressed_size),
        compressed + Number(chunk.total_compressed_size),
      ]);
    }
  return Object.fromEntries(
    parquetSchema(metadata).children.map(({ element: { name, type } }) => {
      const bytes = sizes.get(name) ?? ([0, 0] as const);
      return [name, type === undefined ? { bytes } : { type, bytes }];
    }),
  );
}

/**
 * Serves byte ranges to the decoder. When a damaged file makes the decoder throw, other columns are still
 * being decoded and their rejections would be unhandled. After `stop`, pending ranges never resolve.
 */
class FileSlices implements AsyncBuffer, PageBytes {
  readonly byteLength: number;
  private readonly file: number;
  private readonly starts: RangeStarts = new WeakMap();
  private isStopped = false;
  private isEnded = false;

  constructor(path: string) {
    this.file = openFile(path);
    this.byteLength = fstatSync(this.file).size;
  }

  stop(): void {
    this.isStopped = true;
  }

  end(): void {
    this.stop();
    if (!this.isEnded) closeSync(this.file);
    this.isEnded = true;
  }

  bytesAt(start: number, length: number): Uint8Array {
    const bytes = Buffer.alloc(Math.max(0, Math.min(length, this.byteLength - start)));
    return bytes.subarray(0, readSync(this.file, bytes, 0, bytes.byteLength, start));
  }

  /** Never throws synchronously; the promise rejects. */
  slice(start: number, end?: number): Promise<ArrayBuffer> {
    const bytes = this.sliceUnlessStopped(start, end ?? this.byteLength);
    // The decoder may never await a range that it has prefetched.
    bytes.catch(() => undefined);
    return bytes;
  }

  private async sliceUnlessStopped(start: number, end: number): Promise<ArrayBuffer> {
    // Delayed, so that the decoder's own error is reported first.
    await new Promise((resolve) => setImmediate(resolve));
    if (this.isStopped) await new Promise<never>(() => undefined);
    if (!(start >= 0 && start <= end))
      throw new Error(`it refers to the invalid range of bytes ${start} to ${end}`);
    const { byteLength } = this;
    const range = new FileRange(Math.max(0, Math.min(end, byteLength) - start), start, this.starts);
    const length = readSync(this.file, new Uint8Array(range), 0, range.byteLength, start);
    return length === range.byteLength ? range : range.slice(0, length);
  }

  /** Undefined for bytes that were not read by this class. */
  positionOf({ buffer, byteOffset }: Uint8Array): number | undefined {
    const start = this.starts.get(buffer);
    return start === undefined ? undefined : start + byteOffset;
  }
}

type RangeStarts = WeakMap<ArrayBufferLike, number>;

/** File bytes that know their position. Slices that the decoder takes know theirs, too. */
class FileRange extends ArrayBuffer {
  private readonly start: number;
  private readonly starts: RangeStarts;

  constructor(length: number, start: number, starts: RangeStarts) {
    super(length);
    this.start = start;
    this.starts = starts;
    starts.set(this, start);
  }

  override slice(from = 0, to?: number): ArrayBuffer {
    const part = ArrayBuffer.prototype.slice.call(this, from, to);
    this.starts.set(part, this.start + from);
    return part;
  }

  /** `slice` makes plain buffers. */
  static override get [Symbol.species](): ArrayBufferConstructor {
    return ArrayBuffer;
  }
}

function asCorrupt(error: unknown, what: string): Error {
  if (error instanceof CorruptContainerError || !(error instanceof Error))
    return new CorruptContainerError(error instanceof Error ? `${what}: ${error.message}` : what);
  return 'syscall' in error ? error : new CorruptContainerError(`${what}: ${error.message}`);
}
