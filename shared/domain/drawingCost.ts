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

/** Arrows, mathematics, boxes; signs that may be emoji; what makes an emoji or a keycap of the character before. */
type Signs = 'symbol' | 'picture' | 'emoji' | 'keycap';
/** A number: the first code point of a script of its own, which another font draws. */
type Script = 'latin' | 'astral' | 'han' | 'kana' | 'hangul' | Signs | number;

/**
 * Where scripts begin, in order. Undefined: blanks, digits, marks and punctuation, which are drawn like the letters
 * beside them.
 */
const STARTS: readonly (number | readonly [from: number, script: Script | undefined])[] = [
  ...([
    [0x00, undefined],
    [0x41, 'latin'],
    [0x5b, undefined],
    [0x61, 'latin'],
    [0x7b, undefined],
  ] as const),
  ...([[0xc0, 'latin'], 0x250, [0x300, undefined], 0x370, 0x400, 0x530] as const),
  // Right to left, see below.
  ...([0x590, 0x600, 0x700, 0x750, 0x780, 0x7c0, 0x800, 0x840, 0x860, 0x870] as const),
  // India and the countries around it.
  ...([0x900, 0x980, 0xa00, 0xa80, 0xb00, 0xb80, 0xc00, 0xc80, 0xd00, 0xd80, 0xe00, 0xe80, 0xf00] as const),
  ...([
    0x1000, 0x10a0, 0x1100, 0x1200, 0x13a0, 0x1400, 0x1680, 0x16a0, 0x1700, 0x1720, 0x1740, 0x1760,
  ] as const),
  ...([
    0x1780, 0x1800, 0x18b0, 0x1900, 0x1950, 0x1980, 0x19e0, 0x1a00, 0x1a20, 0x1ab0, 0x1b00, 0x1b80,
  ] as const),
  ...([0x1bc0, 0x1c00, 0x1c50, 0x1c80, 0x1c90, 0x1cc0, 0x1cd0, 0x1d00, [0x1e00, 'latin'], 0x1f00] as const),
  ...([
    [0x2000, undefined],
    [0x2070, 'symbol'],
    [0x20a0, undefined],
    [0x20d0, 'keycap'],
  ] as const),
  ...([
    [0x2100, 'symbol'],
    [0x2600, 'picture'],
    [0x27c0, 'symbol'],
    [0x2b00, 'picture'],
  ] as const),
  ...([0x2c00, 0x2c60, 0x2c80, 0x2d00, 0x2d30, 0x2d80, 0x2de0, [0x2e00, undefined]] as const),
  ...([[0x2e80, 'han'], [0x3040, 'kana'], 0x3100, 0x3130, [0x3190, 'han'], 0x3200, [0x3400, 'han']] as const),
  ...([
    0xa000, 0xa4d0, 0xa500, 0xa640, 0xa6a0, 0xa700, 0xa800, 0xa830, 0xa840, 0xa880, 0xa8e0, 0xa900,
  ] as const),
  ...([
    0xa930, 0xa960, 0xa980, 0xa9e0, 0xaa00, 0xaa60, 0xaa80, 0xaae0, 0xab00, 0xab30, 0xab70, 0xabc0,
  ] as const),
  // Halves of surrogate pairs are shown as marks, each by itself.
  ...([
    [0xac00, 'hangul'],
    [0xd800, 'astral'],
    0xe000,
    [0xf900, 'han'],
    0xfb00,
    0xfb13,
    0xfb1d,
    0xfb50,
  ] as const),
  ...([
    [0xfe00, 'emoji'],
    [0xfe10, undefined],
    0xfe70,
    0xff00,
    [0xfff0, undefined],
    [0x10000, 'astral'],
  ] as const),
  ...([0x10800, 0x10840, 0x10900, 0x10a00, 0x10b00, 0x10c00, 0x10d00, 0x10e00, 0x10f00] as const),
  ...([[0x11000, 'astral'], 0x1e800, 0x1e900, 0x1ec00, 0x1ee00, [0x1f000, 'astral']] as const),
];
const FROM = Uint32Array.from(STARTS, (start) => (typeof start === 'number' ? start : start[0]));
const SCRIPTS = STARTS.map((start) => (typeof start === 'number' ? start : start[1]));

function scriptOf(code: number): Script | undefined {
  let [first, last] = [0, FROM.length];
  while (last - first > 1) {
    const middle = (first + last) >> 1;
    if ((FROM[middle] ?? 0) <= code) first = middle;
    else last = middle;
  }
  return SCRIPTS[first];
}

const isRightToLeft = (script: Script | undefined): boolean =>
  typeof script === 'number' &&
  ((script >= 0x590 && script < 0x900) ||
    (script >= 0xfb1d && script < 0xfe00) ||
    script === 0xfe70 ||
    (script >= 0x10800 && script < 0x1f000));
const isEastAsian = (script: Script): boolean => script === 'han' || script === 'kana' || script === 'hangul';

function costOf(before: Script, script: Script): number {
  switch (script) {
    // Each of these is a stretch of its own.
    case 'astral':
      return ASTRAL_COST;
    case 'emoji':
      return EMOJI_COST;
    case 'keycap':
      return KEYCAP_COST;
    case 'picture':
      return PICTURE_COST;
    case before:
    case 'latin':
      return 0;
    default:
      if (isRightToLeft(script)) return TURN_COST;
      return isEastAsian(script) && isEastAsian(before) ? KANA_COST : FONT_COST;
  }
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
    } else if (isRightToLeft(before) && isDigit(code))
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
