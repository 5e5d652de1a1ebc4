import { expect, it } from 'vitest';
import { halfWidth95 } from '../../shared/domain/studentT.ts';

it.each([
  // Percentage points of Student's t distribution, two-sided 95 %, as tables print them.
  [1, 12.706],
  [2, 4.303],
  [3, 3.182],
  [4, 2.776],
  [5, 2.571],
  [9, 2.262],
  [10, 2.228],
  [19, 2.093],
  [29, 2.045],
  [30, 2.042],
  [60, 2],
  [120, 1.98],
  [200, 1.972],
  [500, 1.965],
  [1000, 1.962],
])('with %i degrees of freedom it is %f', (degrees, expected) => {
  expect(halfWidth95(degrees)).toBeCloseTo(expected, 3);
});

it('falls with the degrees of freedom, also from the series to the expansion', () => {
  const widths = [1, 2, 3, 50, 199, 200, 201, 202, 1e6].map(halfWidth95);
  expect(widths).toEqual(widths.toSorted((a, b) => b - a));
  expect(halfWidth95(200) - halfWidth95(201)).toBeLessThan(1e-4);
});
