/**
 * Unpacks Snappy data (google/snappy:format_description.txt).
 *
 * @throws Error when it does not unpack to `length` bytes
 */
export function unpackSnappy(data: Uint8Array, length: number): Uint8Array {
  const out = new Uint8Array(length);
  let [at, end] = [0, 0];
  const bytesAsNumber = (count: number): number => {
    if (at + count > data.length) throw new Error('the Snappy data ends early');
    let value = 0;
    for (let i = 0; i < count; i++) value += (data[at++] ?? 0) * 2 ** (8 * i);
    return value;
  };
  // It begins with its unpacked length, seven bits in each byte.
  while (bytesAsNumber(1) > 127);
  while (at < data.length) {
    const tag = bytesAsNumber(1);
    const kind = tag & 3;
    if (kind === 0) {
      const short = tag >> 2;
      const literals = (short < 60 ? short : bytesAsNumber(short - 59)) + 1;
      if (at + literals > data.length || end + literals > length)
        throw new Error('the Snappy data ends within its literals');
      out.set(data.subarray(at, at + literals), end);
      at += literals;
      end += literals;
      continue;
    }
    const copied = kind === 1 ? ((tag >> 2) & 7) + 4 : (tag >> 2) + 1;
    const back = kind === 1 ? (tag >> 5) * 256 + bytesAsNumber(1) : bytesAsNumber(kind === 2 ? 2 : 4);
    if (back === 0 || back > end || end + copied > length)
      throw new Error('the Snappy data refers to bytes outside');
    // Source and target may overlap, so bytes are copied one by one.
    for (const stop = end + copied; end < stop; end++) out[end] = out[end - back] ?? 0;
  }
  if (end !== length) throw new Error(`the Snappy data has ${end} bytes, not ${length}`);
  return out;
}
