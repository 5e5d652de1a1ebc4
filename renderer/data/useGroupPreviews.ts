import { useQueries } from '@tanstack/react-query';
import type { GroupRow, RolloutRow } from '../../shared/api/contract.ts';
import { useClient } from './DataProvider.tsx';
import { requestKey } from './useRequest.ts';

/** The groups of loaded chunks of rollouts: a row of a step's list says which problem it is an attempt at. */
export function useGroupPreviews(chunks: readonly (readonly RolloutRow[])[]): ReadonlyMap<number, GroupRow> {
  const client = useClient();
  return useQueries({
    queries: chunks.map((rows) => {
      const groupIds = [...new Set(rows.map((row) => row.groupId))];
      return {
        queryKey: requestKey('group.rows', { groupIds }),
        queryFn: ({ signal }: { signal: AbortSignal }) =>
          client.request('group.rows', { groupIds }, { signal }),
      };
    }),
    combine: (results) => {
      const groups = new Map<number, GroupRow>();
      for (const result of results) for (const group of result.data ?? []) groups.set(group.groupId, group);
      return groups;
    },
  });
}
