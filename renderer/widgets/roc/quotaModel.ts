/**
 * The results of a group, in sentences that a reader can check: the arithmetic of the quotas, the minimum that
 * applied, and the ties at the cut.
 */
import type { LedgerDecision, LedgerSide } from '../../../shared/api/contract.ts';
import type { ClassCounts, Quota } from '../../../shared/domain/resample.ts';
import { counted } from '../../ui/numbers.ts';
import { penaltyText } from './rocLabels.ts';

const correct = (n: number): string => `${n} correct`;
const incorrect = (n: number): string => `${n} incorrect`;
const correctRollouts = (n: number): string => counted(n, 'correct rollout');

/** `round(12 · 16/32) = 6`. Notes that a half was rounded to even. */
function rounding(count: number, quota: Quota, result: number): string {
  const isHalf = ((2 * count * quota.target) / quota.left) % 2 === 1;
  return `round(${count} · ${quota.target}/${quota.left}) = ${result}${isHalf ? ' (half to even)' : ''}`;
}

function minimaLabel({ basis }: LedgerSide): string {
  const zero = basis.settings.min_zero_reward_trace_num;
  const nonZero = basis.settings.min_non_zero_reward_trace_num;
  if (zero <= 0 && nonZero <= 0) return 'no minimum is set';
  const met = zero > 0 && nonZero > 0 ? 'both minima' : 'the minimum';
  return `${met} (${[zero > 0 ? incorrect(zero) : '', nonZero > 0 ? correct(nonZero) : ''].filter(Boolean).join(', ')}) met`;
}

/** The minimum that changed the quotas, with the quotas before and after it. */
function minimumLabel(side: LedgerSide, quota: Quota): string {
  const { rounded, afterMinZero, afterMinNonZero } = quota;
  if (rounded === undefined || afterMinZero === undefined || afterMinNonZero === undefined) return '';
  const zero = (before: ClassCounts, after: ClassCounts) =>
    `the minimum of incorrect ones makes ${before.zeros} into ${after.zeros}, which leaves ${correct(after.nonZeros)}`;
  const nonZero = (before: ClassCounts, after: ClassCounts) =>
    `the minimum of correct ones makes ${before.nonZeros} into ${after.nonZeros}, which leaves ${incorrect(after.zeros)}`;
  switch (quota.minimum) {
    case 'zero':
      return zero(rounded, afterMinZero);
    case 'non_zero':
      return nonZero(afterMinZero, afterMinNonZero);
    case 'both':
      return `${zero(rounded, afterMinZero)}; then ${nonZero(afterMinZero, afterMinNonZero)}`;
    default:
      return minimaLabel(side);
  }
}

function poolLabel(quota: Quota): string {
  return `${quota.nonZeros} of ${quota.left} correct (reward > 0)`;
}

function resampledLabels(side: LedgerSide, quota: Quota): readonly string[] {
  const { rounded, afterMinNonZero: final } = quota;
  if (rounded === undefined || final === undefined) return [`${poolLabel(quota)}.`];
  if (side.basis.rule === 'paper') {
    return [
      `${poolLabel(quota)} → floor(${quota.zeros} · ${quota.target}/${quota.left}) = ${incorrect(final.zeros)} drawn uniformly, and the other ${correct(final.nonZeros)} drawn by the inverse of their penalty.`,
      'The paper’s rule is random: each rollout has a probability of being kept, and no set is claimed.',
    ];
  }
  const both = `${rounding(quota.nonZeros, quota, rounded.nonZeros)} correct and ${rounding(quota.zeros, quota, rounded.zeros)} incorrect`;
  return quota.minimum === 'none'
    ? [`${poolLabel(quota)} → ${both} kept; ${minimaLabel(side)}.`]
    : [
        `${poolLabel(quota)} → ${both}; ${minimumLabel(side, quota)}: ${correct(final.nonZeros)} and ${incorrect(final.zeros)} kept.`,
      ];
}

function keptAllLabel(side: LedgerSide, quota: Quota | undefined): string {
  const target = side.basis.settings.down_sample_to_n;
  if (quota?.minimum === 'unmet' && quota.rounded !== undefined) {
    const { zeros, nonZeros } = quota.rounded;
    return `${poolLabel(quota)} → ${rounding(quota.nonZeros, quota, nonZeros)} and ${rounding(quota.zeros, quota, zeros)}: both are below their minimum (${side.basis.settings.min_non_zero_reward_trace_num} correct, ${side.basis.settings.min_zero_reward_trace_num} incorrect), so the whole group of ${quota.left} is kept.`;
  }
  if (quota === undefined || (side.basis.rule !== 'paper' && target <= 0)) {
    return `No target is set (down_sample_to_n ${target}): every rollout is kept.`;
  }
  return quota.left === quota.target
    ? `The group has ${counted(quota.left, 'rollout')}, exactly as many as are to be kept: all are kept.`
    : `The group has ${counted(quota.left, 'rollout')}, no more than the ${quota.target} to be kept: all are kept.`;
}

function tieLabel({ cut }: LedgerSide): string | undefined {
  if (cut === undefined || cut.discarded === 0) return undefined;
  return `${correctRollouts(cut.kept + cut.discarded)} tie at penalty ${penaltyText(cut.penalty)}, ${cut.kept} of them kept: rollout order decided.`;
}

/** Only the rule of the first week orders incorrect rollouts by penalty. */
function incorrectTieLabel(rows: readonly LedgerDecision[]): string | undefined {
  const [kept, discarded] = (['kept_negative_tie', 'discarded_negative_tie'] as const).map(
    (tie) => rows.filter(({ reason }) => reason === tie).length,
  );
  if (kept === undefined || discarded === undefined || discarded === 0) return undefined;
  return `${counted(kept + discarded, 'incorrect rollout')} tie at the highest penalty kept, ${kept} of them kept: rollout order decided.`;
}

function cutLabel(side: LedgerSide): string | undefined {
  const { cut } = side;
  if (cut === undefined || cut.discarded > 0) return undefined;
  return `The highest penalty of a correct rollout kept is ${penaltyText(cut.penalty)}.`;
}

const isTruncated = (row: LedgerDecision): boolean => row.reason === 'discarded_world_size_truncation';

function equalRewardLabel(side: LedgerSide, rows: readonly LedgerDecision[]): string {
  const why = side.basis.rule === 'paper' ? 'paper_equal_reward is reject' : 'reject_equal_reward is on';
  const isRight = rows.some((row) => row.reason === 'discarded_equal_reward_all_correct');
  const isWrong = rows.some((row) => row.reason === 'discarded_equal_reward_all_wrong');
  const which = isRight ? ' (all correct)' : isWrong ? ' (all incorrect)' : '';
  return `All rewards of the group are equal${which} and ${why}: the whole group is discarded.`;
}

/**
 * @param rows the decisions of this side, since the quota does not include truncation
 * @returns one or more sentences, the outcome first
 */
export function quotaSentences(side: LedgerSide, rows: readonly LedgerDecision[]): readonly string[] {
  const { quota, basis } = side;
  const before = quota === undefined ? 0 : quota.pool - quota.left;
  const truncated = rows.filter(isTruncated).length;
  const sentences: string[] = [];
  if (before > 0)
    sentences.push(
      `World size ${basis.settings.world_size}: ${counted(before, 'rollout')} of ${quota?.pool ?? 0} trimmed before the quotas, to make the batch divisible.`,
    );
  sentences.push(...outcomeLabels(side, rows));
  for (const more of [tieLabel(side), cutLabel(side), incorrectTieLabel(rows)])
    if (more !== undefined) sentences.push(more);
  if (truncated > before)
    sentences.push(
      `World size ${basis.settings.world_size}: the last ${counted(truncated - before, 'rollout')} that would have been kept are trimmed after the quotas, to make the batch divisible.`,
    );
  return sentences;
}

function outcomeLabels(side: LedgerSide, rows: readonly LedgerDecision[]): readonly string[] {
  const { quota, basis, outcome } = side;
  switch (outcome) {
    case 'resampled':
      return quota === undefined ? [] : resampledLabels(side, quota);
    case 'kept_all':
      return [keptAllLabel(side, quota)];
    case 'equal_reward':
      return [equalRewardLabel(side, rows)];
    case 'too_small':
      return [
        quota === undefined || quota.left === 0
          ? 'No rollout of the group is left for the quotas: the whole group is discarded.'
          : `The group has ${counted(quota.left, 'rollout')}, fewer than the ${quota.target} to be kept: the release discards the whole group.`,
      ];
    case 'assertion': {
      const what = side.assertion ?? basis.assertion ?? 'an assertion of the release fails';
      return [
        `The run would have stopped here on an assertion: ${what.replace(/: the release stops here$/, '')}.`,
      ];
    }
    case 'off':
      return ['Down-sampling is off (do_down_sampling): every rollout enters the update.'];
    case 'undecidable':
      return [
        side.why === 'penalty_unknown'
          ? 'The penalty of a rollout that would be ranked is unknown, so this rule cannot be recomputed here.'
          : 'The reward of a rollout is unknown, so this rule cannot be recomputed here.',
      ];
  }
}
