/** Two methods give the same probability: enumerating all draws, and integrating over a race of clocks. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { exactInclusion, integratedInclusion, type WeightClass } from '../../shared/domain/inclusion.ts';

const classesOf = (parts: readonly (readonly [weight: number, size: number])[]): WeightClass[] => {
  let row = 0;
  return parts.map(([weight, size]) => ({ weight, rows: Array.from({ length: size }, () => row++) }));
};
const rowsOf = (classes: readonly WeightClass[]) => classes.reduce((sum, { rows }) => sum + rows.length, 0);

describe('inclusion', () => {
  it('is equal for both methods, to nine digits, and sums to the draws', () => {
    const parts = fc.array(
      fc.tuple(fc.double({ min: 0.01, max: 200, noNaN: true }), fc.integer({ min: 1, max: 6 })),
      { minLength: 1, maxLength: 7 },
    );
    const property = fc.property(parts, fc.nat(), (given, choice) => {
      const classes = classesOf(given);
      const take = 1 + (choice % rowsOf(classes));
      const followed = exactInclusion(classes, take, Number.POSITIVE_INFINITY);
      const integrated = integratedInclusion(classes, take);
      let sum = 0;
      classes.forEach(({ rows }, c) => {
        expect(integrated[c]).toBeCloseTo(followed?.[c] ?? Number.NaN, 8);
        sum += (integrated[c] ?? 0) * rows.length;
      });
      expect(sum).toBeCloseTo(take, 7);
    });
    fc.assert(property, { seed: 2_508, numRuns: 300 });
  });

  it('is the share of the weight for one draw', () => {
    const classes = classesOf([
      [3, 1],
      [1, 2],
    ]);
    expect(integratedInclusion(classes, 1)[0]).toBeCloseTo(3 / 5, 9);
    expect(exactInclusion(classes, 1, 100)?.[0]).toBeCloseTo(3 / 5, 12);
  });

  it('is certain if all or none are drawn', () => {
    const classes = classesOf([
      [3, 1],
      [1, 2],
    ]);
    expect([...integratedInclusion(classes, 3)]).toEqual([1, 1]);
    expect([...integratedInclusion(classes, 0)]).toEqual([0, 0]);
  });

  it('gives up following beyond the states it may follow', () => {
    expect(
      exactInclusion(
        classesOf([
          [1, 9],
          [2, 9],
        ]),
        5,
        35,
      ),
    ).toBeUndefined();
  });
});
