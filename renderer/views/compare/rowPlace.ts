/**
 * Where in a comparison one is: rows are numbered anew by every alignment, so a row is named by a turn of a lane.
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
 * The row that holds the turn; where the rollout was logged anew with fewer turns, the row of its last one. A lane
 * that is not there is stood in for by the baseline.
 */
export function rowOfPlace({ lanes, base, comparison }: Aligned, at: LaneTurn | undefined): number {
  if (at === undefined) return 0;
  const own = lanes.findIndex(({ index }) => index === at.lane);
  const lane = own < 0 ? base : own;
  let found = 0;
  for (const [row, { turns }] of comparison.rows.entries()) {
    const turn = turns[lane] ?? undefined;
    if (turn === undefined) continue;
    // The turns of a lane stand in order.
    if (turn > at.turn) break;
    found = row;
  }
  return found;
}

interface Wanted {
  /** Index into the link's lanes: whose turn names the row if it has one there; then the baseline's. */
  readonly on: number;
  /** Index into the link's lanes that is not to name it. */
  readonly without?: number;
}

/** Undefined where no lane has a turn there. */
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

/** The row by the name of a lane that stays; of the nearest row where only the lane that goes stands in it. */
export function nameWithout(aligned: Aligned, row: number, wanted: Required<Wanted>): LaneTurn | undefined {
  const count = aligned.comparison.rows.length;
  for (let away = 0; away < count; away += 1) {
    const found = nameOfRow(aligned, row - away, wanted) ?? nameOfRow(aligned, row + away, wanted);
    if (found !== undefined) return found;
  }
  return undefined;
}

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
