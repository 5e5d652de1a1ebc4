/**
 * How much of a change in mean reward comes from the shares of the classes, and how much from rewards within them (E.
 * M. Kitagawa, Components of a Difference Between Two Rates, JASA 50, 1955).
 */
import type { StepFacts } from '../../../shared/api/contract.ts';

export interface Estimate {
  readonly value: number;
  /** Half of the 95 % interval, assuming independent rollouts. Absent: some class has a single rollout. */
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
  /** Variance of the mean. NaN if unknown. */
  readonly variance: number;
}

/**
 * @param classes facts of each class by step; no rollout is in two of them
 * @param whole facts of all rollouts by step, ascending
 * @returns undefined unless rewards are known at two steps, and all of those rollouts are in a class
 */
export function mixEffect(
  classes: readonly (readonly StepFacts[])[],
  whole: readonly StepFacts[],
): MixEffect | undefined {
  const known = whole.filter(({ reward }) => reward !== undefined);
  const [first, last] = [known[0], known.at(-1)];
  if (first === undefined || last === undefined || first === last) return undefined;
  const [all, allLater] = [sampleOf(first), sampleOf(last)];
  const pairs = classes.map((facts) => {
    const [a, b] = [first, last].map(({ step }) => sampleOf(facts.find((one) => one.step === step)));
    return { a: a ?? NONE, b: b ?? NONE };
  });
  const inClasses = pairs.reduce((sum, { a, b }) => sum + a.rollouts + b.rollouts, 0);
  if (inClasses !== all.rollouts + allLater.rollouts) return undefined;

  let mix = 0;
  let within = 0;
  // Class means and shares are both estimates, so the errors of both count in both parts.
  let mixVariance = 0;
  let withinVariance = 0;
  const parts: Part[] = [];
  for (const { a, b } of pairs) {
    if (a.rollouts + b.rollouts === 0) continue;
    const before = a.rollouts / all.rollouts;
    const after = b.rollouts / allLater.rollouts;
    // A class without rollouts at one step has no mean there, so all of its change is attributed to shares.
    const isAtBoth = a.rollouts > 0 && b.rollouts > 0;
    const only = a.rollouts > 0 ? a : b;
    const mean = isAtBoth ? (a.mean + b.mean) / 2 : only.mean;
    const change = isAtBoth ? b.mean - a.mean : 0;
    const share = (before + after) / 2;
    mix += mean * (after - before);
    within += share * change;
    mixVariance += (after - before) ** 2 * (isAtBoth ? (a.variance + b.variance) / 4 : only.variance);
    if (isAtBoth) withinVariance += share ** 2 * (a.variance + b.variance);
    parts.push({ before, after, mean, change });
  }
  mixVariance += varianceOfShares(parts, ({ mean }) => mean, all.rollouts, allLater.rollouts);
  withinVariance += varianceOfShares(parts, ({ change }) => change / 2, all.rollouts, allLater.rollouts);
  return {
    from: first.step,
    to: last.step,
    before: all.mean,
    after: allLater.mean,
    change: estimate(mix + within, all.variance + allLater.variance),
    mix: estimate(mix, mixVariance),
    within: estimate(within, withinVariance),
    rollouts: [all.rollouts, allLater.rollouts],
  };
}

const NONE: Sample = { rollouts: 0, mean: 0, variance: Number.NaN };

function sampleOf(facts: StepFacts | undefined): Sample {
  const { reward, values } = facts ?? {};
  if (reward === undefined) return NONE;
  const { known, deviation = Number.NaN } = reward;
  return { rollouts: known, mean: values?.meanReward ?? Number.NaN, variance: deviation ** 2 / known };
}

/** One class: its shares at both steps, its mean over both steps, and the change of its mean. */
interface Part {
  readonly before: number;
  readonly after: number;
  readonly mean: number;
  readonly change: number;
}

/** Variance of the share-weighted sum of values over both steps. The shares of a step are assumed multinomial. */
function varianceOfShares(
  parts: readonly Part[],
  value: (part: Part) => number,
  rollouts: number,
  rolloutsLater: number,
): number {
  const at = (shareOf: (part: Part) => number, drawn: number): number => {
    const mean = parts.reduce((sum, part) => sum + shareOf(part) * value(part), 0);
    return parts.reduce((sum, part) => sum + shareOf(part) * (value(part) - mean) ** 2, 0) / drawn;
  };
  return at(({ before }) => before, rollouts) + at(({ after }) => after, rolloutsLater);
}

/** Half the width of a 95 % interval, in standard errors. */
const NORMAL_95 = 1.96;

function estimate(value: number, variance: number): Estimate {
  return Number.isNaN(variance) ? { value } : { value, margin: NORMAL_95 * Math.sqrt(variance) };
}
