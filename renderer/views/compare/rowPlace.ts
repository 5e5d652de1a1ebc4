/**
 * The position in a comparison. Every alignment renumbers the rows, so the URL names a row by a lane and its turn.
 *
 *   row 12 of these rows ──nameOfRow──► lane 1, turn 9 (the link) ──rowOfPlace──► row 14 of others
 */

import { useCallback, useEffect, useRef } from 'react';
import type { LaneTurn } from '../../data/compareLink.ts';
import type { Compared } from './lanes/laneModel.ts';

type Aligned = Pick<Compared, 'lanes' | 'base'> & {
  readonly comparison: Pick<Compared['comparison'], 'rows'>;
};

/**
 * The row that contains the turn. If the rollout has fewer turns now, the row of its last turn. If the lane is
 * missing,
 * the baseline's turn is used.
 */
export function rowOfPlace({ lanes, base, comparison }: Aligned, at: LaneTurn | undefined): number {
  if (at === undefined) return 0;
  const own = lanes.findIndex(({ index }) => index === at.lane);
  const lane = own < 0 ? base : own;
  let found = 0;
  for (const [row, { turns }] of comparison.rows.entries()) {
    const turn = turns[lane] ?? undefined;
    if (turn === undefined) continue;
    // A lane's turns are in ascending order.
    if (turn > at.turn) break;
    found = row;
  }
  return found;
}

interface Wanted {
  /** Index into the URL's lanes: the preferred lane for naming the row. The baseline is next. */
  readonly on: number;
  /** Index into the URL's lanes: a lane that must not name the row. */
  readonly without?: number;
}

/** Undefined if no lane has a turn in that row. */
export function nameOfRow(
  { lanes, base, comparison }: Aligned,
  row: number,
  { on, without }: Wanted,
): LaneTurn | undefined {
  const turns = comparison.rows[row]?.turns ?? [];
  const chosen = lanes.findIndex(({ index }) => index === on);
  for (const at of [chosen, base, ...lanes.keys()]) {
    const [lane, turn] = [lanes[at]?.index, turns[at] ?? undefined];
    if (lane !== undefined && lane !== without && turn !== undefined) return { lane, turn };
  }
  return undefined;
}

/**
 * Names a row by a lane other than the one to be removed. If only that lane has a turn there, names the nearest row.
 */
export function nameWithout(aligned: Aligned, row: number, wanted: Required<Wanted>): LaneTurn | undefined {
  const count = aligned.comparison.rows.length;
  for (let away = 0; away < count; away += 1) {
    const found = nameOfRow(aligned, row - away, wanted) ?? nameOfRow(aligned, row + away, wanted);
    if (found !== undefined) return found;
  }
  return undefined;
}

interface ReadRow {
  /** Called with the item at the reading line. */
  readonly onRead: (index: number) => void;
  /** Whether the user scrolled to the current row, so that the list must not scroll. */
  readonly isRead: (row: number) => boolean;
}

/**
 * @param items the items of the list, each with its row
 * @param select writes the row into the URL
 */
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
