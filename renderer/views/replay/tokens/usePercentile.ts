/** The 80th percentile of a signal over a group, a step or the run: asked for on demand, with progress and a stop. */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import type { ParamsOf, RolloutDetail } from '../../../../shared/api/contract.ts';
import type { SignalSource } from '../../../../shared/domain/entropy.ts';
import { useClient } from '../../../data/DataProvider.tsx';
import type { HeatSignal, ThresholdKind } from '../../../state/tokenView.ts';

export interface Percentile {
  /** Of the very source this rollout has: an entropy and a bound of it do not compare. */
  readonly value: number | undefined;
  readonly tokens: number | undefined;
  readonly rollouts: number | undefined;
  readonly isComputing: boolean;
  readonly isStopped: boolean;
  readonly error: Error | null;
  readonly progress: { readonly stepsDone: number; readonly steps: number } | undefined;
  readonly stop: () => void;
  readonly compute: () => void;
}

type StatisticsParams = Omit<ParamsOf<'token.statistics'>, 'progressKey'>;

/** Signed signals have no percentile here: the host's is of the value, heat goes by its size. */
export function hasPercentile(signal: HeatSignal): boolean {
  return signal === 'entropy' || signal === 'surprisal';
}

export function statisticsParams(
  detail: Pick<RolloutDetail, 'run' | 'row'>,
  kind: ThresholdKind,
  signal: HeatSignal | undefined,
): StatisticsParams | undefined {
  if (signal === undefined || !hasPercentile(signal)) return undefined;
  const run = { runId: detail.run.runId, by: 'step', signal } as const;
  const { step, groupId } = detail.row;
  switch (kind) {
    case 'rollout':
    case 'fixed':
      return undefined;
    case 'group':
      return { ...run, step, groupId };
    case 'step':
      return { ...run, step };
    case 'run':
      return run;
  }
}

/** The keys of a source, in one order: two that say the same are the same. */
const sourceKey = ({ kind, k, unit, temperature, policy }: SignalSource): string =>
  JSON.stringify([kind, k, unit, temperature, policy]);

let lastKey = 0;

export function usePercentile(
  params: StatisticsParams | undefined,
  source: SignalSource | undefined,
): Percentile {
  const client = useClient();
  const queryClient = useQueryClient();
  const text = JSON.stringify(params);
  const [stopped, setStopped] = useState<string>();
  const [progress, setProgress] = useState<{ key: string; stepsDone: number; steps: number }>();
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new key for every question is the point
  const progressKey = useMemo(() => {
    lastKey += 1;
    return `percentile-${lastKey}-${Math.random().toString(36).slice(2)}`;
  }, [text]);
  const isAsked = params !== undefined;
  useEffect(() => {
    if (!isAsked) return;
    return client.subscribe((event) => {
      if (event.event !== 'analysis.progress' || event.payload.progressKey !== progressKey) return;
      setProgress({ key: progressKey, ...event.payload });
    });
  }, [client, progressKey, isAsked]);
  const isStopped = isAsked && stopped === text;
  const queryKey = ['token.statistics', params] as const;
  const query = useQuery({
    queryKey,
    queryFn: ({ signal }) => {
      if (params === undefined) throw new Error('statistics were asked for before their params were known');
      return client.request('token.statistics', { ...params, progressKey }, { signal });
    },
    enabled: isAsked && !isStopped,
  });
  const found =
    source === undefined
      ? undefined
      : query.data?.sources.find((one) => sourceKey(one.source) === sourceKey(source));
  return {
    value: found?.percentile80,
    tokens: found?.tokens,
    rollouts: found?.rollouts,
    isComputing: query.isFetching,
    isStopped,
    error: query.error,
    progress: progress?.key === progressKey ? progress : undefined,
    stop: () => {
      setStopped(text);
      void queryClient.cancelQueries({ queryKey });
    },
    compute: () => {
      setStopped(undefined);
      void query.refetch();
    },
  };
}
