/**
 * Encodes texts as UTF-8, compressed with zstd if that saves space. Texts of neighbouring rollouts are
 * compressed together (`textBlocks.ts` in ingest). A call per block costs a sixth of a call per rollout,
 * and siblings resemble each other.
 */
import type { TransformOptions } from 'node:stream';
import {
  constants,
  createZstdCompress,
  type ZstdCompress,
  type ZstdOptions,
  zstdCompressSync,
  zstdDecompressSync,
} from 'node:zlib';
import { damaged } from './storageFailure.ts';

const RAW = 0;
export const ZSTD = 1;

export interface StoredText {
  readonly codec: number;
  readonly bytes: Uint8Array;
}

/** Bytes. Below this the zstd frame header costs more than compression saves. */
const SMALLEST_WORTH_COMPRESSING = 200;
const LEVEL = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };

/** As many as libuv has threads. */
const STREAMS = 4;
const STREAM_OPTIONS: ZstdOptions & Pick<TransformOptions, 'readableHighWaterMark'> = {
  ...LEVEL,
  // Each write becomes one frame.
  flush: constants.ZSTD_e_end,
  chunkSize: 1 << 20,
  // A full stream would wait until it is read.
  readableHighWaterMark: Number.MAX_SAFE_INTEGER,
};
/** Reused, because each new stream takes new memory, for which V8 collects garbage. */
const streams: ZstdCompress[] = [];
let writes = 0;

function compress(bytes: Buffer): Promise<Buffer> {
  const at = writes++ % STREAMS;
  const stream = streams[at] ?? createZstdCompress(STREAM_OPTIONS);
  streams[at] = stream;
  return new Promise((resolve, reject) => {
    stream.write(bytes, (error) => (error ? reject(error) : resolve(stream.read())));
  });
}

/** The caller must not write to `utf8` afterwards, because the result may alias it. */
export async function packUtf8(utf8: Buffer): Promise<StoredText> {
  if (utf8.byteLength < SMALLEST_WORTH_COMPRESSING) return { codec: RAW, bytes: utf8 };
  return smaller(utf8, await compress(utf8));
}

function smaller(utf8: Uint8Array, packed: Uint8Array): StoredText {
  return packed.byteLength < utf8.byteLength * 0.9
    ? { codec: ZSTD, bytes: packed }
    : { codec: RAW, bytes: utf8 };
}

/**
 * Bytes. A record has at most 64 Mi characters, of up to three bytes. The limit is needed because, in a library from
 * somebody else, 100 kB may unpack to gigabytes.
 */
const LONGEST = 192 << 20;

/** @throws Error explained by `storageFailure` when the bytes are not a text that Turnwise stores */
export function unpackUtf8(codec: number, bytes: Uint8Array): Buffer {
  const utf8 = codec === ZSTD ? unpack(bytes) : bytes;
  return Buffer.from(utf8.buffer, utf8.byteOffset, utf8.byteLength);
}

function unpack(bytes: Uint8Array): Buffer {
  try {
    return zstdDecompressSync(bytes, { maxOutputLength: LONGEST });
  } catch (error) {
    throw damaged(`a text cannot be unpacked (${error instanceof Error ? error.message : String(error)})`);
  }
}

export function packBytes(bytes: Uint8Array): Uint8Array {
  return zstdCompressSync(bytes, LEVEL);
}
