/**
 * A stretch of text cut into the units an alignment compares: words, or lines.
 *
 * Words are what a reader sees as one: a run of letters and digits, a decimal number, one sign of
 * punctuation, one ideograph. White space is no unit; it lies between them. Lines keep their line end,
 * so that CRLF against LF is a difference. A surrogate pair is never cut.
 */
import type { TextRange, Utf16Offset } from './model.ts';
import { Int32Arena } from './numberArena.ts';

/** Struct of arrays, all of length `count`; ordered, without overlap. */
export interface Units {
  readonly count: number;
  readonly starts: Int32Array;
  readonly ends: Int32Array;
  /** Equal exactly where the texts are equal, within one vocabulary. */
  readonly ids: Int32Array;
}

/**
 * Numbers for texts: equal texts get equal ids. Hashes depend on the text alone, ids on the order of asking.
 *
 * Most of what is asked for are words of a long text, and most of those are known: a word is looked up where it
 * stands, without a string of its own. A table of open addresses holds, per id, where the text was met first.
 */
export class Vocabulary {
  private readonly texts: string[] = [];
  private readonly starts: number[] = [];
  private readonly ends: number[] = [];
  private readonly hashes: number[] = [];
  /** id + 1; 0 where nothing is. At most half full. */
  private slots = new Int32Array(1 << 12);

  idOf(text: string): number {
    return this.idOfPart(text, 0, text.length);
  }

  /** Of `text.slice(start, end)`; both within the text. */
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

  /** 32 bits, of the text of an id. */
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

/** Units of the text being cut: how many there are is known at its end only. One for all texts, which are cut one by one. */
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
 * @param isEscaped the text is JSON, where `\n` is the end of a line and no letter n: the arguments
 *   of a tool call hold their code that way
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
    scratch.add(at, end, vocabulary.idOfPart(text, at, end));
    at = end;
  }
  return scratch.units();
}

/** Lines with their ends: `\n`, `\r\n`, a lone `\r`, and the escape `\n` where the text is JSON. */
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
      at++; // whatever is escaped cannot itself begin an escape
      if (at < limit && text.charCodeAt(at) === 0x6e) cut(at + 1);
    }
  }
  if (start < limit) cut(limit);
  return scratch.units();
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
