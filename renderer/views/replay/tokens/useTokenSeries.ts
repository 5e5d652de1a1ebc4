/** The chosen signal of a rollout, and which others it has. */
import { startTransition, useEffect, useMemo, useState } from 'react';
import type { RolloutDetail } from '../../../../shared/api/contract.ts';
import type { SignalSource } from '../../../../shared/domain/entropy.ts';
import { useRequest } from '../../../data/useRequest.ts';
import { HEAT_SIGNALS, type HeatSignal, useTokenView } from '../../../state/tokenView.ts';
import { isHeatSignal, seriesOf, signalLabels, type TokenSeries } from '../text/tokenHeat.ts';

export interface TokenSeriesState {
  readonly series: TokenSeries | undefined;
  readonly source: SignalSource | undefined;
  readonly available: readonly HeatSignal[];
  readonly isWaiting: boolean;
  readonly error: Error | null;
}

const NONE: readonly HeatSignal[] = [];

/** Parameters for `rollout.signal`: the signal that the user has chosen, else the best available one. */
export function signalParams(
  wanted: HeatSignal | undefined,
  vocabulary: number | undefined,
): { readonly signal?: HeatSignal; readonly vocabulary?: number | undefined } {
  return wanted === undefined || wanted === 'entropy' ? { vocabulary } : { signal: wanted };
}

export function useTokenSeries(detail: RolloutDetail): TokenSeriesState {
  const wanted = useTokenView((state) => state.signal);
  const vocabulary = useTokenView((state) => state.vocabulary);
  const { rolloutId } = detail.row;
  const info = detail.tokens;
  // The first response lists the signals. If this rollout lacks the preferred one, the best available is used.
  const isBestWanted = wanted === undefined || wanted === 'entropy';
  const asked = info === undefined ? undefined : { rolloutId, ...signalParams(wanted, vocabulary) };
  const best = useRequest('rollout.signal', isBestWanted ? asked : undefined);
  const chosen = useRequest('rollout.signal', isBestWanted ? undefined : asked);
  const isMissing = chosen.data !== undefined && chosen.data.signal === undefined;
  const fallback = useRequest('rollout.signal', isMissing ? { rolloutId, vocabulary } : undefined);
  const answer = isMissing ? fallback : chosen.data === undefined && best.data !== undefined ? best : chosen;
  // Draw the text first: sorting and marking 100,000 tokens takes as long as drawing the page.
  const isDrawn = useIsDrawn(rolloutId);
  const logged = isDrawn ? (answer.data ?? best.data) : undefined;

  const series = useMemo(() => {
    if (logged === undefined || !isHeatSignal(logged.signal)) return undefined;
    const words = signalLabels(logged);
    return words === undefined ? undefined : seriesOf(logged, logged.signal, words);
  }, [logged]);
  const names = logged?.available;
  const available = useMemo(
    () => (names === undefined ? NONE : HEAT_SIGNALS.filter((name) => names.includes(name))),
    [names],
  );
  return {
    series,
    source: logged?.source,
    available,
    isWaiting: info !== undefined && logged === undefined,
    error: best.error ?? chosen.error ?? fallback.error,
  };
}

/** Whether a frame was painted since the rollout was rendered. */
function useIsDrawn(rolloutId: number): boolean {
  const [drawn, setDrawn] = useState<number>();
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const frame = requestAnimationFrame(() => {
      timer = setTimeout(() => startTransition(() => setDrawn(rolloutId)));
    });
    return () => {
      cancelAnimationFrame(frame);
      clearTimeout(timer);
    };
  }, [rolloutId]);
  return drawn === rolloutId;
}
