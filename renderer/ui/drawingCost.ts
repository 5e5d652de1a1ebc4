/**
 * What it costs a page to draw a text. A browser draws letters one stretch of equal direction and font after another, so
 * 20,000 letters of scripts in turn take it seconds.
 */

/** In letters of an ordinary text: 24,000 take some 10 ms, and 0.1 to 0.3 s if they are changes. */
const [TURN_COST, FONT_COST] = [24, 12];

const LATIN = 0;
const RIGHT_TO_LEFT = -1;
/** First and last code point, and what their letters need: a font of their own, or another direction. */
const SCRIPTS: readonly (readonly [from: number, to: number, script: number])[] = [
  [0x41, 0x5a, LATIN],
  [0x61, 0x7a, LATIN],
  [0xc0, 0x24f, LATIN],
  [0x250, 0x2ff, 1],
  [0x370, 0x58f, 1],
  [0x590, 0x8ff, RIGHT_TO_LEFT],
  [0x900, 0xdff, 2],
  [0xe00, 0x1dff, 3],
  [0x1e00, 0x1eff, LATIN],
  [0x1f00, 0x1fff, 1],
  [0x2e80, 0x9fff, 4],
  [0xa000, 0xd7ff, 5],
  [0xf900, 0xfaff, 4],
  [0xfb1d, 0xfdff, RIGHT_TO_LEFT],
  [0xfe70, 0xfefc, RIGHT_TO_LEFT],
  [0xff00, 0xffef, 4],
  [0x10000, 0x107ff, 6],
  [0x10800, 0x10fff, RIGHT_TO_LEFT],
  [0x11000, 0x1e7ff, 6],
  [0x1e800, 0x1efff, RIGHT_TO_LEFT],
  [0x1f000, 0x10ffff, 6],
];

/** Undefined for blanks, digits, marks and symbols, which are drawn like the letters beside them. */
function scriptOf(code: number): number | undefined {
  for (const [from, to, script] of SCRIPTS) {
    if (code < from) return undefined;
    if (code <= to) return script;
  }
  return undefined;
}

/** Costs beside those of directions and fonts. */
interface Costs {
  readonly letter: number;
  readonly line: number;
}

/** @returns the offset up to which a text costs at most `most`; `cost` is more than that if there is more text */
export function endOfCost(
  text: string,
  most: number,
  { letter, line }: Costs,
): { readonly end: number; readonly cost: number } {
  let cost = 0;
  let before = LATIN;
  for (let at = 0; at < text.length; ) {
    const code = text.codePointAt(at) ?? 0;
    const script = scriptOf(code);
    const length = code > 0xffff ? 2 : 1;
    // Beyond U+FFFF, each letter is a stretch of its own.
    let more = length * letter + (code === 0x0a ? line : 0);
    if (script !== undefined && (script !== before || (length === 2 && script > 0))) {
      more += script === RIGHT_TO_LEFT ? TURN_COST : script === LATIN ? 0 : FONT_COST;
      before = script;
    }
    cost += more;
    if (cost > most) return { end: at, cost };
    at += length;
  }
  return { end: text.length, cost };
}

/** What the changes of direction and font in a text cost. */
export const costOfChanges = (text: string): number =>
  endOfCost(text, Number.POSITIVE_INFINITY, { letter: 0, line: 0 }).cost;
