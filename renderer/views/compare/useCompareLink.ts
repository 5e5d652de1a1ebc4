/** Changes of the link, and what goes with them: the compare set is what the link shows. */
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

/** @param row index into the rows of `compared`: where one is */
export function linkActions(link: CompareLink, compared: Compared | undefined, row: number): LinkActions {
  const change = (changes: Partial<CompareLink>) => {
    const next = { ...link, ...changes };
    replaceSearch(compareSearch(next, new URLSearchParams(window.location.search)));
    // So that c in a list and x go on from what is seen here.
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

/** By whomever: the row all lanes stand at is that of the link, by the name of a turn in it. */
export function rowSelector(compared: Compared | undefined): (row: number) => void {
  return (row) => {
    const query = new URLSearchParams(window.location.search);
    const link = readCompare(query);
    const at = compared === undefined ? undefined : nameOfRow(compared, row, link);
    if (at !== undefined) replaceSearch(compareSearch({ ...link, at }, query));
  };
}
