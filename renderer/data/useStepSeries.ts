/**
 * What charts show of several runs, all rollouts or those that match a filter. One progress and one stop for all of
 * them: they are asked together and wanted together.
 */
import { type UseQueryOptions, useQueries, useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import type { StepFacts } from '../../shared/api/contract.ts';
import { useClient } from './DataProvider.tsx';
import { isSameScope } from './useAnalysis.ts';

type Answer = { readonly steps: readonly StepFacts[] };

export interface StepSeriesState {
  /** By run, in the order asked; undefined: not known yet. */
  readonly answers: readonly (readonly StepFacts[] | undefined)[];
  /** Some answer is to another filter. */
  readonly isFormer: boolean;
  readonly isComputing: boolean;
  readonly isStopped: boolean;
  readonly error: Error | null;
  /** Steps read so far, of the run that reports. */
  readonly progress: { readonly stepsDone: number; readonly steps: number } | undefined;
  readonly stop: () => void;
  /** After a stop or a failure. */
  readonly compute: () => void;
}

let lastKey = 0;

/** @param runIds empty: nothing is asked */
export function useStepSeries(runIds: readonly number[], filter: string): StepSeriesState {
  const client = useClient();
  const queryClient = useQueryClient();
  const question = JSON.stringify([runIds, filter]);
  const [stopped, setStopped] = useState<string>();
  const [progress, setProgress] = useState<{ key: string; stepsDone: number; steps: number }>();
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new key for every question is the point
  const progressKey = useMemo(() => {
    lastKey += 1;
    return `series-${lastKey}-${Math.random().toString(36).slice(2)}`;
  }, [question]);
  const isAsked = runIds.length > 0;
  useEffect(() => {
    if (!isAsked) return;
    return client.subscribe((event) => {
      if (event.event !== 'analysis.progress' || event.payload.progressKey !== progressKey) return;
      const { stepsDone, steps } = event.payload;
      setProgress({ key: progressKey, stepsDone, steps });
    });
  }, [client, progressKey, isAsked]);
  const isStopped = isAsked && stopped === question;
  const queries = useQueries({
    queries: runIds.map((runId): UseQueryOptions<Answer> => {
      const params = { runId, filter };
      return {
        queryKey: ['step.series', params],
        queryFn: ({ signal }) => client.request('step.series', { ...params, progressKey }, { signal }),
        enabled: !isStopped,
        // The former filter's answer stays in sight; another run's would be a lie.
        placeholderData: (former, query) => (isSameScope(query?.queryKey[1], params) ? former : undefined),
      };
    }),
  });
  return {
    answers: queries.map(({ data }) => data?.steps),
    isFormer: queries.some(({ isPlaceholderData }) => isPlaceholderData),
    isComputing: queries.some(({ isFetching }) => isFetching),
    isStopped,
    error: queries.find(({ error }) => error !== null)?.error ?? null,
    progress: progress?.key === progressKey ? progress : undefined,
    stop: () => {
      setStopped(question);
      for (const runId of runIds)
        void queryClient.cancelQueries({ queryKey: ['step.series', { runId, filter }] });
    },
    compute: () => {
      setStopped(undefined);
      for (const query of queries) if (query.data === undefined || query.error !== null) void query.refetch();
    },
  };
}
