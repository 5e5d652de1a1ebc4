/**
 * Arrow IPC: the file format (also Feather version 2) and the stream format, which HuggingFace `datasets` writes to
 * its cache (huggingface/datasets:src/datasets/arrow_writer.py, `ArrowWriter._build_writer`). Rows with nested
 * lists, converted to JSON bytes.
 *
 * Both formats are a schema and batches of rows, each a message of a length, metadata and a body (apache/arrow:
 * docs/source/format/Columnar.rst, "Encapsulated message format"). A file begins with `ARROW1` and ends with an index
 * of its batches. The index is not used, so a truncated file can be read up to the cut. One batch is decoded at a
 * time. Files of polars have the metadata of their schema without its length.
 */
import { closeSync, fstatSync, readSync } from 'node:fs';
import { zstdDecompressSync } from 'node:zlib';
import {
  batchType,
  binary,
  binaryView,
  CompressionType,
  dictionary,
  largeBinary,
  largeUtf8,
  setCompressionCodec,
  type Table,
  tableFromIPC,
  utf8,
  utf8View,
} from '@uwdata/flechette';
import {
  type Column,
  checkBatchHeader,
  checkColumn,
  checkSchema,
  FlatTable,
  refersTo,
  type Schema,
} from './arrowChecks.ts';
import { CorruptContainerError, type RecordSource, type SourceRecord } from './container.ts';
import { unpackLz4Frame } from './lz4Frame.ts';
import { openFile } from './openFile.ts';
import { COLUMN_TEXT, RowConverter } from './rowJson.ts';
import { checkRows, mostInAll, mostMemory } from './sizes.ts';

/** Bytes of a message's metadata, which grows with the number of columns. */
const LONGEST_METADATA = 64 << 20;
/** Rows that are converted at once. */
const ROWS = 256;
/** Limit in bytes of a batch and what it unpacks to. The process that parses may hold 920 MiB. */
const MOST_BATCH = 800 << 20;
/** Limit in bytes of what batches with dictionaries take together: a base, plus this many per byte of the file. */
const [REPEATED_OF_ANY, REPEATED_PER_BYTE] = [1 << 30, 64];
/** Decoding a message of any length takes as long as unpacking about this many bytes. */
const MESSAGE_BYTES = 1 << 15;
/** Reading a byte of a schema takes as long as reading so many of a dictionary, because it is names and numbers. */
const SCHEMA_WEIGHT = 4;
/** Bytes. The least that `node:zlib` takes as a chunk. */
const LEAST_CHUNK = 64;
const MAGIC = Buffer.from('ARROW1');
/** Bytes before the first message of a file. */
const FILE_START = 8;
/** Kinds of messages (apache/arrow:format/Message.fbs, `MessageHeader`). */
const [SCHEMA, DICTIONARY_BATCH, RECORD_BATCH] = [1, 2, 3];
/** Before version 0.15, a message began with its length. */
const CONTINUATION = -1;
/** Metadata begins with the position of its table. As the length of a message, this number is too small. */
const BARE_METADATA = 4;
/** Bytes behind the messages. */
const LONGEST_PADDING = 1 << 12;
/** A row of which a part is missing. */
const CUT_ROW = Buffer.from('{');

/**
 * Bytes that the current batch may still unpack to. A module variable, because the decoder unpacks a whole batch at
 * once and does not tell the codec which column it is unpacking.
 */
let unpackable = 0;

/** @throws Error when the columns of the batch claim too much memory */
function claim(length: number | undefined): number {
  if (length === undefined || length < 0 || length > unpackable)
    throw new Error(
      `a column of ${length ?? 'unknown'} bytes is too long, of which ${unpackable} would fit into memory. Write smaller batches`,
    );
  unpackable -= length;
  return length;
}

const unknownEncoder = (): never => {
  throw new Error('not needed');
};
setCompressionCodec(CompressionType.ZSTD, {
  decode: (bytes, length) => {
    const most = Math.max(1, claim(length));
    // In one chunk, because chunks are joined in a copy. A full one is followed by another one.
    const unpacked = zstdDecompressSync(bytes, { maxOutputLength: most, chunkSize: most + LEAST_CHUNK });
    const { buffer, byteOffset, byteLength } = unpacked;
    // Typed arrays need an aligned start, which a part of a pooled buffer may not have. JSON of a buffer is not a list.
    return byteOffset % 8 === 0 ? new Uint8Array(buffer, byteOffset, byteLength) : new Uint8Array(unpacked);
  },
  encode: unknownEncoder,
});
setCompressionCodec(CompressionType.LZ4_FRAME, {
  decode: (bytes, length) => unpackLz4Frame(bytes, claim(length)),
  encode: unknownEncoder,
});

/** The decoder's class of columns, as far as it is changed. */
interface BatchClass {
  readonly prototype: { value(index: number): unknown };
}

// Columns of texts are columns of bytes that the decoder converts. It has no option for its text decoder.
for (const [text, bytes] of [
  [utf8(), binary()],
  [largeUtf8(), largeBinary()],
  [utf8View(), binaryView()],
] as const) {
  const { prototype }: BatchClass = batchType(text);
  const { value: bytesAt } = (batchType(bytes) as BatchClass).prototype;
  prototype.value = function (index) {
    return COLUMN_TEXT.decode(bytesAt.call(this, index) as Uint8Array);
  };
}

/** The decoder's class of columns that refer to a dictionary. It takes all values out of the dictionary at once. */
const { prototype: referring } = batchType(dictionary(utf8())) as {
  readonly prototype: { setDictionary(values: { readonly data: readonly Column[] }): unknown };
};
const { setDictionary } = referring;
referring.setDictionary = function (values) {
  for (const column of values.data) checkColumn(column);
  return setDictionary.call(this, values);
};

interface Message {
  readonly kind: number;
  readonly start: number;
  /** Size of the whole message, with its length. */
  readonly bytes: number;
  /** Number of rows; 0 for other messages. */
  readonly rows: number;
  /** Set for metadata without its length. */
  readonly isBare?: true;
  /** Set for dictionaries. */
  readonly dictionary?: { readonly id: number; readonly isDelta: boolean };
}

export class ArrowSource implements RecordSource {
  private readonly file: number;
  private readonly size: number;
  private readonly converter: RowConverter;
  /** Bytes decoded so far of batches with dictionaries. */
  private repeated = 0;
  private unpacked = 0;
  /** Whether the last message is incomplete. */
  private isCut = false;
  private schema: Schema | undefined;

  private constructor(path: string) {
    this.file = openFile(path);
    this.size = fstatSync(this.file).size;
    this.converter = new RowConverter('Arrow', this.size);
  }

  /** @throws the system's error */
  static open(path: string): ArrowSource {
    return new ArrowSource(path);
  }

  async *records(from: number): AsyncGenerator<Iterable<SourceRecord>> {
    let schema: Uint8Array<ArrayBuffer> | undefined;
    /** Messages of each dictionary: the last complete one, then its deltas. */
    const dictionaries = new Map<number, Message[]>();
    let row = 0;
    for (const message of this.messages()) {
      if (message.kind === SCHEMA) schema = this.read(message);
      else if (message.dictionary !== undefined) {
        const { id, isDelta } = message.dictionary;
        dictionaries.set(id, isDelta ? [...(dictionaries.get(id) ?? []), message] : [message]);
      } else if (message.kind === RECORD_BATCH) {
        const start = row;
        if (message.rows < 0)
          throw new CorruptContainerError(`a batch of the Arrow file has ${message.rows} rows`);
        row += message.rows;
        checkRows(row, this.size);
        if (row <= from) continue;
        if (schema === undefined)
          throw new CorruptContainerError('the Arrow file has rows before its schema');
        const needed = [...[...dictionaries.values()].flat(), message];
        const bytes = needed.reduce((sum, part) => sum + part.bytes, 0);
        if (needed.length > 1) this.countRepeated(bytes);
        this.countRepeated(SCHEMA_WEIGHT * schema.byteLength);
        const limit = this.mostBatch;
        if (bytes > limit) {
          const text = `a batch of the Arrow file has ${bytes} bytes; the limit is ${limit}. Write smaller batches`;
          throw new CorruptContainerError(text);
        }
        unpackable = limit - bytes;
        yield* this.rowsOf([schema, ...needed.map((part) => this.read(part))], start, from, message.rows);
      }
    }
    if (this.isCut) yield [{ bytes: CUT_ROW, offset: row, nextOffset: row, isUnended: true }];
  }

  async close(): Promise<void> {
    closeSync(this.file);
  }

  private get isFile(): boolean {
    return this.bytes(0, MAGIC.length).equals(MAGIC);
  }

  private get mostBatch(): number {
    return mostMemory(this.size, MOST_BATCH);
  }

  /** Every batch decodes the schema and the dictionaries again. */
  private countRepeated(bytes: number): void {
    this.repeated += bytes;
    if (this.repeated > REPEATED_OF_ANY + REPEATED_PER_BYTE * this.size)
      throw new CorruptContainerError(
        'the schema and the dictionaries of the Arrow file are too large for so many batches. Write larger batches',
      );
  }

  private *rowsOf(
    messages: Uint8Array<ArrayBuffer>[],
    start: number,
    from: number,
    rows: number,
  ): Generator<Iterable<SourceRecord>> {
    const most = unpackable;
    const table = decoded(messages, start);
    // The decoder takes the length of the first column.
    if (table.numRows !== rows)
      throw new CorruptContainerError(
        `the batch after row ${start} of the Arrow file has ${rows} rows, and its first column ${table.numRows}`,
      );
    const unpacked = most - unpackable;
    const bytes = messages.at(-1)?.buffer;
    // The compressed bytes are not needed any more, and would stay until the garbage is collected.
    if (unpacked > 0 && bytes !== undefined && !table.children.some(({ data }) => refersTo(data, bytes)))
      bytes.transfer(0);
    if (messages.length > 2) this.countRepeated(unpacked + MESSAGE_BYTES * messages.length);
    this.unpacked += unpacked;
    if (this.unpacked > mostInAll(this.size))
      throw new CorruptContainerError(`the rows after ${start} of the Arrow file repeat too much text`);
    for (let at = Math.max(0, from - start); at < table.numRows; at += ROWS)
      yield this.converter.records(rowsBetween(table, at, Math.min(at + ROWS, table.numRows)), start + at);
  }

  /**
   * Ends at the end of the stream, or at the first incomplete message of one that is being written.
   *
   * @throws CorruptContainerError after the last whole message if the end of a file is missing. Files are written at
   * once, so such a file was truncated.
   */
  private *messages(): Generator<Message> {
    this.schema = undefined;
    const { isFile } = this;
    let from = isFile ? FILE_START : 0;
    if (isFile && this.bytes(from, 4).equals(littleEndian(BARE_METADATA))) {
      const schema = this.bareSchema();
      yield schema;
      from += schema.bytes;
    }
    if ((yield* this.wholeMessages(from)) || !isFile) return;
    throw new CorruptContainerError('the end of the Arrow file is missing');
  }

  /** The schema of a file of polars. Its length is not in the file, so it ends where the next message begins. */
  private bareSchema(): Message {
    const head = this.bytes(FILE_START, LONGEST_METADATA);
    let bytes = 0;
    while (bytes + 4 <= head.byteLength && head.readInt32LE(bytes) !== CONTINUATION) bytes += 8;
    return { ...this.messageAt(FILE_START, FILE_START, bytes), isBare: true };
  }

  /** @returns whether the end was found */
  private *wholeMessages(from: number): Generator<Message, boolean> {
    let at = from;
    this.isCut = false;
    while (at + 8 <= this.size) {
      const head = this.bytes(at, 8);
      const hasContinuation = head.readInt32LE(0) === CONTINUATION;
      const length = head.readInt32LE(hasContinuation ? 4 : 0);
      const start = at + (hasContinuation ? 8 : 4);
      if (length === 0 && !this.isPadding(start, this.end))
        throw new CorruptContainerError(
          `the Arrow data ends at byte ${at}, and the file has ${this.size - start} more bytes`,
        );
      if (length === 0) return true;
      if (length < 0 || length > LONGEST_METADATA) {
        throw new CorruptContainerError(`damaged Arrow data at byte ${at}: metadata of ${length} bytes`);
      }
      if (start + length > this.size) break;
      const message = this.messageAt(at, start, length);
      if (at + message.bytes > this.size) break;
      yield message;
      at += message.bytes;
    }
    this.isCut = at < this.size;
    return false;
  }

  /** Whether these bytes are the mark that ends the messages once more, as flechette writes it, or zeros. */
  private isPadding(start: number, end: number): boolean {
    const isShort = start <= end && end - start <= LONGEST_PADDING;
    return isShort && this.bytes(start, end - start).every((byte) => byte === 0 || byte === 0xff);
  }

  /** Position behind the mark that ends the messages: of the index of a file, or the end of a stream. */
  private get end(): number {
    if (!this.isFile) return this.size;
    const last = MAGIC.length + 4;
    const tail = this.bytes(Math.max(0, this.size - last), last);
    return tail.byteLength < last ? this.size : this.size - last - tail.readInt32LE(0);
  }

  private messageAt(at: number, start: number, length: number): Message {
    try {
      const metadata = new FlatTable(this.bytes(start, length));
      const kind = metadata.byte(6);
      const header = metadata.table(8);
      const body = metadata.long(10);
      if (body < 0) throw new Error(`a body of ${body} bytes`);
      const bytes = start - at + length + body;
      if (kind === RECORD_BATCH) {
        checkBatchHeader(header, this.schema?.columns ?? 0);
        const rows = header.long(4);
        const [ofColumn = rows] = header.longs(6);
        // A batch without rows is skipped.
        if (ofColumn !== rows) throw new Error(`a batch of ${rows} rows, whose first column has ${ofColumn}`);
        return { kind, start: at, bytes, rows };
      }
      if (kind === SCHEMA) {
        if (this.schema !== undefined) throw new Error('a second schema');
        this.schema = checkSchema(header);
        return { kind, start: at, bytes, rows: 0 };
      }
      if (kind !== DICTIONARY_BATCH) throw new Error(`a message of the unknown kind ${kind}`);
      checkBatchHeader(header.table(6), 1);
      const dictionary = { id: header.long(4), isDelta: header.byte(8) === 1 };
      if (this.schema?.dictionaries.has(dictionary.id) !== true)
        throw new Error(`a dictionary ${dictionary.id} that the schema does not name`);
      return { kind, start: at, bytes, rows: 0, dictionary };
    } catch (error) {
      throw corrupt(error, `damaged Arrow data at byte ${at}`);
    }
  }

  private read({ start, bytes, isBare }: Message): Uint8Array<ArrayBuffer> {
    const prefix = isBare === true ? [littleEndian(CONTINUATION), littleEndian(bytes)] : [];
    const before = 4 * prefix.length;
    // Not a part of a pooled buffer, because typed arrays need an aligned start.
    const aligned = new Uint8Array(before + bytes);
    for (const [i, part] of prefix.entries()) aligned.set(part, 4 * i);
    readSync(this.file, aligned, before, bytes, start);
    return aligned;
  }

  private bytes(start: number, length: number): Buffer {
    const bytes = Buffer.alloc(Math.max(0, Math.min(length, this.size - start)));
    return bytes.subarray(0, readSync(this.file, bytes, 0, bytes.byteLength, start));
  }
}

function littleEndian(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32LE(value);
  return bytes;
}

function* rowsBetween(table: Table, start: number, end: number): Generator<unknown> {
  for (let i = start; i < end; i++) yield table.at(i);
}

function decoded(messages: Uint8Array[], start: number): Table {
  try {
    const table = tableFromIPC(messages, { useBigInt: true, useDate: true });
    for (const column of table.children) for (const batch of column.data) checkColumn(batch);
    return table;
  } catch (error) {
    throw corrupt(error, `the rows after ${start} of the Arrow file cannot be read`);
  }
}

function corrupt(error: unknown, what: string): Error {
  if (error instanceof CorruptContainerError) return error;
  if (!(error instanceof Error)) return new CorruptContainerError(what);
  return 'syscall' in error ? error : new CorruptContainerError(`${what}: ${error.message}`);
}
