/**
 * Resample-on-Correct: which of a step's rollouts enter the update, and why
 * (shared/domain/DOMAIN.md#resample-on-correct).
 *
 *   resample ─┬─ releaseRule.ts   release, release-first-week: deterministic, over a batch
 *             └─ paperRule.ts     paper: probabilities per group, and seeded draws
 *
 * The three rules disagree, so callers must state which one they show.
 */
import type { AdvantageOptions } from './advantage.ts';
import type { DownSamplingSettings, ResampleRule } from './downSampling.ts';
import type { DecisionReason } from './model.ts';
import { type PaperOptions, resampleAsInPaper } from './paperRule.ts';
import type { PenaltyParts } from './penalty.ts';
import { resampleAsReleased } from './releaseRule.ts';

export { penaltyOf } from './penalty.ts';

/** One rollout of the pool. Unknown is undefined; NaN counts as unknown. */
export interface PoolRow extends PenaltyParts {
  readonly reward: number | undefined;
}

/** The oversampled rollouts of one problem at one step, in rollout order. The index is the ordinal. */
export interface PoolGroup {
  readonly rows: readonly PoolRow[];
}

export type GroupOutcome =
  /** Quotas were filled. */
  | 'resampled'
  /** No choice: as many rows as the target, both minima unmet, or no target. */
  | 'kept_all'
  | 'equal_reward'
  /** Fewer rows than the target, or none left after the first world-size truncation. */
  | 'too_small'
  /** The run would have crashed here; `assertion` is the message. */
  | 'assertion'
  /** `do_down_sampling` is false: every row enters the update. */
  | 'off'
  | 'undecidable';

export type UndecidableReason = 'reward_unknown' | 'penalty_unknown';

export interface RowDecision {
  /** undefined: undecidable, or the paper's rule, which has probabilities only. */
  readonly kept: boolean | undefined;
  /** undefined if undecided, and with the outcome `off`. */
  readonly reason: DecisionReason | undefined;
  /** Paper only: the probability that a draw keeps this row, 0 … 1. The release is deterministic. */
  readonly inclusion: number | undefined;
  /** Standard error of an estimated `inclusion`. Absent if it is exact. */
  readonly inclusionError?: number;
  /** Under the settings. undefined if an enabled part is unknown. */
  readonly penalty: number | undefined;
  /** Over the kept rows of the group; undefined for all others. */
  readonly advantage: number | undefined;
  /** Over all rows of the group, for comparison; undefined if a reward is unknown. */
  readonly advantageOfAll: number | undefined;
  /** A ranked rollout whose penalty equals its class's cut, kept or discarded: only rollout order decided. */
  readonly isTie: boolean;
}

export interface ClassCounts {
  /** Rows of reward ≤ 0. */
  readonly zeros: number;
  /** Rows of reward > 0. */
  readonly nonZeros: number;
}

/**
 * Quota arithmetic of one group: "12 of 32 correct → round(12·16/32) = 6 positives, 10 negatives". `zeros`
 * and `nonZeros` count the remaining rows.
 */
export interface Quota extends ClassCounts {
  /** Rows of the pool. */
  readonly pool: number;
  /** Rows left after the first world-size truncation: the rule's N. */
  readonly left: number;
  /** The rule's n. */
  readonly target: number;
  /** Quota per class as first computed. Absent if N ≤ n. */
  readonly rounded?: ClassCounts;
  readonly afterMinZero?: ClassCounts;
  /** The final quotas. */
  readonly afterMinNonZero?: ClassCounts;
  /** The minimum that changed a quota. `unmet`: both were missed, so the whole group is kept. */
  readonly minimum: 'none' | 'zero' | 'non_zero' | 'both' | 'unmet';
}

/** The cut in the ranking of positives, before the second world-size truncation. */
export interface Cut {
  /** Penalty of the worst kept positive. */
  readonly penalty: number;
  /** Kept and discarded positives of exactly this penalty. */
  readonly kept: number;
  readonly discarded: number;
}

export interface GroupDecision {
  readonly rule: ResampleRule;
  readonly outcome: GroupOutcome;
  /** False exactly if the outcome is `undecidable`. */
  readonly decidable: boolean;
  readonly why?: UndecidableReason;
  /** Absent if the rule did not reach the quotas. */
  readonly quota?: Quota;
  /** Absent if no positive was cut off, and under `paper`. */
  readonly cut?: Cut;
  /** With the outcome `assertion`: the numbers in the release's message. */
  readonly assertion?: string;
  /** Parallel to the group's rows. */
  readonly rows: readonly RowDecision[];
}

export interface ResampleOptions extends PaperOptions {
  readonly advantage?: AdvantageOptions;
}

/**
 * @param batch the groups of one step in order of first appearance; only world-size truncation looks beyond a
 *   group
 * @returns one decision per group, in the same order
 *
 * A group is undecidable if a reward is unknown, or the penalty of a row that would be ranked; all its rows
 * stay undecided. It still occupies rows in the world-size truncations. In the first it counts all rows, as
 * if its rewards differed. In the second it counts as many as the target would keep, or none if it has fewer.
 * The same holds for a group that stops on an assertion.
 */
export function resample(
  batch: readonly PoolGroup[],
  rule: ResampleRule,
  settings: DownSamplingSettings,
  options: ResampleOptions = {},
): readonly GroupDecision[] {
  return rule === 'paper'
    ? batch.map((group) => resampleAsInPaper(group, settings, options))
    : resampleAsReleased(batch, rule, settings, options.advantage);
}
