import { describe, expect, it } from 'vitest';
import {
  axisRoom,
  bandPath,
  barsPath,
  chartKey,
  type Frame,
  LABEL_LINE,
  linePath,
  nearestPoint,
  nearestStep,
  placeLabels,
  stepScale,
  stepTicks,
  tickLabels,
  valueScale,
  valueTicks,
  yScale,
} from '../../renderer/charts/chartModel.ts';
import { decimal } from '../../renderer/ui/numbers.ts';
import { seededRandom } from '../../shared/domain/seededRandom.ts';

const frame: Frame = { width: 100, height: 50, left: 0, right: 0, top: 0, bottom: 0 };

describe('charts', () => {
  it('breaks the line at unknown values', () => {
    const steps = [0, 1, 2, 3];
    const path = linePath(steps, [0, null, 1, 1], stepScale(steps, frame), (v) => 50 - v * 50);
    expect(path.match(/M/g)?.length).toBe(2);
  });

  it('leaves a gap in a band at unknown values', () => {
    const steps = [0, 1, 2, 3, 4];
    const high = [1, 1, undefined, 1, 1];
    const path = bandPath(steps, [0, 0, 0, 0, 0], high, stepScale(steps, frame), (v) => 50 - v * 50);
    expect(path.match(/M/g)?.length).toBe(2);
  });

  it('gives a flat line some air', () => {
    const y = valueScale([[5, 5]], frame, { fromZero: false });
    expect(y(5)).toBeGreaterThanOrEqual(0);
    expect(y.domain()[0]).not.toBe(y.domain()[1]);
  });

  it('starts shares at zero', () => {
    expect(valueScale([[0.4, 0.8]], frame, { fromZero: true }).domain()[0]).toBe(0);
  });

  it('finds the step under the pointer', () => {
    expect(nearestStep([0, 20, 40], 29)).toBe(1);
    expect(nearestStep([0, 20, 40], 31)).toBe(2);
    expect(nearestStep([], 3)).toBeUndefined();
  });

  it('labels the ends', () => {
    const steps = [0, 510];
    const ticks = stepTicks(steps, stepScale(steps, { ...frame, width: 340 }));
    expect(ticks[0]).toBe(0);
    expect(ticks.at(-1)).toBe(510);
    expect(stepTicks([7], stepScale([7], frame))).toEqual([7]);
  });

  it('labels no place between two steps, and none that touches another', () => {
    for (const last of [1, 2, 3, 5])
      for (const width of [200, 340, 900]) {
        const steps = Array.from({ length: last + 1 }, (_, i) => i);
        const ticks = stepTicks(steps, stepScale(steps, { ...frame, width }));
        expect(ticks.every(Number.isInteger)).toBe(true);
      }
    const far = [1_000_000, 1_000_100];
    const x = stepScale(far, { ...frame, width: 240 });
    const ticks = stepTicks(far, x);
    for (const [i, tick] of ticks.slice(1).entries()) expect(x(tick) - x(ticks[i] ?? 0)).toBeGreaterThan(44);
  });
});

describe('the keys of a chart', () => {
  const at = { at: 2, steps: 4, point: -1, points: 2 };

  it('move through its steps and stop at either end', () => {
    expect(chartKey('ArrowRight', at)).toEqual({ kind: 'step', at: 3 });
    expect(chartKey('ArrowRight', { ...at, at: 3 })).toEqual({ kind: 'step', at: 3 });
    expect(chartKey('Home', at)).toEqual({ kind: 'step', at: 0 });
    expect(chartKey('x', at)).toBeUndefined();
  });

  it('cycle through the points of a step, by way of the step itself', () => {
    const down = (point: number) => chartKey('ArrowDown', { ...at, point });
    expect([down(-1), down(0), down(1)].map((act) => act?.kind === 'point' && act.at)).toEqual([0, 1, -1]);
    expect(chartKey('ArrowUp', at)).toEqual({ kind: 'point', at: 1 });
    expect(chartKey('ArrowDown', { ...at, points: 0 })).toBeUndefined();
  });

  it('match the pointer: the nearest point within reach', () => {
    const places = [
      { name: 'a', y: 20 },
      { name: 'b', y: 26 },
      { name: 'c', y: undefined },
    ];
    expect(nearestPoint(places, 24)).toBe('b');
    expect(nearestPoint(places, 20)).toBe('a');
    expect(nearestPoint(places, 60)).toBeUndefined();
  });
});

describe('a chart over values', () => {
  const room = { width: 400, height: 150, left: 40, right: 10, top: 8, bottom: 30 };

  it('gives the axis the room its longest label takes', () => {
    expect(axisRoom(['0', '1'], 34)).toBe(34);
    expect(axisRoom(['0.0001', '−12,345'], 34)).toBeGreaterThan(50);
  });

  it('has counts from 1 on a logarithmic scale, and a bar for each', () => {
    const y = yScale([[1, 50, 9_000]], room, { scale: 'log' });
    expect(valueTicks(y, 'log')).toEqual([1, 10, 100, 1000]);
    expect(y(1)).toBeGreaterThan(y(50));
    expect(barsPath([0, 1, 2], 1, [1, 0, 9_000], (x) => x, y, 120).match(/M/g)).toHaveLength(2);
  });

  it('begins at 0, or below for negative values', () => {
    expect(yScale([[1, 2]], room, { scale: 'linear' }).domain()[0]).toBe(0);
    expect(yScale([[-1, 2]], room, { scale: 'linear' }).domain()[0]).toBeLessThanOrEqual(-1);
    expect(yScale([[0.2]], room, { scale: 'linear', top: 1 }).domain()).toEqual([0, 1]);
  });
});

describe('the names of heights to compare with', () => {
  const panel = { width: 280, height: 96, left: 32, right: 12, top: 8, bottom: 17 };
  const feet = (heights: readonly number[]) => placeLabels(heights, panel).labels.map((label) => label?.y);

  it('are at their lines if alone', () => {
    expect(placeLabels([60, 30], panel)).toEqual({
      labels: [
        { y: 57, isMoved: false },
        { y: 27, isMoved: false },
      ],
      restAt: undefined,
    });
    // Above the frame: clamped to its edge.
    expect(feet([-200])).toEqual([19]);
  });

  it('beside the drawing they are level with their lines', () => {
    expect(placeLabels([50], panel, 'beside').labels).toEqual([{ y: 53.5, isMoved: false }]);
  });

  it.each(['above', 'beside'] as const)('%s, they never overlap', (where) => {
    const random = seededRandom(7);
    for (let round = 0; round < 400; round++) {
      const heights = Array.from({ length: 1 + Math.floor(random() * 9) }, () => -20 + random() * 99);
      const { labels, restAt } = placeLabels(heights, panel, where);
      const shown = labels
        .flatMap((label, i) => (label === undefined ? [] : [{ y: label.y, line: heights[i] ?? 0 }]))
        .sort((a, b) => a.line - b.line);
      const all = [...shown.map(({ y }) => y), ...(restAt === undefined ? [] : [restAt])];
      all.forEach((y, i) => {
        expect(y).toBeGreaterThanOrEqual(panel.top + 8);
        expect(y).toBeLessThanOrEqual(panel.height - panel.bottom);
        if (i > 0) expect(y - (all[i - 1] ?? 0)).toBeGreaterThanOrEqual(LABEL_LINE - 1e-9);
      });
      expect(restAt === undefined).toBe(shown.length === heights.length);
      if (heights.length <= 6) expect(shown.length).toBe(heights.length);
    }
  });
});

describe('labels of ticks', () => {
  it('are distinct, with as many digits as that takes', () => {
    const two = (value: number) => decimal(value);
    expect(tickLabels([0, 0.5, 1], two)).toEqual(['0.00', '0.50', '1.00']);
    expect(tickLabels([0, 0.005, 0.01, 0.015, 0.02], two)).toEqual([
      '0.000',
      '0.005',
      '0.010',
      '0.015',
      '0.020',
    ]);
    // A format with a unit is kept.
    const three = (value: number) => value.toFixed(3);
    expect(tickLabels([0, 0.5, 1], three)).toEqual(['0.00', '0.50', '1.00']);
    expect(tickLabels([0, 0.125, 0.25], three)).toEqual(['0.000', '0.125', '0.250']);
    expect(tickLabels([0, 0.4], (value) => `${Math.round(value)} K`)).toEqual(['0 K', '0 K']);
  });
});
