import type { RolloutRow } from '../../shared/api/contract.ts';
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

/** Labels for how rollouts were grouped. */
export const GROUP_RULES: Readonly<Record<GroupRule, { readonly short: string; readonly words: string }>> = {
  logged: { short: 'group: logged id', words: 'by the logged id' },
  prompt: { short: 'group: equal prompt', words: 'by equal prompt' },
  order: { short: 'group: by order', words: 'by their order in the log' },
};

/** The rule of a stored group. A library of somebody else may name one that this Turnwise does not know. */
export const groupRuleLabel = (rule: GroupRule): { readonly short: string; readonly words: string } =>
  Object.hasOwn(GROUP_RULES, rule)
    ? GROUP_RULES[rule]
    : { short: 'group: unknown rule', words: 'by a rule that this Turnwise does not know' };
