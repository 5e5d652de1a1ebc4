import { useQueryClient } from '@tanstack/react-query';
import type { GroupRow, RolloutRow } from '../../shared/api/contract.ts';
import { useClient } from './DataProvider.tsx';
import { fetchCached } from './useRequest.ts';

/** `by` rows before or after; at an end nothing happens. */
type GoToNeighbour<Row> = (by: number, go: (row: Row) => void) => void;

export function neighbourOf(
  ids: Uint32Array | undefined,
  id: number | undefined,
  by: number,
): number | undefined {
  const at = id === undefined ? -1 : (ids?.indexOf(id) ?? -1);
  return at < 0 ? undefined : ids?.[at + by];
}

/** The next or previous group of an ordered list of ids, fetched when it is wanted. */
export function useNeighbourGroup(
  ids: Uint32Array | undefined,
  id: number | undefined,
): GoToNeighbour<GroupRow> {
  const client = useClient();
  const queryClient = useQueryClient();
  return (by, go) => {
    const groupId = neighbourOf(ids, id, by);
    if (groupId === undefined) return;
    const rows = fetchCached(queryClient, client, 'group.rows', { groupIds: [groupId] });
    void rows.then(([row]) => row !== undefined && go(row));
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
    const rows = fetchCached(queryClient, client, 'rollout.rows', { rolloutIds: [rolloutId] });
    void rows.then(([row]) => row !== undefined && go(row));
  };
}
