/** Where the breakpoints of the link hold. Values of tokens are asked for only where a condition is about them. */
import { useMemo } from 'react';
import type { RolloutSignal } from '../../../../shared/api/contract.ts';
import { replaceSearch, useUrlQuery } from '../../../data/usePlace.ts';
import { useRequest } from '../../../data/useRequest.ts';
import type { PlayheadProps } from '../CompareSide.tsx';
import {
  type Break,
  breakSearch,
  laneHits,
  needsValues,
  readBreaks,
  type Stop,
  stopsOf,
} from './breakModel.ts';

type Signals = readonly (RolloutSignal | undefined)[];

/** One per lane; the number of hooks is that of the lanes there can be. */
export function useLaneSignals(
  lanes: PlayheadProps['lanes'],
  isWanted: boolean,
): { readonly signals: Signals; readonly isWaiting: boolean; readonly error: Error | null } {
  const idOf = (lane: number) => {
    const detail = lanes[lane]?.detail;
    return !isWanted || detail?.tokens === undefined ? undefined : { rolloutId: detail.row.rolloutId };
  };
  const a = useRequest('rollout.signal', idOf(0));
  const b = useRequest('rollout.signal', idOf(1));
  const c = useRequest('rollout.signal', idOf(2));
  const d = useRequest('rollout.signal', idOf(3));
  const signals = useMemo(() => [a.data, b.data, c.data, d.data], [a.data, b.data, c.data, d.data]);
  return {
    signals,
    isWaiting: [a, b, c, d].some(({ isLoading }) => isLoading),
    error: a.error ?? b.error ?? c.error ?? d.error,
  };
}

export interface StopState {
  readonly breaks: readonly Break[];
  readonly setBreaks: (breaks: readonly Break[]) => void;
  readonly stops: readonly Stop[];
  /** What the percentiles are of, per lane; only where a condition asks for values. */
  readonly signals: Signals;
  readonly needsValues: boolean;
  readonly isWaiting: boolean;
  readonly error: Error | null;
}

const setBreaks = (breaks: readonly Break[]) =>
  replaceSearch(breakSearch(breaks, new URLSearchParams(window.location.search)));

export function useStops({ lanes, rows, comparison }: PlayheadProps): StopState {
  const [query] = useUrlQuery();
  const text = query.getAll('break').join('\n');
  // biome-ignore lint/correctness/useExhaustiveDependencies: the query is new with every row, its breakpoints are not
  const breaks = useMemo(() => readBreaks(query), [text]);
  const isValued = needsValues(breaks);
  const { signals, isWaiting, error } = useLaneSignals(lanes, isValued);
  const stops = useMemo(() => {
    const hits = lanes.map(({ detail }, lane) => {
      const side = comparison?.lanes[lane]?.fork?.lane;
      const fork =
        side === undefined
          ? undefined
          : { offset: side.offset, ...(side.turn === undefined ? {} : { turn: side.turn }) };
      return laneHits(breaks, { detail, signal: signals[lane], fork });
    });
    return stopsOf(rows, hits);
  }, [lanes, rows, comparison, breaks, signals]);
  return { breaks, setBreaks, stops, signals, needsValues: isValued, isWaiting, error };
}
