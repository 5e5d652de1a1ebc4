/**
 * Invisible characters: controls, and bidirectional marks that can disguise the order of a text. Screens and
 * packs show them as glyphs with a name.
 */
const NAMES: Readonly<Record<number, string>> = {
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

/** Tab and newline keep their meaning. U+200D is kept, because it joins emoji. */
export const HIDDEN_CHARACTERS =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]/g;

/** @param code UTF-16 code unit */
export function characterName(code: number): string {
  return NAMES[code] ?? `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
}

/** @param code UTF-16 code unit */
export function glyphOf(code: number): string {
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  if (code === 0x7f) return '␡';
  return `⟨${characterName(code)}⟩`;
}
