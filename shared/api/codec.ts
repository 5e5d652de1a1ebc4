/**
 * Wire form for byte transports (WebSocket). One binary frame is the u32 length of the header, the header as
 * UTF-8 JSON, then the bytes of every typed array, 8-byte aligned. In the header, `{"$array": [type,
 * byteOffset, length]}` represents an array, and `{"$array": ["number", "Infinity"]}` a number that JSON has not: it
 * would write null, where the type says number. A user key that looks like the marker gains one `$` when encoded
 * and loses it when decoded. Electron's IPC needs no codec: structured clone carries typed arrays.
 */

type Wire = Float32Array | Int32Array | Uint32Array | Uint8Array;
type WireType = 'f32' | 'i32' | 'u32' | 'u8';

const BYTES_PER_ELEMENT: Readonly<Record<WireType, number>> = { f32: 4, i32: 4, u32: 4, u8: 1 };

const MARKER = '$array';
/** The marker itself and every escaped form of it. */
const MARKER_LIKE = /^\$+array$/;
const ESCAPED_MARKER = /^\$\$+array$/;

export interface Utf8 {
  encode(text: string): Uint8Array;
  decode(bytes: Uint8Array): string;
}

/** Arithmetic, because bit masks wrap at 2³¹ bytes. */
const align = (n: number): number => Math.ceil(n / 8) * 8;

/** By tag, because `instanceof` fails for values of another realm (a vm context, another window). */
function tagOf(value: object): string {
  return Object.prototype.toString.call(value).slice('[object '.length, -1);
}

function wireTypeOf(tag: string): WireType | undefined {
  switch (tag) {
    case 'Float32Array':
      return 'f32';
    case 'Int32Array':
      return 'i32';
    case 'Uint32Array':
      return 'u32';
    case 'Uint8Array': // and Node's Buffer
      return 'u8';
    default:
      return undefined;
  }
}

function unsupported(what: string): TypeError {
  return new TypeError(`the wire carries JSON values and typed arrays only, not a ${what}`);
}

function hasMarkerLikeKey(value: object): boolean {
  for (const key in value) if (MARKER_LIKE.test(key)) return true;
  return false;
}

/** @throws TypeError on a value the wire cannot carry (bigint, Map, Date, Float64Array, function, …) */
export function encodeFrame(message: unknown, utf8: Utf8): Uint8Array {
  const arrays: { bytes: Uint8Array; offset: number }[] = [];
  let size = 0;

  // Reads the holder's value instead of the argument. JSON.stringify has already called toJSON on the
  // argument, which silently turns a Date into a string and a Buffer into an object.
  function encodeValue(this: Record<string, unknown>, key: string): unknown {
    const value = this[key];
    if (typeof value === 'function' || typeof value === 'symbol' || typeof value === 'bigint') {
      throw unsupported(typeof value);
    }
    if (typeof value === 'number' && !Number.isFinite(value)) return { [MARKER]: ['number', String(value)] };
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
    const tag = tagOf(value);
    const type = wireTypeOf(tag);
    if (type !== undefined) {
      const array = value as Wire;
      const offset = size;
      arrays.push({ bytes: new Uint8Array(array.buffer, array.byteOffset, array.byteLength), offset });
      size = align(offset + array.byteLength);
      return { [MARKER]: [type, offset, array.length] };
    }
    if (tag !== 'Object') throw unsupported(tag);
    if (!hasMarkerLikeKey(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([k, v]) => [MARKER_LIKE.test(k) ? `$${k}` : k, v]));
  }

  const header = JSON.stringify(message, encodeValue);
  if (header === undefined) throw unsupported('undefined');
  const head = utf8.encode(header);
  const base = align(4 + head.byteLength);
  const frame = new Uint8Array(base + size);
  new DataView(frame.buffer).setUint32(0, head.byteLength, true);
  frame.set(head, 4);
  for (const { bytes, offset } of arrays) frame.set(bytes, base + offset);
  return frame;
}

function isOffset(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

/** @throws RangeError or SyntaxError on a frame that `encodeFrame` did not write */
export function decodeFrame(frame: Uint8Array, utf8: Utf8): unknown {
  if (frame.byteLength < 4) throw new RangeError(`frame of ${frame.byteLength} bytes has no header`);
  const headLength = new DataView(frame.buffer, frame.byteOffset).getUint32(0, true);
  if (4 + headLength > frame.byteLength) throw new RangeError('frame is shorter than its header says');
  const base = align(4 + headLength);
  const header = utf8.decode(frame.subarray(4, 4 + headLength));
  // Most messages carry no array, and a reviver costs several times the parse.
  if (!header.includes(MARKER)) return JSON.parse(header) as unknown;

  // `encodeFrame` writes arrays in order and apart. A frame in which they overlap could ask for any amount of memory.
  let read = base;
  function readMarker(marker: unknown): Wire | number {
    const [type, offset, length] = Array.isArray(marker) ? (marker as unknown[]) : [];
    if (type === 'number') return Number(offset);
    if (typeof type !== 'string' || !Object.hasOwn(BYTES_PER_ELEMENT, type)) {
      throw new RangeError('the frame names an unknown array type');
    }
    if (!isOffset(offset) || !isOffset(length)) throw new RangeError('the frame misplaces an array');
    const byteLength = length * BYTES_PER_ELEMENT[type as WireType];
    const start = base + offset;
    if (start < read) throw new RangeError('arrays of the frame overlap');
    if (start + byteLength > frame.byteLength) throw new RangeError('an array of the frame is cut off');
    read = start + byteLength;
    // Copies, because the frame's buffer need not be aligned for the type. Goes through a plain Uint8Array,
    // because `slice` of Node's Buffer returns a view into a shared pool.
    const { buffer } = new Uint8Array(frame.buffer, frame.byteOffset + start, byteLength).slice();
    switch (type as WireType) {
      case 'f32':
        return new Float32Array(buffer);
      case 'i32':
        return new Int32Array(buffer);
      case 'u32':
        return new Uint32Array(buffer);
      case 'u8':
        return new Uint8Array(buffer);
    }
  }

  return JSON.parse(header, (_key, value: unknown) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
    if (Object.hasOwn(value, MARKER)) return readMarker((value as Record<string, unknown>)[MARKER]);
    if (!hasMarkerLikeKey(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([k, v]) => [ESCAPED_MARKER.test(k) ? k.slice(1) : k, v]),
    );
  }) as unknown;
}
