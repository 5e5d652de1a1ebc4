/**
 * How much of a change in mean reward comes from the shares of the classes, and how much from rewards within them (E.
 * M. Kitagawa, Components of a Difference Between Two Rates, JASA 50, 1955).
 *
 * Rollouts of one group share their problem, so the groups of a step are the independent draws (K.-Y. Liang and S. L.
 * Zeger, Longitudinal Data Analysis Using Generalized Linear Models, Biometrika 73, 1986). Each part is a function of
 * the shares and means of the classes; its variance is that of the groups' contributions to its linear approximation.
 */
import type { GroupRewards, StepFacts } from '../../../shared/api/contract.ts';

export interface Estimate {
  readonly value: number;
  /**
   * Half of the 95 % interval. Absent: the groups are not known yet, or some class has a single group at a step.
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
}

/** Rewards of one class at one step. */
interface Sample {
  readonly rollouts: number;
  readonly mean: number;
}

/** The groups of one class at the two compared steps. */
export type ClassGroups = readonly [before: GroupRewards, after: GroupRewards];

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
 * @param groups of each class; absent: no intervals
 * @returns undefined unless rewards are known at two steps, and all of those rollouts are in a class
 */
export function mixEffect(
  classes: readonly (readonly StepFacts[])[],
  whole: readonly StepFacts[],
  groups?: readonly ClassGroups[],
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
  const atStep = (side: 0 | 1) => groups?.map((pair) => pair[side]) ?? [];
  const variance = (weightsOf: (part: Part) => StepWeights): number => {
    const [before, after] = ([0, 1] as const).map((side) =>
      clusterVariance(
        atStep(side),
        parts.map((part) => weightsOf(part)[side]),
      ),
    );
    return (before ?? Number.NaN) + (after ?? Number.NaN);
  };
  const meanVariance = (side: 0 | 1) => clusterVariance([merged(atStep(side))], [{ share: 0, mean: 1 }]);
  return {
    from: first.step,
    to: last.step,
    before: all.mean,
    after: allLater.mean,
    change: estimate(mix + within, meanVariance(0) + meanVariance(1)),
    mix: estimate(mix, variance(mixWeights)),
    within: estimate(within, variance(withinWeights)),
    rollouts: [all.rollouts, allLater.rollouts],
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

/** The groups of all classes together. */
function merged(classes: readonly GroupRewards[]): GroupRewards {
  const groups = new Map<number, { readonly rollouts: number; readonly sum: number }>();
  for (const { groupIds, rollouts, sums } of classes)
    for (const [g, id] of groupIds.entries()) {
      const known = groups.get(id) ?? { rollouts: 0, sum: 0 };
      groups.set(id, { rollouts: known.rollouts + (rollouts[g] ?? 0), sum: known.sum + (sums[g] ?? 0) });
    }
  return {
    groupIds: Uint32Array.from(groups.keys()),
    rollouts: Uint32Array.from(groups.values(), ({ rollouts }) => rollouts),
    sums: Array.from(groups.values(), ({ sum }) => sum),
  };
}

/** Variance of the sum over classes of weighted shares and means, with groups as the independent draws. */
function clusterVariance(classes: readonly GroupRewards[], weights: readonly Weights[]): number {
  const totals = classes.map(({ rollouts, sums }) => ({ rollouts: total(rollouts), sum: total(sums) }));
  const all = totals.reduce((sum, { rollouts }) => sum + rollouts, 0);
  /** Contribution of each group to the linear approximation, by group id. The contributions add up to 0. */
  const additions = new Map<number, number>();
  // The shares add up to 1, so a share counts by its distance from the mean of the weights.
  const meanShare = totals.reduce(
    (sum, { rollouts }, k) => sum + ((weights[k]?.share ?? 0) * rollouts) / all,
    0,
  );
  for (const [k, { groupIds, rollouts, sums }] of classes.entries()) {
    const { share, mean } = weights[k] ?? { share: 0, mean: 0 };
    const whole = totals[k] ?? { rollouts: 0, sum: 0 };
    // One group says nothing about how much the mean of its class varies.
    if (groupIds.length === 1 && mean !== 0) return Number.NaN;
    for (const [g, id] of groupIds.entries()) {
      const [n, s] = [rollouts[g] ?? 0, sums[g] ?? 0];
      const added =
        (n / all) * (share - meanShare) + (mean * (s - (n * whole.sum) / whole.rollouts)) / whole.rollouts;
      additions.set(id, (additions.get(id) ?? 0) + added);
    }
  }
  const groups = additions.size;
  if (groups < 2) return Number.NaN;
  return (groups / (groups - 1)) * total([...additions.values()].map((added) => added ** 2));
}

function total(values: Iterable<number>): number {
  let sum = 0;
  for (const value of values) sum += value;
  return sum;
}

/** Half the width of a 95 % interval, in standard errors. */
const NORMAL_95 = 1.96;

function estimate(value: number, variance: number): Estimate {
  return Number.isNaN(variance) ? { value } : { value, margin: NORMAL_95 * Math.sqrt(variance) };
}
