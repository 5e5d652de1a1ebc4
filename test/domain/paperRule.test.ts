import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type DownSamplingSettings, RELEASE_DEFAULTS } from '../../shared/domain/downSampling.ts';
import { drawPaper, type PaperOptions, resampleAsInPaper } from '../../shared/domain/paperRule.ts';
import type { PoolGroup } from '../../shared/domain/resample.ts';
import { seededRandom } from '../../shared/domain/seededRandom.ts';

/** Positives with these penalties, then this many negatives. */
const group = (penalties: readonly (number | undefined)[], negatives: number): PoolGroup => ({
  rows: [
    ...penalties.map((pErr) => ({ reward: 1, pErr, pFormat: 0 })),
    ...Array.from({ length: negatives }, () => ({ reward: 0, pErr: 0.5, pFormat: 0 })),
  ],
});
const PAPER: DownSamplingSettings = { ...RELEASE_DEFAULTS };
const inclusion = (pool: PoolGroup, settings: Partial<DownSamplingSettings> = {}, options?: PaperOptions) =>
  resampleAsInPaper(pool, { ...PAPER, ...settings }, options).rows.map((row) => row.inclusion ?? Number.NaN);
const sum = (values: readonly number[]) => values.reduce((a, b) => a + b, 0);

/** Tries every order of draws: weights, and the number taken. */
function byEveryOrder(weights: readonly number[], take: number): number[] {
  const found = weights.map(() => 0);
  const go = (left: readonly number[], p: number, taken: readonly number[]): void => {
    if (taken.length === take) {
      for (const i of taken) found[i] = (found[i] ?? 0) + p;
      return;
    }
    const total = sum(left.map((i) => weights[i] ?? 0));
    for (const i of left)
      go(
        left.filter((j) => j !== i),
        (p * (weights[i] ?? 0)) / total,
        [...taken, i],
      );
  };
  go(
    weights.map((_, i) => i),
    1,
    [],
  );
  return found;
}

describe('the paper’s rule', () => {
  it('has no kept set and no advantages, and only certain reasons', () => {
    const decision = resampleAsInPaper(group([0.5, 1], 4), PAPER);
    expect(decision).toMatchObject({ rule: 'paper', outcome: 'resampled', decidable: true });
    expect(decision.cut).toBeUndefined();
    for (const row of decision.rows) {
      expect(row).toMatchObject({ kept: undefined, reason: undefined, advantage: undefined });
      expect(row.advantageOfAll).toBeDefined();
    }
  });

  it.each([
    // positives, negatives of 32 → positives, negatives kept of 16
    [12, 20, 6, 10],
    [13, 19, 7, 9],
    [31, 1, 16, 0],
    [1, 31, 1, 15],
  ])('of %i positives and %i negatives keeps %i and floor(half) %i', (positives, negatives, k1, k0) => {
    const decision = resampleAsInPaper(group(Array(positives).fill(0.5), negatives), PAPER);
    expect(decision.quota).toMatchObject({ target: 16, afterMinNonZero: { nonZeros: k1, zeros: k0 } });
    const chances = decision.rows.map((row) => row.inclusion ?? Number.NaN);
    expect(sum(chances.slice(0, positives))).toBeCloseTo(k1, 9);
    for (const chance of chances.slice(positives)) expect(chance).toBe(k0 / negatives);
  });

  it('scales the negatives’ half to another target', () => {
    const decision = resampleAsInPaper(group(Array(12).fill(0.5), 20), { ...PAPER, down_sample_to_n: 8 });
    expect(decision.quota?.afterMinNonZero).toEqual({ zeros: 5, nonZeros: 3 });
  });

  it('weighs positives by 1/penalty, drawn one after another', () => {
    // One of two is drawn: 1/0.5 against 1/1.
    expect(inclusion(group([0.5, 1], 2), { down_sample_to_n: 2 }).slice(0, 2)).toEqual([
      expect.closeTo(2 / 3, 12),
      expect.closeTo(1 / 3, 12),
    ]);
    const penalties = [0.2, 0.5, 0.5, 1, 1, 1.5];
    const expected = byEveryOrder(
      penalties.map((p) => 1 / p),
      3,
    );
    inclusion(group(penalties, 6), {})
      .slice(0, 6)
      .forEach((chance, i) => {
        expect(chance).toBeCloseTo(expected[i] ?? Number.NaN, 12);
      });
  });

  it('clean_first takes penalty 0 first, uniformly', () => {
    expect(inclusion(group([0, 0.5, 0, 1], 4)).slice(0, 4)).toEqual([1, 0, 1, 0]);
    expect(inclusion(group([0, 0, 0, 1], 4)).slice(0, 4)).toEqual([2 / 3, 2 / 3, 2 / 3, 0]);
    const [clean, half, full] = inclusion(group([0, 0.5, 1], 3), { down_sample_to_n: 4 });
    expect([clean, half, full]).toEqual([1, expect.closeTo(2 / 3, 12), expect.closeTo(1 / 3, 12)]);
    // A what-if's weight may push a penalty below 0, which counts as clean.
    const bonus = { repetition_weight: -1 };
    const rows = group([0.5, 0.5], 2).rows.map((row, i) => ({ ...row, repetition: i === 0 ? 2 : 0 }));
    expect(inclusion({ rows }, bonus).slice(0, 2)).toEqual([1, 0]);
  });

  it('epsilon weighs 1/(p + epsilon)', () => {
    const settings = { paper_zero_penalty: 'epsilon', paper_epsilon: 0.25 } as const;
    const [clean, other] = inclusion(group([0, 0.5], 2), settings);
    expect([clean, other]).toEqual([expect.closeTo(0.75, 12), expect.closeTo(0.25, 12)]);
  });

  it('counts both parts unless only one is enabled', () => {
    const rows = [
      { reward: 1, pErr: 0.5, pFormat: 0 },
      { reward: 1, pErr: 0.5, pFormat: 0.5 },
      { reward: 0, pErr: 0, pFormat: 0 },
      { reward: 0, pErr: 0, pFormat: 0 },
    ];
    expect(inclusion({ rows })[0]).toBeCloseTo(2 / 3, 12);
    expect(inclusion({ rows }, { roc_error_ratio: true })[0]).toBeCloseTo(1 / 2, 12);
    expect(inclusion({ rows }, { roc_answer_format: true })[0]).toBe(1);
  });

  it('rejects equal rewards, or samples them if configured', () => {
    const allRight = group([0.5, 1, 1, 1], 0);
    const rejected = resampleAsInPaper(allRight, PAPER);
    expect(rejected.outcome).toBe('equal_reward');
    for (const row of rejected.rows) {
      expect(row).toMatchObject({
        kept: undefined,
        inclusion: 0,
        reason: 'discarded_equal_reward_all_correct',
      });
    }
    expect(sum(inclusion(allRight, { paper_equal_reward: 'sample' }))).toBeCloseTo(2, 12);
    expect(inclusion(group([], 4), { paper_equal_reward: 'sample' })).toEqual([0.5, 0.5, 0.5, 0.5]);
    expect(drawPaper(allRight, PAPER, 1).kept).toEqual([false, false, false, false]);
  });

  it('keeps a group of at most n rows, and all rows when off', () => {
    expect(resampleAsInPaper(group([1], 1), { ...PAPER, down_sample_to_n: 2 })).toMatchObject({
      outcome: 'kept_all',
      rows: [{ inclusion: 1, reason: 'kept_all_group' }, { inclusion: 1 }],
    });
    expect(inclusion(group([1], 1), { do_down_sampling: false })).toEqual([1, 1]);
    expect(drawPaper(group([1], 1), { ...PAPER, do_down_sampling: false }, 1).kept).toEqual([true, true]);
  });

  it('ignores minima, rejection switch and world size', () => {
    const settings = {
      min_zero_reward_trace_num: 16,
      min_non_zero_reward_trace_num: 16,
      reject_equal_reward: true,
      world_size: 7,
    };
    const pool = group([0.1, 0.2, 0.5, 1], 8);
    expect(inclusion(pool, settings)).toEqual(inclusion(pool));
  });

  it('is undecidable if a penalty with weight is unknown', () => {
    const pool = group([0.5, undefined], 2);
    expect(resampleAsInPaper(pool, PAPER)).toMatchObject({ outcome: 'undecidable', why: 'penalty_unknown' });
    expect(inclusion(pool)).toEqual([Number.NaN, Number.NaN, Number.NaN, Number.NaN]);
    expect(drawPaper(pool, PAPER, 1)).toMatchObject({ isDraw: true, kept: Array(4).fill(undefined) });
    // All positives are kept, so no penalty is needed.
    expect(inclusion(group([undefined], 3))).toEqual([1, 1 / 3, 1 / 3, 1 / 3]);
    const unknown = { rows: [{ reward: undefined, pErr: 0, pFormat: 0 }] };
    expect(resampleAsInPaper(unknown, PAPER).why).toBe('reward_unknown');
  });
});

const MIXED = group([0, 0.1, 0.1, 0.2, 0.5, 0.5, 0.5, 1, 1.5, 1.5, 2, 0.25], 20);

describe('a draw', () => {
  it('is marked as a draw, repeatable by its seed, and has the size of the quota', () => {
    const draw = drawPaper(MIXED, PAPER, 7);
    expect(draw).toMatchObject({ isDraw: true, seed: 7 });
    expect(drawPaper(MIXED, PAPER, 7)).toEqual(draw);
    expect(draw.kept.filter(Boolean)).toHaveLength(16);
    expect(draw.kept.slice(12).filter(Boolean)).toHaveLength(10);
    const others = Array.from({ length: 20 }, (_, seed) =>
      JSON.stringify(drawPaper(MIXED, PAPER, seed).kept),
    );
    expect(new Set(others).size).toBeGreaterThan(15);
  });

  it.each(['clean_first', 'epsilon'] as const)('10⁵ draws agree with the exact inclusion (%s)', (option) => {
    const settings = { ...PAPER, paper_zero_penalty: option };
    const DRAWS = 100_000;
    const times = MIXED.rows.map(() => 0);
    for (let seed = 0; seed < DRAWS; seed++) {
      drawPaper(MIXED, settings, seed).kept.forEach((isKept, i) => {
        if (isKept) times[i] = (times[i] ?? 0) + 1;
      });
    }
    inclusion(MIXED, settings).forEach((chance, i) => {
      // Five standard errors: 32 rows, fixed seeds.
      const error = Math.sqrt((chance * (1 - chance)) / DRAWS);
      expect(Math.abs((times[i] ?? 0) / DRAWS - chance)).toBeLessThanOrEqual(5 * error + 1e-12);
    });
  });
});

describe('inclusion probabilities', () => {
  it('sum to the quota of each class, lie in 0 … 1 and fall with the penalty', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(0, 0.1, 0.25, 1 / 3, 0.5, 1, 1.5), { minLength: 1, maxLength: 20 }),
        fc.integer({ min: 1, max: 20 }),
        fc.integer({ min: 0, max: 20 }),
        fc.constantFrom('clean_first' as const, 'epsilon' as const),
        fc.constantFrom(0, 20_000),
        (penalties, negatives, n, paper_zero_penalty, exactStates) => {
          const pool = group(penalties, negatives);
          const settings = { ...PAPER, down_sample_to_n: n, paper_zero_penalty };
          const decision = resampleAsInPaper(pool, settings, {
            exactStates,
            integratedRows: exactStates,
            draws: 50,
          });
          const chances = decision.rows.map((row) => row.inclusion ?? Number.NaN);
          const counts = decision.quota?.afterMinNonZero ?? { zeros: negatives, nonZeros: penalties.length };
          expect(sum(chances.slice(0, penalties.length))).toBeCloseTo(counts.nonZeros, 9);
          expect(sum(chances.slice(penalties.length))).toBeCloseTo(counts.zeros, 9);
          for (const chance of chances) {
            expect(chance).toBeGreaterThanOrEqual(0);
            expect(chance).toBeLessThanOrEqual(1 + 1e-12);
          }
          if (exactStates === 0) return;
          expect(decision.rows.every((row) => row.inclusionError === undefined)).toBe(true);
          penalties.forEach((a, i) => {
            penalties.forEach((b, j) => {
              if (a < b) expect(chances[i]).toBeGreaterThanOrEqual((chances[j] ?? 0) - 1e-12);
            });
          });
        },
      ),
      { seed: 21, numRuns: 400 },
    );
  });

  it('estimates beyond the maximum of states, repeatably and within the error', () => {
    const exact = inclusion(MIXED);
    const decision = resampleAsInPaper(MIXED, PAPER, {
      exactStates: 10,
      integratedRows: 0,
      draws: 3000,
      seed: 5,
    });
    expect(
      resampleAsInPaper(MIXED, PAPER, { exactStates: 10, integratedRows: 0, draws: 3000, seed: 5 }),
    ).toEqual(decision);
    decision.rows.forEach((row, i) => {
      const isDrawn = i > 0 && i < 12;
      // The clean one and the negatives need no estimate.
      expect(row.inclusionError !== undefined).toBe(isDrawn);
      if (!isDrawn) return;
      expect(row.inclusionError).toBeGreaterThan(0);
      expect(row.inclusionError).toBeLessThan(0.01);
      expect(Math.abs((row.inclusion ?? Number.NaN) - (exact[i] ?? 0))).toBeLessThan(
        4 * (row.inclusionError ?? 0),
      );
      expect(row.inclusion).not.toBe(exact[i]);
    });
  });
});

describe('seededRandom', () => {
  it('repeats itself, differs by seed and is uniform', () => {
    const take = (seed: number, count: number) => {
      const random = seededRandom(seed);
      return Array.from({ length: count }, random);
    };
    expect(take(3, 5)).toEqual(take(3, 5));
    expect(take(3, 5)).not.toEqual(take(4, 5));
    const numbers = take(1, 20_000);
    expect(Math.min(...numbers)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...numbers)).toBeLessThan(1);
    expect(sum(numbers) / numbers.length).toBeCloseTo(0.5, 2);
    // The first number of consecutive seeds must be uniform, too, because draws are seeded consecutively.
    const firsts = Array.from({ length: 20_000 }, (_, seed) => seededRandom(seed)());
    expect(sum(firsts) / firsts.length).toBeCloseTo(0.5, 2);
  });
});
