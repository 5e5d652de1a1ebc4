import { useEffect, useReducer, useRef } from 'react';

/** New rows of one frame: what a steady wheel brings, nearly. A windowful of cells at once is laid out for three frames. */
const ROWS_A_FRAME = 12;

/**
 * Rows that have come into sight are drawn some a frame, the topmost first, those already drawn always: a leap into
 * another part of a long list is no block. The first rows of a table are drawn together, as nothing moves yet.
 *
 * @param shown half-open
 * @returns which of the rows at hand are drawn now
 */
export function useRowsInTurn(
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
