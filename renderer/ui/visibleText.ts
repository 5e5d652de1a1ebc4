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

export function visiblePieces(text: string): readonly TextPiece[] {
  const pieces: TextPiece[] = [];
  let start = 0;
  for (const match of text.matchAll(HIDDEN)) {
    if (match.index > start) pieces.push({ text: text.slice(start, match.index), start });
    const code = match[0].charCodeAt(0);
    pieces.push({ text: glyphOf(code), start: match.index, name: nameOf(code) });
    start = match.index + 1;
  }
  if (start < text.length) pieces.push({ text: text.slice(start), start });
  return pieces;
}
