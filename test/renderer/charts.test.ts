import { describe, expect, it } from 'vitest';
import {
  bandPath,
  type Frame,
  linePath,
  nearestStep,
  stepScale,
  stepTicks,
  valueScale,
} from '../../renderer/charts/chartModel.ts';

const frame: Frame = { width: 100, height: 50, left: 0, right: 0, top: 0, bottom: 0 };

describe('charts', () => {
  it('breaks the line where nothing is known', () => {
    const steps = [0, 1, 2, 3];
    const path = linePath(steps, [0, null, 1, 1], stepScale(steps, frame), (v) => 50 - v * 50);
    expect(path.match(/M/g)?.length).toBe(2);
  });

  it('leaves a gap in a band where nothing is known', () => {
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
});
