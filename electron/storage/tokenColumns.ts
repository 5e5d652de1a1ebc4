/**
 * Encodes per-token columns. Signals are raw f32; end offsets are varints of their differences (usually one
 * byte); masks are bits. Compressing such short columns would cost more time than it saves space.
 */
import { bytes, number, orNull, type RowSpec, text } from './rows.ts';
import { damaged } from './storageFailure.ts';

/** A row of `token_row`. */
export interface TokenRecord {
  count: number;
  ends: Uint8Array | null;
  ids: Uint8Array | null;
  mask: Uint8Array | null;
  entropy: Uint8Array | null;
  logprob: Uint8Array | null;
  trainer_logprob: Uint8Array | null;
  advantage: Uint8Array | null;
  top: Uint8Array | null;
  entropy_of: string | null;
  /** Name of the tokenizer that computed `ends`; null if they were logged. */
  aligned_by: string | null;
}

/** Columns in table order, for queries that read a `TokenRecord`. */
export const TOKEN_ROW: RowSpec<TokenRecord> = {
  count: number,
  ends: orNull(bytes),
  ids: orNull(bytes),
  mask: orNull(bytes),
  entropy: orNull(bytes),
  logprob: orNull(bytes),
  trainer_logprob: orNull(bytes),
  advantage: orNull(bytes),
  top: orNull(bytes),
  entropy_of: orNull(text),
  aligned_by: orNull(text),
};

/** LEB128: seven bits per byte; the high bit marks a continuation. */
export function packEnds(ends: Uint32Array): Uint8Array {
  const bytes = new Uint8Array(ends.length * 5);
  let at = 0;
  let before = 0;
  for (let i = 0; i < ends.length; i++) {
    const end = ends[i] ?? 0;
    let difference = end - before;
    before = end;
    while (difference > 0x7f) {
      bytes[at++] = (difference & 0x7f) | 0x80;
      difference >>>= 7;
    }
    bytes[at++] = difference;
  }
  return bytes.slice(0, at);
}

/** Most tokens of a record whose only column is `top`. */
const MOST_TOKENS = 16 << 20;

/**
 * The stored count is untrusted: a library from somebody else may claim 2 billion tokens.
 *
 * @throws Error explained by `storageFailure` when no column has so many tokens
 */
export function checkedCount(row: TokenRecord): TokenRecord {
  const { count, ends, mask, ids, entropy, logprob, trainer_logprob, advantage } = row;
  const numbers = [ids, entropy, logprob, trainer_logprob, advantage];
  const sizes = [
    ...(ends === null ? [] : [ends.byteLength]),
    ...(mask === null ? [] : [mask.byteLength * 8]),
    ...numbers.flatMap((column) => (column === null ? [] : [column.byteLength / 4])),
  ];
  requireCount(count, sizes.length === 0 ? MOST_TOKENS : Math.max(...sizes));
  return row;
}

function requireCount(count: number, most: number): void {
  if (count < 0 || count > most) throw damaged(`a rollout names ${count} tokens and does not have them`);
}

export function unpackEnds(bytes: Uint8Array, count: number): Uint32Array {
  requireCount(count, bytes.byteLength);
  const ends = new Uint32Array(count);
  let at = 0;
  let end = 0;
  for (let i = 0; i < count; i++) {
    let shift = 0;
    let byte: number;
    do {
      byte = bytes[at++] ?? 0;
      end += (byte & 0x7f) << shift;
      shift += 7;
    } while (byte > 0x7f);
    ends[i] = end;
  }
  return ends;
}

export function packMask(mask: Uint8Array): Uint8Array {
  const bits = new Uint8Array(Math.ceil(mask.length / 8));
  for (let i = 0; i < mask.length; i++)
    if (mask[i] === 1) bits[i >> 3] = (bits[i >> 3] ?? 0) | (1 << (i & 7));
  return bits;
}

export function unpackMask(bits: Uint8Array, count: number): Uint8Array {
  requireCount(count, bits.byteLength * 8);
  const mask = new Uint8Array(count);
  for (let i = 0; i < count; i++) mask[i] = ((bits[i >> 3] ?? 0) >> (i & 7)) & 1;
  return mask;
}

/** A byte view of the column, without a copy. */
export function packNumbers(column: Int32Array | Float32Array): Uint8Array {
  return new Uint8Array(column.buffer, column.byteOffset, column.byteLength);
}

/** Copies, because SQLite's buffers need not be aligned for the type. */
export function unpackFloats(bytes: Uint8Array): Float32Array {
  return new Float32Array(Uint8Array.from(bytes).buffer);
}

export function unpackIntegers(bytes: Uint8Array): Int32Array {
  return new Int32Array(Uint8Array.from(bytes).buffer);
}
