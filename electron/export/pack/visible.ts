/** Text for packs: hidden characters as glyphs, and lone surrogates too, which no file of UTF-8 can hold. */
import { glyphOf, HIDDEN_CHARACTERS } from '../../../shared/domain/hiddenCharacters.ts';

const HIDDEN = new RegExp(
  `${HIDDEN_CHARACTERS.source}|[\\ud800-\\udbff](?![\\udc00-\\udfff])|(?<![\\ud800-\\udbff])[\\udc00-\\udfff]`,
  'g',
);

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
