/**
 * Packed number arrays of the Turnwise log: `f16:`, `f32:`, `i32:` or `u8:`, then base64 of little-endian
 * values; `runs:` for masks. Pure arithmetic, because this folder compiles without Node and DOM.
 */
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const SEXTET = new Int8Array(128).fill(-1);
for (let i = 0; i < ALPHABET.length; i++) SEXTET[ALPHABET.charCodeAt(i)] = i;
// The URL-safe alphabet uses other characters for these two values.
SEXTET['-'.charCodeAt(0)] = 62;
SEXTET['_'.charCodeAt(0)] = 63;

/** undefined if a character is not base64 */
export function decodeBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  let length = text.length;
  while (length > 0 && text.charCodeAt(length - 1) === 0x3d) length--;
  if (length % 4 === 1) return undefined;
  const bytes = new Uint8Array(Math.floor((length * 3) / 4));
  let bits = 0;
  let held = 0;
  let at = 0;
  for (let i = 0; i < length; i++) {
    const code = text.charCodeAt(i);
    const sextet = code < 128 ? (SEXTET[code] ?? -1) : -1;
    if (sextet < 0) return undefined;
    held = (held << 6) | sextet;
    bits += 6;
    if (bits >= 8) {
      bits -= 8;
      bytes[at++] = (held >> bits) & 0xff;
    }
  }
  return bytes;
}

type Numbers = Float32Array | Int32Array | Uint8Array;

/** undefined for an unknown prefix, or if the bytes are no whole number of values */
export function decodePacked(text: string): Numbers | undefined {
  const colon = text.indexOf(':');
  const bytes = colon < 0 ? undefined : decodeBase64(text.slice(colon + 1));
  if (bytes === undefined) return undefined;
  switch (text.slice(0, colon)) {
    case 'u8':
      return bytes;
    case 'f32':
      return bytes.byteLength % 4 === 0 ? new Float32Array(littleEndian(bytes, 4)) : undefined;
    case 'i32':
      return bytes.byteLength % 4 === 0 ? new Int32Array(littleEndian(bytes, 4)) : undefined;
    case 'f16':
      return bytes.byteLength % 2 === 0 ? fromHalf(bytes) : undefined;
    default:
      return undefined;
  }
}

/**
 * A mask as `runs:` and the lengths of its runs of equal values: zeros, ones, zeros, …
 *
 * @param count length of the other columns, so that a short text cannot ask for any amount of memory
 * @returns undefined if the text has another form or another length
 */
export function decodeRuns(text: string, count: number): Uint8Array | undefined {
  if (!/^runs:\d+(?:,\d+)*$/.test(text)) return undefined;
  const mask = new Uint8Array(count);
  let at = 0;
  for (const [run, digits] of text.slice('runs:'.length).split(',').entries()) {
    const end = at + Number(digits);
    if (end > count) return undefined;
    mask.fill(run % 2, at, end);
    at = end;
  }
  return at === count ? mask : undefined;
}

const IS_LITTLE_ENDIAN = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1;

function littleEndian(bytes: Uint8Array<ArrayBuffer>, width: number): ArrayBuffer {
  if (!IS_LITTLE_ENDIAN) {
    for (let i = 0; i < bytes.byteLength; i += width) bytes.subarray(i, i + width).reverse();
  }
  return bytes.buffer;
}

/** IEEE 754 binary16: 1 sign, 5 exponent, 10 fraction bits. */
function fromHalf(bytes: Uint8Array): Float32Array {
  const values = new Float32Array(bytes.byteLength / 2);
  for (let i = 0; i < values.length; i++) {
    const half = (bytes[2 * i] ?? 0) | ((bytes[2 * i + 1] ?? 0) << 8);
    const sign = half & 0x8000 ? -1 : 1;
    const exponent = (half >> 10) & 0x1f;
    const fraction = half & 0x3ff;
    if (exponent === 0) values[i] = sign * fraction * 2 ** -24;
    else if (exponent === 31) values[i] = fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
    else values[i] = sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
  }
  return values;
}

export interface DecodedTokens {
  readonly text: string;
  /** UTF-16 end offset of each token. */
  readonly ends: Uint32Array;
}

/**
 * Text and offsets of tokens given as bytes. A character that spans tokens ends in the token that completes
 * it. The tokens before it are empty there, never half a character.
 */
export function textOfByteTokens(tokens: readonly Uint8Array[]): DecodedTokens {
  const ends = new Uint32Array(tokens.length);
  const units: number[] = [];
  let text = '';
  let length = 0;
  let needed = 0; // missing continuation bytes
  let point = 0;
  const put = (codePoint: number): void => {
    if (codePoint > 0xffff) {
      units.push(0xd800 + ((codePoint - 0x10000) >> 10), 0xdc00 + ((codePoint - 0x10000) & 0x3ff));
      length += 2;
    } else {
      units.push(codePoint);
      length++;
    }
    if (units.length >= 8192) {
      text += String.fromCharCode(...units);
      units.length = 0;
    }
  };
  const putInvalid = (): void => put(0xfffd);
  tokens.forEach((token, i) => {
    for (const byte of token) {
      if (needed > 0 && (byte & 0xc0) === 0x80) {
        point = (point << 6) | (byte & 0x3f);
        if (--needed === 0) put(point);
        continue;
      }
      if (needed > 0) putInvalid();
      needed = 0;
      if (byte < 0x80) put(byte);
      else if (byte >= 0xc2 && byte < 0xe0) [needed, point] = [1, byte & 0x1f];
      else if (byte >= 0xe0 && byte < 0xf0) [needed, point] = [2, byte & 0x0f];
      else if (byte >= 0xf0 && byte < 0xf5) [needed, point] = [3, byte & 0x07];
      else putInvalid();
    }
    ends[i] = length;
  });
  if (needed > 0) {
    putInvalid();
    if (ends.length > 0) ends[ends.length - 1] = length;
  }
  return { text: text + String.fromCharCode(...units), ends };
}
