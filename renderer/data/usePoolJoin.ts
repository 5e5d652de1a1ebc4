/** Joining a log of all rollouts with the list of those that were kept, and taking it back. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useClient } from './DataProvider.tsx';

interface Keys {
  readonly poolKey: string;
  readonly keptKey: string;
}

/** Decisions, rewards and sums of the pool change: whatever was asked about it is asked anew. */
export function usePoolJoin() {
  const client = useClient();
  const queryClient = useQueryClient();
  const onSuccess = () => queryClient.invalidateQueries();
  const join = useMutation({
    mutationFn: async (keys: Keys) => ({
      ...keys,
      report: await client.request('run.joinPool', { ...keys }),
    }),
    onSuccess,
  });
  const leave = useMutation({
    mutationFn: (keys: Keys) => client.request('run.leavePool', { ...keys }),
    onSuccess,
  });
  return { join, leave };
}
