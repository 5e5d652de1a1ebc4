/** Splits text into pieces for the screen, with hidden characters as separate pieces. */
import { characterName, glyphOf, HIDDEN_CHARACTERS } from '../../shared/domain/hiddenCharacters.ts';

export interface TextPiece {
  readonly text: string;
  /** UTF-16 offset in the original text. */
  readonly start: number;
  /** Set if `text` replaces a control character. */
  readonly name?: string;
}

/**
 * For every painted line, the browser checks all highlights of its text node. One node of 12,000 characters takes more
 * than a frame to paint; a hundred nodes of 120 characters do not.
 */
export const SHORT_PIECES = 120;

/** Upper limit of plain pieces (roughly), so that a line of a megabyte does not become a million elements. */
const MOST_PIECES = 400;

/** In place of a hidden character. The page's fonts have it: with U+FFFD, a long run takes the browser twice as long. */
const STAND_IN = '\u00b7';

/**
 * A single piece for text far from the viewport. Control characters are replaced by others of the same length, so
 * offsets stay valid without elements of their own.
 */
export function quietText(text: string): string {
  return text.replace(HIDDEN_CHARACTERS, ({ length }) => STAND_IN.repeat(length));
}

/**
 * Adjacent hidden characters form one piece. After `MOST_PIECES` of these they are replaced as in `quietText`, since a
 * page of 20,000 elements takes seconds.
 *
 * @param longest UTF-16 code units; slightly more where a character would be split
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

/** The pieces as `SourceText` renders them, each as one text node. */
export function shownPieces(text: string): readonly TextPiece[] {
  return visiblePieces(text, Math.max(SHORT_PIECES, Math.ceil(text.length / MOST_PIECES)));
}

const HIDDEN_RUNS = new RegExp(`(?:${HIDDEN_CHARACTERS.source})+`, 'gu');
/** Upper limit of hidden characters that are drawn one by one. */
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

/** @param offset of `text` in the original text */
function plainPieces(text: string, offset: number, longest: number): readonly TextPiece[] {
  const pieces: TextPiece[] = [];
  for (let start = 0; start < text.length; ) {
    const end = pieceEnd(text, start, Math.min(text.length, start + longest), text.length);
    pieces.push({ text: text.slice(start, end), start: offset + start });
    start = end;
  }
  return pieces;
}

/** Cuts after white space if possible, so that characters that are shaped together (such as an emoji) stay together. */
function pieceEnd(text: string, start: number, end: number, limit: number): number {
  if (end >= limit) return limit;
  // Within the piece alone: a search in the whole text would go back to its beginning for each piece.
  const piece = text.slice(start, end);
  const space = Math.max(piece.lastIndexOf(' '), piece.lastIndexOf('\n'));
  if (space > piece.length / 2) return start + space + 1;
  const isInsidePair = (text.codePointAt(end - 1) ?? 0) > 0xffff;
  return isInsidePair ? end + 1 : end;
}
