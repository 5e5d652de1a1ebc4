/**
 * A stretch of text cut into the units an alignment compares: words, or lines.
 *
 * Words are what a reader sees as one: a run of letters and digits, a decimal number, one sign of
 * punctuation, one ideograph. White space is no unit; it lies between them. Lines keep their line end,
 * so that CRLF against LF is a difference. A surrogate pair is never cut.
 */
import type { TextRange, Utf16Offset } from './model.ts';

/** Struct of arrays, all of length `count`; ordered, without overlap. */
export interface Units {
  readonly count: number;
  readonly starts: Int32Array;
  readonly ends: Int32Array;
  /** Equal exactly where the texts are equal, within one vocabulary. */
  readonly ids: Int32Array;
}

/** Numbers for texts: equal texts get equal ids. Hashes depend on the text alone, ids on the order of asking. */
export class Vocabulary {
  private readonly known = new Map<string, number>();
  private readonly hashes: number[] = [];

  idOf(text: string): number {
    const found = this.known.get(text);
    if (found !== undefined) return found;
    const id = this.known.size;
    this.known.set(text, id);
    this.hashes.push(hashOf(text));
    return id;
  }

  /** 32 bits, of the text of an id. */
  hash(id: number): number {
    return this.hashes[id] ?? 0;
  }
}

function hashOf(text: string): number {
  let hash = 0x811c9dc5 ^ text.length;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return mixed(hash);
}

/** Spreads the bits of a 32-bit number (murmur3's last step). */
export function mixed(bits: number): number {
  let h = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}

const SPACE = 0;
const WORD = 1;
/** A unit by itself: punctuation, symbols, ideographs, surrogates. */
const SINGLE = 2;
type CharClass = typeof SPACE | typeof WORD | typeof SINGLE;

const BACKSLASH = 0x5c;
const DOT = 0x2e;

export const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39;
export const isHighSurrogate = (code: number): boolean => (code & 0xfc00) === 0xd800;
export const isLowSurrogate = (code: number): boolean => (code & 0xfc00) === 0xdc00;

/** Whether cutting `text` at `offset` would tear a surrogate pair. */
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

/** The escapes of JSON text that stand for white space: `\n`, `\r`, `\t`. */
const isSpaceEscape = (code: number): boolean => code === 0x6e || code === 0x72 || code === 0x74;

/**
 * @param isEscaped the text is JSON, where `\n` is the end of a line and no letter n: the arguments
 *   of a tool call hold their code that way
 */
export function wordsOf(text: string, range: TextRange, isEscaped: boolean, vocabulary: Vocabulary): Units {
  const starts: number[] = [];
  const ends: number[] = [];
  const ids: number[] = [];
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
          isNumber = false; // one point at most: 1.2.3 is no number
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
    starts.push(at);
    ends.push(end);
    ids.push(vocabulary.idOf(text.slice(at, end)));
    at = end;
  }
  return units(starts, ends, ids);
}

/** Lines with their ends: `\n`, `\r\n`, a lone `\r`, and the escape `\n` where the text is JSON. */
export function linesOf(text: string, range: TextRange, isEscaped: boolean, vocabulary: Vocabulary): Units {
  const starts: number[] = [];
  const ends: number[] = [];
  const ids: number[] = [];
  const limit = Math.min(range.end, text.length);
  let start = Math.max(0, range.start);
  const cut = (end: number): void => {
    starts.push(start);
    ends.push(end);
    ids.push(vocabulary.idOf(text.slice(start, end)));
    start = end;
  };
  for (let at = start; at < limit; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x0a) cut(at + 1);
    else if (code === 0x0d && text.charCodeAt(at + 1) !== 0x0a) cut(at + 1);
    else if (code === BACKSLASH && isEscaped) {
      at++; // whatever is escaped cannot itself begin an escape
      if (at < limit && text.charCodeAt(at) === 0x6e) cut(at + 1);
    }
  }
  if (start < limit) cut(limit);
  return units(starts, ends, ids);
}

function units(starts: number[], ends: number[], ids: number[]): Units {
  return {
    count: starts.length,
    starts: new Int32Array(starts),
    ends: new Int32Array(ends),
    ids: new Int32Array(ids),
  };
}

/** The first unit that begins at or after an offset. */
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
