/**
 * Splits a byte stream into JSON values: the elements of a top-level array, or consecutive top-level values
 * (such as pretty-printed objects). It only finds boundaries; the parser decides whether the bytes are JSON.
 * Works on bytes for the reasons given in `lineSplitter.ts`, whose interface it has.
 */
import type { ByteLine } from './lineSplitter.ts';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** Meaning of each byte outside strings. */
const OTHER = 0;
const SPACE = 1;
const OPEN = 2;
const CLOSE = 3;
const STRING = 4;
const SEPARATOR = 5;
const MEANING = new Uint8Array(256);
for (const space of [0x20, 0x09, 0x0a, 0x0d]) MEANING[space] = SPACE;
// The byte order mark before the first value counts as white space.
for (const byte of [0xef, 0xbb, 0xbf]) MEANING[byte] = SPACE;
MEANING[OPEN_ARRAY] = OPEN;
MEANING[OPEN_OBJECT] = OPEN;
MEANING[CLOSE_ARRAY] = CLOSE;
MEANING[CLOSE_OBJECT] = CLOSE;
MEANING[QUOTE] = STRING;
MEANING[COMMA] = SEPARATOR;

export class JsonSplitter {
  private readonly limit: number;
  private readonly isWhole: boolean;
  /** Nesting depth outside values: 1 inside a top-level array. */
  private base: 0 | 1;
  private depth: number;
  private inString = false;
  private isEscaped = false;
  private isScalar = false;
  private pieces: Uint8Array[] = [];
  private pendingBytes = 0;
  /** Position of the next byte, and of the current value. */
  private position: number;
  private start = 0;
  private isInValue = false;
  private isSkipping = false;

  /**
   * @param unit `elements` of a top-level array, or whole `values`, including arrays; continued reading
   *   (offset > 0) starts inside the array
   * @param limit maximum size of a value, in bytes
   */
  constructor(offset: number, unit: 'elements' | 'values', limit: number = Number.POSITIVE_INFINITY) {
    this.position = offset;
    this.isWhole = unit === 'values';
    this.base = unit === 'elements' && offset > 0 ? 1 : 0;
    this.depth = this.base;
    this.limit = limit;
  }

  *push(chunk: Uint8Array): Generator<ByteLine | { readonly tooLong: number; readonly nextOffset: number }> {
    const before = this.position;
    /** Start of the current value in this chunk. */
    let from = 0;
    for (let i = 0; i < chunk.byteLength; i++) {
      if (this.inString) {
        i = this.endOfString(chunk, i);
        if (this.inString || this.depth > this.base) continue;
        yield this.finish(chunk.subarray(from, i + 1), before + i + 1);
        continue;
      }
      const meaning = MEANING[chunk[i] ?? 0] ?? OTHER;
      if (this.isScalar) {
        if (meaning === OTHER) continue;
        // Any other character ends a number or a word.
        this.isScalar = false;
        yield this.finish(chunk.subarray(from, i), before + i);
      }
      if (!this.isInValue) {
        if (meaning === SPACE || meaning === SEPARATOR || this.isEdgeOfArray(meaning, chunk[i])) continue;
        this.isInValue = true;
        this.start = before + i;
        from = i;
      }
      if (meaning === STRING) this.inString = true;
      else if (meaning === OPEN) this.depth++;
      else if (meaning === CLOSE && this.depth > this.base) {
        if (--this.depth === this.base) yield this.finish(chunk.subarray(from, i + 1), before + i + 1);
      } else if (this.depth === this.base) this.isScalar = true;
    }
    this.position = before + chunk.byteLength;
    if (this.isInValue) this.keep(chunk.subarray(from));
  }

  private isEdgeOfArray(meaning: number, byte: number | undefined): boolean {
    if (this.isWhole) return false;
    if (this.base === 0 && meaning === OPEN && byte === OPEN_ARRAY) this.base = 1;
    else if (this.base === 1 && meaning === CLOSE && byte === CLOSE_ARRAY) this.base = 0;
    else return false;
    this.depth = this.base;
    return true;
  }

  /** Bytes of the incomplete last value. */
  get pending(): number {
    return this.pendingBytes;
  }

  /** The incomplete last value. Undefined between values, or if the value exceeds the limit. */
  rest(): ByteLine | undefined {
    if (!this.isInValue || this.isSkipping) return undefined;
    return { bytes: this.take(new Uint8Array()), offset: this.start, nextOffset: this.position };
  }

  /** @returns index of the byte that ends the string, or of the last byte of the chunk */
  private endOfString(chunk: Uint8Array, from: number): number {
    let i = from;
    if (this.isEscaped) {
      this.isEscaped = false;
      i++;
    }
    for (; i < chunk.byteLength; i++) {
      const byte = chunk[i];
      if (byte === BACKSLASH) {
        if (i + 1 === chunk.byteLength) this.isEscaped = true;
        i++;
      } else if (byte === QUOTE) {
        this.inString = false;
        return i;
      }
    }
    return chunk.byteLength;
  }

  private finish(last: Uint8Array, nextOffset: number) {
    const length = this.pendingBytes + last.byteLength;
    const found =
      this.isSkipping || length > this.limit
        ? { tooLong: length, nextOffset }
        : { bytes: this.take(last), offset: this.start, nextOffset };
    this.pieces = [];
    this.pendingBytes = 0;
    this.isInValue = false;
    this.isSkipping = false;
    return found;
  }

  private keep(piece: Uint8Array): void {
    this.pendingBytes += piece.byteLength;
    if (this.pendingBytes > this.limit) {
      this.isSkipping = true;
      this.pieces = [];
    } else this.pieces.push(Uint8Array.from(piece)); // a copy, because the caller reuses its buffer
  }

  private take(last: Uint8Array): Uint8Array {
    if (this.pieces.length === 0) return last;
    const value = new Uint8Array(this.pieces.reduce((sum, piece) => sum + piece.byteLength, last.byteLength));
    let at = 0;
    for (const piece of [...this.pieces, last]) {
      value.set(piece, at);
      at += piece.byteLength;
    }
    return value;
  }
}
