/** A change in mean reward, divided into changed shares of the classes and changed rewards within them. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mixEffect } from '../../renderer/views/overview/mixModel.ts';
import type { StepFacts } from '../../shared/api/contract.ts';
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

/** Rewards of each class at steps 0 and 1. */
type Classes = readonly (readonly [before: readonly number[], after: readonly number[]])[];

function effectOf(classes: Classes) {
  const facts = classes.map(([before, after]) => [factsOf(0, before), factsOf(1, after)]);
  const whole = [0, 1].map((step) =>
    factsOf(
      step,
      classes.flatMap((one) => one[step] ?? []),
    ),
  );
  return mixEffect(facts, whole);
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
});
