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
const MOST_PIECES = 400;

/**
 * One piece for text that is not in sight: what would act is a stand-in of the same length, so offsets hold, and no
 * element of its own.
 */
export function quietText(text: string): string {
  return text.replace(HIDDEN_CHARACTERS, ({ length }) => '\ufffd'.repeat(length));
}

/**
 * Neighbours that are hidden are one piece. Behind `MOST_PIECES` of these, hidden characters become stand-ins as in
 * `quietText`: a page of 20,000 elements takes seconds.
 *
 * @param longest in UTF-16 code units, a little more where a character would be cut
 */
export function visiblePieces(text: string, longest = SHORT_PIECES): readonly TextPiece[] {
  const pieces: TextPiece[] = [];
  const addPlain = (from: number, to: number) => {
    if (to > from) pieces.push(...plainPieces(text.slice(from, to), from, longest));
  };
  let start = 0;
  let runs = 0;
  for (const match of text.matchAll(HIDDEN_RUNS)) {
    addPlain(start, match.index);
    start = match.index;
    if (++runs > MOST_PIECES)
      return [...pieces, ...plainPieces(quietText(text.slice(start)), start, longest)];
    pieces.push(hiddenPiece(match[0], start));
    start += match[0].length;
  }
  addPlain(start, text.length);
  return pieces;
}

/** As `SourceText` renders them, each as one text node. */
export function shownPieces(text: string): readonly TextPiece[] {
  return visiblePieces(text, Math.max(SHORT_PIECES, Math.ceil(text.length / MOST_PIECES)));
}

const HIDDEN_RUNS = new RegExp(`(?:${HIDDEN_CHARACTERS.source})+`, 'gu');
/** Characters of a run that are drawn one by one. */
const MOST_GLYPHS = 40;

function hiddenPiece(run: string, start: number): TextPiece {
  const characters = [...run];
  const drawn = characters.slice(0, MOST_GLYPHS).map(glyphOf).join('');
  const more = characters.length - MOST_GLYPHS;
  const names = [...new Set(characters.slice(0, MOST_GLYPHS).map(characterName))].join(', ');
  return {
    text: more > 0 ? `${drawn}⟨… and ${more.toLocaleString('en')} more⟩` : drawn,
    start,
    name: characters.length === 1 ? names : `${characters.length.toLocaleString('en')} characters: ${names}`,
  };
}

/** @param offset of `text` in the text that was split */
function plainPieces(text: string, offset: number, longest: number): readonly TextPiece[] {
  const pieces: TextPiece[] = [];
  for (let start = 0; start < text.length; ) {
    const end = pieceEnd(text, start, Math.min(text.length, start + longest), text.length);
    pieces.push({ text: text.slice(start, end), start: offset + start });
    start = end;
  }
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
