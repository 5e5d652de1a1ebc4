/** Makes text safe for packs (`hiddenCharacters.ts`). UTF-8 cannot encode lone surrogates, which become glyphs, too. */
import { withGlyphs } from '../../../shared/domain/hiddenCharacters.ts';

/** Keeps line ends, including those of other systems. */
export function visibleLines(text: string): string {
  return withGlyphs(text.replaceAll('\r\n', '\n'));
}

/** Makes text safe for the middle of a line. */
export function visibleLine(text: string): string {
  return visibleLines(text).replace(/\s+/g, ' ').trim();
}
