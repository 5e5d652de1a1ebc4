/**
 * The 80th percentile of a signal over a group, a step or the run. Computed on demand, with progress and a stop
 * button.
 */
import type { RolloutDetail } from '../../../../shared/api/contract.ts';
import { type SignalSource, sourceKey } from '../../../../shared/domain/entropy.ts';
import { isSigned } from '../../../../shared/domain/tokenSignal.ts';
import { type LongParams, type Progress, useLongQuery } from '../../../data/useLongQuery.ts';
import type { HeatSignal, ThresholdKind } from '../../../state/tokenView.ts';

export interface Percentile {
  /** Only from rollouts with the same source: an entropy and a bound on it cannot be compared. */
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

/** False for signed signals: the host computes percentiles of the value, but heat uses its magnitude. */
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
