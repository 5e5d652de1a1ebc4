import { type KeyboardEvent, type MouseEvent, useEffect, useState } from 'react';

interface Options {
  readonly isOn: boolean;
  readonly count: number;
  readonly cursor: number;
  /** Identity of the list. In another list the same indices are other rows. */
  readonly of: unknown;
  readonly moveTo: (index: number) => void;
  readonly onCount: ((rows: number) => void) | undefined;
}

/** Selects rows as file managers do: Ctrl or Cmd toggles a row, Shift extends the selection. */
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
    /** @returns whether the click changed the selection */
    onClick: (event: MouseEvent, index: number): boolean => {
      if (!isOn || event.altKey || !(event.shiftKey || event.metaKey || event.ctrlKey)) return false;
      if (event.shiftKey) set(extendedTo(rows, cursor, index));
      else set(withRowFlipped(rows, index));
      return true;
    },
    /** @returns whether the key changed the selection */
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

/** A range of selected rows. Ranges keep the selection small: all of a million rows is one range. */
interface RowRange {
  readonly first: number;
  /** Exclusive. */
  readonly end: number;
}

export interface RowSelection {
  /** Ascending, disjoint and not empty. */
  readonly ranges: readonly RowRange[];
  /** Row from which Shift extends. */
  readonly anchor: number | undefined;
  /** The selection when the anchor was set. Shrinking the range restores it. */
  readonly base: readonly RowRange[];
}

export const NO_ROWS: RowSelection = { ranges: [], anchor: undefined, base: [] };

export const selectedCount = ({ ranges }: RowSelection): number =>
  ranges.reduce((sum, { first, end }) => sum + end - first, 0);

export function isRowSelected({ ranges }: RowSelection, index: number): boolean {
  let low = 0;
  let high = ranges.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ranges[middle]?.end ?? 0) <= index) low = middle + 1;
    else high = middle;
  }
  return (ranges[low]?.first ?? Number.POSITIVE_INFINITY) <= index;
}

export const allRows = (count: number): RowSelection => {
  const ranges = count === 0 ? [] : [{ first: 0, end: count }];
  return { ranges, anchor: undefined, base: [] };
};

export function withRowFlipped(selection: RowSelection, index: number): RowSelection {
  const row = { first: index, end: index + 1 };
  const ranges = isRowSelected(selection, index)
    ? without(selection.ranges, row)
    : united(selection.ranges, row);
  return { ranges, anchor: index, base: ranges };
}

/**
 * Selects from the anchor to `index`.
 * @param start the anchor if none exists yet
 */
export function extendedTo(selection: RowSelection, start: number, index: number): RowSelection {
  const anchor = selection.anchor ?? start;
  const range = { first: Math.min(anchor, index), end: Math.max(anchor, index) + 1 };
  const base = selection.anchor === undefined ? selection.ranges : selection.base;
  return { ranges: united(base, range), anchor, base };
}

/** Row indices, ascending. */
export function selectedIndexes({ ranges }: RowSelection): number[] {
  return ranges.flatMap(({ first, end }) => Array.from({ length: end - first }, (_, i) => first + i));
}

function united(ranges: readonly RowRange[], added: RowRange): readonly RowRange[] {
  const touching = ranges.filter(({ first, end }) => first <= added.end && end >= added.first);
  const whole = {
    first: Math.min(added.first, ...touching.map(({ first }) => first)),
    end: Math.max(added.end, ...touching.map(({ end }) => end)),
  };
  return [...ranges.filter((range) => !touching.includes(range)), whole].sort((a, b) => a.first - b.first);
}

function without(ranges: readonly RowRange[], taken: RowRange): readonly RowRange[] {
  return ranges.flatMap((range) =>
    range.end <= taken.first || range.first >= taken.end
      ? [range]
      : [
          { first: range.first, end: taken.first },
          { first: taken.end, end: range.end },
        ].filter(({ first, end }) => first < end),
  );
}
