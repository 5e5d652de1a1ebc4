/**
 * What charts show of several runs, all rollouts or those that match a filter. One progress and one stop for all of
 * them: they are asked together and wanted together.
 */
import { type UseQueryOptions, useQueries, useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import type { StepFacts } from '../../shared/api/contract.ts';
import { useConnection, useLibrary } from './DataProvider.tsx';
import { isSameScope } from './useAnalysis.ts';
import { requestKey } from './useRequest.ts';

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

export interface SeriesRun {
  readonly runId: number;
  /** Another one than is looked at. */
  readonly library?: string | undefined;
}

/** @param runs empty: nothing is asked */
export function useStepSeries(runs: readonly SeriesRun[], filter: string): StepSeriesState {
  const { clientOf } = useConnection();
  const here = useLibrary();
  const queryClient = useQueryClient();
  const question = JSON.stringify([runs.map(({ runId, library }) => [runId, library]), filter]);
  const libraries = [...new Set(runs.map(({ library }) => library ?? here))].join('\n');
  const [stopped, setStopped] = useState<string>();
  const [progress, setProgress] = useState<{ key: string; stepsDone: number; steps: number }>();
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new key for every question is the point
  const progressKey = useMemo(() => {
    lastKey += 1;
    return `series-${lastKey}-${Math.random().toString(36).slice(2)}`;
  }, [question]);
  const isAsked = runs.length > 0;
  useEffect(() => {
    if (!isAsked) return;
    const stops = libraries.split('\n').map((library) =>
      clientOf(library).subscribe((event) => {
        if (event.event !== 'analysis.progress' || event.payload.progressKey !== progressKey) return;
        const { stepsDone, steps } = event.payload;
        setProgress({ key: progressKey, stepsDone, steps });
      }),
    );
    return () => {
      for (const stop of stops) stop();
    };
  }, [clientOf, libraries, progressKey, isAsked]);
  const isStopped = isAsked && stopped === question;
  const queries = useQueries({
    queries: runs.map(({ runId, library }): UseQueryOptions<Answer> => {
      const params = { runId, filter };
      const client = clientOf(library ?? here);
      return {
        queryKey: requestKey('step.series', params, library),
        queryFn: ({ signal }) => client.request('step.series', { ...params, progressKey }, { signal }),
        enabled: !isStopped,
        // The former filter's answer stays in sight; another run's would be a lie.
        placeholderData: (former, query) =>
          query?.queryKey[2] === library && isSameScope(query?.queryKey[1], params) ? former : undefined,
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
      for (const { runId, library } of runs)
        void queryClient.cancelQueries({ queryKey: requestKey('step.series', { runId, filter }, library) });
    },
    compute: () => {
      setStopped(undefined);
      for (const query of queries) if (query.data === undefined || query.error !== null) void query.refetch();
    },
  };
}
