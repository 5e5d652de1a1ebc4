/**
 * Down-sampling of the release: deterministic, in this order over the batch of a step.
 *
 *   A  reject groups of equal rewards ─► cut the batch's tail to a multiple of world_size
 *   B  per group: quotas, lowest-penalty positives, negatives ─► cut the tail again
 *
 * Source: `reject_equal_reward`, `resample_of_correct` and `filter_by_mask` of `rstar2_agent/down_sample/`,
 * called by `_down_sample_batch` (shared/domain/DOMAIN.md#the-released-rule). Each cut belongs to its step:
 * no rejection, no first cut; no target, no second cut.
 */
import { type AdvantageOptions, groupAdvantages } from './advantage.ts';
import { assertionOf, type DownSamplingSettings, type ResampleRule } from './downSampling.ts';
import type { DecisionReason } from './model.ts';
import { penaltyOf } from './penalty.ts';
import type {
  ClassCounts,
  Cut,
  GroupDecision,
  GroupOutcome,
  PoolGroup,
  Quota,
  RowDecision,
  UndecidableReason,
} from './resample.ts';

/** State of a group while the batch is processed. */
interface GroupState {
  readonly group: PoolGroup;
  readonly isRewardKnown: boolean;
  /** undefined per row: unknown. */
  readonly penalties: readonly (number | undefined)[];
  /** undefined per row: undecided. */
  readonly reasons: (DecisionReason | undefined)[];
  readonly kept: (boolean | undefined)[];
  outcome: GroupOutcome;
  /** Number of leading rows still in the batch. */
  left: number;
  /** Rows that the second truncation counts: the kept ones, or as many as an undecided group would keep. */
  occupies: number;
  why?: UndecidableReason;
  quota?: Quota;
  cut?: Cut;
  assertion?: string;
}

/**
 * See `resample`.
 * @param rule `release-first-week` takes negatives by lowest penalty, too
 */
export function resampleAsReleased(
  batch: readonly PoolGroup[],
  rule: Exclude<ResampleRule, 'paper'>,
  settings: DownSamplingSettings,
  advantage?: AdvantageOptions,
): readonly GroupDecision[] {
  const states = batch.map((group) => openState(group, settings));
  if (settings.do_down_sampling) {
    if (settings.reject_equal_reward) {
      for (const state of states) rejectEqualReward(state);
      truncateBeforeQuotas(states, settings.world_size);
    }
    const isResampled = settings.down_sample_to_n > 0;
    const broken = assertionOf(settings);
    for (const state of states) {
      if (state.outcome === 'equal_reward') continue;
      if (isResampled) fillQuotas(state, rule, settings, broken);
      else if (state.isRewardKnown) keepAll(state);
      else leaveUndecided(state, 'reward_unknown', state.left);
    }
    if (isResampled) truncateAfterQuotas(states, settings.world_size);
  }
  return states.map((state) => closeState(state, rule, advantage));
}

function openState(group: PoolGroup, settings: DownSamplingSettings): GroupState {
  const { rows } = group;
  const count = rows.length;
  return {
    group,
    isRewardKnown: rows.every(({ reward }) => isKnown(reward)),
    penalties: rows.map((row) => penaltyOf(row, settings)),
    reasons: new Array<DecisionReason | undefined>(count).fill(undefined),
    kept: new Array<boolean | undefined>(count).fill(settings.do_down_sampling ? undefined : true),
    outcome: 'off',
    left: count,
    occupies: count,
  };
}

const isKnown = (reward: number | undefined): boolean => reward !== undefined && !Number.isNaN(reward);

// ── A: equal rewards ────────────────────────────────────────────────────────────────────────────

const RELATIVE_TOLERANCE = 1e-5;
const ABSOLUTE_TOLERANCE = 1e-8;

/**
 * Every reward is close to the first: |first − r| ≤ 1e-8 + 1e-5·|r|, as in `torch.allclose`. A group of one
 * is always equal. Rewards must be known.
 */
export function isEqualReward(group: PoolGroup): boolean {
  const first = group.rows[0]?.reward ?? Number.NaN;
  return group.rows.every(({ reward = Number.NaN }) => {
    return Math.abs(first - reward) <= ABSOLUTE_TOLERANCE + RELATIVE_TOLERANCE * Math.abs(reward);
  });
}

export function equalRewardReason(group: PoolGroup): DecisionReason {
  const first = group.rows[0]?.reward ?? 0;
  return first > ABSOLUTE_TOLERANCE
    ? 'discarded_equal_reward_all_correct'
    : 'discarded_equal_reward_all_wrong';
}

function rejectEqualReward(state: GroupState): void {
  if (!state.isRewardKnown || !isEqualReward(state.group)) return;
  state.outcome = 'equal_reward';
  state.kept.fill(false);
  state.reasons.fill(equalRewardReason(state.group));
  state.left = 0;
  state.occupies = 0;
}

/** Cuts the last rows of the batch, whole groups if necessary. */
function truncateBeforeQuotas(states: readonly GroupState[], worldSize: number): void {
  let excess = states.reduce((sum, { left }) => sum + left, 0) % worldSize;
  for (let i = states.length - 1; i >= 0 && excess > 0; i--) {
    const state = states[i];
    if (state === undefined) continue;
    const cut = Math.min(excess, state.left);
    excess -= cut;
    state.left -= cut;
    state.kept.fill(false, state.left, state.left + cut);
    state.reasons.fill('discarded_world_size_truncation', state.left, state.left + cut);
  }
}

// ── B: quotas ───────────────────────────────────────────────────────────────────────────────────

function keepAll(state: GroupState): void {
  state.outcome = state.left === 0 ? 'too_small' : 'kept_all';
  state.kept.fill(true, 0, state.left);
  state.reasons.fill('kept_all_group', 0, state.left);
  state.occupies = state.left;
}

function leaveUndecided(state: GroupState, why: UndecidableReason, occupies: number): void {
  state.outcome = 'undecidable';
  state.why = why;
  blank(state, occupies);
}

function stopOn(state: GroupState, assertion: string, occupies: number): void {
  state.outcome = 'assertion';
  state.assertion = assertion;
  blank(state, occupies);
}

function blank(state: GroupState, occupies: number): void {
  state.kept.fill(undefined);
  state.reasons.fill(undefined);
  state.occupies = occupies;
}

function fillQuotas(
  state: GroupState,
  rule: ResampleRule,
  settings: DownSamplingSettings,
  broken: string | undefined,
): void {
  const n = settings.down_sample_to_n;
  const { left } = state;
  const wanted = left < n ? 0 : n;
  if (!state.isRewardKnown) leaveUndecided(state, 'reward_unknown', wanted);
  else if (broken !== undefined) stopOn(state, broken, wanted);
  else {
    const zeros: number[] = [];
    const nonZeros: number[] = [];
    for (let i = 0; i < left; i++) ((state.group.rows[i]?.reward ?? 0) <= 0 ? zeros : nonZeros).push(i);
    const sizes = { zeros: zeros.length, nonZeros: nonZeros.length };
    const quota = quotaOf(state.group.rows.length, sizes, settings);
    state.quota = quota;
    if (left < n) dropTooSmall(state);
    else if (quota.afterMinNonZero === undefined) keepAll(state);
    else select(state, zeros, nonZeros, quota.afterMinNonZero, n, rule);
  }
}

function dropTooSmall(state: GroupState): void {
  state.outcome = 'too_small';
  state.kept.fill(false);
  state.reasons.fill('discarded_group_too_small', 0, state.left);
  state.occupies = 0;
}

function select(
  state: GroupState,
  zeros: number[],
  nonZeros: number[],
  counts: ClassCounts,
  n: number,
  rule: ResampleRule,
): void {
  const keptNonZeros = sliceLength(nonZeros.length, counts.nonZeros);
  const keptZeros = sliceLength(zeros.length, counts.zeros);
  const sum = keptNonZeros + keptZeros;
  const ranksNonZeros = keptNonZeros < nonZeros.length;
  const ranksZeros = rule === 'release-first-week' && keptZeros < zeros.length;
  if (sum !== n) {
    const numbers = `${keptNonZeros} correct + ${keptZeros} incorrect = ${sum}`;
    stopOn(state, `${numbers}, but down_sample_to_n is ${n}: the release stops here`, n);
  } else if ((ranksNonZeros && !isAllKnown(nonZeros, state)) || (ranksZeros && !isAllKnown(zeros, state))) {
    leaveUndecided(state, 'penalty_unknown', n);
  } else {
    if (ranksNonZeros) byPenalty(nonZeros, state);
    if (ranksZeros) byPenalty(zeros, state);
    state.outcome = 'resampled';
    state.occupies = n;
    // With a quota of 0 no penalty decides.
    if (ranksZeros && keptZeros > 0) decideByPenalty(state, zeros, keptZeros, 'negative');
    else decideInOrder(state, zeros, keptZeros);
    state.cut = decideByPenalty(state, nonZeros, keptNonZeros, 'positive');
  }
}

/** Length of Python's `list[:count]`; a negative count drops that many from the end. */
const sliceLength = (length: number, count: number): number =>
  count < 0 ? Math.max(0, length + count) : Math.min(length, count);

const isAllKnown = (indices: readonly number[], { penalties }: GroupState): boolean =>
  indices.every((i) => penalties[i] !== undefined);

/** Stable: equal penalties keep rollout order. */
function byPenalty(indices: number[], { penalties }: GroupState): void {
  indices.sort((a, b) => (penalties[a] ?? 0) - (penalties[b] ?? 0));
}

/** The negatives in rollout order. */
function decideInOrder(state: GroupState, rows: readonly number[], keptCount: number): void {
  rows.forEach((row, rank) => {
    state.kept[row] = rank < keptCount;
    state.reasons[row] = rank < keptCount ? 'kept_negative_quota' : 'discarded_negative_quota';
  });
}

/**
 * @param ranked by penalty
 * @returns undefined if all or none are kept
 */
function decideByPenalty(
  state: GroupState,
  ranked: readonly number[],
  keptCount: number,
  side: 'positive' | 'negative',
): Cut | undefined {
  const cut = cutOf(ranked, keptCount, state);
  ranked.forEach((row, rank) => {
    const isKept = rank < keptCount;
    const isTie = cut !== undefined && cut.discarded > 0 && state.penalties[row] === cut.penalty;
    state.kept[row] = isKept;
    state.reasons[row] = isKept
      ? `kept_${side}_${isTie ? 'tie' : 'topk'}`
      : `discarded_${side}_${isTie ? 'tie' : 'penalty'}`;
  });
  return cut;
}

function cutOf(ranked: readonly number[], keptCount: number, { penalties }: GroupState): Cut | undefined {
  const worst = ranked[keptCount - 1];
  if (worst === undefined || keptCount >= ranked.length) return undefined;
  const penalty = penalties[worst];
  if (penalty === undefined) return undefined;
  let kept = 0;
  let discarded = 0;
  ranked.forEach((row, rank) => {
    if (penalties[row] !== penalty) return;
    if (rank < keptCount) kept++;
    else discarded++;
  });
  return { penalty, kept, discarded };
}

/**
 * The release's quota arithmetic. Applies the two minima in its order, because the first may change the input
 * of the second.
 */
export function quotaOf(pool: number, rows: ClassCounts, settings: DownSamplingSettings): Quota {
  const n = settings.down_sample_to_n;
  const { min_zero_reward_trace_num: minZero, min_non_zero_reward_trace_num: minNonZero } = settings;
  const left = rows.zeros + rows.nonZeros;
  const base = { pool, left, target: n, zeros: rows.zeros, nonZeros: rows.nonZeros };
  if (left <= n) return { ...base, minimum: 'none' };
  let zeros = roundHalfToEven((rows.zeros * n) / left);
  let nonZeros = roundHalfToEven((rows.nonZeros * n) / left);
  const rounded = { zeros, nonZeros };
  if (zeros < minZero && nonZeros < minNonZero) return { ...base, rounded, minimum: 'unmet' };
  if (zeros <= Math.min(minZero, rows.zeros)) {
    zeros = Math.min(minZero, rows.zeros);
    nonZeros = n - zeros;
  }
  const afterMinZero = { zeros, nonZeros };
  if (nonZeros <= Math.min(minNonZero, rows.nonZeros)) {
    nonZeros = Math.min(minNonZero, rows.nonZeros);
    zeros = n - nonZeros;
  }
  const afterMinNonZero = { zeros, nonZeros };
  const byZero = !isSame(rounded, afterMinZero);
  const byNonZero = !isSame(afterMinZero, afterMinNonZero);
  const minimum = byZero ? (byNonZero ? 'both' : 'zero') : byNonZero ? 'non_zero' : 'none';
  return { ...base, rounded, afterMinZero, afterMinNonZero, minimum };
}

const isSame = (a: ClassCounts, b: ClassCounts): boolean => a.zeros === b.zeros && a.nonZeros === b.nonZeros;

/** Python's `round`: halves round to even. */
export function roundHalfToEven(value: number): number {
  const floor = Math.floor(value);
  if (value - floor !== 0.5) return Math.round(value);
  return floor % 2 === 0 ? floor : floor + 1;
}

/** Counts undecided groups, although none of their rows can be named as cut. */
function truncateAfterQuotas(states: readonly GroupState[], worldSize: number): void {
  let excess = states.reduce((sum, { occupies }) => sum + occupies, 0) % worldSize;
  for (let i = states.length - 1; i >= 0 && excess > 0; i--) {
    const state = states[i];
    if (state === undefined) continue;
    if (state.outcome === 'undecidable' || state.outcome === 'assertion') {
      excess -= Math.min(excess, state.occupies);
      continue;
    }
    for (let row = state.kept.length - 1; row >= 0 && excess > 0; row--) {
      if (state.kept[row] !== true) continue;
      state.kept[row] = false;
      state.reasons[row] = 'discarded_world_size_truncation';
      excess--;
    }
  }
}

// ── the decision ────────────────────────────────────────────────────────────────────────────────

function closeState(
  state: GroupState,
  rule: ResampleRule,
  advantage: AdvantageOptions | undefined,
): GroupDecision {
  const { group, penalties, kept, reasons, cut, outcome, quota, why, assertion } = state;
  const all = state.isRewardKnown ? groupAdvantages(rewardsOf(group), advantage) : undefined;
  const ofKept = state.isRewardKnown
    ? groupAdvantages(
        rewardsOf(group).filter((_, i) => kept[i] === true),
        advantage,
      )
    : undefined;
  let next = 0;
  const rows = reasons.map((reason, i): RowDecision => {
    const isKept = kept[i];
    return {
      kept: isKept,
      reason,
      inclusion: undefined,
      penalty: penalties[i],
      advantage: isKept === true ? ofKept?.[next++] : undefined,
      advantageOfAll: all?.[i],
      isTie:
        reason === 'kept_negative_tie' ||
        reason === 'discarded_negative_tie' ||
        (cut !== undefined &&
          cut.discarded > 0 &&
          penalties[i] === cut.penalty &&
          (group.rows[i]?.reward ?? 0) > 0 &&
          i < state.left),
    };
  });
  return { rule, outcome, decidable: outcome !== 'undecidable', why, quota, cut, assertion, rows };
}

const rewardsOf = (group: PoolGroup): number[] => group.rows.map(({ reward = Number.NaN }) => reward);
