/**
 * Hits of the URL's breakpoints. Requests token values only if a condition needs them. Patterns are evaluated in a
 * worker, once for all components that use this hook.
 */
import { useEffect, useMemo, useSyncExternalStore } from 'react';
import type { RolloutSignal } from '../../../../shared/api/contract.ts';
import type { Hit } from '../../../../shared/domain/breakpoints.ts';
import { useAnnotations } from '../../../data/annotations.ts';
import { useRequest } from '../../../data/useRequest.ts';
import { replaceSearch, useUrlQuery } from '../../../data/useRoute.ts';
import type { PlayheadProps } from '../lanes/laneModel.ts';
import {
  type Break,
  breakSearch,
  laneHits,
  needsLabels,
  needsValues,
  needsWorker,
  type PatternProgress,
  readBreaks,
  type Stop,
  type StoppedLane,
  stopsOf,
} from './breakModel.ts';
import { areSameLanes, BreakpointWorkerClient } from './breakpointWorkerClient.ts';
import Hits from './hits.worker.ts?worker';

const workerClient = new BreakpointWorkerClient(() => new Hits({ name: 'breakpoints' }));

type Signals = readonly (RolloutSignal | undefined)[];

/** One request per lane. Always calls the hook for the maximum number of lanes. */
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

/** Annotations per lane. Always calls the hook for the maximum number of lanes. */
function useLaneAnnotations(lanes: PlayheadProps['lanes'], isWanted: boolean) {
  const idOf = (lane: number) => (isWanted ? lanes[lane]?.detail.row.rolloutId : undefined);
  const a = useAnnotations(idOf(0))?.annotations;
  const b = useAnnotations(idOf(1))?.annotations;
  const c = useAnnotations(idOf(2))?.annotations;
  const d = useAnnotations(idOf(3))?.annotations;
  return useMemo(() => [a, b, c, d], [a, b, c, d]);
}

export interface StopState extends PatternProgress {
  readonly breaks: readonly Break[];
  readonly setBreaks: (breaks: readonly Break[]) => void;
  readonly stops: readonly Stop[];
  /** Signal of the percentiles, per lane. Only if a condition needs values. */
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
  // biome-ignore lint/correctness/useExhaustiveDependencies: `text` holds the breakpoints; the query object changes with every row
  const breaks = useMemo(() => readBreaks(query), [text]);
  const isValued = needsValues(breaks);
  const { signals, isWaiting, error } = useLaneSignals(lanes, isValued);
  const annotations = useLaneAnnotations(lanes, needsLabels(breaks));
  const stopped = useMemo(
    () =>
      lanes.map(({ detail }, lane): StoppedLane => {
        const side = comparison?.lanes[lane]?.fork?.lane;
        const fork =
          side === undefined
            ? undefined
            : { offset: side.offset, ...(side.turn === undefined ? {} : { turn: side.turn }) };
        return { detail, signal: signals[lane], fork, annotations: annotations[lane] };
      }),
    [lanes, comparison, signals, annotations],
  );
  const found = useWorkerHits(stopped, breaks);
  const stops = useMemo(() => {
    const hits = stopped.map((lane, i) => [
      ...laneHits(breaks, lane),
      ...found.hits.flatMap(([breakpoint, own]) => (own[i] ?? []).map((hit) => ({ ...hit, breakpoint }))),
    ]);
    return stopsOf(rows, hits);
  }, [stopped, rows, breaks, found]);
  const { running, leftOut } = found;
  return {
    breaks,
    setBreaks,
    stops,
    signals,
    needsValues: isValued,
    isWaiting,
    error,
    running,
    leftOut,
  };
}

type WorkerHits = readonly (readonly [breakpoint: number, perLane: readonly (readonly Hit[])[]])[];

function useWorkerHits(
  lanes: readonly StoppedLane[],
  breaks: readonly Break[],
): PatternProgress & { readonly hits: WorkerHits } {
  const state = useSyncExternalStore(workerClient.subscribe, workerClient.current);
  const wanted = useMemo(() => breaks.filter(needsWorker), [breaks]);
  const isValued = needsValues(wanted);
  // If no condition combines a pattern with a value, omit the signals: their arrival would only restart the worker.
  const given = useMemo(
    () => (isValued ? lanes : lanes.map((lane) => ({ ...lane, signal: undefined }))),
    [lanes, isValued],
  );
  useEffect(() => workerClient.ask(given, wanted), [given, wanted]);
  return useMemo(() => {
    const outcomes = areSameLanes(given, state.lanes) ? state.outcomes : undefined;
    const running = new Set<string>();
    const leftOut = new Map<string, string>();
    const hits = breaks.flatMap((one, index): WorkerHits => {
      if (!needsWorker(one)) return [];
      const outcome = outcomes?.get(one.text);
      if (outcome === undefined) running.add(one.text);
      else if ('leftOut' in outcome) leftOut.set(one.text, outcome.leftOut);
      else return [[index, outcome.hits]];
      return [];
    });
    return { hits, running, leftOut };
  }, [breaks, given, state]);
}
