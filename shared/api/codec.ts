/**
 * Wire form for byte transports (WebSocket): one binary frame = u32 length of the
 * header, UTF-8 JSON header, then the bytes of every typed array, 8-byte aligned.
 * In the header an array stands as `{"$array": [type, byteOffset, length]}`.
 * Electron's IPC needs none of this: structured clone carries typed arrays.
 */

type Wire = Float32Array | Int32Array | Uint32Array | Uint8Array;

const TYPES = {
  f32: Float32Array,
  i32: Int32Array,
  u32: Uint32Array,
  u8: Uint8Array,
} as const;
type WireType = keyof typeof TYPES;

const ARRAY = '$array';

function typeOf(value: unknown): WireType | undefined {
  if (value instanceof Float32Array) return 'f32';
  if (value instanceof Int32Array) return 'i32';
  if (value instanceof Uint32Array) return 'u32';
  if (value instanceof Uint8Array) return 'u8';
  return undefined;
}

export interface Utf8 {
  encode(text: string): Uint8Array;
  decode(bytes: Uint8Array): string;
}

const align = (n: number): number => (n + 7) & ~7;

/** @throws TypeError on a value the wire cannot carry (bigint, Map, Date, function). */
export function encodeFrame(message: unknown, utf8: Utf8): Uint8Array {
  const arrays: { bytes: Uint8Array; offset: number }[] = [];
  let size = 0;
  const header = JSON.stringify(message, (_key, value: unknown) => {
    const type = typeOf(value);
    if (type !== undefined) {
      const array = value as Wire;
      const entry = { bytes: new Uint8Array(array.buffer, array.byteOffset, array.byteLength), offset: size };
      arrays.push(entry);
      size = align(size + entry.bytes.byteLength);
      return { [ARRAY]: [type, entry.offset, array.length] };
    }
    if (value instanceof Map || value instanceof Set || typeof value === 'function') {
      throw new TypeError(`the wire carries JSON and typed arrays only, not ${String(value)}`);
    }
    return value;
  });
  const head = utf8.encode(header);
  const base = align(4 + head.byteLength);
  const frame = new Uint8Array(base + size);
  new DataView(frame.buffer).setUint32(0, head.byteLength, true);
  frame.set(head, 4);
  for (const { bytes, offset } of arrays) frame.set(bytes, base + offset);
  return frame;
}

/** @throws RangeError or SyntaxError on a frame that is not ours. */
export function decodeFrame(frame: Uint8Array, utf8: Utf8): unknown {
  if (frame.byteLength < 4) throw new RangeError(`frame of ${frame.byteLength} bytes has no header`);
  const headLength = new DataView(frame.buffer, frame.byteOffset).getUint32(0, true);
  if (4 + headLength > frame.byteLength) throw new RangeError('frame is shorter than its header says');
  const base = align(4 + headLength);
  return JSON.parse(utf8.decode(frame.subarray(4, 4 + headLength)), (_key, value: unknown) => {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, ARRAY)) return value;
    const [type, offset, length] = (value as { [ARRAY]: [WireType, number, number] })[ARRAY];
    const Type = TYPES[type];
    const start = base + offset;
    const bytes = length * Type.BYTES_PER_ELEMENT;
    if (start + bytes > frame.byteLength) throw new RangeError('an array of the frame is cut off');
    // A copy: the frame's own buffer need not be aligned for the type.
    return new Type(frame.slice(start, start + bytes).buffer, 0, length);
  });
}
