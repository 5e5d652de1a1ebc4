import type { GroupRewards } from '../../shared/api/contract.ts';
import type { ColumnSource } from './series.ts';

/** @param mask one byte per rollout, 1 includes it */
export function groupRewards(source: ColumnSource, mask: Uint8Array): GroupRewards {
  const groupId = source.column('groupId');
  const reward = source.column('reward');
  const groups: { readonly id: number; rollouts: number; sum: number }[] = [];
  // The rollouts of a group are adjacent.
  for (const [i, id] of groupId.entries()) {
    const value = reward[i] ?? Number.NaN;
    if (mask[i] !== 1 || Number.isNaN(value)) continue;
    let last = groups.at(-1);
    if (last?.id !== id) {
      last = { id, rollouts: 0, sum: 0 };
      groups.push(last);
    }
    last.rollouts++;
    last.sum += value;
  }
  return {
    groupIds: Uint32Array.from(groups, ({ id }) => id),
    rollouts: Uint32Array.from(groups, ({ rollouts }) => rollouts),
    sums: groups.map(({ sum }) => sum),
  };
}
