/** The 80th percentile of a signal over a group, a step or the run: asked for on demand, with progress and a stop. */
import type { RolloutDetail } from '../../../../shared/api/contract.ts';
import { type SignalSource, sourceKey } from '../../../../shared/domain/entropy.ts';
import { isSigned } from '../../../../shared/domain/tokenSignal.ts';
import { type LongParams, type Progress, useLongQuery } from '../../../data/useLongQuery.ts';
import type { HeatSignal, ThresholdKind } from '../../../state/tokenView.ts';

export interface Percentile {
  /** Of the very source this rollout has: an entropy and a bound of it do not compare. */
  readonly value: number | undefined;
  readonly tokens: number | undefined;
  readonly rollouts: number | undefined;
  readonly isRunning: boolean;
  readonly isStopped: boolean;
  readonly error: Error | null;
  readonly progress: Progress | undefined;
  readonly stop: () => void;
  readonly restart: () => void;
}

type StatisticsParams = LongParams<'token.statistics'>;

/** Signed signals have no percentile here: the host's is of the value, heat goes by its size. */
export function hasPercentile(signal: HeatSignal): boolean {
  return !isSigned(signal);
}

export function statisticsParams(
  detail: Pick<RolloutDetail, 'run' | 'row'>,
  kind: ThresholdKind,
  signal: HeatSignal | undefined,
): StatisticsParams | undefined {
  if (signal === undefined || !hasPercentile(signal)) return undefined;
  const run = { runId: detail.run.runId, by: ['step' as const], signal };
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

export function usePercentile(
  params: StatisticsParams | undefined,
  source: SignalSource | undefined,
): Percentile {
  const {
    data: answer,
    isFormer,
    isRunning,
    isStopped,
    error,
    progress,
    stop,
    restart,
  } = useLongQuery('token.statistics', params);
  const found =
    source === undefined || isFormer
      ? undefined
      : answer?.sources.find((one) => sourceKey(one.source) === sourceKey(source));
  return {
    value: found?.percentile80,
    tokens: found?.tokens,
    rollouts: found?.rollouts,
    isRunning,
    isStopped,
    error,
    progress,
    stop,
    restart: () => void restart(),
  };
}
