/** Streams the bytes of a plain or compressed file from a position of the uncompressed bytes. */
import { closeSync, fstatSync, readSync } from 'node:fs';
import { Readable, type Transform } from 'node:stream';
import { constants, createGunzip, createZstdDecompress, zstdDecompressSync } from 'node:zlib';
import { JsonSplitter } from '../../../shared/format/jsonSplitter.ts';
import { LineSplitter } from '../../../shared/format/lineSplitter.ts';
import {
  type Container,
  CorruptContainerError,
  type RecordSource,
  type RecordUnit,
  type SourceRecord,
} from './container.ts';
import { openFile, readOpened, streamFile } from './openFile.ts';
import { mostInAll } from './sizes.ts';
import { type FramePiece, isSkippable, ZstdFrames } from './zstdFrames.ts';

const CHUNK = 1 << 20;
/**
 * Bytes. A record takes about ten times as much memory while it is parsed: bytes, text, values, packed texts. V8
 * aborts the whole process when the heap of one thread is full.
 */
export const LONGEST_RECORD = 64 << 20;

/** Bytes of one unpacked record after which the rest of a file is not unpacked: 1 MB may unpack to a terabyte. */
const LONGEST_UNPACKED = 1 << 30;

export interface ByteOptions {
  /** End of reading, in bytes of the file itself. Data appended later waits for the next call. */
  readonly bytes?: number;
  readonly chunkSize?: number;
}

/** Each chunk is valid until the next one is requested. */
export async function* chunksOf(
  path: string,
  container: Container,
  from: number,
  options: ByteOptions = {},
): AsyncGenerator<Uint8Array> {
  if (container === 'plain') yield* plainChunks(path, from, options);
  else yield* unpackedChunks(path, container, from, options);
}

/**
 * Reads synchronously. The thread has nothing else to do, and a hop through the thread pool costs more than
 * a small file.
 */
function* plainChunks(path: string, from: number, options: ByteOptions): Generator<Uint8Array> {
  const { bytes = Number.POSITIVE_INFINITY, chunkSize = CHUNK } = options;
  const file = openFile(path);
  try {
    const chunk = Buffer.allocUnsafe(Math.max(1, Math.min(chunkSize, bytes - from)));
    for (let position = from; position < bytes; ) {
      const length = readSync(file, chunk, 0, Math.min(chunk.byteLength, bytes - position), position);
      if (length === 0) return;
      position += length;
      yield chunk.subarray(0, length);
    }
  } finally {
    closeSync(file);
  }
}

/** Compressed data cannot be entered in the middle, so everything before `from` is unpacked and skipped. */
async function* unpackedChunks(
  path: string,
  container: Container,
  from: number,
  { bytes, chunkSize = CHUNK }: ByteOptions,
): AsyncGenerator<Uint8Array> {
  // A file that grows meanwhile is read up to here.
  const packed = Math.min(bytes ?? Number.POSITIVE_INFINITY, sizeOf(path));
  if (packed === 0) return;
  let failure: Error | undefined;
  let position = 0;
  try {
    for await (const unpacked of container === 'gzip' ? gunzip(path, packed) : unzstd(path, packed)) {
      const skip = Math.max(0, from - position);
      position += unpacked.byteLength;
      for (let at = skip; at < unpacked.byteLength; at += chunkSize)
        yield unpacked.subarray(at, at + chunkSize);
      if (position > mostInAll(packed))
        throw new CorruptContainerError(
          `its ${packed} bytes unpack to more than ${mostInAll(packed)}; the rest is not read`,
        );
    }
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    failure = error;
  }
  if (failure === undefined) return;
  if ('syscall' in failure || failure instanceof CorruptContainerError) throw failure;
  if (failure instanceof NotGzipError)
    throw new CorruptContainerError(`the rest of the file, after ${position} unpacked bytes, is not gzip`);
  throw new CorruptContainerError(`damaged ${container} data after ${position} bytes: ${failure.message}`);
}

// A file that is still being written may end anywhere; everything up to there is read.
const GZIP = { finishFlush: constants.Z_SYNC_FLUSH, chunkSize: 1 << 16 };
const ZSTD = { finishFlush: constants.ZSTD_e_flush, chunkSize: 1 << 16 };

/** The data after the last whole member does not begin a member. */
class NotGzipError extends Error {}

/** Input bytes of a write. A write may unpack to a thousand times as much. */
const GZIP_WRITE = 1 << 14;

/** Zeros between members, as the crash of a machine leaves them. Each gap begins another decompressor. */
const MOST_GAPS = 1000;

/** The decompressor ends at a zero behind a member, so the member after the zeros gets another. */
async function* gunzip(path: string, bytes: number): AsyncGenerator<Buffer> {
  // Opened once, since another file may take the name, or none.
  const file = openFile(path);
  try {
    let start: number | undefined = 0;
    for (let gaps = 0; start !== undefined; gaps += 1) {
      if (gaps > MOST_GAPS) throw new Error(`it has more than ${MOST_GAPS} gaps of zeros`);
      const end: number = yield* gunzipFrom(file, bytes, start);
      start = behindZeros(file, bytes, end);
    }
  } finally {
    closeSync(file);
  }
}

/** @returns the position of the first byte that is not zero; undefined at the end */
function behindZeros(file: number, end: number, from: number): number | undefined {
  const chunk = Buffer.alloc(Math.min(CHUNK, Math.max(0, end - from)));
  for (let position = from; position < end; ) {
    const length = readSync(file, chunk, 0, Math.min(chunk.byteLength, end - position), position);
    if (length === 0) return undefined;
    const at = chunk.subarray(0, length).findIndex((byte) => byte !== 0);
    if (at >= 0) return position + at;
    position += length;
  }
  return undefined;
}

function sizeOf(path: string): number {
  const file = openFile(path);
  try {
    return fstatSync(file).size;
  } finally {
    closeSync(file);
  }
}

/**
 * The decompressor drops what it unpacked in the call that fails. So when a call fails, the file is unpacked again,
 * with short writes where it failed, and at last with single bytes.
 *
 * @returns where it ended
 */
async function* gunzipFrom(file: number, bytes: number, start: number): AsyncGenerator<Buffer, number> {
  let yielded = 0;
  let failedAt = Number.POSITIVE_INFINITY;
  for (const length of [GZIP_WRITE, 256, 1]) {
    const output = createGunzip(GZIP);
    let position = 0;
    try {
      for await (const unpacked of written(writesOf(file, [start, bytes], failedAt, length), output)) {
        const skip = Math.max(0, yielded - position);
        position += unpacked.byteLength;
        yielded = Math.max(yielded, position);
        if (skip < unpacked.byteLength) yield unpacked.subarray(skip);
      }
      return start + output.bytesWritten;
    } catch (error) {
      if (!(error instanceof Error) || !('code' in error) || error.code !== 'Z_DATA_ERROR') throw error;
      if (length === 1) throw error.message === 'incorrect header check' ? new NotGzipError() : error;
      failedAt = start + output.bytesWritten;
    } finally {
      output.destroy();
    }
  }
  return start;
}

/** Pieces of a file, which are short from a position on. */
async function* writesOf(
  file: number,
  [start, bytes]: readonly [start: number, bytes: number],
  shortFrom: number,
  short: number,
): AsyncGenerator<Buffer> {
  let position = start;
  for await (const chunk of readOpened(file, bytes, start)) {
    for (let at = 0; at < chunk.byteLength; ) {
      const left = shortFrom - position;
      const length = Math.min(left > 0 ? Math.min(GZIP_WRITE, left) : short, chunk.byteLength - at);
      yield chunk.subarray(at, at + length);
      at += length;
      position += length;
    }
  }
}

/** Writes piece by piece, so that everything unpacked before a failure is yielded. */
async function* written(pieces: AsyncIterable<Buffer>, output: Transform): AsyncGenerator<Buffer> {
  const unpacked: Buffer[] = [];
  let failure: Error | undefined;
  let ended = false;
  output.on('data', (data: Buffer) => unpacked.push(data));
  const settled = new Promise<void>((resolve) => {
    output.once('end', () => {
      ended = true;
      resolve();
    });
    output.once('error', (error) => {
      failure = error;
      resolve();
    });
  });
  for await (const piece of pieces) {
    await Promise.race([settled, new Promise((resolve) => output.write(piece, resolve))]);
    yield* unpacked.splice(0);
    if (failure !== undefined || ended) break;
  }
  if (failure === undefined && !ended) output.end();
  await settled;
  yield* unpacked.splice(0);
  if (failure !== undefined) throw failure;
}

/** Bytes of a frame that is unpacked at once, and of its content: a stream takes ten times as long to open. */
const SMALL_FRAME = 1 << 16;
const SMALL_CONTENT = 1 << 20;

/** @returns undefined if the frame is not small, or damaged: a stream reads it up to the damage */
function smallFrame({ bytes, isLast }: FramePiece): Buffer | undefined {
  if (!isLast || bytes.byteLength > SMALL_FRAME) return undefined;
  if (isSkippable(bytes)) return Buffer.alloc(0);
  try {
    return zstdDecompressSync(bytes, { maxOutputLength: SMALL_CONTENT });
  } catch {
    return undefined;
  }
}

/** Unpacks frame by frame, because the decompressor stops after the first frame. */
async function* unzstd(path: string, bytes: number): AsyncGenerator<Buffer> {
  const input = streamFile(path, bytes);
  try {
    const pieces = piecesOf(input);
    for (;;) {
      const first = await pieces.next();
      if (first.done === true) return;
      const small = smallFrame(first.value);
      if (small !== undefined) yield small;
      else yield* through(Readable.from(frameFrom(first.value, pieces)), createZstdDecompress(ZSTD));
    }
  } finally {
    input.destroy();
  }
}

async function* piecesOf(input: AsyncIterable<Buffer>): AsyncGenerator<FramePiece> {
  const frames = new ZstdFrames();
  for await (const chunk of input) yield* frames.push(chunk);
  // A decompressor would skip everything that follows.
  if (frames.missingSkipped > 0)
    throw new Error(`a frame to be skipped has ${frames.missingSkipped} bytes more than the file`);
}

async function* frameFrom(first: FramePiece, rest: AsyncGenerator<FramePiece>): AsyncGenerator<Uint8Array> {
  for (let piece = first; ; ) {
    yield piece.bytes;
    if (piece.isLast) return;
    const next = await rest.next();
    if (next.done === true) return;
    piece = next.value;
  }
}

async function* through(input: Readable, output: Transform): AsyncGenerator<Buffer> {
  input.on('error', (error) => output.destroy(error));
  input.pipe(output);
  try {
    for await (const unpacked of output as AsyncIterable<Buffer>) yield unpacked;
  } finally {
    output.destroy();
  }
}

export class ByteSource implements RecordSource {
  private readonly path: string;
  private readonly container: Container;
  private readonly unit: RecordUnit;
  private readonly options: ByteOptions;

  constructor(path: string, container: Container, unit: RecordUnit, options: ByteOptions = {}) {
    this.path = path;
    this.container = container;
    this.unit = unit;
    this.options = options;
  }

  async *records(from: number): AsyncGenerator<Iterable<SourceRecord>> {
    const splitter = splitterFor(this.unit, from);
    for await (const chunk of chunksOf(this.path, this.container, from, this.options)) {
      yield splitter.push(chunk);
      checkPending(splitter, this.container);
    }
    const rest = splitter.rest();
    if (rest !== undefined) yield [{ ...rest, isUnended: true }];
    else if (splitter.pending > 0) yield [{ tooLong: splitter.pending, nextOffset: from, isUnended: true }];
  }

  async close(): Promise<void> {
    // Every reader closes its own file.
  }
}

/** @throws CorruptContainerError when a compressed file unpacks to a record of more than a gigabyte */
export function checkPending(splitter: LineSplitter | JsonSplitter, container: Container): void {
  if (container !== 'plain' && splitter.pending > LONGEST_UNPACKED)
    throw new CorruptContainerError(
      `a record has more than ${LONGEST_UNPACKED} bytes; the file is not read any further`,
    );
}

export function splitterFor(unit: RecordUnit, from: number): LineSplitter | JsonSplitter {
  if (unit === 'line' || unit === 'text') return new LineSplitter(from, LONGEST_RECORD, true);
  return new JsonSplitter(from, unit === 'element' ? 'elements' : 'values', LONGEST_RECORD);
}

/** The bytes [start, end) of the uncompressed file, or fewer if it is shorter. */
export async function bytesBetween(
  path: string,
  container: Container,
  start: number,
  end: number,
): Promise<Buffer> {
  if (container === 'plain') return plainBytes(path, start, end);
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const chunk of chunksOf(path, container, start)) {
    const piece = Buffer.from(chunk.subarray(0, end - start - length));
    pieces.push(piece);
    length += piece.byteLength;
    if (length >= end - start) break;
  }
  return Buffer.concat(pieces);
}

function plainBytes(path: string, start: number, end: number): Buffer {
  const file = openFile(path);
  try {
    const bytes = Buffer.alloc(Math.max(0, end - start));
    return bytes.subarray(0, readSync(file, bytes, 0, bytes.byteLength, start));
  } finally {
    closeSync(file);
  }
}
