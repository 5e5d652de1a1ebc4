/** κ against tables computed by hand, and its invariants. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  differences,
  kappaOf,
  kappaOfCategories,
  kappaOfDecisions,
  kappaOfLabel,
} from '../../../shared/domain/annotate/agreement.ts';

const reading = (first: string, second: string) => ({
  first: new Set(first.split(' ').filter(Boolean)),
  second: new Set(second.split(' ').filter(Boolean)),
});

describe("Cohen's κ", () => {
  it.each([
    // p_o = 35/50, p_e = (25·30 + 25·20)/2500 = 0.5
    [
      [
        [20, 5],
        [10, 15],
      ],
      0.4,
    ],
    // p_o = 60/100, p_e = (60·70 + 40·30)/10000 = 0.54
    [
      [
        [45, 15],
        [25, 15],
      ],
      0.06 / 0.46,
    ],
    // p_o = 60/100, p_e = (60·30 + 40·70)/10000 = 0.46
    [
      [
        [25, 35],
        [5, 35],
      ],
      0.14 / 0.54,
    ],
    [
      [
        [10, 0],
        [0, 10],
      ],
      1,
    ],
    [
      [
        [0, 10],
        [10, 0],
      ],
      -1,
    ],
    [
      [
        [5, 5],
        [5, 5],
      ],
      0,
    ],
    // Three categories: p_o = 0.7, p_e = 0.32·0.3 + 0.44·0.46 + 0.24·0.24
    [
      [
        [20, 8, 4],
        [6, 35, 3],
        [4, 3, 17],
      ],
      (0.72 - (0.32 * 0.3 + 0.44 * 0.46 + 0.24 * 0.24)) / (1 - (0.32 * 0.3 + 0.44 * 0.46 + 0.24 * 0.24)),
    ],
  ])('of %j', (table, expected) => {
    expect(kappaOf(table)).toBeCloseTo(expected, 12);
  });

  it('is unknown, not 0, if chance agreement is certain', () => {
    expect(kappaOf([])).toBeUndefined();
    expect(
      kappaOf([
        [0, 0],
        [0, 0],
      ]),
    ).toBeUndefined();
    expect(
      kappaOf([
        [7, 0],
        [0, 0],
      ]),
    ).toBeUndefined();
    expect(kappaOfLabel([], 'x')).toEqual({
      ...{ n: 0, both: 0, onlyFirst: 0, onlySecond: 0, neither: 0 },
      why: 'no rollout reviewed by both',
    });
    const alike = kappaOfLabel([reading('a', 'a')], 'x');
    expect(alike).not.toHaveProperty('kappa');
    expect(alike.why).toBe('both gave the same label throughout');
    expect(kappaOfCategories([])).toMatchObject({ why: 'no rollout reviewed by both' });
    // Without labels, although something was read.
    expect(kappaOfDecisions([reading('', '')], [])).toMatchObject({
      why: 'both gave the same label throughout',
    });
  });

  it('counts labels given by both, one and none', () => {
    const readings = [reading('a b', 'a'), reading('a', 'b'), reading('', 'a'), reading('', '')];
    expect(kappaOfLabel(readings, 'a')).toMatchObject({
      n: 4,
      both: 1,
      onlyFirst: 1,
      onlySecond: 1,
      neither: 1,
      kappa: 0,
    });
    expect(kappaOfDecisions(readings, ['a', 'b'])).toMatchObject({ of: 'decisions', n: 8, agreed: 4 });
    expect(kappaOfCategories(readings)).toMatchObject({ of: 'categories', n: 4, agreed: 1 });
    expect(differences(reading('a b', 'b c'))).toEqual({ onlyFirst: ['a'], onlySecond: ['c'] });
  });

  it('is at most 1, 1 only for full agreement, and symmetric', () => {
    const counts = fc.array(fc.array(fc.nat(50), { minLength: 3, maxLength: 3 }), {
      minLength: 3,
      maxLength: 3,
    });
    fc.assert(
      fc.property(counts, (table) => {
        const kappa = kappaOf(table);
        const swapped = kappaOf(table.map((_, i) => table.map((row) => row[i] ?? 0)));
        expect(swapped).toBe(kappa);
        if (kappa === undefined) return;
        const isAgreed = table.every((row, i) => row.every((count, j) => i === j || count === 0));
        expect(kappa).toBeLessThanOrEqual(1);
        expect(kappa === 1).toBe(isAgreed);
      }),
    );
  });
});
