/** The schedule of a step equals the public views of the same library and the lines of the log. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ColumnQueryEngine } from '../../electron/columns/queryEngine.ts';
import { openReader, type ReadableLibrary } from '../../electron/storage/open.ts';
import { rolloutRows } from '../../electron/storage/queries/lists.ts';
import { CACHE_USES } from '../../electron/storage/queries/schedule.ts';
import type { StepFacts, StepSchedule } from '../../shared/api/contract.ts';
import { askColumns, type ColumnQuestion } from '../support/columnQuestion.ts';
import { ingestHere, type Scratch, scratch } from '../support/library.ts';

const LOG = join(import.meta.dirname, '../../fixtures/turnwise/schedule/input.jsonl');

interface Logged {
  readonly step: number;
  readonly reward: number;
  readonly tool_calls: readonly {
    readonly latency_ms: number;
    readonly start?: number;
    readonly queue_ms: number;
  }[];
  readonly timing: {
    readonly start: number;
    readonly end: number;
    readonly worker: string;
    readonly gpu: number;
  };
}

const lines = readFileSync(LOG, 'utf8')
  .split('\n')
  .filter((line) => line.includes('"type":"rollout"'))
  .map((line) => JSON.parse(line) as Logged);
const ofStep = (step: number): readonly Logged[] => lines.filter((line) => line.step === step);

let place: Scratch;
let db: ReadableLibrary;
let runId: number;
beforeAll(async () => {
  place = scratch();
  const plain = {
    v: 1,
    type: 'rollout',
    run: 'untimed',
    step: 1,
    group: 'g',
    problem: { prompt: 'p' },
    text: 'a',
  };
  await ingestHere(place.library, [
    LOG,
    place.file(
      'untimed.jsonl',
      [
        { ...plain, index: 0 },
        { ...plain, index: 1, timing: { start: 5 } },
        { ...plain, index: 2, timing: { start: 9, end: 7, worker: 'w' } },
      ]
        .map((line) => `${JSON.stringify(line)}\n`)
        .join(''),
    ),
  ]);
  db = openReader(place.library);
  runId = idOf('synthetic-schedule');
});
afterAll(() => {
  db.close();
  place.remove();
});

const idOf = (runKey: string): number =>
  Number(db.prepare('SELECT run_id FROM run WHERE run_key = ?').pluck().get(runKey));

function ask<T>(question: ColumnQuestion): T {
  const result = askColumns(new ColumnQueryEngine(db), question);
  if (!result.ok) throw new Error(result.failure.message);
  return result.value as T;
}
const schedule = (step: number, filter = '', of = runId): StepSchedule =>
  ask({ method: 'step.schedule', runId: of, step, filter });

/** Maximum number of open intervals, counted at each start. */
const peak = (intervals: readonly (readonly [start: number, end: number])[]): number =>
  Math.max(...intervals.map(([at]) => intervals.filter(([start, end]) => start <= at && at < end).length));

describe.each([1, 2])('step %i of a log with timing', (step) => {
  const logged = ofStep(step);
  const wall =
    Math.max(...logged.map(({ timing }) => timing.end)) -
    Math.min(...logged.map(({ timing }) => timing.start));
  const calls = logged.flatMap(({ tool_calls }) => tool_calls);

  it('wall time, concurrency and calls in flight equal those of its lines', () => {
    const { facts, rollouts } = schedule(step);
    expect([rollouts, facts?.placed]).toEqual([logged.length, logged.length]);
    expect(facts?.wallSeconds).toBeCloseTo(wall, 5);
    expect(facts?.peakRollouts).toBe(peak(logged.map(({ timing }) => [timing.start, timing.end])));
    const taken = calls.reduce((sum, { latency_ms }) => sum + latency_ms / 1000, 0);
    expect(facts?.meanCalls).toBeCloseTo(taken / wall, 5);
    const ends = logged.map(({ timing }) => timing.end).sort((a, b) => a - b);
    const tailFrom = ends[Math.ceil(0.9 * ends.length) - 1] ?? 0;
    expect(facts?.tailSeconds).toBeCloseTo((ends.at(-1) ?? 0) - tailFrom, 5);
    expect(facts?.stragglers).toBe(1);
  });

  it('charts over steps show the same', () => {
    const { steps } = ask<{ readonly steps: readonly StepFacts[] }>({
      method: 'step.series',
      runId,
      filter: '',
    });
    const found = steps.find((each) => each.step === step);
    expect(found?.schedule).toEqual(schedule(step).facts);
    const sorted = calls.map(({ latency_ms }) => latency_ms).sort((a, b) => a - b);
    const rank = (share: number): number | undefined => sorted[Math.ceil(share * sorted.length) - 1];
    expect(found?.latency).toMatchObject({
      ...{ calls: calls.length, logged: calls.length, derived: 0 },
      ...{ p50Ms: rank(0.5), p95Ms: rank(0.95), maxMs: rank(1) },
    });
    expect(schedule(step).latencies).toEqual([
      { source: 'logged', calls: calls.length, p50Ms: rank(0.5), p95Ms: rank(0.95), maxMs: rank(1) },
    ]);
    expect(schedule(step).queue?.calls).toBe(calls.length);
  });

  it('lanes are its workers by GPU, and busy as long as one of theirs ran', () => {
    const { lanes, idleGpuSeconds } = schedule(step);
    const named = new Map<string, Logged['timing'][]>();
    for (const { timing } of logged) {
      const key = `${timing.gpu} ${timing.worker}`;
      named.set(key, [...(named.get(key) ?? []), timing]);
    }
    expect(lanes.map(({ gpu, worker }) => `${gpu} ${worker}`)).toEqual([...named.keys()].sort());
    for (const lane of lanes) {
      const timings = named.get(`${lane.gpu} ${lane.worker}`) ?? [];
      expect(lane.rollouts).toBe(timings.length);
      expect(lane.rows).toBe(peak(timings.map(({ start, end }) => [start, end])));
      expect(lane.busySeconds).toBeCloseTo(covered(timings), 4);
    }
    const gpus = [...new Set(logged.map(({ timing }) => timing.gpu))];
    const idle = gpus.map(
      (gpu) => wall - covered(logged.map(({ timing }) => timing).filter((t) => t.gpu === gpu)),
    );
    expect(idleGpuSeconds).toBeCloseTo(
      idle.reduce((sum, each) => sum + each, 0),
      4,
    );
  });
});

/** Scans hundredths of a second, the resolution of the log. */
function covered(timings: readonly { readonly start: number; readonly end: number }[]): number {
  const from = Math.min(...timings.map(({ start }) => start));
  const hundredths = (at: number): number => Math.round((at - from) * 100);
  const busy = new Set<number>();
  for (const { start, end } of timings)
    for (let at = hundredths(start); at < hundredths(end); at++) busy.add(at);
  return busy.size / 100;
}

it('rows of rollouts have duration and worker', () => {
  const ids = db
    .prepare<[number], number>('SELECT rollout_id FROM rollout WHERE run_id = ? ORDER BY line')
    .pluck()
    .all(runId);
  const said = rolloutRows(db, ids);
  expect(said.length).toBe(lines.length);
  for (const [i, { duration, worker, gpu }] of said.entries()) {
    const timing = lines[i]?.timing;
    expect(duration).toBeCloseTo((timing?.end ?? 0) - (timing?.start ?? 0), 6);
    expect([worker, gpu]).toEqual([timing?.worker, String(timing?.gpu)]);
  }
});

it('bars are the rollouts of the view, each on its worker', () => {
  const { bars, lanes, origin = 0 } = schedule(1);
  const rows = db
    .prepare(
      'SELECT rollout_id AS id, started_at, duration, worker, gpu, is_correct, turns FROM rollout WHERE run_id = ? AND step = 1',
    )
    .all(runId) as Record<string, number | string>[];
  expect([...bars.rolloutId].sort((a, b) => a - b)).toEqual(rows.map(({ id }) => id));
  bars.rolloutId.forEach((id, i) => {
    const row = rows.find((each) => each['id'] === id);
    expect(origin + (bars.start[i] ?? 0)).toBeCloseTo(Number(row?.['started_at']), 3);
    expect((bars.end[i] ?? 0) - (bars.start[i] ?? 0)).toBeCloseTo(Number(row?.['duration']), 3);
    expect(lanes[bars.lane[i] ?? 0]).toMatchObject({ worker: row?.['worker'], gpu: row?.['gpu'] });
    expect([bars.isCorrect[i], bars.turns[i]]).toEqual([row?.['is_correct'], row?.['turns']]);
  });
});

it('waits have a position if their start is logged, and are summed otherwise', () => {
  const placed = schedule(1);
  expect(placed.waits.bar.length).toBe(ofStep(1).flatMap(({ tool_calls }) => tool_calls).length);
  expect(placed.bars.waitSeconds.some((seconds) => seconds > 0)).toBe(false);
  placed.waits.bar.forEach((bar, i) => {
    expect(placed.waits.start[i]).toBeGreaterThanOrEqual((placed.bars.start[bar] ?? 0) - 0.01);
    expect(placed.waits.end[i]).toBeLessThanOrEqual((placed.bars.end[bar] ?? 0) + 0.01);
  });
  expect(placed.callsInFlight?.counts.at(-1)).toBe(0);
  const summed = schedule(2);
  expect([summed.waits.bar.length, summed.callsInFlight, summed.facts?.peakCalls]).toEqual([
    0,
    undefined,
    undefined,
  ]);
  const total = ofStep(2)
    .flatMap(({ tool_calls }) => tool_calls)
    .reduce((sum, { latency_ms }) => sum + latency_ms, 0);
  const drawn = summed.bars.waitSeconds.reduce(
    (sum, seconds) => sum + (Number.isNaN(seconds) ? 0 : seconds),
    0,
  );
  expect(drawn).toBeCloseTo(total / 1000, 3);
});

it('names idle workers of other steps, whatever the filter', () => {
  expect(schedule(1).idleWorkers).toEqual([]);
  expect(schedule(2).idleWorkers).toEqual(['w2']);
  expect(schedule(2, 'reward:1').idleWorkers).toEqual(['w2']);
});

describe('under a filter', () => {
  const filter = 'worker:w1 reward:1';
  const wanted = ofStep(1).filter(({ timing, reward }) => timing.worker === 'w1' && reward === 1);

  it('busy, idle, concurrency and stragglers cover the whole step', () => {
    const { matching, latencies, queue, bars, ...filtered } = schedule(1, filter);
    const { latencies: _l, queue: _q, bars: allBars, ...all } = schedule(1);
    expect(filtered).toEqual(all);
    expect({ ...bars, matches: allBars.matches }).toEqual(allBars);
    const logged = ofStep(1).map(({ timing }) => timing);
    const wall = Math.max(...logged.map(({ end }) => end)) - Math.min(...logged.map(({ start }) => start));
    const idle = [...new Set(logged.map(({ gpu }) => gpu))].reduce(
      (sum, gpu) => sum + wall - covered(logged.filter((t) => t.gpu === gpu)),
      0,
    );
    expect(filtered.idleGpuSeconds).toBeCloseTo(idle, 4);
    expect(latencies).not.toEqual(_l);
  });

  it('matches are marked, and have their own figures', () => {
    const { rollouts, matching, bars, lanes, latencies } = schedule(1, filter);
    expect(wanted.length).toBeGreaterThan(0);
    expect([rollouts, bars.start.length]).toEqual(Array(2).fill(ofStep(1).length));
    const durations = wanted.map(({ timing }) => timing.end - timing.start).sort((a, b) => a - b);
    expect(matching).toMatchObject({ rollouts: wanted.length, placed: wanted.length });
    expect(matching?.medianSeconds).toBeCloseTo(durations[Math.ceil(durations.length / 2) - 1] ?? 0, 5);
    const marked = [...bars.matches.keys()].filter((i) => bars.matches[i] === 1);
    expect(marked.map((i) => [lanes[bars.lane[i] ?? 0]?.worker, bars.reward[i]])).toEqual(
      wanted.map(() => ['w1', 1]),
    );
    expect(latencies.reduce((sum, { calls }) => sum + calls, 0)).toBe(
      wanted.flatMap(({ tool_calls }) => tool_calls).length,
    );
  });

  it('a filter without matches keeps the whole step', () => {
    const { matching, facts, bars } = schedule(1, 'worker:nobody');
    expect(matching).toEqual({ rollouts: 0, placed: 0, stragglers: 0 });
    expect([facts?.placed, bars.matches.includes(1)]).toEqual([ofStep(1).length, false]);
  });
});

it('KV cache use is drawn per GPU in order of time, in all logged forms', () => {
  const { kvCache } = schedule(1);
  expect(kvCache.map(({ gpu }) => gpu)).toEqual(['0', '1']);
  for (const { at, share } of kvCache) {
    expect([...at]).toEqual([...at].sort((a, b) => a - b));
    expect(share.every((each) => each >= 0 && each <= 1)).toBe(true);
  }
  const logged = db
    .prepare('SELECT kv_cache FROM rollout WHERE run_id = ? AND step = 1 AND kv_cache IS NOT NULL')
    .pluck()
    .all(runId)
    .map((json) => JSON.parse(String(json)) as unknown);
  const points = logged.reduce<number>((sum, use) => sum + (Array.isArray(use) ? use.length : 1), 0);
  expect(kvCache.reduce((sum, { at }) => sum + at.length, 0)).toBe(points);
});

it('without starts and ends nothing is placed, and the known fields are counted', () => {
  const { facts, bars, unplaced, rollouts } = schedule(1, '', idOf('untimed'));
  expect([facts, bars.start.length, rollouts]).toEqual([undefined, 0, 3]);
  expect(unplaced).toEqual({ withStart: 2, withDuration: 0 });
});

it('reports a missing step', () => {
  const result = askColumns(new ColumnQueryEngine(db), {
    method: 'step.schedule',
    runId,
    step: 77,
    filter: '',
  });
  expect(result).toMatchObject({ ok: false, failure: { code: 'not_found' } });
});

it('KV cache use is read by the index of the step, and timing by rollout', () => {
  const plan = (db.prepare(`EXPLAIN QUERY PLAN ${CACHE_USES}`).all(1, 1) as { detail: string }[]).map(
    ({ detail }) => detail,
  );
  expect(plan.join('\n')).toMatch(/SEARCH r USING INDEX rollout_by_step \(run_id=\? AND step=\?\)/);
  expect(plan.join('\n')).toMatch(/SEARCH t USING INTEGER PRIMARY KEY/);
  expect(plan.join('\n')).not.toMatch(/SCAN/);
});
