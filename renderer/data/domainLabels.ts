import type { RolloutRow } from '../../shared/api/contract.ts';
import type { RunKind, ToolOutcome } from '../../shared/domain/model.ts';
import type { GroupRule } from '../../shared/format/format.ts';

/** The source of a rollout's correctness. */
export function correctnessSource(
  row: Pick<RolloutRow, 'isCorrect' | 'correctSource' | 'reward'>,
): string | undefined {
  if (row.isCorrect === undefined) return undefined;
  if (row.correctSource === 'derived')
    return row.isCorrect
      ? 'derived: answer equals ground truth'
      : 'derived: answer differs from ground truth';
  if (row.correctSource === 'logged') return 'logged';
  return row.reward === undefined ? undefined : 'by the reward';
}

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

/** Labels for how rollouts were grouped. */
export const GROUP_RULES: Readonly<Record<GroupRule, { readonly short: string; readonly words: string }>> = {
  logged: { short: 'group: logged id', words: 'by the logged id' },
  prompt: { short: 'group: equal prompt', words: 'by equal prompt' },
  order: { short: 'group: by order', words: 'by their order in the log' },
};
