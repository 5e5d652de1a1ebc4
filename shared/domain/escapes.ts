/**
 * Views of a text with the escapes of JSON, Python and addresses decoded and without the sequences of a terminal. Tool
 * calls are JSON inside a text, sometimes nested in JSON again, and a program colours what it prints. A match in a view is mapped back to its range in
 * the text.
 */

import { firstFrom } from './ascending.ts';

export interface View {
  readonly text: string;
  /** Maps the UTF-16 offset at which a match begins to the text, behind sequences that are left out there. */
  readonly startAt: (offset: number) => number;
  /** Maps the offset at which a match ends, before such sequences. The end maps to the end. */
  readonly endAt: (offset: number) => number;
}

/** Nesting of JSON strings; logs have less. */
const DEEPEST = 4;
/** Excludes `\b` and `\f`: logs do not contain them, while LaTeX has many commands that begin so. */
const LETTER = String.raw`\\(["\\/nrt])`;
/** As JSON, Python, shells, addresses and mails write a character by its number, in octal or in hexadecimal digits. */
const NUMBER = String.raw`\\([0-3][0-7]{2})|(?:\\u([0-9a-fA-F]{4})|(?:\\x|%)([0-9a-fA-F]{2})|=(3[dD]))`;
/** The character, its glyph, and as JSON, Python and shells write it. */
const ESC = String.raw`(?:[\u001b\u241b]|\^\[(?=[[()\]])|\\(?:x1[bB]|u001[bB]|033|[eE](?=\[)))`;
const CSI = '[0-?]{0,64}[ -/]{0,4}[@-~]';
/**
 * Colours, movements and modes, character sets, and titles and links of a terminal, and a colour whose escape character
 * was lost.
 */
const TERMINAL = String.raw`${ESC}(?:\[${CSI}|[()][0-9A-Za-z]|[78McH]|\][^\u0007\u001b\u241b\\]{0,300}(?:\u0007|\u001b\\))|\u009b${CSI}|(?<!\u001b|1[bB]|033|\\e|\^\[)\[(?:\d[\d;]{0,20})?[mK]`;
const ESCAPE = new RegExp(`${TERMINAL}|${LETTER}|${NUMBER}`, 'g');
const PLAIN: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' };

/** The text itself comes first. */
export function viewsOf(text: string): readonly View[] {
  const views: View[] = [{ text, startAt: (offset) => offset, endAt: (offset) => offset }];
  for (let depth = 0; depth < DEEPEST; depth++) {
    const above = views.at(-1);
    const below = above === undefined ? undefined : unescaped(above);
    if (below === undefined) break;
    views.push(below);
  }
  return views;
}

/** @returns undefined when there is no escape */
function unescaped(above: View): View | undefined {
  /** For each escape: the range of its value in this view, and the offset after it in the view above. */
  const [starts, ends, follows]: [number[], number[], number[]] = [[], [], []];
  const parts: string[] = [];
  let [done, length] = [0, 0];
  for (const match of above.text.matchAll(ESCAPE)) {
    const [written, letter, octal, ...hexadecimal] = match;
    const digits = octal ?? hexadecimal.find((code) => code !== undefined);
    const char =
      letter === undefined
        ? digits === undefined
          ? ''
          : String.fromCharCode(parseInt(digits, octal === undefined ? 16 : 8))
        : (PLAIN[letter] ?? letter);
    parts.push(above.text.slice(done, match.index), char);
    length += match.index - done;
    starts.push(length);
    length += char.length;
    ends.push(length);
    done = match.index + written.length;
    follows.push(done);
  }
  if (ends.length === 0) return undefined;
  parts.push(above.text.slice(done));
  /** @param before number of escapes before the offset */
  const mapped = (offset: number, before: number): number =>
    (follows[before - 1] ?? 0) + offset - (ends[before - 1] ?? 0);
  return {
    text: parts.join(''),
    startAt: (offset) => above.startAt(mapped(offset, firstFrom(ends, offset + 1))),
    endAt: (offset) => above.endAt(mapped(offset, firstFrom(starts, offset))),
  };
}
