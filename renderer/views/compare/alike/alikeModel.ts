import type { AlikeList, AlikeRollout } from '../../../../shared/api/contract.ts';
import { count } from '../../../ui/numbers.ts';

export const ALIKE_TABS = ['siblings', 'wrong', 'right', 'all'] as const;
export type AlikeTab = (typeof ALIKE_TABS)[number];

/** At first the siblings, where there are any. */
export function tabOf(text: string | null, hasSiblings: boolean): AlikeTab {
  return ALIKE_TABS.find((tab) => tab === text) ?? (hasSiblings ? 'siblings' : 'all');
}

export function inTab(tab: AlikeTab, rollout: AlikeRollout): boolean {
  switch (tab) {
    case 'siblings':
      return rollout.isSibling;
    case 'wrong':
      return rollout.isCorrect === false;
    case 'right':
      return rollout.isCorrect === true;
    case 'all':
      return true;
  }
}

/** How many were looked at, and how many of these are listed: what is left out is said. */
export function lookedAt({ rollouts, considered, total }: AlikeList): string {
  const others = total === 1 ? 'the one other rollout' : `${count(total)} other rollouts`;
  const listed = rollouts.length < considered ? ` The ${count(rollouts.length)} most alike are listed.` : '';
  if (considered === total)
    return total === 1
      ? 'The one other rollout of this problem was compared.'
      : `All ${others} of this problem were compared.${listed}`;
  return `${count(considered)} of ${others} of this problem were compared: its own group first, then the groups nearest in step, then other runs; ${count(total - considered)} were not.${listed}`;
}
