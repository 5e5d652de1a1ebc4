import type { ProblemRewards } from '../../shared/api/contract.ts';
import type { RunTable } from './columnStore.ts';
import type { ColumnSource } from './series.ts';

/** @param mask one byte per rollout, 1 includes it */
export function problemRewards(
  source: ColumnSource,
  mask: Uint8Array,
  groups: ReturnType<RunTable['groups']>,
): ProblemRewards {
  const groupId = source.column('groupId');
  const reward = source.column('reward');
  const problems = new Map<string, { rollouts: number; sum: number }>();
  for (const [i, id] of groupId.entries()) {
    const value = reward[i] ?? Number.NaN;
    if (mask[i] !== 1 || Number.isNaN(value)) continue;
    const key = groups.get(id)?.problemKey ?? `group:${id}`;
    const known = problems.get(key);
    if (known === undefined) problems.set(key, { rollouts: 1, sum: value });
    else {
      known.rollouts++;
      known.sum += value;
    }
  }
  return {
    problems: [...problems.keys()],
    rollouts: Uint32Array.from(problems.values(), ({ rollouts }) => rollouts),
    sums: Array.from(problems.values(), ({ sum }) => sum),
  };
}
