/**
 * A word is a run of letters, digits and marks, compared without case. The full-text index gets the same
 * words, so that scanning and the index agree. Scripts written without spaces are split into characters.
 */

/** Written without spaces between words. */
export const UNSPACED_SCRIPTS = [
  ...['Han', 'Hiragana', 'Katakana', 'Hangul'],
  ...['Thai', 'Lao', 'Khmer', 'Myanmar'],
];

const UNSPACED = `[${UNSPACED_SCRIPTS.map((script) => `\\p{sc=${script}}`).join('')}]`;
const BEGINS_UNSPACED = new RegExp(`^${UNSPACED}`, 'u');
const WORD = new RegExp(`${UNSPACED}|(?:(?!${UNSPACED})[\\p{L}\\p{N}\\p{M}])+`, 'gu');
const ASCII_WORD = /[A-Za-z0-9]+/g;
export const BEYOND_ASCII = /[^\u0000-\u007f]/;

/** @returns words in order, in lower case */
export function wordsOf(text: string): readonly string[] {
  const pattern = BEYOND_ASCII.test(text) ? WORD : ASCII_WORD;
  return (text.match(pattern) ?? []).map(folded);
}

/** Whether a word is one character of a script that is split into characters. */
export const isUnspacedWord = (word: string): boolean => BEGINS_UNSPACED.test(word);

/** Lower case without context-dependent (final sigma) or length-changing (dotted capital İ) mappings. */
export function folded(word: string): string {
  return BEYOND_ASCII.test(word) ? word.toUpperCase().toLowerCase().replaceAll('ς', 'σ') : word.toLowerCase();
}

/**
 * An index word that no query contains. Placed between two segments, so that no phrase matches across them.
 */
export const BETWEEN_SEGMENTS = 'þ';
/** Base 36: enough for every code point. */
const ESCAPED_DIGITS = 4;

/**
 * Encodes a word for the index. Each code point beyond ASCII becomes `þ` and four digits. Word boundaries and
 * folding are then decided here rather than by the index, whose Unicode version differs. A prefix remains a
 * prefix.
 *
 * @param word as returned by `wordsOf`
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

/** Encodes a text for the index, which then splits it into the `indexedWord` of each word, in order. */
export function indexedText(text: string): string {
  return BEYOND_ASCII.test(text) ? wordsOf(text).map(indexedWord).join(' ') : text;
}

export interface WordSpan {
  /** UTF-16 offsets in the text. */
  readonly start: number;
  readonly end: number;
}

/**
 * Occurrences of a sequence of words in a text.
 *
 * @param words as returned by `wordsOf`; empty finds nothing
 * @param isPrefix the last word may continue
 */
export function* findWords(text: string, words: readonly string[], isPrefix: boolean): Generator<WordSpan> {
  const last = words.length - 1;
  if (last < 0) return;
  const pattern = new RegExp(BEYOND_ASCII.test(text) ? WORD : ASCII_WORD);
  const isWord = (at: number, word: string): boolean =>
    at === last && isPrefix ? word.startsWith(words[at] ?? '') : word === words[at];
  // Knuth, Morris and Pratt: a comparison with every word of a long phrase at every word of a long text takes minutes.
  const borders = bordersOf(words);
  /** How many words of the phrase end at the last word that was read, and where the last words begin. */
  let matched = 0;
  const starts = new Int32Array(words.length);
  const advance = (word: string): void => {
    while (matched > 0 && !isWord(matched, word)) matched = borders[matched - 1] ?? 0;
    if (isWord(matched, word)) matched += 1;
  };
  let read = 0;
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    const word = folded(match[0]);
    starts[read % words.length] = match.index;
    read += 1;
    advance(word);
    if (matched <= last) continue;
    yield { start: starts[read % words.length] ?? 0, end: match.index + match[0].length };
    // The last word may continue the phrase without being its own last word, so it is read once more.
    matched = last === 0 ? 0 : (borders[last - 1] ?? 0);
    if (last > 0) advance(word);
  }
}

/** For each word of a phrase: the length of the longest proper beginning of the phrase that ends there. */
function bordersOf(words: readonly string[]): Int32Array {
  const borders = new Int32Array(words.length);
  for (let at = 1; at < words.length; at += 1) {
    let length = borders[at - 1] ?? 0;
    while (length > 0 && words[length] !== words[at]) length = borders[length - 1] ?? 0;
    borders[at] = words[length] === words[at] ? length + 1 : 0;
  }
  return borders;
}
