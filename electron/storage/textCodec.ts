/**
 * Texts in the library: UTF-8, compressed with zstd when that pays. Whole rollouts are
 * compressed, not segments: decompression then runs at hundreds of MB/s (`architecture.md`).
 */
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';

export const RAW = 0;
export const ZSTD = 1;

export interface StoredText {
  readonly codec: number;
  readonly bytes: Uint8Array;
}

/** Below this the zstd frame header eats what compression saves. */
const SMALLEST_WORTH_COMPRESSING = 200;
const LEVEL = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };

export function packText(text: string): StoredText {
  const utf8 = Buffer.from(text, 'utf8');
  if (utf8.byteLength < SMALLEST_WORTH_COMPRESSING) return { codec: RAW, bytes: utf8 };
  const packed = zstdCompressSync(utf8, LEVEL);
  return packed.byteLength < utf8.byteLength * 0.9 ? { codec: ZSTD, bytes: packed } : { codec: RAW, bytes: utf8 };
}

export function unpackText(codec: number, bytes: Uint8Array): string {
  const utf8 = codec === ZSTD ? zstdDecompressSync(bytes) : bytes;
  return Buffer.from(utf8.buffer, utf8.byteOffset, utf8.byteLength).toString('utf8');
}

export function packBytes(bytes: Uint8Array): Uint8Array {
  return zstdCompressSync(bytes, LEVEL);
}

export function unpackBytes(bytes: Uint8Array): Uint8Array {
  return zstdDecompressSync(bytes);
}

/** Float32 view of a blob; copied because SQLite's buffers need not be 4-byte aligned. */
export function floatsOf(bytes: Uint8Array): Float32Array {
  return new Float32Array(bytes.slice().buffer);
}
