import { useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';
import { useClient } from '../../../data/DataProvider.tsx';
import { pathOfPlace } from '../../../data/place.ts';
import { navigateTo, useUrlQuery } from '../../../data/usePlace.ts';
import { fetchCached } from '../../../data/useRequest.ts';

/** Goes to a rollout by its number; one that reads a queue stays in it. */
export function useOpenRollout(): (rolloutId: number) => Promise<void> {
  const client = useClient();
  const queryClient = useQueryClient();
  const [query] = useUrlQuery();
  const queue = query.get('queue');
  return useCallback(
    async (rolloutId: number) => {
      const { run, row } = await fetchCached(queryClient, client, 'rollout.get', { rolloutId });
      const { step, groupKey, ordinal } = row;
      const path = pathOfPlace({ view: 'rollout', runKey: run.runKey, step, groupKey, ordinal });
      navigateTo(queue === null ? path : `${path}?${new URLSearchParams({ queue })}`);
    },
    [client, queryClient, queue],
  );
}
