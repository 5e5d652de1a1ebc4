/**
 * Characters that a text does not show: controls, bidirectional marks that can disguise its order, and those
 * that carry hidden words (tag characters, variation selectors). Screens and packs show them as glyphs with a
 * name.
 */
const NAMES: Readonly<Record<number, string>> = {
  173: 'SHY',
  847: 'CGJ',
  1564: 'ALM',
  4447: 'HCF',
  4448: 'HJF',
  6158: 'MVS',
  8203: 'ZWSP',
  8204: 'ZWNJ',
  8206: 'LRM',
  8207: 'RLM',
  8232: 'LS',
  8233: 'PS',
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
  12644: 'HF',
  65279: 'BOM',
  65440: 'HHF',
};

/**
 * All that Unicode calls ignorable, controls, and U+FFF9 to FFFB. Tab and newline keep their meaning. U+200D is kept, because it joins emoji, and so is U+FE0F or U+FE0E
 * directly behind a character that has two forms.
 */
export const HIDDEN_CHARACTERS =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u115f\u1160\u17b4\u17b5\u200b\u200c\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb]|\u034f|[\u180b-\u180f]|[\ufe00-\ufe0d]|(?<!\p{Emoji}|\u20e3)[\ufe0e\ufe0f]|[\u{1bca0}-\u{1bca3}]|[\u{1d173}-\u{1d17a}]|[\u{e0000}-\u{e0fff}]/gu;

const HIDDEN = new RegExp(`${HIDDEN_CHARACTERS.source}|[\\ud800-\\udfff]`, 'gu');

/**
 * The text with a glyph in place of each hidden character and lone surrogate, for one line, a title or a file.
 *
 * @param glyph returns the replacement for a character
 */
export function withGlyphs(text: string, glyph: (character: string) => string = glyphOf): string {
  return text.replace(HIDDEN, (character) => glyph(character));
}

/** @param character of `HIDDEN_CHARACTERS` */
export function characterName(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  const tag = code >= 0xe0020 && code < 0xe007f ? ` (tag ${String.fromCharCode(code - 0xe0000)})` : '';
  return NAMES[code] ?? `U+${code.toString(16).toUpperCase().padStart(4, '0')}${tag}`;
}

/** @param character of `HIDDEN_CHARACTERS`, or a lone surrogate */
export function glyphOf(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  if (code === 0x7f) return '␡';
  return `⟨${characterName(character)}⟩`;
}
