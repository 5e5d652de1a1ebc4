/** The groups of one problem at all its steps of one run, by id. */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useClient } from './DataProvider.tsx';
import { fetchCached } from './useRequest.ts';

/** `problem.places` lists no more at once. */
const MOST = 1_000;

/** @param groupId undefined: not asked */
export function useProblemGroups(runKey: string, groupId: number | undefined) {
  const client = useClient();
  const queryClient = useQueryClient();
  return useQuery({
    queryKey: ['problem groups', runKey, groupId],
    enabled: groupId !== undefined,
    queryFn: async () => {
      if (groupId === undefined) throw new Error('the groups were asked for before the group was known');
      const { places, total } = await fetchCached(queryClient, client, 'problem.places', {
        groupId,
        limit: MOST,
      });
      const own = places.filter((place) => place.runKey === runKey);
      return {
        groupIds: own.map((place) => place.groupId),
        steps: new Set(own.map(({ step }) => step)).size,
        /** Places that were not listed: there are too many, and these may be of this run, too. */
        unlisted: total - places.length,
      };
    },
  });
}
