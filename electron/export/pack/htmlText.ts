/** Writes log text as HTML: escaped, with control characters made visible, and with marks. */
import { glyphOf, withGlyphs } from '../../../shared/domain/hiddenCharacters.ts';
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

/** Escapes text for the content of an element. */
export function html(text: string): string {
  return breakable(text, content(text));
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
  if (inside.length === 0) return html(text.slice(start, end));
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
  return breakable(text.slice(start, end), pieces.join(''));
}
