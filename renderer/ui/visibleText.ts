/** Text in pieces for the screen, with hidden characters as pieces of their own. */
import { characterName, glyphOf, HIDDEN_CHARACTERS } from '../../shared/domain/hiddenCharacters.ts';

export interface TextPiece {
  readonly text: string;
  /** UTF-16 offset in the text that was split. */
  readonly start: number;
  /** Set when `text` stands for a character that must not act. */
  readonly name?: string;
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
  return text.replace(HIDDEN_CHARACTERS, '\ufffd');
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
  for (const match of text.matchAll(HIDDEN_CHARACTERS)) {
    addPlain(start, match.index);
    const code = match[0].charCodeAt(0);
    pieces.push({ text: glyphOf(code), start: match.index, name: characterName(code) });
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
