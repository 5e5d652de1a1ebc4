/**
 * Down-sampling as the paper describes it (§2.2.3, Eq. 3–7; shared/domain/DOMAIN.md#the-papers-rule). Per
 * group, it takes half of the negatives uniformly, and positives by the inverse of their penalty. The rule is
 * random, so the result is a probability per row. A kept set exists only for a seeded draw, and is marked as
 * one.
 *
 * Choices that the paper leaves open:
 * - n: half of the group (its G of 2G), rounded down. If `down_sample_to_n` gives another number, negatives
 *   get the same share, floor(|neg|·n/N), and positives the rest, ⌈|pos|·n/N⌉, which never exceeds |pos|. A
 *   group of at most n rows is kept whole.
 * - drawing: without replacement, one after another, in proportion to the remaining weights.
 * - penalty 0, or below 0 by a what-if's weight: `paper_zero_penalty`.
 * - groups of equal rewards: `paper_equal_reward`.
 * - parts of the penalty: the paper has no switches. With both off (the release's defaults) both count; with
 *   one on, only that one.
 *
 * Minima, `reject_equal_reward` and `world_size` belong to the release and are not used.
 */
import { type AdvantageOptions, groupAdvantages } from './advantage.ts';
import type { DownSamplingSettings } from './downSampling.ts';
import { exactInclusion, integratedInclusion, type WeightClass } from './inclusion.ts';
import type { DecisionReason } from './model.ts';
import { penaltyOf } from './penalty.ts';
import { equalRewardReason, isEqualReward } from './releaseRule.ts';
import type { GroupDecision, GroupOutcome, PoolGroup, Quota, UndecidableReason } from './resample.ts';
import { seededRandom } from './seededRandom.ts';

export interface PaperOptions {
  readonly advantage?: AdvantageOptions;
  /** Seed of the Monte-Carlo estimate; equal seeds give equal numbers. Default 1. */
  readonly seed?: number;
  /** Draws of the Monte-Carlo estimate. Default 2000, a standard error of at most 0.011. */
  readonly draws?: number;
  /** Maximum number of states for which inclusion is computed exactly. Default 1000. */
  readonly exactStates?: number;
  /** Maximum number of rows for which it is integrated if there are more states. Default 512. */
  readonly integratedRows?: number;
}

/** One set that the paper's rule could have kept: a simulated draw, not the trainer's. */
export interface PaperDraw {
  readonly isDraw: true;
  readonly seed: number;
  /** Parallel to the group's rows; all undefined if the group is undecidable. */
  readonly kept: readonly (boolean | undefined)[];
}

/** See `resample`. */
export function resampleAsInPaper(
  group: PoolGroup,
  settings: DownSamplingSettings,
  options: PaperOptions = {},
): GroupDecision {
  const plan = planOf(group, settings);
  const { inclusion, errors } = inclusionOf(plan, group.rows.length, options);
  const all = isRewardKnown(group)
    ? groupAdvantages(
        group.rows.map(({ reward = Number.NaN }) => reward),
        options.advantage,
      )
    : undefined;
  return {
    rule: 'paper',
    outcome: plan.outcome,
    decidable: plan.outcome !== 'undecidable',
    why: plan.why,
    quota: plan.quota,
    rows: group.rows.map((_, i) => ({
      kept: undefined,
      reason: plan.reason,
      inclusion: inclusion?.[i],
      ...(errors?.has(i) ? { inclusionError: errors.get(i) } : {}),
      penalty: plan.penalties[i],
      advantage: undefined,
      advantageOfAll: all?.[i],
      isTie: false,
    })),
  };
}

/**
 * @param seed equal seeds give equal draws; different seeds give independent ones
 * @returns one draw of the group's kept set
 */
export function drawPaper(group: PoolGroup, settings: DownSamplingSettings, seed: number): PaperDraw {
  const plan = planOf(group, settings);
  if (plan.outcome === 'undecidable') return { isDraw: true, seed, kept: group.rows.map(() => undefined) };
  if (plan.whole !== undefined) return { isDraw: true, seed, kept: group.rows.map(() => plan.whole === 1) };
  const random = seededRandom(seed);
  const kept = group.rows.map(() => false);
  for (const { rows, weights, take } of plan.pools) {
    for (const i of drawInTurn(weights, take, random)) {
      const row = rows[i];
      if (row !== undefined) kept[row] = true;
    }
  }
  return { isDraw: true, seed, kept };
}

// ── pools to draw from ──────────────────────────────────────────────────────────────────────────

/** Rows, of which `take` are drawn by weight. */
interface DrawPool {
  readonly rows: readonly number[];
  /** Positive and finite, parallel to `rows`. */
  readonly weights: readonly number[];
  readonly take: number;
}

interface Plan {
  readonly outcome: GroupOutcome;
  readonly why?: UndecidableReason;
  /** Present only if it is certain for every row. */
  readonly reason?: DecisionReason;
  readonly quota?: Quota;
  readonly penalties: readonly (number | undefined)[];
  /** Inclusion of every row if nothing is drawn. */
  readonly whole?: 0 | 1;
  readonly pools: readonly DrawPool[];
}

const isRewardKnown = ({ rows }: PoolGroup): boolean =>
  rows.every(({ reward }) => reward !== undefined && !Number.isNaN(reward));

function planOf(group: PoolGroup, settings: DownSamplingSettings): Plan {
  const { rows } = group;
  const hasSwitch = settings.roc_error_ratio || settings.roc_answer_format;
  const weights = hasSwitch ? settings : { ...settings, roc_error_ratio: true, roc_answer_format: true };
  const penalties = rows.map((row) => penaltyOf(row, weights));
  const base = { penalties, pools: [] };
  if (!settings.do_down_sampling) return { ...base, outcome: 'off', whole: 1 };
  if (!isRewardKnown(group)) return { ...base, outcome: 'undecidable', why: 'reward_unknown' };
  if (settings.paper_equal_reward === 'reject' && isEqualReward(group)) {
    return { ...base, outcome: 'equal_reward', reason: equalRewardReason(group), whole: 0 };
  }
  const zeros: number[] = [];
  const nonZeros: number[] = [];
  rows.forEach(({ reward = 0 }, i) => {
    (reward <= 0 ? zeros : nonZeros).push(i);
  });
  const left = rows.length;
  const target = settings.down_sample_to_n > 0 ? settings.down_sample_to_n : Math.floor(left / 2);
  const size = { pool: left, left, target, zeros: zeros.length, nonZeros: nonZeros.length };
  if (left <= target) {
    const quota: Quota = { ...size, minimum: 'none' };
    return { ...base, outcome: 'kept_all', reason: 'kept_all_group', whole: 1, quota };
  }
  const takeZeros = Math.floor((zeros.length * target) / left);
  const takeNonZeros = target - takeZeros;
  const counts = { zeros: takeZeros, nonZeros: takeNonZeros };
  const quota: Quota = {
    ...size,
    rounded: counts,
    afterMinZero: counts,
    afterMinNonZero: counts,
    minimum: 'none',
  };
  const isDrawn = takeNonZeros > 0 && takeNonZeros < nonZeros.length;
  if (isDrawn && nonZeros.some((i) => penalties[i] === undefined)) {
    return { ...base, outcome: 'undecidable', why: 'penalty_unknown', quota };
  }
  const pools = [uniformly(zeros, takeZeros), ...positivePools(nonZeros, takeNonZeros, penalties, settings)];
  return { penalties, outcome: 'resampled', quota, pools };
}

const uniformly = (rows: readonly number[], take: number): DrawPool => ({
  rows,
  weights: rows.map(() => 1),
  take,
});

function positivePools(
  rows: readonly number[],
  take: number,
  penalties: readonly (number | undefined)[],
  settings: DownSamplingSettings,
): readonly DrawPool[] {
  // If all are taken, penalties have no effect and may be unknown.
  if (take === rows.length) return [uniformly(rows, take)];
  if (settings.paper_zero_penalty === 'epsilon') {
    const weights = rows.map((i) => 1 / (Math.max(0, penalties[i] ?? 0) + settings.paper_epsilon));
    return [{ rows, weights, take }];
  }
  const clean = rows.filter((i) => (penalties[i] ?? 0) <= 0);
  const others = rows.filter((i) => (penalties[i] ?? 0) > 0);
  const takeClean = Math.min(take, clean.length);
  return [
    uniformly(clean, takeClean),
    { rows: others, weights: others.map((i) => 1 / (penalties[i] ?? 1)), take: take - takeClean },
  ];
}

/** Positions in `weights` of `take` draws without replacement, in proportion to the remaining weights. */
function drawInTurn(weights: readonly number[], take: number, random: () => number): readonly number[] {
  const left = weights.map((_, i) => i);
  const drawn: number[] = [];
  for (let draw = 0; draw < take; draw++) {
    // Sums again for each draw, because the residue of subtractions could be drawn with the last row.
    let total = 0;
    for (const i of left) total += weights[i] ?? 0;
    let at = random() * total;
    let position = 0;
    while (position < left.length - 1) {
      at -= weights[left[position] ?? 0] ?? 0;
      if (at < 0) break;
      position++;
    }
    const chosen = left[position];
    const last = left.pop();
    if (chosen === undefined || last === undefined) break;
    if (position < left.length) left[position] = last;
    drawn.push(chosen);
  }
  return drawn;
}

// ── inclusion probabilities ─────────────────────────────────────────────────────────────────────

interface Inclusion {
  /** Per row of the group; undefined if it is undecidable. */
  readonly inclusion: Float64Array | undefined;
  /** Per estimated row. */
  readonly errors: ReadonlyMap<number, number> | undefined;
}

function inclusionOf(plan: Plan, rows: number, options: PaperOptions): Inclusion {
  if (plan.outcome === 'undecidable') return { inclusion: undefined, errors: undefined };
  const inclusion = new Float64Array(rows).fill(plan.whole ?? 0);
  const errors = new Map<number, number>();
  for (const pool of plan.pools) {
    if (pool.take === 0) continue;
    const classes = classesOf(pool);
    const found =
      exactInclusion(classes, pool.take, options.exactStates ?? 1000) ??
      (pool.rows.length <= (options.integratedRows ?? 512)
        ? integratedInclusion(classes, pool.take)
        : undefined);
    const estimate = found === undefined ? estimatedInclusion(pool, classes, options) : undefined;
    classes.forEach(({ rows: members }, c) => {
      for (const row of members) {
        inclusion[row] = found?.[c] ?? estimate?.inclusion[c] ?? 0;
        const error = estimate?.errors[c];
        if (error !== undefined) errors.set(row, error);
      }
    });
  }
  return { inclusion, errors };
}

function classesOf({ rows, weights }: DrawPool): readonly WeightClass[] {
  const classes = new Map<number, WeightClass>();
  rows.forEach((row, i) => {
    const weight = weights[i] ?? 0;
    const known = classes.get(weight);
    if (known === undefined) classes.set(weight, { weight, rows: [row] });
    else known.rows.push(row);
  });
  return [...classes.values()];
}

/**
 * Monte-Carlo estimate, averaged within a class. The error is that of a single row's frequency, with one
 * success and one failure added so that it is never 0. The error of the average is at most that.
 */
function estimatedInclusion(
  pool: DrawPool,
  classes: readonly WeightClass[],
  { seed = 1, draws = 2000 }: PaperOptions,
): { readonly inclusion: readonly number[]; readonly errors: readonly number[] } {
  const random = seededRandom(seed);
  const times = new Float64Array(pool.rows.length);
  for (let draw = 0; draw < draws; draw++) {
    for (const i of drawInTurn(pool.weights, pool.take, random)) times[i] = (times[i] ?? 0) + 1;
  }
  const timesOf = new Map(pool.rows.map((row, i) => [row, times[i] ?? 0]));
  const sums = classes.map(({ rows }) => rows.reduce((sum, row) => sum + (timesOf.get(row) ?? 0), 0));
  return {
    inclusion: sums.map((sum, c) => sum / (draws * (classes[c]?.rows.length ?? 1))),
    errors: sums.map((sum, c) => {
      const share = (sum + 1) / (draws * (classes[c]?.rows.length ?? 1) + 2);
      return Math.sqrt((share * (1 - share)) / draws);
    }),
  };
}
