/** Expected values: the examples of Newcombe 1998, Statistics in Medicine 17, pages 857–890, to their four digits. */
import { expect, test } from 'vitest';
import { differenceInterval, wilsonInterval } from '../../shared/domain/wilson.ts';

test.each([
  [81, 263, 0.2553, 0.3662],
  [15, 148, 0.0624, 0.1605],
  [0, 20, 0, 0.1611],
  [1, 29, 0.0061, 0.1718],
])('the interval of %d of %d', (successes, trials, low, high) => {
  const found = wilsonInterval(successes, trials);
  expect(found.low).toBeCloseTo(low, 4);
  expect(found.high).toBeCloseTo(high, 4);
  // All failures exchanged with all successes.
  const other = wilsonInterval(trials - successes, trials);
  expect(other.low).toBeCloseTo(1 - high, 4);
  expect(other.high).toBeCloseTo(1 - low, 4);
});

test('without trials, nothing is known', () => {
  expect(wilsonInterval(0, 0)).toEqual({ low: 0, high: 1 });
});

test.each([
  [[48, 80], [56, 70], 0.0524, 0.3339],
  [[3, 10], [9, 10], 0.1705, 0.809],
  [[2, 7], [6, 7], 0.0582, 0.8062],
  [[0, 29], [5, 56], -0.0381, 0.1926],
  [[0, 20], [0, 10], -0.1611, 0.2775],
  [[0, 20], [10, 10], 0.6791, 1],
] as const)('the interval of the change from %j to %j', (before, after, low, high) => {
  const proportion = ([successes, trials]: readonly [number, number]) => ({
    value: successes / trials,
    ...wilsonInterval(successes, trials),
  });
  const found = differenceInterval(proportion(before), proportion(after));
  expect(found.low).toBeCloseTo(low, 4);
  expect(found.high).toBeCloseTo(high, 4);
});

test('a proportion that is known exactly adds nothing to the interval of a change', () => {
  const half = { value: 0.5, ...wilsonInterval(8, 16) };
  const found = differenceInterval(half, { value: 0, low: 0, high: 0 });
  expect(found.low).toBeCloseTo(-half.high, 12);
  expect(found.high).toBeCloseTo(-half.low, 12);
});
