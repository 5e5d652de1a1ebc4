/** Sorts rows by several keys: stable, and linear in the number of rows. */

export interface SortKey {
  /** One number per row. NaN is unknown and comes last in both directions. */
  readonly values: Float64Array;
  readonly isDescending: boolean;
}

/** Rows. Comparison sort is faster below this. */
const FEW = 3000;
const DIGIT_BITS = 16;
const BUCKETS = 1 << DIGIT_BITS;
const DIGITS = 4;

/** @param rows indexes into the keys' values; equal rows keep their order */
export function sortedRows(rows: Uint32Array, keys: readonly SortKey[]): Uint32Array {
  if (keys.length === 0) return rows;
  if (rows.length < FEW) return byComparing(rows, keys);
  let sorted = rows;
  for (const key of [...keys].reverse()) sorted = byDigits(sorted, key);
  return sorted;
}

function byComparing(rows: Uint32Array, keys: readonly SortKey[]): Uint32Array {
  const order = Array.from(rows, (row, at) => ({ row, at }));
  order.sort((a, b) => {
    for (const { values, isDescending } of keys) {
      const difference = compare(values[a.row] ?? Number.NaN, values[b.row] ?? Number.NaN, isDescending);
      if (difference !== 0) return difference;
    }
    return a.at - b.at;
  });
  return Uint32Array.from(order, ({ row }) => row);
}

function compare(a: number, b: number, isDescending: boolean): number {
  if (Number.isNaN(a) || Number.isNaN(b)) return Number(Number.isNaN(a)) - Number(Number.isNaN(b));
  return a === b ? 0 : (a < b ? -1 : 1) * (isDescending ? -1 : 1);
}

/** Radix sort, least significant digit first: four digits of 16 bits of the doubles' bit order. */
function byDigits(rows: Uint32Array, { values, isDescending }: SortKey): Uint32Array {
  const count = rows.length;
  const bits = sortableBits(rows, values, isDescending);
  let from: Uint32Array = new Uint32Array(rows);
  let fromBits: Uint32Array = bits;
  let to: Uint32Array = new Uint32Array(count);
  let toBits: Uint32Array = new Uint32Array(2 * count);
  for (let digit = 0; digit < DIGITS; digit++) {
    const word = digit < 2 ? 0 : 1;
    const shift = (digit % 2) * DIGIT_BITS;
    const starts = new Uint32Array(BUCKETS);
    for (let i = 0; i < count; i++) {
      const bucket = ((fromBits[2 * i + word] ?? 0) >>> shift) & (BUCKETS - 1);
      starts[bucket] = (starts[bucket] ?? 0) + 1;
    }
    const firstBucket = ((fromBits[word] ?? 0) >>> shift) & (BUCKETS - 1);
    if (starts[firstBucket] === count) continue;
    let start = 0;
    for (let bucket = 0; bucket < BUCKETS; bucket++) {
      const size = starts[bucket] ?? 0;
      starts[bucket] = start;
      start += size;
    }
    for (let i = 0; i < count; i++) {
      const low = fromBits[2 * i] ?? 0;
      const high = fromBits[2 * i + 1] ?? 0;
      const bucket = ((word === 0 ? low : high) >>> shift) & (BUCKETS - 1);
      const at = starts[bucket] ?? 0;
      starts[bucket] = at + 1;
      to[at] = from[i] ?? 0;
      toBits[2 * at] = low;
      toBits[2 * at + 1] = high;
    }
    [from, to] = [to, from];
    [fromBits, toBits] = [toBits, fromBits];
  }
  return from;
}

/** Two words per row, low before high, which sort as unsigned integers. */
function sortableBits(rows: Uint32Array, values: Float64Array, isDescending: boolean): Uint32Array {
  const bits = new Uint32Array(2 * rows.length);
  const numbers = new Float64Array(1);
  const words = new Uint32Array(numbers.buffer);
  for (let i = 0; i < rows.length; i++) {
    const value = values[rows[i] ?? 0] ?? Number.NaN;
    if (Number.isNaN(value)) {
      bits[2 * i] = 0xffffffff;
      bits[2 * i + 1] = 0xffffffff;
      continue;
    }
    // -0 and 0 are equal and need the same bits.
    numbers[0] = value + 0;
    let low = words[0] ?? 0;
    let high = words[1] ?? 0;
    const isNegative = high >>> 31 === 1;
    if (isNegative !== isDescending) {
      low = ~low;
      high = ~high;
    }
    if (!isNegative) high ^= 0x80000000;
    bits[2 * i] = low;
    bits[2 * i + 1] = high;
  }
  return bits;
}
