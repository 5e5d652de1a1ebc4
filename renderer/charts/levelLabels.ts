/** Where the names of heights stand, so that none is printed over another. */
import type { Frame } from './chartModel.ts';

/** From one line of letters of the charts' size to the next. */
export const LABEL_LINE = 11;
/** From the middle of a figure to its foot. */
const HALF_LETTER = 3.5;

interface PlacedLabel {
  /** Of the label's foot, px. */
  readonly y: number;
  /** It stands elsewhere than at its line: something has to lead there. */
  readonly isMoved: boolean;
}

export interface PlacedLabels {
  /** As given; undefined: there is no room for it. */
  readonly labels: readonly (PlacedLabel | undefined)[];
  /** Where it is said how many are left out; undefined: none is. */
  readonly restAt: number | undefined;
}

/**
 * Each above its line, or below it at the upper edge; beside the drawing, level with its line. Those that would meet are moved apart, in the order of their
 * lines. Where there are more than fit, the lowest are left out.
 *
 * @param heights of the lines, px from the top; one above the frame stands at its edge
 */
export function placeLabels(
  heights: readonly number[],
  { top, height, bottom }: Frame,
  where: 'above' | 'beside' = 'above',
): PlacedLabels {
  const first = top + LABEL_LINE - 3;
  const last = Math.max(first, height - bottom - 1);
  const room = 1 + Math.floor((last - first) / LABEL_LINE);
  const order = heights.map((_, i) => i).sort((a, b) => (heights[a] ?? 0) - (heights[b] ?? 0) || a - b);
  const isCrowded = order.length > room;
  const shown = isCrowded ? order.slice(0, room - 1) : order;
  const wanted = shown.map((i) => {
    const line = Math.max(top, heights[i] ?? 0);
    return Math.min(last, where === 'beside' ? line + HALF_LETTER : aboveOf(line, top));
  });
  const ends = isCrowded ? [...wanted, last] : wanted;
  const placed = apart(ends, first, last);
  const labels: (PlacedLabel | undefined)[] = heights.map(() => undefined);
  shown.forEach((i, at) => {
    const y = placed[at] ?? 0;
    labels[i] = { y, isMoved: Math.abs(y - (wanted[at] ?? 0)) > 2 };
  });
  return { labels, restAt: isCrowded ? placed.at(-1) : undefined };
}

/** Where that is beyond the drawing, below it. */
function aboveOf(line: number, top: number): number {
  return line < top + LABEL_LINE ? line + LABEL_LINE : line - 3;
}

/** The least moves down and then up that leave a line of letters between neighbours. @param wanted ascending */
function apart(wanted: readonly number[], first: number, last: number): readonly number[] {
  const placed: number[] = [];
  for (const y of wanted)
    placed.push(Math.max(y, placed.length === 0 ? first : (placed.at(-1) ?? first) + LABEL_LINE));
  let limit = last;
  for (let i = placed.length - 1; i >= 0 && (placed[i] ?? 0) > limit; i--) {
    placed[i] = limit;
    limit -= LABEL_LINE;
  }
  return placed;
}
