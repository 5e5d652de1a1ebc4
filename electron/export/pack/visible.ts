/**
 * Characters that would act instead of being seen, as something one sees: the rule of the app (`renderer/ui/visibleText.ts`),
 * and halves of surrogate pairs besides, which no file of UTF-8 can have.
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

/** Tab and newline keep their meaning; U+200D stays, it joins emoji. */
const HIDDEN =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

export function glyphOf(code: number): string {
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  if (code === 0x7f) return '␡';
  return `⟨${NAMES[code] ?? `U+${code.toString(16).toUpperCase().padStart(4, '0')}`}⟩`;
}

/** @param glyph what stands for one, given its code */
export function visible(text: string, glyph: (code: number) => string = glyphOf): string {
  return text.replace(HIDDEN, (character) => glyph(character.charCodeAt(0)));
}

/** Line ends of another system are line ends. */
export function visibleLines(text: string): string {
  return visible(text.replaceAll('\r\n', '\n'));
}

/** For the middle of a line. */
export function visibleLine(text: string): string {
  return visibleLines(text).replace(/\s+/g, ' ').trim();
}
