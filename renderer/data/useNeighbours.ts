import { useQueryClient } from '@tanstack/react-query';
import type { GroupRow, RolloutRow } from '../../shared/api/contract.ts';
import { useClient } from './DataProvider.tsx';
import { fetchCached } from './useRequest.ts';

/** Goes `by` rows forward or back. Does nothing at either end. */
type GoToNeighbour<Row> = (by: number, go: (row: Row) => void) => void;

export function neighbourOf(
  ids: Uint32Array | undefined,
  id: number | undefined,
  by: number,
): number | undefined {
  const at = id === undefined ? -1 : (ids?.indexOf(id) ?? -1);
  return at < 0 ? undefined : ids?.[at + by];
}

/** Does nothing if the user navigated to another page before the response arrived. */
function goWhenHere<Row>(rows: Promise<readonly (Row | undefined)[]>, go: (row: Row) => void): void {
  const place = window.location.pathname;
  void rows.then(([row]) => row !== undefined && window.location.pathname === place && go(row));
}

/** The next or previous group of an ordered list of ids, requested on demand. */
export function useNeighbourGroup(
  ids: Uint32Array | undefined,
  id: number | undefined,
): GoToNeighbour<GroupRow> {
  const client = useClient();
  const queryClient = useQueryClient();
  return (by, go) => {
    const groupId = neighbourOf(ids, id, by);
    if (groupId === undefined) return;
    goWhenHere(fetchCached(queryClient, client, 'group.rows', { groupIds: [groupId] }), go);
  };
}

export function useNeighbourRollout(
  ids: Uint32Array | undefined,
  id: number | undefined,
): GoToNeighbour<RolloutRow> {
  const client = useClient();
  const queryClient = useQueryClient();
  return (by, go) => {
    const rolloutId = neighbourOf(ids, id, by);
    if (rolloutId === undefined) return;
    goWhenHere(fetchCached(queryClient, client, 'rollout.rows', { rolloutIds: [rolloutId] }), go);
  };
}
