/** Masks parts of a text by blocks of equal length, so that every offset into the text stays valid. */
import { viewsOf } from './escapes.ts';
import { credentialsIn, type TextRange } from './secrets.ts';

const BLOCK = '█';

/** Ranges may overlap and come in any order. Ranges that begin within another one count once. */
export function maskRanges(
  text: string,
  ranges: readonly TextRange[],
): { readonly text: string; readonly count: number } {
  const parts: string[] = [];
  let [done, count] = [0, 0];
  for (const { start, end } of ranges.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    if (end <= done) continue;
    const from = Math.max(start, done);
    if (start >= done) count++;
    parts.push(text.slice(done, from), BLOCK.repeat(end - from));
    done = end;
  }
  return { text: parts.join('') + text.slice(done), count };
}

/** Whether a text has a block, which may also come from the log. */
export const isMasked = (text: string): boolean => text.includes(BLOCK);

/** Masks the credentials of a text, also those within JSON strings or in the colours of a terminal. Linear. */
export function maskedText(text: string): string {
  const ranges = viewsOf(text).flatMap(({ text: view, startAt, endAt }) =>
    credentialsIn(view).map(({ start, end }) => ({ start: startAt(start), end: endAt(end) })),
  );
  return ranges.length === 0 ? text : maskRanges(text, ranges).text;
}
