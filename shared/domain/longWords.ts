/**
 * Finds text that a browser takes too long to break into lines.
 *
 * Thai, Lao, Khmer and Burmese are written without blanks, so a browser looks for words in a dictionary. For every
 * line it starts at the last blank again: 20,000 letters without one take 0.4 s, and 40,000 take 1.6 s.
 */

/** Letters of Unicode's line breaking class SA, and the marks among them. */
const DICTIONARY_LETTERS =
  /[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u1950-\u19ff\u1a20-\u1aaf\ua9e0-\ua9ff\uaa60-\uaadf]/;

/** UTF-16 units. A sentence has about 100. Words of this length cost less than 1 s in 800,000 letters. */
const LONGEST_WORD = 1_000;

/** Whether the text has such letters, and more than 1,000 characters without a blank. */
export function hasLongWord(text: string): boolean {
  if (text.length <= LONGEST_WORD || !DICTIONARY_LETTERS.test(text)) return false;
  let start = 0;
  for (let at = 0; at <= text.length; at++) {
    if (at < text.length && !isBlank(text.charCodeAt(at))) continue;
    if (at - start > LONGEST_WORD && DICTIONARY_LETTERS.test(text.slice(start, at))) return true;
    start = at + 1;
  }
  return false;
}

/** Blank, tab, line end. A line cannot break at a no-break space. */
const isBlank = (code: number): boolean => code === 0x20 || code === 0x09 || code === 0x0a || code === 0x0d;
