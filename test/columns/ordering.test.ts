import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sortedRows } from '../../electron/columns/ordering.ts';

const unknownLast = (a: number, b: number, isDescending: boolean): number => {
  if (Number.isNaN(a) && Number.isNaN(b)) return 0;
  if (Number.isNaN(a)) return 1;
  if (Number.isNaN(b)) return -1;
  return isDescending ? b - a || 0 : a - b || 0;
};

const value = fc.oneof(
  fc.constantFrom(0, -0, 1, Number.NaN, -1, 0.1, Number.MAX_VALUE, -Number.MAX_VALUE, 5e-324),
  fc.integer({ min: -5, max: 5 }),
  fc.double({ noDefaultInfinity: true, min: -1e300, max: 1e300 }),
);

describe('rows in order', () => {
  it.each([
    ['few', 20],
    ['many', 9000],
  ])('%s: equals a stable comparison sort, unknown last', (_, count) => {
    fc.assert(
      fc.property(
        fc.array(value, { minLength: 1, maxLength: 60 }),
        fc.array(value, { minLength: 1, maxLength: 7 }),
        fc.boolean(),
        fc.boolean(),
        (first, second, isFirstDown, isSecondDown) => {
          const a = Float64Array.from({ length: count }, (_, i) => first[i % first.length] ?? 0);
          const b = Float64Array.from({ length: count }, (_, i) => second[i % second.length] ?? 0);
          const rows = Uint32Array.from({ length: count }, (_, i) => i);
          const sorted = sortedRows(rows, [
            { values: a, isDescending: isFirstDown },
            { values: b, isDescending: isSecondDown },
          ]);
          const expected = Array.from(rows).sort(
            (x, y) =>
              unknownLast(a[x] ?? 0, a[y] ?? 0, isFirstDown) ||
              unknownLast(b[x] ?? 0, b[y] ?? 0, isSecondDown) ||
              x - y,
          );
          expect(Array.from(sorted)).toEqual(expected);
          expect(Array.from(rows.subarray(0, 3))).toEqual([0, 1, 2].slice(0, count));
        },
      ),
      { seed: 5, numRuns: count > 1000 ? 25 : 300 },
    );
  });
});
