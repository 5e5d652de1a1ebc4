/** A change in mean reward, divided into changed shares of the classes and changed rewards within them. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ClassRewards, mixEffect } from '../../renderer/views/overview/mixModel.ts';
import type { ProblemRewards, StepFacts } from '../../shared/api/contract.ts';
import { seededRandom } from '../../shared/domain/seededRandom.ts';

/** Facts of these rewards, by the definitions of mean and sample deviation. */
function factsOf(step: number, rewards: readonly number[]): StepFacts {
  const known = rewards.length;
  const mean = rewards.reduce((sum, reward) => sum + reward, 0) / known;
  const squares = rewards.reduce((sum, reward) => sum + (reward - mean) ** 2, 0);
  return {
    step,
    rollouts: known,
    groups: 1,
    values: known === 0 ? {} : { meanReward: mean },
    outcomes: {},
    repeats: 0,
    retries: { calls: 0, succeeded: 0 },
    recovery: { rollouts: 0, correct: 0 },
    ...(known === 0
      ? {}
      : { reward: { known, ...(known < 2 ? {} : { deviation: Math.sqrt(squares / (known - 1)) }) } }),
  };
}

/** Rewards by the definition of their sums. @param problemOf the problem of each reward */
function rewardsOf(rewards: readonly number[], problemOf: (at: number) => number): ProblemRewards {
  const sums = new Map<number, { rollouts: number; sum: number }>();
  for (const [at, reward] of rewards.entries()) {
    const { rollouts, sum } = sums.get(problemOf(at)) ?? { rollouts: 0, sum: 0 };
    sums.set(problemOf(at), { rollouts: rollouts + 1, sum: sum + reward });
  }
  return {
    problems: Array.from(sums.keys(), (problem) => `p${problem}`),
    rollouts: Uint32Array.from(sums.values(), ({ rollouts }) => rollouts),
    sums: Array.from(sums.values(), ({ sum }) => sum),
  };
}

/** Rewards of each class at steps 0 and 1. */
type Classes = readonly (readonly [before: readonly number[], after: readonly number[]])[];

/** @param problemOf by class, step and position; absent: every rollout is a problem of its own */
function effectOf(
  classes: Classes,
  problemOf: (k: number, step: 0 | 1, at: number) => number = (k, step, at) => step * 1e9 + k * 1e6 + at,
) {
  const facts = classes.map(([before, after]) => [factsOf(0, before), factsOf(1, after)]);
  const whole = [0, 1].map((step) =>
    factsOf(
      step,
      classes.flatMap((one) => one[step] ?? []),
    ),
  );
  const groups = classes.map(
    ([before, after], k): ClassRewards => [
      rewardsOf(before, (at) => problemOf(k, 0, at)),
      rewardsOf(after, (at) => problemOf(k, 1, at)),
    ],
  );
  return mixEffect(facts, whole, groups);
}

const times = (count: number, value: number): readonly number[] => Array.from({ length: count }, () => value);

describe('a change in mean reward', () => {
  it('is all mix where only shares changed', () => {
    const found = effectOf([
      [times(80, 0), times(20, 0)],
      [times(20, 1), times(80, 1)],
    ]);
    expect(found).toMatchObject({ before: 0.2, after: 0.8, rollouts: [100, 100] });
    expect(found?.mix.value).toBeCloseTo(0.6, 12);
    expect(found?.within).toEqual({ value: 0, margin: 0 });
  });

  it('is all within the classes where shares stayed', () => {
    const found = effectOf([
      [
        [0, 0, 0, 1],
        [0, 1, 1, 1],
      ],
      [
        [0, 1],
        [0, 1],
      ],
    ]);
    expect(found?.mix.value).toBe(0);
    expect(found?.within.value).toBeCloseTo(1 / 3, 12);
  });

  it('is one of shares for a class that is missing at one step', () => {
    const found = effectOf([
      [
        [0, 0],
        [0, 0],
      ],
      [[], [1, 1]],
    ]);
    expect([found?.mix.value, found?.within.value]).toEqual([0.5, 0]);
    expect(found?.mix.margin).toBeGreaterThan(0);
  });

  it('has no interval where a class has one rollout at both steps', () => {
    const found = effectOf([
      [[0], [1]],
      [
        [0, 1],
        [0, 1],
      ],
    ]);
    expect(found?.within).toEqual({ value: 1 / 3 });
  });

  it('is unknown where a known reward is in no class, or only one step has any', () => {
    const one = [factsOf(0, [0, 1]), factsOf(1, [1, 1])];
    expect(mixEffect([one], [factsOf(0, [0, 1, 1]), factsOf(1, [1, 1])])).toBeUndefined();
    expect(mixEffect([one], [factsOf(0, [0, 1]), factsOf(1, [])])).toBeUndefined();
    expect(mixEffect([one], one)).toBeDefined();
  });

  it('adds up, whatever the classes are', () => {
    const rewards = fc.array(fc.double({ min: -1, max: 1, noNaN: true }), { maxLength: 6 });
    fc.assert(
      fc.property(fc.array(fc.tuple(rewards, rewards), { minLength: 1, maxLength: 4 }), (classes) => {
        const found = effectOf(classes);
        if (found === undefined) return;
        expect(found.mix.value + found.within.value).toBeCloseTo(found.after - found.before, 9);
      }),
    );
  });

  it('has intervals that hold the truth about 95 times of 100', () => {
    const random = seededRandom(7);
    // Per class: its share before and after, and how often it is rewarded before and after.
    const truth = [
      { share: [0.7, 0.4], rate: [0.2, 0.3] },
      { share: [0.3, 0.6], rate: [0.6, 0.65] },
    ] as const;
    const mix = truth.reduce(
      (sum, { share, rate }) => sum + ((rate[0] + rate[1]) / 2) * (share[1] - share[0]),
      0,
    );
    const within = truth.reduce(
      (sum, { share, rate }) => sum + ((share[0] + share[1]) / 2) * (rate[1] - rate[0]),
      0,
    );
    const held = { mix: 0, within: 0, change: 0 };
    const trials = 800;
    for (let trial = 0; trial < trials; trial++) {
      const classes = truth.map(() => [[], []] as [number[], number[]]);
      for (const step of [0, 1] as const)
        for (let i = 0; i < 300; i++) {
          const at = random() < truth[0].share[step] ? 0 : 1;
          classes[at]?.[step].push(random() < truth[at].rate[step] ? 1 : 0);
        }
      const found = effectOf(classes);
      if (found === undefined) throw new Error('both steps have rewards');
      const isIn = ({ value, margin = 0 }: { value: number; margin?: number }, expected: number) =>
        Math.abs(value - expected) <= margin ? 1 : 0;
      held.mix += isIn(found.mix, mix);
      held.within += isIn(found.within, within);
      held.change += isIn(found.change, mix + within);
    }
    for (const count of Object.values(held)) {
      expect(count / trials).toBeGreaterThan(0.93);
      expect(count / trials).toBeLessThan(0.98);
    }
  });

  it('has no interval before the rewards by problem are known, nor where a class has one problem', () => {
    const facts = [factsOf(0, [0, 1, 1, 1]), factsOf(1, [0, 0, 1, 1])];
    expect(mixEffect([facts], facts)).toMatchObject({ change: { value: -0.25 } });
    expect(mixEffect([facts], facts)?.change.margin).toBeUndefined();
    expect(mixEffect([facts], facts)?.problems).toBeUndefined();
    const classes = [
      [
        [0, 1, 1, 1],
        [0, 0, 1, 1],
      ],
    ] as const;
    expect(effectOf(classes, () => 1)?.within.margin).toBeUndefined();
    expect(effectOf(classes, () => 1)?.problems).toEqual([1, 1]);
    expect(effectOf(classes, (_k, step, at) => (step === 0 ? 0 : at))?.problems).toEqual([1, 4]);
    expect(effectOf(classes, (_k, _step, at) => at % 2)?.within.margin).toBeDefined();
  });

  it('has intervals that hold the truth about 95 times of 100 where rollouts share a problem', () => {
    const random = seededRandom(11);
    const size = 8;
    const groups = 60;
    // Problems are easy or hard, by halves. A class is taken, and rewarded, at a rate that depends on the problem.
    const kinds = [
      { share: [0.9, 0.6], rate: [0.8, 0.9] },
      { share: [0.3, 0.1], rate: [0.1, 0.2] },
    ] as const;
    const bonus = [0, 0.1] as const;
    const classAt = (step: 0 | 1, k: 0 | 1) => {
      const parts = kinds.map(({ share, rate }) => ({
        weight: k === 0 ? share[step] : 1 - share[step],
        rate: rate[step] + bonus[k],
      }));
      const weight = parts.reduce((sum, part) => sum + part.weight, 0);
      return {
        share: weight / 2,
        mean: parts.reduce((sum, part) => sum + part.weight * part.rate, 0) / weight,
      };
    };
    const truth = ([0, 1] as const).map((k) => [classAt(0, k), classAt(1, k)] as const);
    const mix = truth.reduce((sum, [a, b]) => sum + ((a.mean + b.mean) / 2) * (b.share - a.share), 0);
    const within = truth.reduce((sum, [a, b]) => sum + ((a.share + b.share) / 2) * (b.mean - a.mean), 0);
    const held = { mix: 0, within: 0, change: 0 };
    const trials = 600;
    for (let trial = 0; trial < trials; trial++) {
      type Numbers = readonly [before: number[], after: number[]];
      const rewards: readonly [Numbers, Numbers] = [
        [[], []],
        [[], []],
      ];
      const groupAt: readonly [Numbers, Numbers] = [
        [[], []],
        [[], []],
      ];
      for (const step of [0, 1] as const)
        for (let g = 0; g < groups; g++) {
          const kind = kinds[random() < 0.5 ? 0 : 1];
          for (let i = 0; i < size; i++) {
            const k = random() < kind.share[step] ? 0 : 1;
            rewards[k][step].push(random() < kind.rate[step] + bonus[k] ? 1 : 0);
            groupAt[k][step].push(g);
          }
        }
      const found = effectOf(rewards, (k, step, at) => groupAt[k === 0 ? 0 : 1][step][at] ?? -1);
      if (found === undefined) throw new Error('both steps have rewards');
      const isIn = ({ value, margin = 0 }: { value: number; margin?: number }, expected: number) =>
        Math.abs(value - expected) <= margin ? 1 : 0;
      held.mix += isIn(found.mix, mix);
      held.within += isIn(found.within, within);
      held.change += isIn(found.change, mix + within);
    }
    for (const count of Object.values(held)) {
      expect(count / trials).toBeGreaterThan(0.93);
      expect(count / trials).toBeLessThan(0.98);
    }
  });

  it('has intervals that hold the truth about 95 times of 100 with ten problems that both steps have', () => {
    const random = seededRandom(13);
    const [problems, size, trials] = [10, 16, 800];
    let held = 0;
    let width = 0;
    let unpairedWidth = 0;
    for (let trial = 0; trial < trials; trial++) {
      const rates = Array.from({ length: problems }, () => random());
      // The second step solves every problem a little less often, which is the truth.
      const at = (fall: number) =>
        rates.flatMap((rate) => Array.from({ length: size }, () => (random() < rate * (1 - fall) ? 1 : 0)));
      const classes = [[at(0), at(0.2)] as const];
      const problemOf = (shift: number) => (_k: number, step: 0 | 1, at: number) =>
        Math.floor(at / size) + step * shift;
      const paired = effectOf(classes, problemOf(0))?.change;
      const unpaired = effectOf(classes, problemOf(1000))?.change;
      if (paired?.margin === undefined || unpaired?.margin === undefined) throw new Error('no interval');
      if (Math.abs(paired.value - -0.1) <= paired.margin) held++;
      width += paired.margin;
      unpairedWidth += unpaired.margin;
    }
    expect(held / trials).toBeGreaterThan(0.93);
    expect(held / trials).toBeLessThan(0.98);
    expect(width).toBeLessThan(unpairedWidth / 2);
  });
});
