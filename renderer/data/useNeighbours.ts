import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import type { GroupRow, RolloutRow } from '../../shared/api/contract.ts';
import { useClient } from './DataProvider.tsx';
import { fetchCached } from './useRequest.ts';

/**
 * Goes `by` rows forward or back, once the list is known. Does nothing at either end, or if the user navigated to
 * another page before the response arrived.
 */
type GoToNeighbour<Row> = (by: number, go: (row: Row) => void) => void;

export function neighbourOf(ids: Uint32Array, id: number, by: number): number | undefined {
  const at = ids.indexOf(id);
  return at < 0 ? undefined : ids[at + by];
}

function useNeighbour<Row>(
  ids: Uint32Array | undefined,
  id: number | undefined,
  rowsOf: (id: number) => Promise<readonly (Row | undefined)[]>,
): GoToNeighbour<Row> {
  const waiting = useRef<{ readonly by: number; readonly go: (row: Row) => void; readonly place: string }>(
    undefined,
  );
  const goFrom = (place: string, by: number, go: (row: Row) => void): void => {
    if (ids === undefined || id === undefined) {
      const before = waiting.current?.place === place ? waiting.current.by : 0;
      waiting.current = { by: before + by, go, place };
      return;
    }
    const neighbour = neighbourOf(ids, id, by);
    if (neighbour === undefined) return;
    void rowsOf(neighbour).then(
      ([row]) => row !== undefined && window.location.pathname === place && go(row),
    );
  };
  useEffect(() => {
    const pressed = waiting.current;
    if (pressed === undefined || ids === undefined || id === undefined) return;
    waiting.current = undefined;
    if (window.location.pathname === pressed.place) goFrom(pressed.place, pressed.by, pressed.go);
  });
  return (by, go) => goFrom(window.location.pathname, by, go);
}

/** The next or previous group of an ordered list of ids, requested on demand. */
export function useNeighbourGroup(
  ids: Uint32Array | undefined,
  id: number | undefined,
): GoToNeighbour<GroupRow> {
  const client = useClient();
  const queryClient = useQueryClient();
  return useNeighbour(ids, id, (groupId) =>
    fetchCached(queryClient, client, 'group.rows', { groupIds: [groupId] }),
  );
}

export function useNeighbourRollout(
  ids: Uint32Array | undefined,
  id: number | undefined,
): GoToNeighbour<RolloutRow> {
  const client = useClient();
  const queryClient = useQueryClient();
  return useNeighbour(ids, id, (rolloutId) =>
    fetchCached(queryClient, client, 'rollout.rows', { rolloutIds: [rolloutId] }),
  );
}
