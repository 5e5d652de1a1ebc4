/**
 * What a word is: a run of letters, digits and marks, compared without regard to case. The
 * full-text index is given the same words, so that scanning a text and asking the index agree.
 * Scripts that write without spaces are taken character by character.
 */

const WORD =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]|(?:(?![\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}])[\p{L}\p{N}\p{M}])+/gu;
const ASCII_WORD = /[A-Za-z0-9]+/g;
export const BEYOND_ASCII = /[^\u0000-\u007f]/;

/** @returns words in order, in lower case */
export function wordsOf(text: string): readonly string[] {
  const pattern = BEYOND_ASCII.test(text) ? WORD : ASCII_WORD;
  return (text.match(pattern) ?? []).map(folded);
}

/** Lower case without what depends on context (a final sigma) or on length (a dotted capital İ). */
function folded(word: string): string {
  return BEYOND_ASCII.test(word) ? word.toUpperCase().toLowerCase().replaceAll('ς', 'σ') : word.toLowerCase();
}

/** A word by itself in the index, of which no query asks: between two segments, so that no phrase reaches across. */
export const BETWEEN_SEGMENTS = 'þ';
/** Base 36: enough for every code point. */
const ESCAPED_DIGITS = 4;

/**
 * A word as the index knows it. What is beyond ASCII is written out, each code point as `þ` and four
 * digits: which characters make a word and how they fold is then decided here, not by the tables of the
 * index, which are of another edition of Unicode. A prefix stays a prefix.
 *
 * @param word as `wordsOf` gives it
 */
export function indexedWord(word: string): string {
  if (!BEYOND_ASCII.test(word)) return word;
  let written = '';
  for (const character of word) {
    const code = character.codePointAt(0) ?? 0;
    written += code < 0x80 ? character : BETWEEN_SEGMENTS + code.toString(36).padStart(ESCAPED_DIGITS, '0');
  }
  return written;
}

/** The text as the index is given it: what it takes for words are `indexedWord` of the text's words, in order. */
export function indexedText(text: string): string {
  return BEYOND_ASCII.test(text) ? wordsOf(text).map(indexedWord).join(' ') : text;
}

export interface WordSpan {
  /** UTF-16 offsets in the text. */
  readonly start: number;
  readonly end: number;
}

/**
 * Where words follow one another in a text.
 *
 * @param words as `wordsOf` gives them; empty finds nothing
 * @param isPrefix the last word may go on
 */
export function* findWords(text: string, words: readonly string[], isPrefix: boolean): Generator<WordSpan> {
  const [first] = words;
  if (first === undefined) return;
  const pattern = new RegExp(BEYOND_ASCII.test(text) ? WORD : ASCII_WORD);
  // A window as long as the words: their starts, and how many of them the last ones in the text have matched.
  const spans: WordSpan[] = [];
  const recent: string[] = [];
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    recent.push(folded(match[0]));
    spans.push({ start: match.index, end: match.index + match[0].length });
    if (recent.length > words.length) {
      recent.shift();
      spans.shift();
    }
    if (recent.length < words.length) continue;
    const last = words.length - 1;
    const isMatch = words.every((word, i) =>
      i === last && isPrefix ? recent[i]?.startsWith(word) === true : recent[i] === word,
    );
    const from = spans[0];
    const to = spans[last];
    if (isMatch && from !== undefined && to !== undefined) yield { start: from.start, end: to.end };
  }
}
