/**
 * Arithmetic of a virtual list with a fixed row height.
 *
 * Chromium limits element heights to about 33.5 M px; half of it leaves room for zoom. A longer list has a spacer of
 * that height and scales: `virtualTop` is the scroll position the list would have with a spacer as tall as its rows.
 */
export type CssPixels = number;

export const MAX_SPACER: CssPixels = 16_000_000;

export interface RowSpace {
  readonly count: number;
  readonly rowHeight: CssPixels;
  readonly viewport: CssPixels;
  /** Height of all rows together. */
  readonly total: CssPixels;
  /** Actual height of the scrolled content. */
  readonly spacer: CssPixels;
}

export function rowSpace(count: number, rowHeight: CssPixels, viewport: CssPixels): RowSpace {
  const total = count * rowHeight;
  return { count, rowHeight, viewport, total, spacer: Math.min(total, MAX_SPACER) };
}

/** Virtual pixels per pixel of scrolling; 1 unless the list is scaled. */
function scaleOf(space: RowSpace): number {
  const travel = space.spacer - space.viewport;
  return travel <= 0 || space.total === space.spacer ? 1 : (space.total - space.viewport) / travel;
}

export function virtualTop(space: RowSpace, scrollTop: CssPixels): CssPixels {
  const top = scrollTop * scaleOf(space);
  return Math.max(0, Math.min(top, Math.max(0, space.total - space.viewport)));
}

export interface VisibleRows {
  readonly first: number;
  /** Exclusive. */
  readonly end: number;
  /** Position of row `first` inside the spacer. */
  readonly top: CssPixels;
}

/** `scrollTop` may be beyond the end: if a list has become shorter, the browser corrects it only later. */
export function visibleRows(space: RowSpace, scrollTop: CssPixels, overscan: number): VisibleRows {
  // Rows below the spacer would extend the scroll area, and the list would keep scrolling for several frames.
  const inside = Math.max(0, Math.min(scrollTop, space.spacer - space.viewport));
  const top = virtualTop(space, inside);
  const first = Math.max(0, Math.floor(top / space.rowHeight) - overscan);
  const end = Math.min(space.count, Math.ceil((top + space.viewport) / space.rowHeight) + overscan);
  return { first, end, top: inside + first * space.rowHeight - top };
}

/** The scroll position that shows row `index`, moving as little as possible. */
export function scrollTopShowing(space: RowSpace, scrollTop: CssPixels, index: number): CssPixels {
  const top = virtualTop(space, scrollTop);
  const rowTop = index * space.rowHeight;
  if (rowTop < top) return rowTop / scaleOf(space);
  const overflow = rowTop + space.rowHeight - (top + space.viewport);
  return overflow > 0 ? (top + overflow) / scaleOf(space) : scrollTop;
}
