import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  evaluate,
  majorityAtK,
  meanReward,
  type ProblemSamples,
  passAt1,
  passAtK,
  passHatK,
  sampleSizes,
} from '../../shared/domain/evaluation.ts';

const problem = (samples: number, correct: number): ProblemSamples => ({ samples, correct, answers: [] });

/** `A A b -`: one answer per sample, in upper case if it is correct; `-`: no answer. */
function drawn(text: string): ProblemSamples {
  const samples = text.split(' ');
  const answers = new Map<string, { samples: number; correct: number }>();
  let correct = 0;
  for (const sample of samples) {
    const isRight = sample === sample.toUpperCase() && sample !== '-';
    if (isRight) correct++;
    if (sample === '-') continue;
    const answer = answers.get(sample) ?? { samples: 0, correct: 0 };
    answer.samples++;
    if (isRight) answer.correct++;
    answers.set(sample, answer);
  }
  return { samples: samples.length, correct, answers: [...answers.values()] };
}

/** All subsets of size k of the places below n. */
function subsets(n: number, k: number, from = 0): number[][] {
  if (k === 0) return [[]];
  const all: number[][] = [];
  for (let first = from; first <= n - k; first++)
    for (const rest of subsets(n, k - 1, first + 1)) all.push([first, ...rest]);
  return all;
}

const meanOf = (values: readonly number[]) => values.reduce((sum, each) => sum + each, 0) / values.length;

describe('pass@1', () => {
  it('is the mean over problems, whatever their sample counts', () => {
    // 1/4 and 2/2, averaged; not 3/6.
    expect(passAt1([problem(4, 1), problem(2, 2)])?.mean).toBeCloseTo(0.625, 12);
  });

  it('has the interval of problem means, with two all-correct and two all-incorrect problems added', () => {
    // Means 0.4, 0.5, 0.6, 0, 0, 1, 1: sample variance (0.02 + 4 · 0.25) / 6 = 0.17, standard error √(0.17/7) = 0.155839.
    const found = passAt1([problem(10, 4), problem(10, 5), problem(10, 6)]);
    expect(found).toMatchObject({ problems: 3, mean: 0.5 });
    expect(found?.low).toBeCloseTo(0.5 - 1.959964 * 0.155839, 5);
    expect(found?.high).toBeCloseTo(0.5 + 1.959964 * 0.155839, 5);
  });

  it('has a positive width if all are correct, or two problems agree', () => {
    // Means 1, 1, 1, 1, 0, 0: 2/3 ± 1.959964 · √(0.266667/6)
    const right = passAt1([problem(8, 8), problem(8, 8)]);
    expect(right).toMatchObject({ mean: 1, high: 1 });
    expect(right?.low).toBeCloseTo(0.253466, 5);
    const alike = passAt1([problem(8, 4), problem(8, 4)]);
    expect((alike?.high ?? 0) - (alike?.low ?? 1)).toBeGreaterThan(0.6);
    // One incorrect sample of 960 does not narrow the interval.
    const all = Array.from({ length: 30 }, () => problem(32, 32));
    const low = passAt1(all)?.low ?? 1;
    expect(low).toBeGreaterThan(0.84);
    expect(low).toBeLessThan(0.9);
    expect(passAt1([...all.slice(1), problem(32, 31)])?.low ?? 1).toBeLessThan(low);
  });

  it('approaches the normal approximation for many problems', () => {
    const many = Array.from({ length: 4000 }, (_, i) => problem(4, i % 5));
    // Means 0, ¼, ½, ¾, 1: standard deviation √0.125.
    expect(passAt1(many)?.low).toBeCloseTo(0.5 - 1.959964 * Math.sqrt(0.125 / 4000), 3);
  });

  it('contains the mean, and stays within 0 and 1', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(4), { minLength: 2, maxLength: 40 }), (rights) => {
        const { mean, low, high } = passAt1(rights.map((right) => problem(4, right))) ?? { mean: -1 };
        expect(low).toBeGreaterThanOrEqual(0);
        expect(low).toBeLessThanOrEqual(mean);
        expect(high).toBeGreaterThanOrEqual(mean);
        expect(high).toBeLessThanOrEqual(1);
      }),
    );
  });

  it('has no interval for one problem, and is undefined for none', () => {
    expect(passAt1([problem(8, 4)])).toEqual({ mean: 0.5, problems: 1 });
    expect(passAt1([problem(0, 0)])).toBeUndefined();
  });
});

describe('pass@k', () => {
  it('equals values computed by hand', () => {
    // 1 − C(3,2)/C(4,2) = 1 − 3/6
    expect(passAtK(4, 1, 2)).toBeCloseTo(0.5, 12);
    // 1 − C(5,3)/C(8,3) = 1 − 10/56
    expect(passAtK(8, 3, 3)).toBeCloseTo(46 / 56, 12);
    expect(passAtK(4, 0, 4)).toBe(0);
    expect(passAtK(4, 1, 4)).toBe(1);
    expect(passAtK(4, 1, 5)).toBeUndefined();
  });

  it('is the share of subsets with a correct sample', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 9 }), fc.nat(9), fc.integer({ min: 1, max: 9 }), (n, most, k) => {
        fc.pre(k <= n);
        const c = Math.min(most, n);
        const share = meanOf(subsets(n, k).map((chosen) => (chosen.some((at) => at < c) ? 1 : 0)));
        expect(passAtK(n, c, k)).toBeCloseTo(share, 10);
      }),
    );
  });

  it('has a counterpart, pass^k, that is the share of subsets of correct samples alone', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 9 }), fc.nat(9), fc.integer({ min: 1, max: 9 }), (n, most, k) => {
        fc.pre(k <= n);
        const c = Math.min(most, n);
        const share = meanOf(subsets(n, k).map((chosen) => (chosen.every((at) => at < c) ? 1 : 0)));
        expect(passHatK(n, c, k)).toBeCloseTo(share, 10);
      }),
    );
    // C(3,2)/C(4,2) = 3/6
    expect(passHatK(4, 3, 2)).toBeCloseTo(0.5, 12);
    expect(passHatK(4, 1, 2)).toBe(0);
    expect(passHatK(4, 4, 4)).toBe(1);
    expect(passHatK(4, 4, 5)).toBeUndefined();
  });

  it('does not overflow', () => {
    expect(passAtK(4000, 1, 2000)).toBeCloseTo(0.5, 10);
  });

  it('uses every number up to 4, powers of two, and n', () => {
    expect(sampleSizes(1)).toEqual([1]);
    expect(sampleSizes(4)).toEqual([1, 2, 3, 4]);
    expect(sampleSizes(8)).toEqual([1, 2, 3, 4, 8]);
    expect(sampleSizes(12)).toEqual([1, 2, 3, 4, 8, 12]);
    expect(sampleSizes(0)).toEqual([]);
  });
});

describe('majority@k', () => {
  it('equals values computed by hand', () => {
    expect(majorityAtK(drawn('A A b'), 3)).toEqual({ value: 1, isExact: true });
    expect(majorityAtK(drawn('A b b'), 3)?.value).toBe(0);
    // A tie of a correct and an incorrect answer is split.
    expect(majorityAtK(drawn('A b'), 2)?.value).toBe(0.5);
    // Pairs AA, Ab, Ab: (1 + ½ + ½) / 3.
    expect(majorityAtK(drawn('A A b'), 2)?.value).toBeCloseTo(2 / 3, 12);
    // Three answers lead, one of them correct.
    expect(majorityAtK(drawn('A b c'), 3)?.value).toBeCloseTo(1 / 3, 12);
  });

  it('equals pass@1 for one sample, if every sample has an answer', () => {
    expect(majorityAtK(drawn('A b b c'), 1)?.value).toBeCloseTo(0.25, 12);
  });

  it('lets samples without an answer abstain; without any vote there is no answer', () => {
    expect(majorityAtK(drawn('A - -'), 3)?.value).toBe(1);
    // Pairs A-, A-, --: the last one has no answer.
    expect(majorityAtK(drawn('A - -'), 2)?.value).toBeCloseTo(2 / 3, 12);
    expect(majorityAtK(drawn('- - -'), 2)).toBeUndefined();
    expect(majorityAtK(drawn('A b'), 3)).toBeUndefined();
  });

  it('is the mean over all subsets', () => {
    const sample = fc.constantFrom('A', 'b', 'c', '-');
    fc.assert(
      fc.property(
        fc.array(sample, { minLength: 1, maxLength: 8 }),
        fc.integer({ min: 1, max: 8 }),
        (samples, k) => {
          fc.pre(k <= samples.length && samples.some((each) => each !== '-'));
          const values = subsets(samples.length, k).map((chosen) => {
            const votes = chosen.map((at) => samples[at] ?? '-').filter((each) => each !== '-');
            const counts = new Map<string, number>();
            for (const vote of votes) counts.set(vote, (counts.get(vote) ?? 0) + 1);
            const most = Math.max(0, ...counts.values());
            const leaders = [...counts].filter(([, count]) => count === most);
            return leaders.length === 0
              ? 0
              : leaders.filter(([answer]) => answer === 'A').length / leaders.length;
          });
          expect(majorityAtK(drawn(samples.join(' ')), k)?.value).toBeCloseTo(meanOf(values), 10);
        },
      ),
    );
  });

  it('draws by a seed if there are too many subsets, near the exact value', () => {
    // 32 samples, 16 drawn: 24 correct and 8 incorrect, one answer each. The incorrect one ties only if all 8
    // are drawn.
    const many = drawn(
      [...Array.from({ length: 24 }, () => 'A'), ...Array.from({ length: 8 }, () => 'b')].join(' '),
    );
    const found = majorityAtK(many, 16);
    expect(found?.isExact).toBe(false);
    expect(found).toEqual(majorityAtK(many, 16));
    // A tie needs all 8 incorrect ones: C(24,8)/C(32,16) = 735471/601080390.
    expect(found?.value).toBeCloseTo(1 - 735471 / 601080390 / 2, 2);
    expect(majorityAtK(many, 32)).toEqual({ value: 1, isExact: true });
  });
});

describe('the mean reward', () => {
  it('is over problems, with the standard error of their means', () => {
    const found = meanReward([...Array<number>(63).fill(1), ...Array<number>(37).fill(0)]);
    expect(found).toMatchObject({ mean: 0.63, problems: 100 });
    expect(found?.stderr).toBeCloseTo(Math.sqrt((0.63 * 0.37) / 99), 12);
  });

  it('has no standard error for one problem, and is unknown without any', () => {
    expect(meanReward([0.5])).toEqual({ mean: 0.5, problems: 1 });
    expect(meanReward([])).toBeUndefined();
  });
});

describe('an evaluation', () => {
  it('averages over the problems that have k samples', () => {
    const found = evaluate([drawn('A A b b'), drawn('A b'), problem(0, 0)]);
    expect(found).toMatchObject({ problems: 2, samples: 6, leastSamples: 2, mostSamples: 4 });
    // Only half of the problems have 4 samples.
    expect(found.passAtK.map(({ k, problems }) => [k, problems])).toEqual([
      [1, 2],
      [2, 2],
    ]);
    // pass@2: 1 − C(2,2)/C(4,2) = 5/6, and 1.
    expect(found.passAtK[1]?.value).toBeCloseTo((5 / 6 + 1) / 2, 12);
    expect(found.majorityAtK.map(({ k }) => k)).toEqual([1, 2]);
  });

  it('ends where fewer than 95 % of the problems have k samples', () => {
    const sizes = (short: number): readonly (readonly number[])[] => {
      const problems = Array.from({ length: 40 }, (_, i) => problem(i < short ? 5 : 8, 1));
      return evaluate(problems).passAtK.map(({ k, problems: behind }) => [k, behind]);
    };
    expect(sizes(2).at(-1)).toEqual([8, 38]);
    expect(sizes(3).at(-1)).toEqual([5, 40]);
  });

  it('is empty if nothing is known', () => {
    expect(evaluate([])).toEqual({
      problems: 0,
      samples: 0,
      leastSamples: 0,
      mostSamples: 0,
      passAtK: [],
      passHatK: [],
      majorityAtK: [],
    });
    expect(evaluate([problem(4, 2)]).majorityAtK).toEqual([]);
  });
});
