/** Labels of the model's values, for screens and packs. */
import { FLAG_MEANINGS } from './flags.ts';
import { withGlyphs } from './hiddenCharacters.ts';
import type { RunKind, ToolOutcome } from './model.ts';

export const RUN_KIND_NAMES: Readonly<Record<RunKind, string>> = {
  train: 'training',
  eval: 'evaluation',
  counterfactual: 'counterfactual',
};

export const OUTCOME_NAMES: Readonly<Record<ToolOutcome, string>> = {
  ok_stdout: 'success',
  // The tool has no status line.
  ok: 'no error',
  ok_empty: 'success, no output',
  missing: 'no response',
  exception: 'exception',
  error: 'error',
  timeout: 'timed out',
  parse_error: 'parse error',
  dispatch_error: 'no such tool',
  infra: 'sandbox failure',
  malformed: 'malformed call',
};

const BY_ID = new Map<string, string>(Object.entries(OUTCOME_NAMES));

/** An unknown outcome is shown by its id. */
export const outcomeName = (outcome: string): string => BY_ID.get(outcome) ?? outcome;

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

/** Characters of a reason that a log names in its own words. */
const LONGEST_REASON = 200;

export function reasonText(reason: string | undefined): string {
  if (reason === undefined) return '';
  const known = REASONS[reason];
  if (known !== undefined) return known;
  return withGlyphs(
    reason.length <= LONGEST_REASON ? reason.replaceAll('_', ' ') : `${reason.slice(0, LONGEST_REASON)} …`,
  );
}

const FLAG_WORDS = new Map<string, string>(Object.entries(FLAG_MEANINGS));

/** A flag of another version is shown by its id. */
export const flagText = (flag: string): string => FLAG_WORDS.get(flag) ?? flag.replaceAll('_', ' ');

/** Returns the label of a filter field's value. Undefined: the value is its own label. */
export function meaningOf(field: string, value: string): string | undefined {
  const meaning =
    field === 'outcome'
      ? outcomeName(value)
      : field === 'reason'
        ? reasonText(value)
        : field === 'flag'
          ? flagText(value)
          : value;
  return meaning === value ? undefined : meaning;
}
