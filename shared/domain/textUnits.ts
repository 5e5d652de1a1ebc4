/**
 * Splits text into the units that an alignment compares: words or lines.
 *
 * A word is a run of letters and digits, a decimal number, one punctuation sign, or one ideograph. White
 * space lies between units. Lines include their line end, so that CRLF differs from LF. Surrogate pairs are
 * never split.
 */
import type { TextRange, Utf16Offset } from './model.ts';
import { Int32Arena } from './numberArena.ts';

/** Struct of arrays of length `count`; ordered, without overlap. */
export interface Units {
  readonly count: number;
  readonly starts: Int32Array;
  readonly ends: Int32Array;
  /** Equal exactly if the texts are equal, within one vocabulary. */
  readonly ids: Int32Array;
}

/**
 * Assigns ids to texts; equal texts get equal ids. Hashes depend on the text alone, ids on the order of
 * insertion.
 *
 * Most lookups are known words of a long text, so they are compared in place without allocating a string. An
 * open-addressing table stores where each id's text first occurred.
 */
export class Vocabulary {
  private readonly texts: string[] = [];
  private readonly starts: number[] = [];
  private readonly ends: number[] = [];
  private readonly hashes: number[] = [];
  /** id + 1; 0: empty. At most half full. */
  private slots = new Int32Array(1 << 12);

  idOf(text: string): number {
    return this.idOfPart(text, 0, text.length);
  }

  /** Id of `text.slice(start, end)`; both offsets within the text. */
  idOfPart(text: string, start: Utf16Offset, end: Utf16Offset): number {
    const hash = hashOf(text, start, end);
    const last = this.slots.length - 1;
    let at = hash & last;
    for (let slot = this.slots[at] ?? 0; slot !== 0; slot = this.slots[at] ?? 0) {
      if (this.hashes[slot - 1] === hash && this.isAt(slot - 1, text, start, end)) return slot - 1;
      at = (at + 1) & last;
    }
    const id = this.hashes.length;
    this.texts.push(text);
    this.starts.push(start);
    this.ends.push(end);
    this.hashes.push(hash);
    this.slots[at] = id + 1;
    if (2 * id > last) this.grow();
    return id;
  }

  /** 32-bit hash of the text of an id. */
  hash(id: number): number {
    return this.hashes[id] ?? 0;
  }

  private isAt(id: number, text: string, start: Utf16Offset, end: Utf16Offset): boolean {
    const known = this.texts[id] ?? '';
    const from = this.starts[id] ?? 0;
    if ((this.ends[id] ?? 0) - from !== end - start) return false;
    for (let at = start; at < end; at++)
      if (known.charCodeAt(from + at - start) !== text.charCodeAt(at)) return false;
    return true;
  }

  private grow(): void {
    const slots = new Int32Array(2 * this.slots.length);
    const last = slots.length - 1;
    this.hashes.forEach((hash, id) => {
      let at = hash & last;
      while (slots[at] !== 0) at = (at + 1) & last;
      slots[at] = id + 1;
    });
    this.slots = slots;
  }
}

function hashOf(text: string, start: Utf16Offset, end: Utf16Offset): number {
  let hash = 0x811c9dc5 ^ (end - start);
  for (let at = start; at < end; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return mixed(hash);
}

/** Mixes the bits of a 32-bit number (murmur3's finalizer). */
export function mixed(bits: number): number {
  let h = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}

const SPACE = 0;
const WORD = 1;
/** A single-character unit: punctuation, symbols, ideographs, surrogates. */
const SINGLE = 2;
type CharClass = typeof SPACE | typeof WORD | typeof SINGLE;

const BACKSLASH = 0x5c;
const DOT = 0x2e;

export const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39;
export const isHighSurrogate = (code: number): boolean => (code & 0xfc00) === 0xd800;
export const isLowSurrogate = (code: number): boolean => (code & 0xfc00) === 0xdc00;

/** Whether a cut at `offset` would split a surrogate pair. */
export function isInsidePair(text: string, offset: Utf16Offset): boolean {
  if (offset <= 0 || offset >= text.length) return false;
  return isLowSurrogate(text.charCodeAt(offset)) && isHighSurrogate(text.charCodeAt(offset - 1));
}

export function isSpace(code: number): boolean {
  return charClass(code) === SPACE;
}

/** Letters, digits and the underscore; no white space, punctuation, ideograph or surrogate. */
export function isWordChar(code: number): boolean {
  return charClass(code) === WORD;
}

function charClass(code: number): CharClass {
  if (code < 0x80) {
    if (code <= 0x20) return SPACE;
    const isWord =
      isDigit(code) || (code >= 0x41 && code <= 0x5a) || (code >= 0x61 && code <= 0x7a) || code === 0x5f;
    return isWord ? WORD : SINGLE;
  }
  if (code < 0xc0) {
    if (code === 0x85 || code === 0xa0) return SPACE;
    return code === 0xaa || code === 0xb5 || code === 0xba ? WORD : SINGLE;
  }
  if (code === 0xd7 || code === 0xf7) return SINGLE;
  if (code < 0x2000) return code === 0x1680 ? SPACE : WORD;
  if (code < 0x2c00) {
    const isBlank =
      code <= 0x200a || code === 0x2028 || code === 0x2029 || code === 0x202f || code === 0x205f;
    return isBlank ? SPACE : SINGLE;
  }
  if (code === 0x3000 || code === 0xfeff) return SPACE;
  if (code >= 0x2e80 && code < 0xa000) return SINGLE;
  if (code >= 0xd800 && code < 0xe000) return SINGLE;
  return code >= 0xf900 && code < 0xfb00 ? SINGLE : WORD;
}

/** JSON escapes of white space: `\n`, `\r`, `\t`. */
const isSpaceEscape = (code: number): boolean => code === 0x6e || code === 0x72 || code === 0x74;

/**
 * Buffers for the units of a text, whose number is known only at its end. Shared, because texts are split one
 * by one.
 */
class Scratch {
  private readonly arena = new Int32Arena();
  private count = 0;
  private starts = new Int32Array(1 << 10);
  private ends = new Int32Array(1 << 10);
  private ids = new Int32Array(1 << 10);

  begin(): void {
    this.count = 0;
  }

  add(start: Utf16Offset, end: Utf16Offset, id: number): void {
    const { count } = this;
    if (count === this.starts.length) {
      this.starts = doubled(this.starts);
      this.ends = doubled(this.ends);
      this.ids = doubled(this.ids);
    }
    this.starts[count] = start;
    this.ends[count] = end;
    this.ids[count] = id;
    this.count = count + 1;
  }

  units(): Units {
    const { count, arena } = this;
    return {
      count,
      starts: arena.keep(this.starts, count),
      ends: arena.keep(this.ends, count),
      ids: arena.keep(this.ids, count),
    };
  }
}

function doubled(numbers: Int32Array<ArrayBuffer>): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(2 * numbers.length);
  larger.set(numbers);
  return larger;
}

const scratch = new Scratch();

/**
 * @param isEscaped the text is a JSON string, in which `\n` ends a line and contains no letter n; arguments
 *   of a tool call hold code in this form
 */
export function wordsOf(text: string, range: TextRange, isEscaped: boolean, vocabulary: Vocabulary): Units {
  scratch.begin();
  const limit = Math.min(range.end, text.length);
  let at = Math.max(0, range.start);
  while (at < limit) {
    const code = text.charCodeAt(at);
    const kind = charClass(code);
    let end = at + 1;
    if (kind === SPACE) {
      at = end;
      continue;
    }
    if (kind === WORD) {
      let isNumber = isDigit(code);
      for (; end < limit; end++) {
        const next = text.charCodeAt(end);
        if (isNumber && next === DOT && end + 1 < limit && isDigit(text.charCodeAt(end + 1))) {
          isNumber = false; // at most one point: 1.2.3 is no number
          continue;
        }
        if (charClass(next) !== WORD) break;
        if (!isDigit(next)) isNumber = false;
      }
    } else if (code === BACKSLASH && isEscaped && end < limit) {
      const escaped = text.charCodeAt(end);
      if (isSpaceEscape(escaped)) {
        at = end + 1;
        continue;
      }
      end = Math.min(limit, escaped === 0x75 ? end + 5 : end + 1);
      if (isInsidePair(text, end)) end--;
    } else if (isHighSurrogate(code) && end < limit && isLowSurrogate(text.charCodeAt(end))) end++;
    scratch.add(at, end, vocabulary.idOfPart(text, at, end));
    at = end;
  }
  return scratch.units();
}

/** Lines with their ends: `\n`, `\r\n`, a lone `\r`, and the escape `\n` in JSON text. */
export function linesOf(text: string, range: TextRange, isEscaped: boolean, vocabulary: Vocabulary): Units {
  scratch.begin();
  const limit = Math.min(range.end, text.length);
  let start = Math.max(0, range.start);
  const cut = (end: number): void => {
    scratch.add(start, end, vocabulary.idOfPart(text, start, end));
    start = end;
  };
  for (let at = start; at < limit; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x0a) cut(at + 1);
    else if (code === 0x0d && text.charCodeAt(at + 1) !== 0x0a) cut(at + 1);
    else if (code === BACKSLASH && isEscaped) {
      at++; // an escaped character cannot begin an escape itself
      if (at < limit && text.charCodeAt(at) === 0x6e) cut(at + 1);
    }
  }
  if (start < limit) cut(limit);
  return scratch.units();
}

/** Index of the first unit that begins at or after an offset. */
export function unitFrom({ count, starts }: Units, offset: Utf16Offset): number {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((starts[middle] ?? 0) < offset) low = middle + 1;
    else high = middle;
  }
  return low;
}
