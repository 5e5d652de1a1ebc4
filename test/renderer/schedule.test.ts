/** The timeline's arithmetic: lanes, zoom, hit testing, tooltips. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { scheduleCsv } from '../../renderer/views/schedule/ScheduleMenu.tsx';
import {
  barFacts,
  barsWithin,
  latencyLabels,
  matchingLabel,
  totalsOf,
} from '../../renderer/views/schedule/scheduleLabels.ts';
import {
  barAt,
  clock,
  fitted,
  laneOfBar,
  lastUpTo,
  layoutOf,
  panned,
  readSpan,
  revealed,
  spanText,
  timeTicks,
  walked,
  zoomed,
} from '../../renderer/views/schedule/scheduleModel.ts';
import type { StepSchedule } from '../../shared/api/contract.ts';

/** Two rollouts of w0 that overlap, one of w1 after a pause; w2 was idle. */
const SCHEDULE: StepSchedule = {
  rollouts: 4,
  unplaced: { withStart: 0, withDuration: 1 },
  origin: 1000,
  facts: {
    ...{
      placed: 3,
      startedAt: 1000,
      wallSeconds: 100,
      tailSeconds: 10,
      medianSeconds: 40,
      stragglers: 1,
      peakRollouts: 2,
    },
    meanCalls: 0.25,
  },
  tailFrom: 90,
  lanes: [
    { worker: 'w0', gpu: '0', rollouts: 2, rows: 2, busySeconds: 60 },
    { worker: 'w1', gpu: '1', rollouts: 1, rows: 1, busySeconds: 40 },
  ],
  idleWorkers: ['w2'],
  bars: {
    rolloutId: Uint32Array.of(7, 8, 9),
    lane: Uint32Array.of(0, 0, 1),
    row: Uint32Array.of(0, 1, 0),
    start: Float32Array.of(0, 20, 60),
    end: Float32Array.of(40, 60, 100),
    isCorrect: Int32Array.of(1, 0, -1),
    reward: Float32Array.of(1, 0, Number.NaN),
    turns: Int32Array.of(1, 2, 3),
    policyTokens: Int32Array.of(100, -2147483648, 5),
    straggler: Uint8Array.of(0, 0, 1),
    matches: Uint8Array.of(1, 1, 1),
    waitSeconds: Float32Array.of(0, 25, Number.NaN),
  },
  waits: { bar: Uint32Array.of(0), start: Float32Array.of(10), end: Float32Array.of(14) },
  inFlight: { at: Float32Array.of(0, 20, 40, 100), counts: Uint32Array.of(1, 2, 1, 0) },
  kvCache: [{ gpu: '1', at: Float32Array.of(60, 100), share: Float32Array.of(0.5, 0.7) }],
  latencies: [{ source: 'derived', calls: 2, p50Ms: 20, p95Ms: 25_000, maxMs: 25_000 }],
};
const WHOLE = { from: 0, to: 100 };
const layout = layoutOf(SCHEDULE, 400);

describe('lanes', () => {
  it('are stacked, the cache of a GPU under its last lane, idle workers at the end', () => {
    expect(layout.lanes.map(({ name, busyShare }) => [name, busyShare])).toEqual([
      ['w0 · GPU 0', 0.6],
      ['w1 · GPU 1', 0.4],
      ['w2', undefined],
    ]);
    const [first, second, third] = layout.lanes;
    if (first === undefined || second === undefined || third === undefined) throw new Error('three lanes');
    expect(first.top + first.height).toBeLessThanOrEqual(second.top);
    const [cache] = layout.caches;
    expect(cache?.top).toBeGreaterThanOrEqual(second.top + second.height);
    expect((cache?.top ?? 0) + (cache?.height ?? 0)).toBeLessThanOrEqual(third.top);
    expect([...first.busy]).toEqual([0, 60]);
  });

  it('finds the bar under a point, and nothing in idle time', () => {
    const [first, second] = layout.lanes;
    const at = (seconds: number, y: number) => barAt(SCHEDULE, layout, { seconds, y, slack: 0 });
    expect(at(30, (first?.top ?? 0) + 1)).toBe(0);
    expect(at(30, (first?.top ?? 0) + layout.rowHeight + 1)).toBe(1);
    expect(at(10, (first?.top ?? 0) + layout.rowHeight + 1)).toBeUndefined();
    expect(at(80, (second?.top ?? 0) + 1)).toBe(2);
    expect(at(30, 10_000)).toBeUndefined();
    expect([0, 1, 2].map((bar) => laneOfBar(layout, bar)?.name)).toEqual([
      'w0 · GPU 0',
      'w0 · GPU 0',
      'w1 · GPU 1',
    ]);
  });
});

describe('the time in sight', () => {
  const span = fc
    .tuple(fc.double({ min: 0, max: 99, noNaN: true }), fc.double({ min: 0.1, max: 100, noNaN: true }))
    .map(([from, length]) => fitted({ from, to: from + length }, WHOLE));
  const isWithin = ({ from, to }: { from: number; to: number }) =>
    from >= -1e-9 && to <= 100 + 1e-9 && to > from;

  it('never leaves the step, however it is zoomed and moved', () => {
    fc.assert(
      fc.property(
        span,
        fc.double({ min: 0.01, max: 100, noNaN: true }),
        fc.double({ min: -200, max: 200, noNaN: true }),
        (before, factor, by) => {
          const at = (before.from + before.to) / 2;
          expect(isWithin(zoomed(before, factor, at, WHOLE))).toBe(true);
          const moved = panned(before, by, WHOLE);
          expect(isWithin(moved)).toBe(true);
          expect(moved.to - moved.from).toBeCloseTo(before.to - before.from, 6);
        },
      ),
    );
  });

  it('keeps the point under the pointer when zooming in', () => {
    fc.assert(
      fc.property(span, fc.double({ min: 0, max: 1, noNaN: true }), (before, share) => {
        const at = before.from + share * (before.to - before.from);
        const after = zoomed(before, 0.8, at, WHOLE);
        expect((at - after.from) / (after.to - after.from)).toBeCloseTo(share, 4);
      }),
    );
  });

  it('goes to a bar out of sight, and stays for one in sight', () => {
    const near = { from: 10, to: 30 };
    expect(revealed(near, 20, 90, WHOLE)).toBe(near);
    expect(revealed(near, 80, 90, WHOLE)).toEqual({ from: 75, to: 95 });
  });

  it('is in the link only if it is not the whole', () => {
    expect(spanText(WHOLE, WHOLE)).toBeUndefined();
    expect(readSpan(spanText({ from: 12.5, to: 40 }, WHOLE) ?? '', WHOLE)).toEqual({ from: 12.5, to: 40 });
    for (const odd of [null, '', '5', '40..12', 'a..b', '-1..5'])
      expect(readSpan(odd, WHOLE)).toBeUndefined();
  });

  it('ticks are round and lie within; times read as on a clock', () => {
    const { at } = timeTicks({ from: 31, to: 95 }, 1200);
    expect(at.every((tick) => tick >= 31 && tick <= 95 && tick % 5 === 0)).toBe(true);
    expect([clock(5), clock(65), clock(3725), clock(59.96, 1), clock(5.25, 1)]).toEqual([
      ...['0:05', '1:05', '1:02:05', '1:00.0', '0:05.3'],
    ]);
    expect([-1, 0, 50, 100].map((second) => lastUpTo(SCHEDULE.inFlight.at, second))).toEqual([-1, 0, 2, 3]);
  });
});

describe('the table', () => {
  it('has a row for each rollout in sight, blank where unknown, waits placed or not', () => {
    const cells = barsWithin(SCHEDULE, WHOLE).map((bar) => [
      ...[bar.rolloutId, bar.lane, bar.start, bar.end, bar.lasted, bar.result],
      ...[bar.reward, bar.turns, bar.tokens, bar.waits, bar.notes],
    ]);
    expect(cells).toEqual([
      [7, 'w0 · GPU 0', '0:00.0', '0:40.0', '40.0 s', 'correct', '1', '1', '100', '4.00 s', ''],
      [8, 'w0 · GPU 0', '0:20.0', '1:00.0', '40.0 s', 'incorrect', '0', '2', '', '25.0 s', ''],
      [9, 'w1 · GPU 1', '1:00.0', '1:40.0', '40.0 s', '', '', '3', '5', '', 'straggler'],
    ]);
    expect(barsWithin(SCHEDULE, { from: 70, to: 90 }).map(({ index }) => index)).toEqual([2]);
  });
});

describe('descriptions', () => {
  it('omit unknown values, and state that waits without a start are not placed', () => {
    expect(barFacts(SCHEDULE, 0).what).toBe(
      'correct · reward 1 · 1 turn · 100 tokens · waited 4.00 s for tools',
    );
    expect(barFacts(SCHEDULE, 1).what).toBe(
      'incorrect · reward 0 · 2 turns · waited 25.0 s in total, starts unknown',
    );
    expect(barFacts(SCHEDULE, 2)).toMatchObject({
      what: 'correctness unknown · 3 turns · 5 tokens',
      where: 'w1 · GPU 1',
      isStraggler: true,
    });
  });

  it('state how many a filter leaves, and that waits cover only those', () => {
    const filtered = { ...SCHEDULE, matching: { rollouts: 2, placed: 1, medianSeconds: 40, stragglers: 1 } };
    expect(matchingLabel(filtered)).toBe(
      '2 of 4 rollouts match · 1 of them placed · their median 40.0 s · 1 straggler',
    );
    expect(latencyLabels(filtered)[0]).toContain('Latency of those that match, ');
    expect(totalsOf(filtered)).toEqual(totalsOf(SCHEDULE));
    const none = { ...SCHEDULE, matching: { rollouts: 0, placed: 0, stragglers: 0 } };
    expect(matchingLabel(none)).toMatch(/^No rollout of this step matches/);
    expect(matchingLabel(SCHEDULE)).toBe('');
  });

  it('keys move through matches', () => {
    const odd = (bar: number): boolean => bar % 2 === 1;
    expect([walked(6, undefined, 1, odd), walked(6, 1, 1, odd), walked(6, 5, 1, odd)]).toEqual([1, 3, 5]);
    expect([walked(6, 3, -1, odd), walked(6, 1, -1, odd), walked(6, 5, -6, odd)]).toEqual([1, 1, 1]);
    expect([walked(6, 1, 6, odd), walked(0, undefined, 1, odd)]).toEqual([5, undefined]);
  });

  it('totals name their estimates, and latencies their source', () => {
    const totals = new Map(totalsOf(SCHEDULE).map(({ label, value }) => [label, value]));
    expect(totals.get('calls in flight, mean (estimate)')).toBe('0.25');
    expect(totals.get('workers busy')).toBe('50 %');
    expect(totals.has('calls at once, most')).toBe(false);
    expect(totals.has('idle GPU-seconds')).toBe(false);
    expect(latencyLabels(SCHEDULE)).toEqual([
      'Latency, parsed from the responses (2 calls): p50 20 ms, p95 25.0 s, max 25.0 s',
    ]);
  });
});

describe('as CSV', () => {
  it('has a line per rollout within the span; unknown is blank', () => {
    const [head, ...lines] = scheduleCsv('run, step 3', SCHEDULE, { from: 50, to: 100 })
      .trimEnd()
      .split('\n');
    const source =
      '"run, step 3; as logged; seconds from 1970-01-01T00:16:40.000Z; 2 of 3 rollouts, from 50 s to 100 s"';
    expect(lines).toEqual([`8,w0,0,1,20,60,0,0,2,,0,25,${source}`, `9,w1,1,0,60,100,,,3,5,1,,${source}`]);
    expect(head?.split(',').length).toBe(13);
  });
});
