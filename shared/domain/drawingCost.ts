/**
 * Estimates how long a page takes to draw a text. A browser draws each stretch of letters with one direction and font
 * separately, so 20,000 letters of alternating scripts take several seconds.
 */
import { firstFrom } from './ascending.ts';

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
 * The first code points of scripts, in hexadecimal and in order. A name follows where the cost depends on the script. `-`
 * stands for blanks, digits, marks and punctuation, which are drawn like the letters beside them. `66a=600` continues the
 * script that begins at 600.
 */
const STARTS = [
  '0 - 41 latin 5b - 61 latin 7b - aa latin ab - b5 latin b6 - ba latin bb - c0 latin 250 300 - 370 400 530',
  // Written from right to left. The digits of Arabic are not.
  '590 600 660 66a=600 6f0 6fa=600 700 750=600 780 7c0 800 840 860 870',
  '900 980 a00 a80 b00 b80 c00 c80 d00 d80 e00 e80 f00 1000 10a0 1100 1200 13a0 1400 1680 16a0 1700 1720 1740 1760',
  '1780 1800 18b0 1900 1950 1980 19e0 1a00 1a20 1ab0 1b00 1b80 1bc0 1c00 1c50 1c80 1c90 1cc0 1cd0 1d00 1e00 latin 1f00=370',
  '2000 - 2070 symbol 20a0 - 20d0 keycap 2100 symbol 231a emoji 231c symbol 23e9 emoji 23f4 symbol 25fd emoji 25ff symbol 2600 picture 27c0 symbol 2b00 picture',
  '2c00 2c60 2c80 2d00 2d30 2d80 2de0 2e00 - 2e80 han 3040 kana 3100 3130 3190 han 3200 3220 3260 3280 32d0 3300 3400 han',
  'a000 a4d0 a500 a640 a6a0 a700 a800 a830 a840 a880 a8e0 a900 a930 a960 a980 a9e0 aa00 aa60 aa80 aae0 ab00 ab30 ab70',
  // Halves of surrogate pairs are shown as marks, each by itself.
  'abc0 ac00 hangul d800 astral e000 f900 han fb00 fb13 fb1d fb50 fe00 emoji fe10 han fe20 - fe30 han fe70 ff00 han ff21 ff3b han ff41=ff21 ff5b han ff66 ffa0 fff0 -',
  // Adlam is written today; of the other scripts beyond, several share a range.
  '10000 astral 1e900 1e960 astral',
].flatMap((line) =>
  Array.from(
    line.matchAll(/([0-9a-f]+)(?:=([0-9a-f]+)| ([a-z]{3,}|-))?(?= |$)/g),
    ([, from = '', same, name]) => ({
      from: Number.parseInt(from, 16),
      script: name === '-' ? undefined : ((name ?? Number.parseInt(same ?? from, 16)) as Script),
    }),
  ),
);
const FROM = Uint32Array.from(STARTS, ({ from }) => from);
const SCRIPTS = STARTS.map(({ script }) => script);

const searched = (code: number): Script | undefined => SCRIPTS[firstFrom(FROM, code + 1) - 1];
/** Scripts of the letters that most texts consist of. Searching for each takes twice as long. */
const NEAR = Array.from({ length: 0x530 }, (_, code) => searched(code));
const scriptOf = (code: number): Script | undefined => (code < NEAR.length ? NEAR[code] : searched(code));

const isRightToLeft = (script: Script | undefined): boolean =>
  typeof script === 'number' &&
  ((script >= 0x590 && script < 0x900) ||
    (script >= 0xfb1d && script < 0xfe00) ||
    script === 0xfe70 ||
    script === 0x1e900);
/** One font draws both. Korean has a font of its own. */
const isJapanese = (script: Script): boolean => script === 'han' || script === 'kana';

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
      return isJapanese(script) && isJapanese(before) ? KANA_COST : FONT_COST;
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
/** Marks beyond the limit cost at most this, because a whole text may consist of marks. */
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
