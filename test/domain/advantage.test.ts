import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { groupAdvantages } from '../../shared/domain/advantage.ts';

/** A kept group of 16, positives first. */
const kept = (positives: number): number[] => Array.from({ length: 16 }, (_, i) => (i < positives ? 1 : 0));

describe('groupAdvantages', () => {
  it.each([
    [1, 3.75, -0.25],
    [2, 2.562, -0.366],
    [4, 1.677, -0.559],
    [8, 0.968, -0.968],
    [12, 0.559, -1.677],
    [14, 0.366, -2.562],
  ] as const)('of 16 kept with %i positives are %f and %f', (positives, ofPositive, ofNegative) => {
    const advantages = groupAdvantages(kept(positives));
    advantages.forEach((advantage, i) => {
      expect(advantage).toBeCloseTo(i < positives ? ofPositive : ofNegative, 3);
    });
  });

  it.each([
    [1, 3.873, -0.258],
    [2, 2.646, -0.378],
    [4, 1.732, -0.577],
    [8, 1, -1],
    [12, 0.577, -1.732],
    [14, 0.378, -2.646],
  ] as const)('by the population of 16 with %i positives are %f and %f', (positives, first, last) => {
    const advantages = groupAdvantages(kept(positives), { ddof: 0 });
    expect(advantages[0]).toBeCloseTo(first, 3);
    expect(advantages[15]).toBeCloseTo(last, 3);
  });

  it('adds epsilon to the deviation, default 1e-6', () => {
    expect(groupAdvantages([1, 0], { ddof: 0, epsilon: 0 })[0]).toBe(1);
    expect(groupAdvantages([1, 0], { ddof: 0 })[0]).toBe(0.5 / (0.5 + 1e-6));
    expect(groupAdvantages([1, 0], { ddof: 0, epsilon: 0.5 })[0]).toBe(0.5);
  });

  it('gives a group of one its reward, since mean is 0 and deviation 1', () => {
    expect([...groupAdvantages([1])]).toEqual([1 / (1 + 1e-6)]);
    expect([...groupAdvantages([0.5], { normByStd: false })]).toEqual([0.5]);
  });

  it('gives equal rewards exactly 0, even if their mean has a rounding error', () => {
    expect([...groupAdvantages([0.1, 0.1, 0.1])]).toEqual([0, 0, 0]);
    expect([...groupAdvantages([])]).toEqual([]);
  });

  it('only subtracts the mean without normByStd', () => {
    expect([...groupAdvantages([1, 0, 0, 1], { normByStd: false })]).toEqual([0.5, -0.5, -0.5, 0.5]);
  });

  it('sums to 0 in groups of two or more', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: -4, max: 4 }), { minLength: 2, maxLength: 64 }),
        fc.constantFrom<0 | 1>(0, 1),
        fc.boolean(),
        (rewards, ddof, normByStd) => {
          const sum = groupAdvantages(rewards, { ddof, normByStd }).reduce((a, b) => a + b, 0);
          expect(sum).toBeCloseTo(0, 9);
        },
      ),
      { seed: 1, numRuns: 500 },
    );
  });
});
