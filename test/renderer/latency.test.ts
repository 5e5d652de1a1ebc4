/** Drawing, describing and saving latencies. */
import { describe, expect, it } from 'vitest';
import { binAt, drawnEnds, logScale, logTicks, placedMarks } from '../../renderer/charts/logHistogram.ts';
import { duration } from '../../renderer/ui/numbers.ts';
import {
  binFilter,
  binLabel,
  binReadout,
  histogramBins,
  latencyCsv,
  latencyMarks,
  latencySeries,
  restLabel,
} from '../../renderer/views/overview/latencyModel.ts';
import type { LatencyDistribution } from '../../shared/api/contract.ts';
import { readFilter } from '../../shared/domain/filter/parse.ts';

const FRAME = { width: 400, height: 150, left: 40, right: 12, top: 8, bottom: 17 };

const FOUND: LatencyDistribution = {
  calls: 12,
  known: 10,
  bins: [
    { fromMs: 0, toMs: 1, logged: 1, derived: 0 },
    { fromMs: 1, toMs: 1.25, logged: 0, derived: 0 },
    { fromMs: 1.25, toMs: 1.6, logged: 3, derived: 5 },
    { fromMs: 1e6, logged: 0, derived: 1 },
  ],
  summary: { meanMs: 120_000.5, p50Ms: 1.3, p95Ms: 1_200_000, maxMs: 1_200_000 },
  sources: [
    { source: 'logged', calls: 4, p50Ms: 1.3, p95Ms: 1.5, maxMs: 1.5 },
    { source: 'derived', calls: 6, p50Ms: 1.3, p95Ms: 1_200_000, maxMs: 1_200_000 },
  ],
};

describe('a histogram over a logarithmic axis', () => {
  const bins = histogramBins(FOUND, latencySeries(FOUND));

  it('gives bars without an end the width of the others', () => {
    expect(drawnEnds({ from: 0, to: 1, counts: [] })[0]).toBeCloseTo(0.794, 3);
    expect(drawnEnds({ from: 1e6, counts: [] })[1] / 1e6).toBeCloseTo(1.259, 3);
  });

  it('finds the bar at a position, and the first and last beyond the axis', () => {
    expect([0.001, 0.99, 1, 1.3, 1e6, 1e9].map((ms) => binAt(bins, ms))).toEqual([0, 0, 1, 2, 3, 3]);
  });

  it('ticks are powers of ten, with 2 and 5 if there is room, and fewer if there is none', () => {
    const of = (from: number, to: number, width: number) =>
      logTicks(logScale([{ from, to, counts: [] }], { ...FRAME, width }), width - 52);
    expect(of(10, 1000, 400)).toEqual([10, 20, 50, 100, 200, 500, 1000]);
    expect(of(1, 1e6, 400)).toEqual([1, 10, 100, 1e3, 1e4, 1e5, 1e6]);
    expect(of(1, 1e6, 200)).toEqual([1, 100, 1e4, 1e6]);
  });

  it('labels move to lines of their own if they would overlap, and to the edge beyond it', () => {
    const x = logScale([{ from: 1, to: 1000, counts: [] }], FRAME);
    const marks = ['p50', 'p95', 'far', 'below'].map((label, i) => ({
      label,
      at: [100, 110, 5000, 0][i] ?? 0,
    }));
    const placed = placedMarks(marks, x, FRAME);
    expect(placed.map(({ row, beyond }) => [row, beyond])).toEqual([
      [0, undefined],
      [1, undefined],
      [0, 'right'],
      [0, 'left'],
    ]);
    expect(placed[2]).toMatchObject({ x: 388, anchor: 'end' });
    expect(placed[3]).toMatchObject({ x: 40, anchor: 'start' });
  });
});

describe('latencies of tool calls', () => {
  it('tells logged from derived, and names no source that is not there', () => {
    expect(latencySeries(FOUND).map(({ name, isOutlined }) => [name, isOutlined])).toEqual([
      ['logged', undefined],
      ['from the text', true],
    ]);
    expect(histogramBins(FOUND, latencySeries(FOUND)).map(({ counts }) => counts)).toEqual([
      [1, 0],
      [0, 0],
      [3, 5],
      [0, 1],
    ]);
  });

  it('describes a bar and its calls', () => {
    expect(binReadout(FOUND, 2)).toBe(
      '1.25 ms to 1.6 ms: 8 calls, 80.0 % · 3 calls logged · 5 calls from the text',
    );
    expect(FOUND.bins.map(binLabel)).toEqual([
      'below 1 ms',
      '1 ms to 1.25 ms',
      '1.25 ms to 1.6 ms',
      '16:40 min and more',
    ]);
    expect(restLabel(FOUND)).toBe('10 of 12 calls, mean 2:00 min');
    expect(restLabel({ calls: 3, known: 0, bins: [], sources: [] })).toBe(
      'The latency of 3 calls is unknown',
    );
    expect([0, 0.4, 315, 999.9, 1250, 59_900, 100_000, 3_750_000].map(duration)).toEqual([
      ...['0 ms', '0.4 ms', '315 ms', '1 s', '1.25 s', '59.9 s', '1:40 min', '1:02:30 h'],
    ]);
  });

  it('marks the percentiles, and the published mean with its source', () => {
    expect(latencyMarks(FOUND).map(({ label }) => label)).toEqual([
      'p50 1.3 ms',
      'p95 20:00 min',
      'max 20:00 min',
      'rStar2-Agent, mean 300 ms',
    ]);
    expect(latencyMarks(FOUND).at(-1)?.source).toContain('2508.20722');
  });

  it('a bar leads to rollouts by a valid filter', () => {
    const filters = [
      binFilter(FOUND.bins[0] ?? { fromMs: 0 }),
      binFilter(FOUND.bins[2] ?? { fromMs: 0 }, { from: 3, to: 9 }),
      binFilter({ fromMs: 1e6 }, { from: 4, to: 4 }),
    ];
    expect(filters).toEqual([
      'latency_ms:>=0 latency_ms:<1',
      'step:3..9 latency_ms:>=1.25 latency_ms:<1.6',
      'step:4 latency_ms:>=1000000',
    ]);
    for (const filter of filters) expect(readFilter(filter).ok).toBe(true);
  });

  it('as CSV: a row for each bin, with its source', () => {
    const source =
      '"demo · all steps · 10 of 12 calls have a latency · mean 120000.5 ms, p50 1.3 ms, p95 1200000 ms, max 1200000 ms · logged: 4 calls, p50 1.3 ms, p95 1.5 ms, max 1.5 ms · derived: 6 calls, p50 1.3 ms, p95 1200000 ms, max 1200000 ms"';
    expect(latencyCsv('demo · all\nsteps', FOUND).split('\n')).toEqual([
      'from_ms,to_ms,"calls, logged","calls, from the text",source',
      `0,1,1,0,${source}`,
      `1,1.25,0,0,${source}`,
      `1.25,1.6,3,5,${source}`,
      `1000000,,0,1,${source}`,
      '',
    ]);
  });
});
