/**
 * Characters that would act instead of being seen: controls, and the bidi marks with which a
 * text can lie about its own order. They are drawn as glyphs with a name.
 */
export interface TextPiece {
  readonly text: string;
  /** UTF-16 offset in the text that was split. */
  readonly start: number;
  /** Set when `text` stands for a character that must not act. */
  readonly name?: string;
}

const BIDI_NAMES: Readonly<Record<number, string>> = {
  1564: 'ALM',
  8203: 'ZWSP',
  8206: 'LRM',
  8207: 'RLM',
  8234: 'LRE',
  8235: 'RLE',
  8236: 'PDF',
  8237: 'LRO',
  8238: 'RLO',
  8288: 'WJ',
  8294: 'LRI',
  8295: 'RLI',
  8296: 'FSI',
  8297: 'PDI',
  65279: 'BOM',
};

/** Tab and newline keep their meaning; U+200D stays, it joins emoji. */
const HIDDEN =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]/g;

function nameOf(code: number): string {
  return BIDI_NAMES[code] ?? `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
}

function glyphOf(code: number): string {
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  if (code === 0x7f) return '␡';
  return `⟨${nameOf(code)}⟩`;
}

/**
 * The browser looks through all highlights of a text node for every line of it that it paints, so one node of
 * 12,000 characters takes more than a frame to paint and a hundred of 120 do not.
 */
export const SHORT_PIECES = 120;

/** However long a text is, it becomes this many plain pieces or a few more: a line of a megabyte is no million elements. */
export const MOST_PIECES = 400;

/**
 * One piece for text that is not in sight: what would act is a stand-in of the same length, so offsets hold, and no
 * element of its own.
 */
export function quietText(text: string): string {
  return text.replace(HIDDEN, '\ufffd');
}

/** @param longest in UTF-16 code units, a little more where a character would be cut */
export function visiblePieces(text: string, longest = SHORT_PIECES): readonly TextPiece[] {
  const pieces: TextPiece[] = [];
  const addPlain = (from: number, to: number) => {
    for (let start = from; start < to; ) {
      const end = pieceEnd(text, start, Math.min(to, start + longest), to);
      pieces.push({ text: text.slice(start, end), start });
      start = end;
    }
  };
  let start = 0;
  for (const match of text.matchAll(HIDDEN)) {
    addPlain(start, match.index);
    const code = match[0].charCodeAt(0);
    pieces.push({ text: glyphOf(code), start: match.index, name: nameOf(code) });
    start = match.index + 1;
  }
  addPlain(start, text.length);
  return pieces;
}

/** After white space where there is some: what is shaped together, as an emoji of several characters, stays together. */
function pieceEnd(text: string, start: number, end: number, limit: number): number {
  if (end >= limit) return limit;
  const space = Math.max(text.lastIndexOf(' ', end - 1), text.lastIndexOf('\n', end - 1));
  if (space > (start + end) / 2) return space + 1;
  const isInsidePair = (text.codePointAt(end - 1) ?? 0) > 0xffff;
  return isInsidePair ? end + 1 : end;
}
