/**
 * Resample-on-Correct: who of a step's rollouts enters the update, and why (shared/domain/DOMAIN.md#resample-on-correct).
 *
 *   resample ─┬─ releaseRule.ts   release, release-first-week: deterministic, over a batch
 *             └─ paperRule.ts     paper: probabilities per group, and seeded draws
 *
 * The three rules disagree; a caller says which one it shows.
 */
import type { AdvantageOptions } from './advantage.ts';
import type { DownSamplingSettings, ResampleRule } from './downSampling.ts';
import type { DecisionReason } from './model.ts';
import { type PaperOptions, resampleAsInPaper } from './paperRule.ts';
import type { PenaltyParts } from './penalty.ts';
import { resampleAsReleased } from './releaseRule.ts';

export { penaltyOf } from './penalty.ts';

/** One rollout of the pool. Unknown is undefined; a NaN counts as unknown. */
export interface PoolRow extends PenaltyParts {
  readonly reward: number | undefined;
}

/** The oversampled rollouts of one problem at one step, in rollout order: index is position. */
export interface PoolGroup {
  readonly rows: readonly PoolRow[];
}

export type GroupOutcome =
  /** Quotas were filled. */
  | 'resampled'
  /** Nothing to choose: as many rows as the target, both minima unmet, or no target. */
  | 'kept_all'
  | 'equal_reward'
  /** Fewer rows than the target, or none left by the world-size truncation before. */
  | 'too_small'
  /** The run would have crashed here; `assertion` says on what. */
  | 'assertion'
  /** `do_down_sampling` is false: every row enters the update. */
  | 'off'
  | 'undecidable';

export type UndecidableReason = 'reward_unknown' | 'penalty_unknown';

export interface RowDecision {
  /** undefined: undecidable, or the paper's rule, which only has probabilities. */
  readonly kept: boolean | undefined;
  /** undefined where nothing is decided, and where `off` decides nothing. */
  readonly reason: DecisionReason | undefined;
  /** Paper only: the probability that a draw keeps this row, 0 … 1. The release draws nothing. */
  readonly inclusion: number | undefined;
  /** Standard error of `inclusion` where it was estimated; absent where it is exact. */
  readonly inclusionError?: number;
  /** Under the settings; undefined when a part that counts is unknown. */
  readonly penalty: number | undefined;
  /** Over the kept rows of the group; undefined for all others. */
  readonly advantage: number | undefined;
  /** Over all rows of the group, for comparison; undefined when a reward is unknown. */
  readonly advantageOfAll: number | undefined;
  /** A positive with the penalty of the cut, on either side of it: only rollout order decided. */
  readonly isTie: boolean;
}

export interface ClassCounts {
  /** Rows of reward ≤ 0. */
  readonly zeros: number;
  /** Rows of reward > 0. */
  readonly nonZeros: number;
}

/**
 * The arithmetic of one group: "12 of 32 correct → round(12·16/32) = 6 positives, 10 negatives".
 * `zeros` and `nonZeros` count the rows left.
 */
export interface Quota extends ClassCounts {
  /** Rows rolled out. */
  readonly pool: number;
  /** Rows left after the first world-size truncation: N of the rule. */
  readonly left: number;
  /** n of the rule. */
  readonly target: number;
  /** What is kept of each class as first computed; absent where N ≤ n left nothing to compute. */
  readonly rounded?: ClassCounts;
  readonly afterMinZero?: ClassCounts;
  /** The quotas that count. */
  readonly afterMinNonZero?: ClassCounts;
  /** Which minimum changed a quota; `unmet`: both were missed, so the whole group is kept. */
  readonly minimum: 'none' | 'zero' | 'non_zero' | 'both' | 'unmet';
}

/** Where the ranking of the positives was cut; before the second world-size truncation. */
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
  /** False exactly when the outcome is `undecidable`. */
  readonly decidable: boolean;
  readonly why?: UndecidableReason;
  /** Absent where the rule never came to the quotas. */
  readonly quota?: Quota;
  /** Absent where no positive was cut off, and under `paper`. */
  readonly cut?: Cut;
  /** With the outcome `assertion`: the numbers the release would have stopped on. */
  readonly assertion?: string;
  /** Parallel to the group's rows. */
  readonly rows: readonly RowDecision[];
}

export interface ResampleOptions extends PaperOptions {
  readonly advantage?: AdvantageOptions;
}

/**
 * @param batch the groups of one step in order of first appearance; only world-size truncation
 *   looks beyond a group
 * @returns one decision per group, same order
 *
 * A group with an unknown reward is undecidable, and so is one in which the penalty of a row that
 * would be ranked is unknown; all its rows stay undecided. In the world-size truncations it still
 * occupies rows: all of them in the first, as if its rewards differed, and as many as the target
 * would keep in the second (none when it has fewer). So does a group that stops on an assertion.
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
