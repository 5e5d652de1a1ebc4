/** The row all lanes stand at goes along with what is read: scrolled by hand, as in the replay. */
import { useCallback, useEffect, useRef } from 'react';

interface ReadRow {
  /** To be told the item that is read. */
  readonly onRead: (index: number) => void;
  /** Whether the present row was come to by reading, so that the list must not be moved. */
  readonly isRead: (row: number) => boolean;
}

/** @param items of the list, each with its row; @param select puts the row into the link */
export function useReadRow(
  items: readonly { readonly row: number }[],
  select: (row: number) => void,
): ReadRow {
  const read = useRef<number>(undefined);
  const state = useRef({ items, select });
  useEffect(() => {
    state.current = { items, select };
  });
  const onRead = useCallback((index: number) => {
    const item = state.current.items[index];
    if (item === undefined) return;
    read.current = item.row;
    state.current.select(item.row);
  }, []);
  const isRead = useCallback((row: number) => {
    const is = read.current === row;
    read.current = undefined;
    return is;
  }, []);
  return { onRead, isRead };
}
