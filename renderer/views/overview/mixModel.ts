/**
 * How much of a change in mean reward comes from the shares of the classes, and how much from rewards within them (E.
 * M. Kitagawa, Components of a Difference Between Two Rates, JASA 50, 1955).
 *
 * Rollouts of one problem depend on each other, at one step and at both, so the problems are the independent draws
 * (K.-Y. Liang and S. L. Zeger, Longitudinal Data Analysis Using Generalized Linear Models, Biometrika 73, 1986). Each
 * part is a function of the shares and means of the classes; its variance is that of the problems' contributions to its
 * linear approximation, where a problem that occurs at both steps contributes once.
 */
import type { ProblemRewards, StepFacts } from '../../../shared/api/contract.ts';
import { halfWidth95 } from '../../../shared/domain/studentT.ts';

export interface Estimate {
  readonly value: number;
  /**
   * Half of the 95 % interval. Absent: the rewards by problem are not known yet, or some class has a single problem at
   * a step.
   */
  readonly margin?: number;
}

export interface MixEffect {
  readonly from: number;
  readonly to: number;
  /** Mean reward at the two steps. */
  readonly before: number;
  readonly after: number;
  /** `mix` plus `within`. */
  readonly change: Estimate;
  /** Due to changed shares of the classes. */
  readonly mix: Estimate;
  /** Due to changed rewards within the classes. */
  readonly within: Estimate;
  /** Rollouts with a known reward at the two steps. */
  readonly rollouts: readonly [before: number, after: number];
  /** Problems of those rollouts. Absent: the rewards by problem are not known yet. */
  readonly problems?: readonly [before: number, after: number];
}

/** Rewards of one class at one step. */
interface Sample {
  readonly rollouts: number;
  readonly mean: number;
}

/** The rewards of one class at the two compared steps. */
export type ClassRewards = readonly [before: ProblemRewards, after: ProblemRewards];

/** The first and the last step with a known reward. Undefined unless there are two. */
export function comparedSteps(
  whole: readonly StepFacts[],
): readonly [first: StepFacts, last: StepFacts] | undefined {
  const known = whole.filter(({ reward }) => reward !== undefined);
  const [first, last] = [known[0], known.at(-1)];
  return first === undefined || last === undefined || first === last ? undefined : [first, last];
}

/**
 * @param classes facts of each class by step; no rollout is in two of them
 * @param whole facts of all rollouts by step, ascending
 * @param rewards of each class; absent: no intervals
 * @returns undefined unless rewards are known at two steps, and all of those rollouts are in a class
 */
export function mixEffect(
  classes: readonly (readonly StepFacts[])[],
  whole: readonly StepFacts[],
  rewards?: readonly ClassRewards[],
): MixEffect | undefined {
  const steps = comparedSteps(whole);
  if (steps === undefined) return undefined;
  const [first, last] = steps;
  const [all, allLater] = [sampleOf(first), sampleOf(last)];
  const pairs = classes.map((facts) => {
    const [a, b] = [first, last].map(({ step }) => sampleOf(facts.find((one) => one.step === step)));
    return { a: a ?? NONE, b: b ?? NONE };
  });
  const inClasses = pairs.reduce((sum, { a, b }) => sum + a.rollouts + b.rollouts, 0);
  if (inClasses !== all.rollouts + allLater.rollouts) return undefined;

  const parts = pairs.map(({ a, b }): Part => {
    const before = a.rollouts / all.rollouts;
    const after = b.rollouts / allLater.rollouts;
    // A class without rollouts at one step has no mean there, so all of its change is attributed to shares.
    const isAtBoth = a.rollouts > 0 && b.rollouts > 0;
    const [first, last] = [a.rollouts > 0 ? a.mean : b.mean, b.rollouts > 0 ? b.mean : a.mean];
    const isEmpty = a.rollouts + b.rollouts === 0;
    return {
      ...{ before, after, isAtBoth },
      mean: isEmpty ? 0 : (first + last) / 2,
      change: isAtBoth ? b.mean - a.mean : 0,
    };
  });
  const sum = (of: (part: Part) => number): number => parts.reduce((total, part) => total + of(part), 0);
  const mix = sum(({ mean, before, after }) => mean * (after - before));
  const within = sum(({ change, before, after }) => ((before + after) / 2) * change);
  const atStep = (side: 0 | 1) => rewards?.map((pair) => pair[side]) ?? [];
  const spread = (weightsOf: (part: Part) => StepWeights): Spread =>
    spreadOf(
      ([0, 1] as const).map((side) =>
        additionsOf(
          atStep(side),
          parts.map((part) => weightsOf(part)[side]),
        ),
      ),
    );
  const [before, after] = [merged(atStep(0)), merged(atStep(1))];
  const meanSpread = spreadOf([
    additionsOf([before], [{ share: 0, mean: -1 }]),
    additionsOf([after], [{ share: 0, mean: 1 }]),
  ]);
  return {
    from: first.step,
    to: last.step,
    before: all.mean,
    after: allLater.mean,
    change: estimate(mix + within, meanSpread),
    mix: estimate(mix, spread(mixWeights)),
    within: estimate(within, spread(withinWeights)),
    rollouts: [all.rollouts, allLater.rollouts],
    ...(rewards === undefined ? {} : { problems: [before.problems.length, after.problems.length] as const }),
  };
}

const NONE: Sample = { rollouts: 0, mean: 0 };

function sampleOf(facts: StepFacts | undefined): Sample {
  const { reward, values } = facts ?? {};
  return reward === undefined ? NONE : { rollouts: reward.known, mean: values?.meanReward ?? Number.NaN };
}

/** One class: its shares at both steps, its mean over both steps, and the change of its mean. */
interface Part {
  readonly before: number;
  readonly after: number;
  readonly isAtBoth: boolean;
  readonly mean: number;
  readonly change: number;
}

/** Derivatives of a part of the change by the share and by the mean of a class at one step. */
interface Weights {
  readonly share: number;
  readonly mean: number;
}
type StepWeights = readonly [before: Weights, after: Weights];

function mixWeights({ before, after, isAtBoth, mean }: Part): StepWeights {
  const ofMean = (after - before) * (isAtBoth ? 1 / 2 : 1);
  return [
    { share: -mean, mean: ofMean },
    { share: mean, mean: ofMean },
  ];
}

function withinWeights({ before, after, isAtBoth, change }: Part): StepWeights {
  const ofMean = isAtBoth ? (before + after) / 2 : 0;
  return [
    { share: change / 2, mean: -ofMean },
    { share: change / 2, mean: ofMean },
  ];
}

/** The rewards of all classes together. */
function merged(classes: readonly ProblemRewards[]): ProblemRewards {
  const found = new Map<string, { readonly rollouts: number; readonly sum: number }>();
  for (const { problems, rollouts, sums } of classes)
    for (const [p, problem] of problems.entries()) {
      const known = found.get(problem) ?? { rollouts: 0, sum: 0 };
      found.set(problem, { rollouts: known.rollouts + (rollouts[p] ?? 0), sum: known.sum + (sums[p] ?? 0) });
    }
  return {
    problems: [...found.keys()],
    rollouts: Uint32Array.from(found.values(), ({ rollouts }) => rollouts),
    sums: Array.from(found.values(), ({ sum }) => sum),
  };
}

/** The problems of a step, each with its contribution to the linear approximation of a part. They add up to 0. */
type Additions = ReadonlyMap<string, number>;

/**
 * The contributions to the sum over classes of weighted shares and means at one step.
 * @returns undefined if they say nothing about how much it varies
 */
function additionsOf(classes: readonly ProblemRewards[], weights: readonly Weights[]): Additions | undefined {
  const totals = classes.map(({ rollouts, sums }) => ({ rollouts: total(rollouts), sum: total(sums) }));
  const all = totals.reduce((sum, { rollouts }) => sum + rollouts, 0);
  const additions = new Map<string, number>();
  // The shares add up to 1, so a share counts by its distance from the mean of the weights.
  const meanShare = totals.reduce(
    (sum, { rollouts }, k) => sum + ((weights[k]?.share ?? 0) * rollouts) / all,
    0,
  );
  for (const [k, { problems, rollouts, sums }] of classes.entries()) {
    const { share, mean } = weights[k] ?? { share: 0, mean: 0 };
    const whole = totals[k] ?? { rollouts: 0, sum: 0 };
    // One problem says nothing about how much the mean of its class varies.
    if (problems.length === 1 && mean !== 0) return undefined;
    for (const [p, problem] of problems.entries()) {
      const [n, s] = [rollouts[p] ?? 0, sums[p] ?? 0];
      const added =
        (n / all) * (share - meanShare) + (mean * (s - (n * whole.sum) / whole.rollouts)) / whole.rollouts;
      additions.set(problem, (additions.get(problem) ?? 0) + added);
    }
  }
  return additions.size < 2 ? undefined : additions;
}

interface Spread {
  /** NaN: unknown. */
  readonly variance: number;
  /** Problems of the step that has fewer, less 1: with few, the variance is uncertain itself. */
  readonly degrees: number;
}

/** The contributions of a problem at both steps are summed before they are squared, which pairs the steps by problem. */
function spreadOf(steps: readonly (Additions | undefined)[]): Spread {
  const sums = new Map<string, number>();
  let least = Number.POSITIVE_INFINITY;
  for (const additions of steps) {
    if (additions === undefined) return { variance: Number.NaN, degrees: 0 };
    const { size } = additions;
    least = Math.min(least, size);
    for (const [problem, added] of additions)
      sums.set(problem, (sums.get(problem) ?? 0) + added * Math.sqrt(size / (size - 1)));
  }
  return { variance: total([...sums.values()].map((sum) => sum ** 2)), degrees: least - 1 };
}

function total(values: Iterable<number>): number {
  let sum = 0;
  for (const value of values) sum += value;
  return sum;
}

function estimate(value: number, { variance, degrees }: Spread): Estimate {
  return Number.isNaN(variance) ? { value } : { value, margin: halfWidth95(degrees) * Math.sqrt(variance) };
}
