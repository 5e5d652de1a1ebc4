import { useEffect, useRef } from 'react';

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
