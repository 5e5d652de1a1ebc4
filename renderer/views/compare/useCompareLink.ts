/** Changes of the comparison's URL. They also update the compare set, so that both hold the same lanes. */
import {
  type CompareLink,
  compareSearch,
  MOST_LANES,
  readCompare,
  withBaseline,
  withLaneMoved,
  withoutLane,
} from '../../data/compareLink.ts';
import { replaceSearch } from '../../data/useRoute.ts';
import { useInterface } from '../../state/interface.ts';
import type { Compared } from './lanes/laneModel.ts';
import { nameOfRow, nameWithout } from './rowPlace.ts';

export interface LinkActions {
  readonly change: (changes: Partial<CompareLink>) => void;
  readonly move: (from: number, to: number) => void;
  readonly remove: (lane: number) => void;
  readonly makeBase: (lane: number) => void;
}

/** @param row index into the rows of `compared`: the current row */
export function linkActions(link: CompareLink, compared: Compared | undefined, row: number): LinkActions {
  const change = (changes: Partial<CompareLink>) => {
    const next = { ...link, ...changes };
    replaceSearch(compareSearch(next, new URLSearchParams(window.location.search)));
    // Update the compare set, so that c in a list and x continue from these lanes.
    if (changes.lanes !== undefined)
      useInterface
        .getState()
        .setCompareSet([...new Set([...next.lanes, ...next.leftOut])].slice(0, MOST_LANES));
  };
  return {
    change,
    move: (from, to) => change(withLaneMoved(link, from, to)),
    remove: (lane) => {
      const wanted = { on: link.on, without: lane };
      change(
        withoutLane(link, lane, compared === undefined ? undefined : nameWithout(compared, row, wanted)),
      );
    },
    makeBase: (lane) => change(withBaseline(link, lane)),
  };
}

/** Returns a function that writes the current row into the URL, named by one of its turns. */
export function rowSelector(compared: Compared | undefined): (row: number) => void {
  return (row) => {
    const query = new URLSearchParams(window.location.search);
    const link = readCompare(query);
    const at = compared === undefined ? undefined : nameOfRow(compared, row, link);
    if (at !== undefined) replaceSearch(compareSearch({ ...link, at }, query));
  };
}
