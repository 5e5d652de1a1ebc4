/** Parquet files: rows with nested lists, converted to JSON bytes. */
import { closeSync, fstatSync, readSync } from 'node:fs';
import {
  type AsyncBuffer,
  type FileMetaData,
  parquetMetadataAsync,
  parquetSchema,
  type RowGroup,
  type SchemaTree,
} from 'hyparquet';
import { HEADER_KEY } from '../../../shared/format/dataSetColumns.ts';
import type { ParquetColumn } from '../../../shared/format/format.ts';
import { CorruptContainerError, type RecordSource, type SourceRecord } from './container.ts';
import { openFile } from './openFile.ts';
import { checkGroup, type Fields, type HeaderBytes, ThriftWalker } from './parquetChecks.ts';
import { type PageFile, RowGroupReader } from './parquetColumns.ts';
import { RowConverter } from './rowJson.ts';
import { checkRows, mostInAll, mostMemory } from './sizes.ts';

/** Limit of rows that are converted at once. */
const MOST_ROWS = 1 << 16;
const LONGEST_FOOTER = 64 << 20;
/** Limit of values times the square of their depth: a base, plus this many per byte of the file. */
const [WORK_OF_ANY, WORK_PER_BYTE] = [1 << 24, 128];
/** "PAR1", which ends the file. */
const MAGIC = 0x31524150;

export class ParquetSource implements RecordSource {
  private readonly file: FileSlices;
  private readonly metadata: FileMetaData;
  private readonly converter: RowConverter;
  private readonly schema: SchemaTree;

  private constructor(file: FileSlices, metadata: FileMetaData) {
    this.file = file;
    this.converter = new RowConverter('Parquet', file.byteLength);
    this.metadata = metadata;
    this.schema = parquetSchema(metadata);
  }

  /** @throws CorruptContainerError when the file has no readable footer */
  static async open(path: string): Promise<ParquetSource> {
    const file = new FileSlices(path);
    try {
      checkFooter(file);
      const metadata = await parquetMetadataAsync(file, { geoparquet: false });
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
    if (value === undefined) return { columns: columnsOf(this.metadata, this.schema) };
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
    const { schema } = this;
    let start = 0;
    let inAll = 0;
    let workInAll = 0;
    for (const group of this.metadata.row_groups) {
      const rows = Number(group.num_rows);
      const end = start + rows;
      if (end > from && rows > 0) {
        const { bytes, work, columns } = this.checked(group, schema, start);
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
        yield* this.read(new RowGroupReader(this.file, columns, schema, this.limits), { start, end, from });
      }
      start = end;
    }
    if (start !== this.rows)
      throw new CorruptContainerError(
        `its row groups have ${start} rows, and its footer claims ${this.rows}`,
      );
  }

  async close(): Promise<void> {
    this.file.end();
  }

  private checked(group: RowGroup, schema: SchemaTree, start: number): ReturnType<typeof checkGroup> {
    return this.try(() => {
      const { byteLength } = this.file;
      checkRows(start + Number(group.num_rows), byteLength);
      const checked = checkGroup(this.file, group, schema, mostMemory(byteLength));
      const names = new Set(checked.columns.map(({ chunk }) => chunk.path_in_schema[0]));
      for (const { element, children } of schema.children)
        if (!names.has(element.name) && (element.type !== undefined || children.length > 0))
          throw new Error(`a row group does not have the column ${element.name}`);
      return checked;
    }, start);
  }

  private get limits(): { readonly most: number; readonly mostJson: number } {
    const { byteLength } = this.file;
    return { most: mostMemory(byteLength), mostJson: mostInAll(byteLength) };
  }

  /** Reads the rows of a row group, or those from `from` on. */
  private async *read(
    group: RowGroupReader,
    { start, end, from }: { readonly start: number; readonly end: number; readonly from: number },
  ): AsyncGenerator<Iterable<SourceRecord>> {
    let at = Math.max(start, from);
    const skip = group.skip(at - start);
    while (this.try(() => skip.next().done !== true, at)) {
      await new Promise((resolve) => setImmediate(resolve));
      yield [];
    }
    while (at < end) {
      // Lets the thread answer, because pages take their time.
      await new Promise((resolve) => setImmediate(resolve));
      const { count, rows } = this.try(() => group.next(Math.min(MOST_ROWS, end - at)), at);
      yield this.converter.records(rows, at);
      at += count;
    }
    this.try(() => group.end(), at);
  }

  /** @param at number of rows before, for the failure */
  private try<T>(action: () => T, at: number): T {
    try {
      return action();
    } catch (error) {
      throw asCorrupt(error, `the rows after ${at} of the Parquet file cannot be read`);
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

function columnsOf(metadata: FileMetaData, schema: SchemaTree): Readonly<Record<string, ParquetColumn>> {
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
    schema.children.map(({ element: { name, type } }) => {
      const bytes = sizes.get(name) ?? ([0, 0] as const);
      return [name, type === undefined ? { bytes } : { type, bytes }];
    }),
  );
}

class FileSlices implements AsyncBuffer, HeaderBytes, PageFile {
  readonly byteLength: number;
  private readonly file: number;
  private readonly header = Buffer.alloc(1 << 10);
  private isEnded = false;

  constructor(path: string) {
    this.file = openFile(path);
    this.byteLength = fstatSync(this.file).size;
  }

  end(): void {
    if (!this.isEnded) closeSync(this.file);
    this.isEnded = true;
  }

  bytesAt(start: number, length: number): Uint8Array {
    const most = Math.max(0, Math.min(length, this.byteLength - start));
    const bytes = most <= this.header.byteLength ? this.header : Buffer.alloc(most);
    return bytes.subarray(0, readSync(this.file, bytes, 0, most, start));
  }

  read(into: Uint8Array, start: number): void {
    if (readSync(this.file, into, 0, into.byteLength, start) < into.byteLength)
      throw new Error(`it ends within the ${into.byteLength} bytes from ${start} on`);
  }

  async slice(start: number, end = this.byteLength): Promise<ArrayBuffer> {
    if (!(start >= 0 && start <= end))
      throw new Error(`it refers to the invalid range of bytes ${start} to ${end}`);
    const range = new ArrayBuffer(Math.max(0, Math.min(end, this.byteLength) - start));
    const length = readSync(this.file, new Uint8Array(range), 0, range.byteLength, start);
    return length === range.byteLength ? range : range.slice(0, length);
  }
}

function asCorrupt(error: unknown, what: string): Error {
  if (error instanceof CorruptContainerError || !(error instanceof Error))
    return new CorruptContainerError(error instanceof Error ? `${what}: ${error.message}` : what);
  return 'syscall' in error ? error : new CorruptContainerError(`${what}: ${error.message}`);
}
