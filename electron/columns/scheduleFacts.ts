/** Summary figures of a step's schedule. */
import type { ScheduleFacts } from '../../shared/api/contract.ts';
import {
  inFlight,
  isStraggler,
  meanInFlight,
  peakOf,
  type StepTimes,
  stepTimes,
} from '../../shared/domain/schedule.ts';
import type { ColumnSource } from './series.ts';

export interface PlacedRollouts {
  /** Indices into the columns of the step. */
  readonly at: Uint32Array;
  /** Seconds since 1970. */
  readonly starts: Float64Array;
  readonly ends: Float64Array;
}

/** Rollouts with a start and an end; an end before the start is ignored. */
export function placedRollouts(source: ColumnSource, mask: Uint8Array | undefined): PlacedRollouts {
  const startedAt = source.column('startedAt');
  const endedAt = source.column('endedAt');
  const found: number[] = [];
  for (let i = 0; i < startedAt.length; i++)
    if (mask?.[i] !== 0 && (endedAt[i] ?? Number.NaN) >= (startedAt[i] ?? Number.NaN)) found.push(i);
  const at = Uint32Array.from(found);
  return {
    at,
    starts: Float64Array.from(at, (i) => startedAt[i] ?? 0),
    ends: Float64Array.from(at, (i) => endedAt[i] ?? 0),
  };
}

export interface PlacedCalls {
  /** Index into `PlacedRollouts.at` of each call's rollout. */
  readonly rollout: Uint32Array;
  /** Seconds since 1970; NaN: unknown. */
  readonly starts: Float64Array;
  readonly latencySeconds: Float64Array;
}

/** Calls with a known latency in placed rollouts. */
export function callsOfPlaced(source: ColumnSource, { at }: PlacedRollouts): PlacedCalls {
  const callRollout = source.column('callRollout');
  const latencyMs = source.column('callLatencyMs');
  const startedAt = source.column('callStartedAt');
  const placeOf = new Int32Array(source.column('rolloutId').length).fill(-1);
  at.forEach((i, place) => {
    placeOf[i] = place;
  });
  const found: number[] = [];
  for (let i = 0; i < callRollout.length; i++)
    if ((placeOf[callRollout[i] ?? 0] ?? -1) >= 0 && (latencyMs[i] ?? Number.NaN) >= 0) found.push(i);
  return {
    rollout: Uint32Array.from(found, (i) => placeOf[callRollout[i] ?? 0] ?? 0),
    starts: Float64Array.from(found, (i) => startedAt[i] ?? Number.NaN),
    latencySeconds: Float64Array.from(found, (i) => (latencyMs[i] ?? 0) / 1000),
  };
}

/** @returns ends of the calls; undefined when a start is missing */
export function callEnds({ starts, latencySeconds }: PlacedCalls): Float64Array | undefined {
  if (starts.length === 0 || starts.some(Number.isNaN)) return undefined;
  return starts.map((start, i) => start + (latencySeconds[i] ?? 0));
}

export function scheduleFacts(source: ColumnSource, mask: Uint8Array | undefined): ScheduleFacts | undefined {
  const placed = placedRollouts(source, mask);
  const times = stepTimes(placed.starts, placed.ends);
  return times === undefined ? undefined : factsOf(placed, callsOfPlaced(source, placed), times);
}

export function factsOf(
  { starts, ends }: PlacedRollouts,
  calls: PlacedCalls,
  times: StepTimes,
): ScheduleFacts {
  const { tailFrom: _tailFrom, ...seconds } = times;
  let stragglers = 0;
  for (let i = 0; i < starts.length; i++) if (isStraggler(starts[i] ?? 0, ends[i] ?? 0, times)) stragglers++;
  const meanCalls = meanInFlight(
    calls.latencySeconds.reduce((sum, seconds) => sum + seconds, 0),
    times.wallSeconds,
  );
  const closed = callEnds(calls);
  return {
    placed: starts.length,
    ...seconds,
    stragglers,
    peakRollouts: peakOf(inFlight(starts, ends)),
    ...(calls.starts.length === 0 || Number.isNaN(meanCalls) ? {} : { meanCalls }),
    ...(closed === undefined ? {} : { peakCalls: peakOf(inFlight(calls.starts, closed)) }),
  };
}
