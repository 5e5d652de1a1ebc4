import { useQueries } from '@tanstack/react-query';
import type { GroupRewards } from '../../shared/api/contract.ts';
import { useClient } from './DataProvider.tsx';

interface StepQuestion {
  readonly runId: number;
  readonly step: number;
  readonly filter: string;
}

/** Rewards by group, in the order of the questions. Undefined: not known yet. */
export function useGroupRewards(questions: readonly StepQuestion[]): readonly (GroupRewards | undefined)[] {
  const client = useClient();
  return useQueries({
    queries: questions.map((question) => ({
      queryKey: ['step.groupRewards', question] as const,
      queryFn: ({ signal }: { readonly signal: AbortSignal }) =>
        client.request('step.groupRewards', question, { signal }),
    })),
  }).map(({ data }) => data);
}
