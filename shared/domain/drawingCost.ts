/**
 * Estimates how long a page takes to draw a text. A browser draws each stretch of letters with one direction and font
 * separately, so 20,000 letters of alternating scripts take several seconds.
 */

/**
 * In letters of an ordinary text: 24,000 take some 10 ms, and 0.1 to 0.3 s if they are changes. A blank behind letters that
 * the page's font lacks ends a stretch, too.
 */
const [TURN_COST, FONT_COST, PICTURE_COST, ASTRAL_COST] = [24, 12, 24, 24];
/** Without a font for it, a browser searches all fonts for each emoji again, and longer for each keycap. */
const [EMOJI_COST, KEYCAP_COST] = [48, 240];
const [KANA_COST, BLANK_COST] = [3, 4];

type Script =
  | ('latin' | 'right to left' | 'astral' | 'han' | 'kana' | 'hangul')
  /** Arrows, mathematics, boxes; signs that may be emoji; what makes an emoji or a keycap of the character before. */
  | ('symbol' | 'picture' | 'emoji' | 'keycap')
  | number;
/** First and last code point, and the script of their letters. A number: each block of 128 is another script. */
const SCRIPTS: readonly (readonly [from: number, to: number, script: Script | 'by block'])[] = [
  [0x41, 0x5a, 'latin'],
  [0x61, 0x7a, 'latin'],
  [0xc0, 0x24f, 'latin'],
  [0x250, 0x2ff, 1],
  [0x370, 0x3ff, 2],
  [0x400, 0x52f, 3],
  [0x530, 0x58f, 4],
  [0x590, 0x8ff, 'right to left'],
  [0x900, 0xeff, 'by block'],
  [0xf00, 0xfff, 5],
  [0x1000, 0x109f, 6],
  [0x10a0, 0x10ff, 7],
  [0x1100, 0x11ff, 'hangul'],
  [0x1200, 0x139f, 8],
  [0x13a0, 0x13ff, 9],
  [0x1400, 0x167f, 10],
  [0x1680, 0x1dff, 'by block'],
  [0x1e00, 0x1eff, 'latin'],
  [0x1f00, 0x1fff, 2],
  [0x2070, 0x209f, 'symbol'],
  [0x20d0, 0x20ff, 'keycap'],
  [0x2100, 0x25ff, 'symbol'],
  [0x2600, 0x27bf, 'picture'],
  [0x27c0, 0x2aff, 'symbol'],
  [0x2b00, 0x2bff, 'picture'],
  [0x2c00, 0x2dff, 'by block'],
  [0x2e80, 0x303f, 'han'],
  [0x3040, 0x31ff, 'kana'],
  [0x3200, 0x9fff, 'han'],
  [0xa000, 0xabff, 'by block'],
  [0xac00, 0xd7ff, 'hangul'],
  // Halves of surrogate pairs, each of which is shown as a mark.
  [0xd800, 0xdfff, 'astral'],
  [0xf900, 0xfaff, 'han'],
  [0xfb1d, 0xfdff, 'right to left'],
  [0xfe00, 0xfe0f, 'emoji'],
  [0xfe70, 0xfefc, 'right to left'],
  [0xff00, 0xffef, 'han'],
  [0x10000, 0x107ff, 'astral'],
  [0x10800, 0x10fff, 'right to left'],
  [0x11000, 0x1e7ff, 'astral'],
  [0x1e800, 0x1efff, 'right to left'],
  [0x1f000, 0x10ffff, 'astral'],
];

/** Undefined for blanks, digits, marks and symbols, which are drawn like the letters beside them. */
function scriptOf(code: number): Script | undefined {
  for (const [from, to, script] of SCRIPTS) {
    if (code < from) return undefined;
    if (code <= to) return script === 'by block' ? -(code >> 7) : script;
  }
  return undefined;
}

const isEastAsian = (script: Script): boolean => script === 'han' || script === 'kana' || script === 'hangul';

function costOf(before: Script, script: Script): number {
  // Each of these is a stretch of its own.
  if (script === 'astral') return ASTRAL_COST;
  if (script === 'emoji') return EMOJI_COST;
  if (script === 'keycap') return KEYCAP_COST;
  if (script === 'picture') return PICTURE_COST;
  if (script === before || script === 'latin') return 0;
  if (script === 'right to left') return TURN_COST;
  return isEastAsian(script) && isEastAsian(before) ? KANA_COST : FONT_COST;
}

const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39;
const isBlank = (code: number): boolean => code === 0x20 || (code >= 0x09 && code <= 0x0d);

/** Costs beside those of directions and fonts. */
interface Costs {
  readonly letter: number;
  readonly line: number;
}

/** A mark belongs to the character before it, and a character behind U+200D to the emoji that ends there. */
const [MARK, JOINER] = [/^[\p{M}\u200d]/u, '\u200d'];
const continues = (text: string, at: number): boolean =>
  MARK.test(text.slice(at, at + 2)) || text.charAt(at - 1) === JOINER;
/** What marks may cost beyond the end. A text may consist of marks. */
const MOST_OF_MARKS = 500;

/**
 * @returns the offset up to which a text costs at most `most`, or a little more if a character would be cut otherwise;
 *   `cost` is more than `most` if there is more text
 */
export function endOfCost(
  text: string,
  most: number,
  { letter, line }: Costs,
): { readonly end: number; readonly cost: number } {
  let cost = 0;
  let before: Script = 'latin';
  let isBehindBlank = false;
  for (let at = 0; at < text.length; ) {
    const code = text.codePointAt(at) ?? 0;
    const script = scriptOf(code);
    const length = code > 0xffff ? 2 : 1;
    let more = length * letter + (code === 0x0a ? line : 0);
    if (script !== undefined) {
      more += costOf(before, script);
      before = script;
    } else if (before === 'right to left' && isDigit(code))
      before = 'latin'; // Digits are written from left to right.
    else if (before !== 'latin' && isBlank(code) && !isBehindBlank) more += BLANK_COST;
    isBehindBlank = isBlank(code);
    cost += more;
    if (cost > most && (cost > most + MOST_OF_MARKS || !continues(text, at))) return { end: at, cost };
    at += length;
  }
  return { end: text.length, cost };
}

/** Returns the cost of all changes of direction and font in a text. */
export const costOfChanges = (text: string): number =>
  endOfCost(text, Number.POSITIVE_INFINITY, { letter: 0, line: 0 }).cost;
