/** Changes of the link, and what goes with them: the compare set is what the link shows. */
import {
  type CompareLink,
  compareSearch,
  readCompare,
  withBaseline,
  withLaneMoved,
  withoutLane,
} from '../../data/compareLink.ts';
import { replaceSearch } from '../../data/usePlace.ts';
import { useInterface } from '../../state/interface.ts';

export interface LinkActions {
  readonly change: (changes: Partial<CompareLink>) => void;
  readonly move: (from: number, to: number) => void;
  readonly remove: (lane: number) => void;
  readonly makeBase: (lane: number) => void;
}

export function linkActions(link: CompareLink): LinkActions {
  const change = (changes: Partial<CompareLink>) => {
    const next = { ...link, ...changes };
    replaceSearch(compareSearch(next, new URLSearchParams(window.location.search)));
    // So that c in a list and x go on from what is seen here.
    if (changes.lanes !== undefined) useInterface.getState().setCompareSet([...new Set(next.lanes)]);
  };
  return {
    change,
    move: (from, to) => change(withLaneMoved(link, from, to)),
    remove: (lane) => change(withoutLane(link, lane)),
    makeBase: (lane) => change(withBaseline(link, lane)),
  };
}

/** By whomever: the row all lanes stand at is that of the link. */
export function selectRow(row: number): void {
  const query = new URLSearchParams(window.location.search);
  replaceSearch(compareSearch({ ...readCompare(query), row }, query));
}
