/** The detectors that judge steps: rewards beside lengths, and groups of one reward. */
import type { StepsDetectorId, StepsFinding, ThresholdValues } from './detectors.ts';
import { rankCorrelation, type Trend, trendOf } from './trends.ts';

/** One entry per rollout that matches the filter. NaN: unknown. */
export interface StepRollouts {
  readonly step: number;
  readonly lengths: ArrayLike<number>;
  readonly rewards: ArrayLike<number>;
  /** 0 or 1. */
  readonly correct: ArrayLike<number>;
  /** Rewards of the whole groups that have a matching rollout. */
  readonly groups: readonly (readonly number[])[];
}

/** Absent: unknown, or nothing varies. */
export interface StepFigures {
  readonly step: number;
  /** Rollouts whose length, reward and correctness are known. The next five figures are theirs. */
  readonly rollouts: number;
  readonly meanLength?: number;
  readonly meanReward?: number;
  readonly passRate?: number;
  /** Spearman's ρ. */
  readonly lengthWithReward?: number;
  readonly lengthWithCorrect?: number;
  /** Groups of two or more rollouts, all of known reward; and those with one reward. */
  readonly groups: number;
  readonly oneReward: number;
}

export function stepFigures({ step, lengths, rewards, correct, groups }: StepRollouts): StepFigures {
  const known = Array.from(lengths, (_, i) => i).filter(
    (i) =>
      !Number.isNaN((lengths[i] ?? Number.NaN) + (rewards[i] ?? Number.NaN) + (correct[i] ?? Number.NaN)),
  );
  const of = (values: ArrayLike<number>): number[] => known.map((i) => values[i] ?? 0);
  const [length, reward, right] = [of(lengths), of(rewards), of(correct)];
  const judged = groups.filter((group) => group.length > 1 && group.every((value) => !Number.isNaN(value)));
  return defined({
    ...{ step, rollouts: known.length },
    ...{ meanLength: mean(length), meanReward: mean(reward), passRate: mean(right) },
    lengthWithReward: rankCorrelation(length, reward),
    lengthWithCorrect: rankCorrelation(length, right),
    groups: judged.length,
    oneReward: judged.filter((group) => group.every((value) => value === group[0])).length,
  });
}

const defined = <T extends object>(record: T) =>
  Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]: Exclude<T[K], undefined>;
  };

const mean = (values: readonly number[]): number | undefined =>
  values.length === 0 ? undefined : values.reduce((sum, value) => sum + value, 0) / values.length;

export interface StepsJudgement {
  /** Steps that each detector could judge. */
  readonly judged: Readonly<Record<StepsDetectorId, readonly number[]>>;
  readonly findings: readonly StepsFinding[];
}

/** Two-sided, 5 %. */
const SIGNIFICANT = 1.96;

/** @param isTraining whether groups of one reward cost anything */
export function judgeSteps(
  figures: readonly StepFigures[],
  thresholds: ThresholdValues,
  isTraining: boolean,
): StepsJudgement {
  const ofLength = figures.filter(({ rollouts }) => rollouts >= thresholds['length_reward.rollouts']);
  const ofGroups = isTraining
    ? figures.filter(({ groups }) => groups >= thresholds['one_reward.groups'])
    : [];
  return {
    judged: {
      length_reward: ofLength.map(({ step }) => step),
      one_reward: ofGroups.map(({ step }) => step),
    },
    findings: [
      ...lengthTrend(ofLength, thresholds),
      ...ofLength.flatMap((one) => lengthAtStep(one, thresholds)),
      ...groupTrend(ofGroups, thresholds),
      ...ofGroups.flatMap((one) => groupsAtStep(one, thresholds)),
    ],
  };
}

function lengthAtStep(
  { step, rollouts, lengthWithReward, lengthWithCorrect }: StepFigures,
  thresholds: ThresholdValues,
): StepsFinding[] {
  if (lengthWithReward === undefined || lengthWithReward < thresholds['length_reward.with_reward']) return [];
  // Correctness that does not vary does not rise with length.
  if ((lengthWithCorrect ?? 0) > thresholds['length_reward.with_correct']) return [];
  const other =
    lengthWithCorrect === undefined
      ? 'correctness does not vary'
      : `with correctness ${lengthWithCorrect.toFixed(2)}`;
  const message = `length correlates with reward ${lengthWithReward.toFixed(2)}, ${other}, in ${rollouts} rollouts`;
  return [{ detector: 'length_reward', steps: [step], message }];
}

function lengthTrend(figures: readonly StepFigures[], thresholds: ThresholdValues): StepsFinding[] {
  if (figures.length < thresholds['length_reward.steps']) return [];
  const trend = (of: 'meanLength' | 'meanReward' | 'passRate'): Trend | undefined =>
    trendOf(figures.map((one) => one[of] ?? 0));
  const [length, reward, right] = [trend('meanLength'), trend('meanReward'), trend('passRate')];
  if (length === undefined || reward === undefined || right === undefined) return [];
  const isLonger =
    length.z >= SIGNIFICANT &&
    length.growth >= thresholds['length_reward.growth'] * length.first &&
    length.first > 0;
  const isBetter = right.growth > thresholds['length_reward.correct_growth'];
  if (!isLonger || reward.z < SIGNIFICANT || reward.growth <= 0 || isBetter) return [];
  const message =
    `mean length ${length.first.toFixed(0)} → ${length.last.toFixed(0)}, reward ${reward.first.toFixed(2)} → ${reward.last.toFixed(2)}, ` +
    `correct ${(100 * right.first).toFixed(1)} → ${(100 * right.last).toFixed(1)} %`;
  return [{ detector: 'length_reward', steps: figures.map(({ step }) => step), message }];
}

function groupsAtStep({ step, groups, oneReward }: StepFigures, thresholds: ThresholdValues): StepsFinding[] {
  if (oneReward < thresholds['one_reward.share'] * groups) return [];
  return [
    { detector: 'one_reward', steps: [step], message: `${oneReward} of ${groups} groups have one reward` },
  ];
}

function groupTrend(figures: readonly StepFigures[], thresholds: ThresholdValues): StepsFinding[] {
  if (figures.length < thresholds['one_reward.steps']) return [];
  const trend = trendOf(figures.map(({ groups, oneReward }) => oneReward / groups));
  if (trend === undefined || trend.z < SIGNIFICANT || trend.growth < thresholds['one_reward.growth'])
    return [];
  if (trend.last < thresholds['one_reward.late']) return [];
  const message = `groups with one reward ${(100 * trend.first).toFixed(1)} → ${(100 * trend.last).toFixed(1)} %`;
  return [{ detector: 'one_reward', steps: figures.map(({ step }) => step), message }];
}
