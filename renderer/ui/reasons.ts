/** Labels of the down-sampling's reasons. An unknown reason is shown as logged. */
const REASONS: Readonly<Record<string, string>> = {
  kept_positive_topk: 'lowest penalty',
  kept_positive_tie: 'won the tie',
  kept_negative_quota: 'quota for incorrect',
  kept_negative_topk: 'lowest penalty',
  kept_negative_tie: 'won the tie',
  kept_all_group: 'whole group',
  discarded_equal_reward_all_correct: 'all correct',
  discarded_equal_reward_all_wrong: 'all incorrect',
  discarded_positive_penalty: 'penalty too high',
  discarded_positive_tie: 'lost the tie',
  discarded_negative_quota: 'quota was full',
  discarded_negative_penalty: 'penalty too high',
  discarded_negative_tie: 'lost the tie',
  discarded_group_too_small: 'group too small',
  discarded_world_size_truncation: 'trimmed to a multiple of world size',
  discarded_aborted: 'aborted',
  discarded_errored: 'errored',
  discarded_sampled_out: 'sampled out',
  discarded_stale: 'sampled by parameters that are too old',
  discarded_surplus: 'more groups than the batch needs',
};

export function reasonText(reason: string | undefined): string {
  return reason === undefined ? '' : (REASONS[reason] ?? reason.replaceAll('_', ' '));
}
