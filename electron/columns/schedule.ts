/** Schedule of a step: worker lanes, rollout bars, and idle time. */
import type {
  CountOverTime,
  KvCacheLine,
  LatencyBySource,
  MatchingSchedule,
  ScheduleLane,
  StepSchedule,
} from '../../shared/api/contract.ts';
import {
  busySeconds,
  type InFlight,
  inFlight,
  isStraggler,
  nearestRank,
  packRows,
  type StepTimes,
  stepTimes,
} from '../../shared/domain/schedule.ts';
import type { ReadableLibrary } from '../storage/open.ts';
import { cacheUses } from '../storage/queries/schedule.ts';
import { type CacheLine, cacheLines } from './cacheLines.ts';
import type { RunTable } from './columnStore.ts';
import {
  callEnds,
  callsOfPlaced,
  factsOf,
  type PlacedCalls,
  type PlacedRollouts,
  placedRollouts,
} from './scheduleFacts.ts';
import type { StepTable } from './stepTable.ts';

interface ScheduleQuestion {
  readonly run: RunTable;
  readonly table: StepTable;
  /** One byte per rollout; 1 if it matches. Absent: no filter. */
  readonly mask?: Uint8Array;
}

/**
 * Lanes, concurrency, busy and idle time cover all rollouts of the step. A filter only marks bars.
 * `matching`, `latencies` and `queue` cover matching rollouts only. Times are logged seconds.
 */
export function stepSchedule(db: ReadableLibrary, { run, table, mask }: ScheduleQuestion): StepSchedule {
  const placed = placedRollouts(table, undefined);
  const times = stepTimes(placed.starts, placed.ends);
  const counted = {
    rollouts: table.count,
    ...(mask === undefined ? {} : { matching: matchingOf(placed, mask, times) }),
    unplaced: unplacedOf(table),
    latencies: latenciesOf(table, mask),
    ...queueOf(table, mask),
    idleWorkers: idleWorkersOf(run, table),
  };
  if (times === undefined) return { ...counted, ...NOTHING_PLACED };
  const origin = placed.starts.reduce((least, start) => Math.min(least, start), Number.POSITIVE_INFINITY);
  const { lanes, order, laneOf, rowOf } = lanesOf(table, placed);
  const calls = callsOfPlaced(table, placed);
  const closed = callEnds(calls);
  const { waits, waitSeconds } = waitsOf(calls, order, origin);
  const pick = (of: ArrayLike<number>) => (place: number) => of[placed.at[place] ?? 0] ?? 0;
  const uses = cacheUses(db, table);
  return {
    ...counted,
    origin,
    facts: factsOf(placed, calls, times),
    tailFrom: times.tailFrom - origin,
    lanes,
    bars: {
      rolloutId: Uint32Array.from(order, pick(table.column('rolloutId'))),
      lane: laneOf,
      row: rowOf,
      start: Float32Array.from(order, (place) => (placed.starts[place] ?? 0) - origin),
      end: Float32Array.from(order, (place) => (placed.ends[place] ?? 0) - origin),
      isCorrect: Int32Array.from(order, pick(table.column('isCorrect'))),
      reward: Float32Array.from(order, pick(table.column('reward'))),
      turns: Int32Array.from(order, pick(table.column('turns'))),
      policyTokens: Int32Array.from(order, pick(table.column('policyTokens'))),
      straggler: Uint8Array.from(order, (place) =>
        Number(isStraggler(placed.starts[place] ?? 0, placed.ends[place] ?? 0, times)),
      ),
      matches: Uint8Array.from(order, (place) => mask?.[placed.at[place] ?? 0] ?? 1),
      waitSeconds,
    },
    waits,
    inFlight: fromOrigin(inFlight(placed.starts, placed.ends), origin),
    ...(closed === undefined ? {} : { callsInFlight: fromOrigin(inFlight(calls.starts, closed), origin) }),
    kvCache: linesFrom(cacheLines(uses), origin),
    ...idleGpuOf(table, placed, times.wallSeconds),
  };
}

const NOTHING_PLACED = {
  lanes: [],
  bars: {
    rolloutId: new Uint32Array(),
    lane: new Uint32Array(),
    row: new Uint32Array(),
    start: new Float32Array(),
    end: new Float32Array(),
    isCorrect: new Int32Array(),
    reward: new Float32Array(),
    turns: new Int32Array(),
    policyTokens: new Int32Array(),
    straggler: new Uint8Array(),
    matches: new Uint8Array(),
    waitSeconds: new Float32Array(),
  },
  waits: { bar: new Uint32Array(), start: new Float32Array(), end: new Float32Array() },
  inFlight: { at: new Float32Array(), counts: new Uint32Array() },
  kvCache: [],
} as const satisfies Partial<StepSchedule>;

function fromOrigin({ at, counts }: InFlight, origin: number): CountOverTime {
  return { at: Float32Array.from(at, (time) => time - origin), counts };
}

function linesFrom(lines: readonly CacheLine[], origin: number): readonly KvCacheLine[] {
  return lines.map((line) => ({ ...line, at: Float32Array.from(line.at, (time) => time - origin) }));
}

function matchingOf(
  { at, starts, ends }: PlacedRollouts,
  mask: Uint8Array,
  times: StepTimes | undefined,
): MatchingSchedule {
  const durations: number[] = [];
  let stragglers = 0;
  at.forEach((i, place) => {
    const [start, end] = [starts[place] ?? 0, ends[place] ?? 0];
    if (mask[i] !== 1) return;
    durations.push(end - start);
    if (times !== undefined && isStraggler(start, end, times)) stragglers++;
  });
  const sorted = Float64Array.from(durations).sort();
  return {
    rollouts: mask.reduce((sum, one) => sum + one, 0),
    placed: sorted.length,
    ...(sorted.length === 0 ? {} : { medianSeconds: nearestRank(sorted, 0.5) }),
    stragglers,
  };
}

function unplacedOf(table: StepTable): StepSchedule['unplaced'] {
  const [startedAt, endedAt, duration] = [
    table.column('startedAt'),
    table.column('endedAt'),
    table.column('duration'),
  ];
  let withStart = 0;
  let withDuration = 0;
  for (let i = 0; i < startedAt.length; i++) {
    const [start, end] = [startedAt[i] ?? Number.NaN, endedAt[i] ?? Number.NaN];
    if (end >= start) continue;
    if (!Number.isNaN(start)) withStart++;
    else if (!Number.isNaN(duration[i] ?? Number.NaN)) withDuration++;
  }
  return { withStart, withDuration };
}

/**
 * Placed rollouts by GPU, then worker, both in natural order (`w2` before `w10`). Rollouts without either
 * come last.
 */
function lanesOf(table: StepTable, { at, starts, ends }: PlacedRollouts) {
  const [worker, gpu] = [table.column('worker'), table.column('gpu')];
  const [workers, gpus] = [table.dictionary('worker'), table.dictionary('gpu')];
  const byLane = new Map<string, number[]>();
  at.forEach((i, place) => {
    const key = `${gpu[i] ?? 0} ${worker[i] ?? 0}`;
    const places = byLane.get(key);
    if (places === undefined) byLane.set(key, [place]);
    else places.push(place);
  });
  const named = [...byLane].map(([key, places]) => {
    const [gpuCode = 0, workerCode = 0] = key.split(' ').map(Number);
    return { gpu: gpus[gpuCode - 1], worker: workers[workerCode - 1], places };
  });
  named.sort((a, b) => asCounted(a.gpu, b.gpu) || asCounted(a.worker, b.worker));
  const lanes: ScheduleLane[] = [];
  const order = new Uint32Array(at.length);
  const laneOf = new Uint32Array(at.length);
  const rowOf = new Uint32Array(at.length);
  let next = 0;
  named.forEach((lane, number) => {
    const places = Uint32Array.from(lane.places).sort((a, b) => (starts[a] ?? 0) - (starts[b] ?? 0) || a - b);
    const from = Float64Array.from(places, (place) => starts[place] ?? 0);
    const to = Float64Array.from(places, (place) => ends[place] ?? 0);
    const packed = packRows(from, to);
    order.set(places, next);
    laneOf.fill(number, next, next + places.length);
    rowOf.set(packed.row, next);
    next += places.length;
    lanes.push({
      ...(lane.worker === undefined ? {} : { worker: lane.worker }),
      ...(lane.gpu === undefined ? {} : { gpu: lane.gpu }),
      rollouts: places.length,
      rows: packed.rows,
      busySeconds: busySeconds(from, to),
    });
  });
  return { lanes, order, laneOf, rowOf };
}

function asCounted(a: string | undefined, b: string | undefined): number {
  if (a === undefined || b === undefined) return Number(a === undefined) - Number(b === undefined);
  return a.localeCompare(b, 'en', { numeric: true });
}

/** Calls with a known start are placed. For the others, only the sum is known. */
function waitsOf(calls: PlacedCalls, order: Uint32Array, origin: number) {
  const barOf = new Uint32Array(order.length);
  order.forEach((place, bar) => {
    barOf[place] = bar;
  });
  const waitSeconds = new Float32Array(order.length).fill(Number.NaN);
  const found: number[] = [];
  calls.starts.forEach((start, i) => {
    const bar = barOf[calls.rollout[i] ?? 0] ?? 0;
    const before = waitSeconds[bar] ?? Number.NaN;
    const unplaced = Number.isNaN(start) ? (calls.latencySeconds[i] ?? 0) : 0;
    waitSeconds[bar] = (Number.isNaN(before) ? 0 : before) + unplaced;
    if (!Number.isNaN(start)) found.push(i);
  });
  const waits = {
    bar: Uint32Array.from(found, (i) => barOf[calls.rollout[i] ?? 0] ?? 0),
    start: Float32Array.from(found, (i) => (calls.starts[i] ?? 0) - origin),
    end: Float32Array.from(found, (i) => (calls.starts[i] ?? 0) + (calls.latencySeconds[i] ?? 0) - origin),
  };
  return { waits, waitSeconds };
}

const SOURCES: readonly (readonly [code: number, source: LatencyBySource['source']])[] = [
  [1, 'logged'],
  [0, 'derived'],
];

function latenciesOf(table: StepTable, mask: Uint8Array | undefined): readonly LatencyBySource[] {
  const [rollout, latencyMs, isLogged] = [
    table.column('callRollout'),
    table.column('callLatencyMs'),
    table.column('callLatencyLogged'),
  ];
  return SOURCES.flatMap(([code, source]) => {
    const sorted = knownOf(latencyMs, (i) => isLogged[i] === code && mask?.[rollout[i] ?? 0] !== 0);
    if (sorted.length === 0) return [];
    const rank = (share: number): number => nearestRank(sorted, share);
    return [{ source, calls: sorted.length, p50Ms: rank(0.5), p95Ms: rank(0.95), maxMs: rank(1) }];
  });
}

function queueOf(table: StepTable, mask: Uint8Array | undefined): Pick<StepSchedule, 'queue'> {
  const rollout = table.column('callRollout');
  const sorted = knownOf(table.column('callQueueMs'), (i) => mask?.[rollout[i] ?? 0] !== 0);
  if (sorted.length === 0) return {};
  return {
    queue: { calls: sorted.length, p50Ms: nearestRank(sorted, 0.5), p95Ms: nearestRank(sorted, 0.95) },
  };
}

function knownOf(column: Float32Array, counts: (i: number) => boolean): Float64Array {
  const found: number[] = [];
  column.forEach((value, i) => {
    if (!Number.isNaN(value) && counts(i)) found.push(value);
  });
  return Float64Array.from(found).sort();
}

function idleWorkersOf(run: RunTable, table: StepTable): readonly string[] {
  const here = new Set(table.dictionary('worker'));
  // Without logged workers, missing workers cannot be determined.
  if (here.size === 0) return [];
  const elsewhere = new Set(run.steps.flatMap((other) => other.dictionary('worker')));
  return [...elsewhere].filter((worker) => !here.has(worker)).sort(asCounted);
}

function idleGpuOf(
  table: StepTable,
  { at, starts, ends }: PlacedRollouts,
  wallSeconds: number,
): Pick<StepSchedule, 'idleGpuSeconds'> {
  const gpu = table.column('gpu');
  const gpus = table.dictionary('gpu');
  const byGpu = new Map<number, number[]>();
  at.forEach((i, place) => {
    const code = gpu[i] ?? 0;
    const places = byGpu.get(code);
    if (places === undefined) byGpu.set(code, [place]);
    else places.push(place);
  });
  if (byGpu.has(0)) return {};
  let idle = 0;
  for (const [code, places] of byGpu) {
    const busy = busySeconds(
      places.map((place) => starts[place] ?? 0),
      places.map((place) => ends[place] ?? 0),
    );
    // An engine over several GPUs occupies all of them.
    idle += (wallSeconds - busy) * (gpus[code - 1] ?? '').split('+').length;
  }
  return { idleGpuSeconds: idle };
}
