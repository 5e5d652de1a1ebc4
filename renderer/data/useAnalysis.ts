/** A long question with its progress and a way to stop it: over a whole run it may take seconds, or minutes. */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import type { GroupOrder, ParamsOf, ResultOf, RolloutOrder } from '../../shared/api/contract.ts';
import { useClient, useLibrary } from './DataProvider.tsx';
import { seedRows } from './usePage.ts';

type LongMethod =
  | 'rollout.order'
  | 'group.order'
  | 'roc.report'
  | 'token.statistics'
  | 'token.occurrences'
  | 'eval.summary'
  | 'step.schedule'
  | 'run.latencies'
  | 'compare.alike'
  | 'library.sizes';
export type AnalysisParams<M extends LongMethod> = Omit<ParamsOf<M>, 'progressKey'>;

export interface AnalysisProgress {
  readonly stepsDone: number;
  readonly steps: number;
  /** Of everything, 0 … 1. */
  readonly share: number;
}

export interface AnalysisState<Answer> {
  /** The last one that arrived; of other params while `isComputing`. */
  readonly answer: Answer | undefined;
  /** The answer is to another question of the same scope. */
  readonly isFormer: boolean;
  readonly error: Error | null;
  readonly isComputing: boolean;
  readonly isStopped: boolean;
  readonly progress: AnalysisProgress | undefined;
  readonly stop: () => void;
  /** Also after a failure, or when the host has forgotten the answer. */
  readonly compute: () => Promise<Answer | undefined>;
}

let lastKey = 0;

function isListOrder(answer: unknown): answer is GroupOrder | RolloutOrder {
  return typeof answer === 'object' && answer !== null && 'ids' in answer && 'rows' in answer;
}

const SCOPE = ['runId', 'runKey', 'step', 'groupId', 'rolloutId'] as const;

/** Whether two questions are about the same rollouts. */
export function isSameScope(former: unknown, params: unknown): boolean {
  if (typeof former !== 'object' || former === null) return false;
  if (typeof params !== 'object' || params === null) return false;
  const [before, now]: readonly Partial<Record<string, unknown>>[] = [{ ...former }, { ...params }];
  const isOfRun = before?.['runId'] !== undefined || before?.['runKey'] !== undefined;
  return isOfRun && SCOPE.every((name) => before[name] === now?.[name]);
}

/**
 * @param params undefined: nothing is to be computed
 * @param isReady false: not yet, but what was computed of the same scope stays in sight
 * @param library another one than is looked at
 */
export function useAnalysis<M extends LongMethod>(
  method: M,
  params: AnalysisParams<M> | undefined,
  isReady = true,
  library?: string,
): AnalysisState<ResultOf<M>> {
  const client = useClient(library);
  const here = useLibrary();
  const queryClient = useQueryClient();
  const text = JSON.stringify(params);
  const isAsked = params !== undefined && isReady;
  const [stopped, setStopped] = useState<string>();
  const [progress, setProgress] = useState<AnalysisProgress & { readonly key: string }>();
  // One key for each question: what a superseded one still reports is not this one's progress.
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new key for every question is the point
  const progressKey = useMemo(() => {
    lastKey += 1;
    return `analysis-${lastKey}-${Math.random().toString(36).slice(2)}`;
  }, [text]);
  useEffect(() => {
    if (!isAsked) return;
    return client.subscribe((event) => {
      if (event.event !== 'analysis.progress' || event.payload.progressKey !== progressKey) return;
      const { stepsDone, steps, share = stepsDone / Math.max(1, steps) } = event.payload;
      setProgress({ key: progressKey, stepsDone, steps, share });
    });
  }, [client, progressKey, isAsked]);
  const isStopped = isAsked && stopped === text;
  const queryKey = library === undefined || library === here ? [method, params] : [method, params, library];
  const query = useQuery<ResultOf<M>>({
    queryKey,
    queryFn: async ({ signal }) => {
      if (params === undefined) throw new Error(`${method} was asked before its params were known`);
      // The rest of ParamsOf<M>, which a generic method hides from the compiler.
      const answer = await client.request(method, { ...params, progressKey } as unknown as ParamsOf<M>, {
        signal,
      });
      if (isListOrder(answer)) seedRows(queryClient, answer);
      return answer;
    },
    enabled: isAsked && !isStopped,
    // The former answer of the same scope stays in sight; another run's would be a lie.
    placeholderData: (former, query) => (isSameScope(query?.queryKey[1], params) ? former : undefined),
  });
  return {
    answer: query.data,
    isFormer: query.isPlaceholderData,
    error: query.error,
    isComputing: query.isFetching,
    isStopped,
    progress: progress?.key === progressKey ? progress : undefined,
    stop: () => {
      setStopped(text);
      void queryClient.cancelQueries({ queryKey });
    },
    compute: async () => {
      setStopped(undefined);
      const answer = await query.refetch();
      return answer.data;
    },
  };
}
