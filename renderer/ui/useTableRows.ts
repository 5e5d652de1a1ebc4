import { useEffect, useLayoutEffect, useReducer, useRef } from 'react';
import { useAutoFocus } from './useAutoFocus.ts';
import { useVirtualRows, type VirtualRows } from './useVirtualRows.ts';
import type { CssPixels } from './virtualRows.ts';

const HEAD_HEIGHT: CssPixels = 30;
const OVERSCAN = 4;

/** The scroll container of a table. @param leftAt where the list was left; read once */
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

  // The place where the list was left can only be restored once there are rows to scroll over.
  const restoreTo = useRef(leftAt);
  useLayoutEffect(() => {
    const element = scroller.current;
    if (count === 0 || restoreTo.current === 0 || element === null) return;
    element.scrollTop = restoreTo.current;
    restoreTo.current = 0;
  }, [count, scroller]);

  // With another density the same rows stay in sight.
  const formerHeight = useRef(rowHeight);
  useLayoutEffect(() => {
    const element = scroller.current;
    if (element !== null && formerHeight.current !== rowHeight)
      element.scrollTop *= rowHeight / formerHeight.current;
    formerHeight.current = rowHeight;
  }, [rowHeight, scroller]);

  return rows;
}

/** A row that is opened before it has arrived opens when it does, unless the cursor has gone on. */
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
 * Keys of the rows in sight. A row that stays in sight keeps its own; after a leap to where none of them is, the elements
 * of the former rows are given the new ones: to fill them is less work than to make others.
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

/** New rows of one frame: what a steady wheel brings, nearly. A windowful of cells at once is laid out for three frames. */
const ROWS_A_FRAME = 12;

/**
 * Rows that have come into sight are drawn some a frame, the topmost first, those already drawn always: a leap into
 * another part of a long list is no block. The first rows of a table are drawn together, as nothing moves yet.
 *
 * @param shown half-open
 * @returns which of the rows at hand are drawn now
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
