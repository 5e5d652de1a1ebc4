/** The down-sampling's reasons in words; one that Turnwise does not know is shown as logged. */
const REASONS: Readonly<Record<string, string>> = {
  kept_positive_topk: 'lowest penalty',
  kept_positive_tie: 'tie at the cut',
  kept_negative_quota: 'negative quota',
  kept_all_group: 'whole group kept',
  discarded_equal_reward_all_correct: 'group all right',
  discarded_equal_reward_all_wrong: 'group all wrong',
  discarded_positive_penalty: 'penalty',
  discarded_positive_tie: 'tie at the cut',
  discarded_negative_quota: 'negative quota',
  discarded_group_too_small: 'group too small',
  discarded_world_size_truncation: 'cut to the world size',
  discarded_aborted: 'aborted',
  discarded_errored: 'errored',
  discarded_sampled_out: 'sampled out',
};

export function reasonText(reason: string | undefined): string {
  return reason === undefined ? '' : (REASONS[reason] ?? reason.replaceAll('_', ' '));
}
