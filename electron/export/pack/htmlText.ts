/** Writes log text as HTML: escaped, with control characters made visible, and with marks. */
import { endOfCost } from '../../../shared/domain/drawingCost.ts';
import { glyphOf, HIDDEN_CHARACTERS, withGlyphs } from '../../../shared/domain/hiddenCharacters.ts';
import { hasLongWord } from '../../../shared/domain/longWords.ts';

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}

/** Limits of one block: the cost of its changes of direction and font, and its glyphs. An ordinary text is one block. */
const [MOST_OF_BLOCK, MOST_GLYPHS] = [12_000, 1_000];

/** Escapes text for the content of an element. */
export function html(text: string): string {
  return inBlocks(text, 0, text.length, (from, to) => content(text.slice(from, to)));
}

/**
 * Writes a text that takes a browser long to draw in several blocks. The browser only draws those in view.
 *
 * @param write writes the piece between two offsets
 */
function inBlocks(
  text: string,
  start: number,
  end: number,
  write: (from: number, to: number) => string,
): string {
  const blocks: string[] = [];
  for (let from = start; from < end; ) {
    const to = from + Math.max(1, endOfBlock(text.slice(from, end)));
    blocks.push(write(from, to));
    from = to;
  }
  const inner =
    blocks.length < 2 ? blocks.join('') : blocks.map((block) => `<span class="b">${block}</span>`).join('');
  return breakable(text.slice(start, end), inner);
}

/** Ends at the end of a line where it can, because the next block begins a line. */
function endOfBlock(text: string): number {
  // Looks a little further each time, so that blocks of a long text do not each read all that follows.
  let end = 0;
  for (let far = 4_000; end < text.length; far *= 2) {
    end = endOfDrawn(text.slice(0, far));
    if (end < far) break;
  }
  if (text.startsWith('\r\n', end - 1)) end++;
  if (end === text.length) return end;
  const line = text.lastIndexOf('\n', end - 1) + 1;
  return line > end / 2 ? line : end;
}

/** Returns the offset at which the text reaches a limit of a block. */
function endOfDrawn(text: string): number {
  const { end } = endOfCost(text, MOST_OF_BLOCK, { letter: 0, line: 0 });
  let glyphs = 0;
  for (const { index } of text.slice(0, end).matchAll(HIDDEN_CHARACTERS))
    if (++glyphs > MOST_GLYPHS) return index;
  return end;
}

/** A text with a long word may break at any letter, because looking for its words would block the browser. */
const breakable = (text: string, inner: string): string =>
  hasLongWord(text) ? `<span class="w">${inner}</span>` : inner;

function content(text: string): string {
  return withGlyphs(
    escaped(text.replaceAll('\r\n', '\n')),
    (character) => `<span class="c">${glyphOf(character)}</span>`,
  );
}

/** Escapes text for an attribute value in double quotes. */
export function attribute(text: string): string {
  return escaped(withGlyphs(text));
}

/** A range of a text and the tags around each of its pieces. Ranges may overlap. */
export interface Mark {
  readonly start: number;
  readonly end: number;
  readonly open: string;
  readonly close: string;
  /** HTML after the last piece. */
  readonly after?: string;
}

/**
 * Writes a piece of text with its marks. Tags are closed and reopened at every boundary, so that
 * overlapping marks nest in the given order.
 */
export function markedHtml(text: string, start: number, end: number, marks: readonly Mark[]): string {
  const inside = marks.filter((mark) => mark.start < end && mark.end > start);
  return inBlocks(text, start, end, (from, to) => withMarks(text, from, to, inside));
}

function withMarks(text: string, start: number, end: number, marks: readonly Mark[]): string {
  const inside = marks.filter((mark) => mark.start < end && mark.end > start);
  if (inside.length === 0) return content(text.slice(start, end));
  const cuts = new Set([start, end]);
  for (const mark of inside) {
    cuts.add(Math.max(start, mark.start));
    cuts.add(Math.min(end, mark.end));
  }
  const places = [...cuts].sort((a, b) => a - b);
  // Sorted by start, so only the open marks need to be tracked.
  const byStart = inside.map((mark, order) => ({ mark, order })).sort((a, b) => a.mark.start - b.mark.start);
  let next = 0;
  let open: typeof byStart = [];
  const pieces: string[] = [];
  for (const [i, from] of places.entries()) {
    const to = places[i + 1];
    if (to === undefined) break;
    open = open.filter(({ mark }) => mark.end > from);
    for (; (byStart[next]?.mark.start ?? Number.POSITIVE_INFINITY) <= from; next++) {
      const one = byStart[next];
      if (one !== undefined && one.mark.end > from) open.push(one);
    }
    const around = [...open].sort((a, b) => a.order - b.order);
    pieces.push(
      around.map(({ mark }) => mark.open).join(''),
      content(text.slice(from, to)),
      around
        .map(({ mark }) => mark.close)
        .reverse()
        .join(''),
      around
        .map(({ mark }) => (Math.min(end, mark.end) === to && mark.end <= end ? (mark.after ?? '') : ''))
        .join(''),
    );
  }
  return pieces.join('');
}
