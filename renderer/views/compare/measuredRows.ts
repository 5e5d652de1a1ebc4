import type { Layout } from '../../data/compareLink.ts';
import type { Compared } from './lanes/laneModel.ts';
import type { Item } from './rowModel.ts';

/** Arithmetic of a virtual list with rows of different heights, which are estimated until they are measured. */
export type CssPixels = number;

/** The start of each row, and the end of the last one. */
export function offsetsOf(count: number, heightOf: (index: number) => CssPixels): Float64Array {
  const offsets = new Float64Array(count + 1);
  for (let i = 0; i < count; i += 1) offsets[i + 1] = (offsets[i] ?? 0) + heightOf(i);
  return offsets;
}

/** The row at `top`. Clamped to the first and the last row. */
export function rowAt(offsets: Float64Array, top: CssPixels): number {
  let low = 0;
  let high = Math.max(0, offsets.length - 2);
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((offsets[middle] ?? 0) <= top) low = middle;
    else high = middle - 1;
  }
  return low;
}

export interface RowWindow {
  readonly first: number;
  /** Exclusive. */
  readonly end: number;
}

export function windowOf(
  offsets: Float64Array,
  { top, height }: { readonly top: CssPixels; readonly height: CssPixels },
  overscan: CssPixels,
): RowWindow {
  const count = offsets.length - 1;
  if (count === 0) return { first: 0, end: 0 };
  return { first: rowAt(offsets, top - overscan), end: rowAt(offsets, top + height + overscan) + 1 };
}

/**
 * The scroll position that shows a row below the sticky head. Undefined if it is readable already: fully visible, or,
 * if it is taller than the viewport, with its beginning in the upper half.
 */
export function scrollTopFor(
  { start, end }: { readonly start: CssPixels; readonly end: CssPixels },
  {
    top,
    height,
    covered,
  }: { readonly top: CssPixels; readonly height: CssPixels; readonly covered: CssPixels },
): CssPixels | undefined {
  const from = top + covered;
  const isBegun = start >= from - 1;
  if (isBegun && (end <= top + height + 1 || start <= from + (height - covered) / 2)) return undefined;
  return Math.max(0, start - covered);
}

const LINE: CssPixels = 20;
const HEAD: CssPixels = 34;
const BLOCK: CssPixels = 38;
const FOLD: CssPixels = 30;
/** Characters per line in a window of usual width, over all columns. */
const WINDOW_CHARS = 170;
/** Lines of a long text before it is cut. */
const MOST_LINES = 60;

export function estimateOf(compared: Compared | undefined, layout: Layout): (item: Item) => CssPixels {
  const columns = layout === 'unified' ? 1 : (compared?.lanes.length ?? 1);
  const lineChars = WINDOW_CHARS / columns;
  return (item) => {
    if (item.kind === 'fold') return FOLD;
    let height = HEAD;
    for (const { chars, lines, isFolded } of item.blocks)
      height += isFolded
        ? FOLD
        : BLOCK + LINE * Math.min(MOST_LINES, Math.max(lines, Math.ceil(chars / lineChars)));
    return height;
  };
}
