/**
 * Makes text safe for packs: hidden characters and lone surrogates become glyphs. UTF-8 cannot encode lone
 * surrogates.
 */
import { glyphOf, HIDDEN_CHARACTERS } from '../../../shared/domain/hiddenCharacters.ts';

const HIDDEN = new RegExp(`${HIDDEN_CHARACTERS.source}|[\\ud800-\\udfff]`, 'gu');

/** @param glyph returns the replacement for a character */
export function visible(text: string, glyph: (character: string) => string = glyphOf): string {
  return text.replace(HIDDEN, (character) => glyph(character));
}

/** Keeps line ends, including those of other systems. */
export function visibleLines(text: string): string {
  return visible(text.replaceAll('\r\n', '\n'));
}

/** Makes text safe for the middle of a line. */
export function visibleLine(text: string): string {
  return visibleLines(text).replace(/\s+/g, ' ').trim();
}
