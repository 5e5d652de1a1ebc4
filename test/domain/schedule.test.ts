/** Schedule arithmetic against counting second by second. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  busySeconds,
  inFlight,
  isStraggler,
  meanInFlight,
  nearestRank,
  packRows,
  peakOf,
  stepTimes,
} from '../../shared/domain/schedule.ts';

/** Whole seconds, so that ends and starts coincide; some intervals are empty. */
const intervals = fc
  .array(fc.record({ start: fc.integer({ min: 0, max: 60 }), length: fc.integer({ min: 0, max: 30 }) }), {
    maxLength: 40,
  })
  .map((drawn) => ({
    starts: Float64Array.from(drawn, ({ start }) => start),
    ends: Float64Array.from(drawn, ({ start, length }) => start + length),
  }));
type Intervals = { readonly starts: Float64Array; readonly ends: Float64Array };

const openAt = ({ starts, ends }: Intervals, second: number): number =>
  starts.reduce((open, start, i) => open + Number(start <= second && second < (ends[i] ?? 0)), 0);
const SECONDS = Array.from({ length: 91 }, (_, second) => second);

describe('concurrency', () => {
  it('counts open intervals at every second, and ends at 0', () => {
    fc.assert(
      fc.property(intervals, (drawn) => {
        const { at, counts } = inFlight(drawn.starts, drawn.ends);
        const countAt = (second: number): number => counts[at.findLastIndex((time) => time <= second)] ?? 0;
        for (const second of SECONDS) expect(countAt(second)).toBe(openAt(drawn, second));
        expect(counts.at(-1) ?? 0).toBe(0);
        expect([...at]).toEqual([...new Set(at)].sort((a, b) => a - b));
        expect(peakOf({ counts })).toBe(Math.max(0, ...SECONDS.map((second) => openAt(drawn, second))));
      }),
    );
  });

  it('its area is the total time of all: Little’s law', () => {
    fc.assert(
      fc.property(intervals, (drawn) => {
        const { at, counts } = inFlight(drawn.starts, drawn.ends);
        let area = 0;
        for (let i = 0; i + 1 < at.length; i++) area += (counts[i] ?? 0) * ((at[i + 1] ?? 0) - (at[i] ?? 0));
        const taken = drawn.ends.reduce((sum, end, i) => sum + end - (drawn.starts[i] ?? 0), 0);
        expect(area).toBe(taken);
        const wall = stepTimes(drawn.starts, drawn.ends)?.wallSeconds ?? 0;
        if (wall > 0) expect(meanInFlight(taken, wall)).toBeCloseTo(area / wall, 9);
        else expect(meanInFlight(taken, wall)).toBeNaN();
      }),
    );
  });
});

it('busy seconds count time with an open interval', () => {
  fc.assert(
    fc.property(intervals, (drawn) => {
      const busy = SECONDS.filter((second) => openAt(drawn, second) > 0).length;
      expect(busySeconds(drawn.starts, drawn.ends)).toBe(busy);
    }),
  );
});

it('rows do not overlap, and are as few as ran at once', () => {
  fc.assert(
    fc.property(intervals, (drawn) => {
      const { row, rows } = packRows(drawn.starts, drawn.ends);
      for (let second = 0; second <= 90; second++) {
        const open = [...row].filter(
          (_, i) => (drawn.starts[i] ?? 0) <= second && second < (drawn.ends[i] ?? 0),
        );
        expect(new Set(open).size).toBe(open.length);
      }
      // An empty interval may need its own row, but is never open.
      const hasEmpty = drawn.starts.some((start, i) => start === drawn.ends[i]);
      const peak = peakOf(inFlight(drawn.starts, drawn.ends));
      if (hasEmpty) expect(rows).toBeGreaterThanOrEqual(peak);
      else expect(rows).toBe(peak);
      expect(row.every((each) => each < rows)).toBe(true);
    }),
  );
});

describe('times of a step', () => {
  it('wall, tail and median of a hand-made step', () => {
    // Nine of ten take ten seconds; one takes fifty and forms the tail.
    const starts = Float64Array.from({ length: 10 }, (_, i) => 100 + i);
    const ends = starts.map((start, i) => start + (i === 3 ? 50 : 10));
    const times = stepTimes(starts, ends);
    expect(times).toEqual({
      startedAt: 100,
      wallSeconds: 53,
      tailFrom: 119,
      tailSeconds: 34,
      medianSeconds: 10,
    });
    if (times === undefined) throw new Error('there are rollouts');
    expect([...starts].map((start, i) => isStraggler(start, ends[i] ?? 0, times))).toEqual(
      Array.from(starts, (_, i) => i === 3),
    );
    // In the tail, but not longer than the others: it only began late.
    expect(isStraggler(140, 150, times)).toBe(false);
    // Long, but finished before most, so nobody waited for it.
    expect(isStraggler(80, 110, times)).toBe(false);
  });

  it('are unknown without intervals', () => {
    expect(stepTimes(new Float64Array(), new Float64Array())).toBeUndefined();
    expect(nearestRank([], 0.5)).toBeNaN();
  });

  it('nearest rank is the least value that enough values do not exceed', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 1 }),
        fc.constantFrom(0.5, 0.9, 0.95, 1),
        (drawn, share) => {
          const sorted = [...drawn].sort((a, b) => a - b);
          const rank = nearestRank(sorted, share);
          const upTo = (value: number): number => sorted.filter((each) => each <= value).length;
          expect(upTo(rank)).toBeGreaterThanOrEqual(share * sorted.length);
          for (const less of sorted.filter((each) => each < rank))
            expect(upTo(less)).toBeLessThan(share * sorted.length);
        },
      ),
    );
  });
});
