import { useEffect, useLayoutEffect, useReducer, useRef } from 'react';
import { useAutoFocus } from './useAutoFocus.ts';
import { useVirtualRows, type VirtualRows } from './useVirtualRows.ts';
import type { CssPixels } from './virtualRows.ts';

const HEAD_HEIGHT: CssPixels = 30;
const OVERSCAN = 4;

/**
 * The scroll container of a table.
 * @param leftAt its last position; read once
 */
export function useRowScroll(
  count: number,
  rowHeight: CssPixels,
  leftAt: CssPixels,
): VirtualRows<HTMLDivElement> {
  const rows = useVirtualRows({
    count,
    rowHeight,
    overscan: OVERSCAN,
    headHeight: HEAD_HEIGHT,
    initialTop: leftAt,
  });
  const { scroller } = rows;

  useAutoFocus(scroller);

  // The position can be restored only once there are rows.
  const restoreTo = useRef(leftAt);
  useLayoutEffect(() => {
    const element = scroller.current;
    if (count === 0 || restoreTo.current === 0 || element === null) return;
    element.scrollTop = restoreTo.current;
    restoreTo.current = 0;
  }, [count, scroller]);

  // Keeps the same rows visible when the density changes.
  const formerHeight = useRef(rowHeight);
  useLayoutEffect(() => {
    const element = scroller.current;
    if (element !== null && formerHeight.current !== rowHeight)
      element.scrollTop *= rowHeight / formerHeight.current;
    formerHeight.current = rowHeight;
  }, [rowHeight, scroller]);

  return rows;
}

/** Opens a row. If it is still loading, it opens on arrival, unless the cursor has moved on. */
export function useOpening<Row>(
  rowAt: (index: number) => Row | undefined,
  onOpen: (row: Row, index: number) => void,
): { readonly open: (index: number) => void; readonly forget: () => void } {
  const wanted = useRef<number>(undefined);
  const open = (index: number) => {
    const row = rowAt(index);
    wanted.current = row === undefined ? index : undefined;
    if (row !== undefined) onOpen(row, index);
  };
  useEffect(() => {
    if (wanted.current !== undefined && rowAt(wanted.current) !== undefined) open(wanted.current);
  });
  return {
    open,
    forget: () => {
      wanted.current = undefined;
    },
  };
}

/**
 * React keys of the visible rows. A row keeps its key while it is visible. After a jump to other rows, the existing
 * elements are reused, since updating them is cheaper than creating new ones.
 *
 * @param shown half-open
 */
export function useRowKeys(shown: {
  readonly first: number;
  readonly end: number;
}): (index: number) => number {
  const former = useRef({ first: shown.first, end: shown.end, base: 0 });
  const { first, end, base } = former.current;
  const isLeap = shown.first >= end || shown.end <= first;
  former.current = {
    first: shown.first,
    end: shown.end,
    base: isLeap ? base + shown.first - first : base,
  };
  const own = former.current.base;
  return (index) => index - own;
}

/**
 * New rows per frame: about as many as steady scrolling brings. The layout of a whole viewport of cells takes three
 * frames.
 */
const ROWS_A_FRAME = 12;

/**
 * Renders newly visible rows in batches, one per frame and from the top, so that a jump in a long list does not block.
 * Rows that were rendered before stay. The first rows of a table are rendered together, since nothing scrolls yet.
 *
 * @param shown half-open
 * @returns whether a loaded row is to be rendered now
 */
export function useStagedRows(
  shown: { readonly first: number; readonly end: number },
  hasRow: (index: number) => boolean,
): (index: number) => boolean {
  const [, drawMore] = useReducer((frames: number) => frames + 1, 0);
  const former = useRef<ReadonlySet<number>>(undefined);
  const left = useRef(ROWS_A_FRAME);
  const frame = useRef<number>(undefined);

  const drawn = new Set<number>();
  let added = 0;
  let isWaiting = false;
  for (let index = shown.first; index < shown.end; index += 1) {
    if (!hasRow(index)) continue;
    const isNew = former.current !== undefined && !former.current.has(index);
    if (isNew && added >= left.current) {
      isWaiting = true;
      continue;
    }
    if (isNew) added += 1;
    drawn.add(index);
  }

  useEffect(() => {
    if (drawn.size > 0 || former.current !== undefined) former.current = drawn;
    left.current -= added;
    if ((added === 0 && !isWaiting) || frame.current !== undefined) return;
    frame.current = requestAnimationFrame(() => {
      frame.current = undefined;
      left.current = ROWS_A_FRAME;
      drawMore();
    });
  });
  useEffect(
    () => () => {
      cancelAnimationFrame(frame.current ?? 0);
      frame.current = undefined;
    },
    [],
  );

  return (index) => drawn.has(index);
}
