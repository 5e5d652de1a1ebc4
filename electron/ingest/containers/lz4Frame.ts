/**
 * Unpacks LZ4 frames (lz4/lz4:doc/lz4_Frame_format.md), the default compression of Arrow files (Feather), and the blocks
 * of Parquet files. Checksums are skipped.
 */

const MAGIC = 0x184d2204;
/** Flags of a frame's descriptor. */
const [HAS_BLOCK_CHECKSUM, HAS_CONTENT_SIZE, HAS_DICTIONARY] = [0x10, 0x08, 0x01];
const UNCOMPRESSED = 0x80000000;

/** @throws Error when the data is no frame or does not unpack to `length` bytes */
export function unpackLz4Frame(data: Uint8Array, length: number): Uint8Array {
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  if (view.getUint32(0, true) !== MAGIC) throw new Error('the LZ4 data does not begin with a frame');
  const flags = view.getUint8(4);
  let at = 7 + ((flags & HAS_CONTENT_SIZE) === 0 ? 0 : 8) + ((flags & HAS_DICTIONARY) === 0 ? 0 : 4);
  const out = new Uint8Array(length);
  let end = 0;
  for (;;) {
    const size = view.getUint32(at, true);
    at += 4;
    if (size === 0) break;
    const bytes = size & ~UNCOMPRESSED;
    const block = data.subarray(at, at + bytes);
    if (block.byteLength < bytes) throw new Error('the LZ4 data ends within a block');
    if ((size & UNCOMPRESSED) === 0) end = unpackBlock(block, out, end);
    else {
      out.set(block, end);
      end += bytes;
    }
    at += bytes + ((flags & HAS_BLOCK_CHECKSUM) === 0 ? 0 : 4);
  }
  if (end !== length) throw new Error(`the LZ4 data has ${end} bytes, not ${length}`);
  return out;
}

/**
 * A single block, as in pages of Parquet files with the codec `LZ4_RAW`.
 *
 * @throws Error when it does not unpack to `length` bytes
 */
export function unpackLz4Block(data: Uint8Array, length: number): Uint8Array {
  const out = new Uint8Array(length);
  const end = unpackBlock(data, out, 0);
  if (end !== length) throw new Error(`the LZ4 data has ${end} bytes, not ${length}`);
  return out;
}

/**
 * Pages of the older codec `LZ4`: blocks with their sizes before them, as Hadoop writes them, or one block as above.
 *
 * @throws Error when they do not unpack to `length` bytes
 */
export function unpackLz4Blocks(data: Uint8Array, length: number): Uint8Array {
  return unpackSizedBlocks(data, length) ?? unpackLz4Block(data, length);
}

/** @returns undefined when it is not such blocks */
function unpackSizedBlocks(data: Uint8Array, length: number): Uint8Array | undefined {
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  const out = new Uint8Array(length);
  let end = 0;
  let at = 0;
  while (at + 8 <= data.byteLength) {
    const [unpacked, packed] = [view.getUint32(at), view.getUint32(at + 4)];
    const block = data.subarray(at + 8, at + 8 + packed);
    if (end + unpacked > length || block.byteLength < packed) return undefined;
    try {
      if (unpackBlock(block, out, end) !== end + unpacked) return undefined;
    } catch {
      return undefined;
    }
    end += unpacked;
    at += 8 + packed;
  }
  return at === data.byteLength && end === length ? out : undefined;
}

/** A block may copy from the blocks before it, so all of them share `out`. */
function unpackBlock(block: Uint8Array, out: Uint8Array, start: number): number {
  let at = 0;
  let end = start;
  const lengthOf = (short: number): number => {
    let total = short;
    if (short !== 15) return total;
    for (let byte = 255; byte === 255; total += byte) byte = block[at++] ?? 0;
    return total;
  };
  while (at < block.length) {
    const token = block[at++] ?? 0;
    const literals = lengthOf(token >> 4);
    if (at + literals > block.length) throw new Error('the LZ4 data ends within its literals');
    out.set(block.subarray(at, at + literals), end);
    at += literals;
    end += literals;
    if (at >= block.length) break;
    const back = (block[at] ?? 0) | ((block[at + 1] ?? 0) << 8);
    at += 2;
    const copied = lengthOf(token & 15) + 4;
    if (back === 0 || back > end || end + copied > out.length)
      throw new Error('the LZ4 data refers to bytes outside');
    // Source and target may overlap, so bytes are copied one by one.
    for (const stop = end + copied; end < stop; end++) out[end] = out[end - back] ?? 0;
  }
  return end;
}
