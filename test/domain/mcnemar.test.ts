/** Expected values: sums of exact fractions, `fractions.Fraction` and `math.comb` of Python. */
import { expect, it } from 'vitest';
import { exactMcNemar } from '../../shared/domain/mcnemar.ts';

it.each([
  [0, 0, 1],
  [1, 0, 1],
  [5, 0, 0.0625],
  [3, 9, 0.14599609375],
  [10, 25, 0.01667384780012071],
  [27, 123, 7.712497975755227e-16],
  [400, 500, 0.0009564441369189461],
  [1000, 1200, 2.1817026407914712e-5],
])('%d against %d is %d', (one, other, p) => {
  expect(exactMcNemar(one, other) / p).toBeCloseTo(1, 9);
  expect(exactMcNemar(other, one)).toBe(exactMcNemar(one, other));
});
