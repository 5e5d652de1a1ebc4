/** The scales of a panel: linear from 0, or logarithmic without it. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  logValueScale,
  type PanelLine,
  type PanelShape,
  panelPlace,
  withoutNoughts,
} from '../../renderer/charts/panelModel.ts';
import { asMs } from '../../renderer/views/overview/overviewCharts.ts';

const line = (values: PanelLine['values']): PanelLine => ({
  ...{ key: 'a', name: 'a', color: 'red', stroke: 'solid', role: 'main' },
  steps: values.map((_, i) => i),
  values,
});
const shape = (values: PanelLine['values'], more: Partial<PanelShape> = {}): PanelShape => ({
  ...{
    width: 360,
    height: 96,
    beside: 0,
    axis: [0, 1, 2],
    isStacked: false,
    isLog: true,
    isFromZero: true,
    levels: [],
    references: [],
  },
  lines: [line(values)],
  format: asMs,
  ...more,
});

describe('a logarithmic axis of values', () => {
  it('never begins at 0, contains every value above it, and has few ticks', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: 1e-3, max: 1e8, noNaN: true }), { minLength: 1 }), (values) => {
        const { frame, y, isLog } = panelPlace(shape(values));
        const [low = 0] = y.domain();
        expect([isLog, low > 0]).toEqual([true, true]);
        for (const value of values) {
          expect(y(value)).toBeLessThanOrEqual(frame.height - frame.bottom + 1e-6);
          expect(y(value)).toBeGreaterThanOrEqual(frame.top - 1e-6);
        }
        const ticks = y.ticks(3);
        expect(ticks.length).toBeGreaterThanOrEqual(2);
        expect(ticks.length).toBeLessThanOrEqual(5);
        expect(ticks.every((tick) => tick > 0)).toBe(true);
      }),
    );
  });

  it('tells p50 from p95 a hundred times as long', () => {
    const { y, frame } = panelPlace(shape([120, 12_000]));
    const floor = frame.height - frame.bottom;
    expect((floor - y(120)) / (floor - frame.top)).toBeLessThan(0.2);
    expect(y(12_000)).toBeLessThan(y(1200));
    expect(y.ticks(3).map(asMs)).toEqual(['100 ms', '1 s', '10 s']);
  });

  it('breaks the line at 0, and includes reference values', () => {
    expect(withoutNoughts([line([0, 5, null])])[0]?.values).toEqual([undefined, 5, undefined]);
    const { y } = panelPlace(shape([5000], { references: [300] }));
    expect(y.domain()[0]).toBeLessThanOrEqual(300);
  });

  it('is linear without positive values, and for stacked shares', () => {
    expect(logValueScale([[0, null]], { ...panelPlace(shape([1])).frame })).toBeUndefined();
    expect(panelPlace(shape([0])).isLog).toBe(false);
    expect(panelPlace(shape([0.5], { isStacked: true })).y.domain()).toEqual([0, 1]);
    expect(panelPlace(shape([12_000], { isLog: false })).y.domain()[0]).toBe(0);
  });
});

describe('an axis of times', () => {
  const seconds = new Map([
    [0, 0],
    [1, 3600],
    [2, 10_800],
  ]);

  it('has steps at distances of their times, and finds the step of a point', () => {
    const { x, ticks, frame } = panelPlace(shape([1, 2, 3], { seconds }));
    const width = frame.width - frame.right - frame.left;
    expect([0, 1, 2].map((step) => (x(step) - frame.left) / width)).toEqual([0, expect.closeTo(1 / 3, 9), 1]);
    expect(Math.round(x.invert(x(1)))).toBe(1);
    expect(ticks.map(({ label }) => label)).toEqual(['0 h', '1 h', '2 h', '3 h']);
    expect(ticks[1]?.at).toBeCloseTo(x(1), 9);
  });

  it('is one of steps where a time is unknown, or not later than the former', () => {
    const labels = (times: ReadonlyMap<number, number>) =>
      panelPlace(shape([1, 2, 3], { seconds: times })).ticks.map(({ label }) => label);
    expect(labels(new Map([[0, 0]]))).toEqual(['0', '1', '2']);
    expect(labels(new Map(seconds).set(1, 0))).toEqual(['0', '1', '2']);
    expect(labels(new Map(seconds).set(1, Number.NaN))).toEqual(['0', '1', '2']);
  });
});
