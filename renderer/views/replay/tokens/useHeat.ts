import { useDeferredValue, useMemo } from 'react';
import type { RolloutDetail } from '../../../../shared/api/contract.ts';
import { type HeatSignal, useTokenView } from '../../../state/tokenView.ts';
import { resolveThreshold } from '../text/thresholdModel.ts';
import { type Heat, heatOf } from '../text/tokenHeat.ts';
import { useReflectionWindow } from './useLexicon.ts';
import { hasPercentile, type Percentile, statisticsParams, usePercentile } from './usePercentile.ts';
import { useTokenSeries } from './useTokenSeries.ts';

export interface HeatState {
  /** Undefined while it is loading, or if no signal was logged. */
  readonly heat: Heat | undefined;
  readonly available: readonly HeatSignal[];
  readonly percentile: Percentile;
  readonly isWaiting: boolean;
  readonly error: Error | null;
}

/** The signal of a rollout with its threshold and classes. */
export function useHeat(detail: RolloutDetail): HeatState {
  const { series, source, available, isWaiting, error } = useTokenSeries(detail);
  const chosenKind = useTokenView((state) => state.thresholdKind);
  // Deferred, so that dragging a slider does not wait for the text to be marked.
  const share = useDeferredValue(useTokenView((state) => state.share));
  const fixed = useDeferredValue(
    useTokenView((state) => (series === undefined ? undefined : state.fixed[series.signal])),
  );
  const window = useDeferredValue(useReflectionWindow());
  const isComparable = series === undefined || hasPercentile(series.signal);
  const kind = isComparable || chosenKind === 'fixed' ? chosenKind : 'rollout';
  const percentile = usePercentile(statisticsParams(detail, kind, series?.signal), source);
  const { value } = percentile;
  const heat = useMemo(() => {
    if (series === undefined) return undefined;
    const { known } = series;
    const threshold = resolveThreshold({ kind, share, fixed, percentile: value, known });
    return heatOf(series, threshold, detail, window);
  }, [series, kind, share, fixed, value, detail, window]);
  return { heat, available, percentile, isWaiting, error };
}
