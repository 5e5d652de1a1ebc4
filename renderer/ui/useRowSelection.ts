import { type KeyboardEvent, type MouseEvent, useEffect, useState } from 'react';
import {
  allRows,
  extendedTo,
  isRowSelected,
  NO_ROWS,
  type RowSelection,
  selectedCount,
  withRowFlipped,
} from './rowSelection.ts';

interface Options {
  readonly isOn: boolean;
  readonly count: number;
  readonly cursor: number;
  /** The list the places are of: in another one they would be other rows. */
  readonly of: unknown;
  readonly moveTo: (index: number) => void;
  readonly onCount: ((rows: number) => void) | undefined;
}

/** Selecting rows as file managers do: Ctrl or Cmd adds one, Shift goes on from the last. */
export function useRowSelection({ isOn, count, cursor, of, moveTo, onCount }: Options) {
  const [kept, setKept] = useState<{ readonly of: unknown; readonly rows: RowSelection }>();
  const rows = kept !== undefined && Object.is(kept.of, of) ? kept.rows : NO_ROWS;
  const set = (next: RowSelection) => setKept({ of, rows: next });
  const selected = selectedCount(rows);
  useEffect(() => onCount?.(selected), [onCount, selected]);

  const extend = (index: number) => {
    const to = Math.max(0, Math.min(count - 1, index));
    set(extendedTo(rows, cursor, to));
    moveTo(to);
  };
  return {
    rows,
    selected,
    has: (index: number) => isRowSelected(rows, index),
    flip: (index: number) => set(withRowFlipped(rows, index)),
    all: () => set(allRows(count)),
    clear: () => set(NO_ROWS),
    /** @returns whether the click was one that selects */
    onClick: (event: MouseEvent, index: number): boolean => {
      if (!isOn || event.altKey || !(event.shiftKey || event.metaKey || event.ctrlKey)) return false;
      if (event.shiftKey) set(extendedTo(rows, cursor, index));
      else set(withRowFlipped(rows, index));
      return true;
    },
    /** @returns whether the key was one that selects */
    onKeyDown: (event: KeyboardEvent): boolean => {
      if (!isOn || count === 0 || event.altKey) return false;
      const { key } = event;
      if (event.metaKey || event.ctrlKey) {
        if (key.toLowerCase() !== 'a' || event.shiftKey) return false;
        set(allRows(count));
        return true;
      }
      if (key === 'Escape' && selected > 0) {
        set(NO_ROWS);
        return true;
      }
      if (!event.shiftKey) return false;
      if (key === 'J' || key === 'ArrowDown') extend(cursor + 1);
      else if (key === 'K' || key === 'ArrowUp') extend(cursor - 1);
      else return false;
      return true;
    },
  };
}
