/** The groups of one problem at all its steps of one run. */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useClient } from './DataProvider.tsx';
import { fetchCached } from './useRequest.ts';

/** `problem.occurrences` lists no more at once. */
const MOST = 1_000;

export interface SteppedGroup {
  readonly groupId: number;
  readonly step: number;
  readonly rollouts: number;
  readonly correct: number;
  readonly correctKnown: number;
}

/** @param groupId undefined: not asked */
export function useProblemGroups(runKey: string, groupId: number | undefined) {
  const client = useClient();
  const queryClient = useQueryClient();
  return useQuery({
    queryKey: ['problem groups', runKey, groupId],
    enabled: groupId !== undefined,
    queryFn: async () => {
      if (groupId === undefined) throw new Error('the groups were asked for before the group was known');
      const { places, total } = await fetchCached(queryClient, client, 'problem.occurrences', {
        groupId,
        limit: MOST,
      });
      return {
        /** By step, as far as the log knows steps. */
        groups: places.flatMap(
          ({
            runKey: of,
            groupId: id,
            step = 0,
            rollouts,
            correct,
            correctKnown,
          }): readonly SteppedGroup[] =>
            of === runKey ? [{ groupId: id, step, rollouts, correct, correctKnown }] : [],
        ),
        /** Places that were not listed: there are too many, and these may be of this run, too. */
        unlisted: total - places.length,
      };
    },
  });
}
