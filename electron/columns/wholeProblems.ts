/**
 * Selects whole problems by a filter: every problem with a matching rollout, with all its rollouts. In an
 * evaluation a filter on rollouts would select by outcome: under `correct:true` every problem would be
 * solved by all its samples.
 */
import type { FilterNode } from '../../shared/domain/filter/node.ts';
import type { Checkpoint } from '../threads/task.ts';
import { type MatchScope, matching } from './matching.ts';
import type { Matched } from './runOrder.ts';

/**
 * Selects the same problems at every step, so that steps can be compared: problems with a matching rollout
 * at any step. A condition on the step itself applies to all its rollouts equally, so it selects steps
 * instead.
 *
 * @param matched matches of the filter per step; its masks are not changed
 */
export function wholeProblems(
  scope: MatchScope,
  node: FilterNode,
  matched: readonly Matched[],
  checkpoint: Checkpoint,
): readonly Matched[] {
  if (node.kind === 'all') return matched;
  const groups = scope.run.groups();
  const chosen = new Set<string>();
  for (const { table, mask } of matched) {
    const groupId = table.column('groupId');
    let last = -1;
    for (let i = 0; i < mask.length; i++) {
      const id = groupId[i] ?? 0;
      if (mask[i] === 0 || id === last) continue;
      last = id;
      const problem = groups.get(id)?.problemKey;
      if (problem !== undefined) chosen.add(problem);
    }
  }
  const steps = stepsOf(node);
  return matched.map(({ table }, at) => {
    checkpoint(at, matched.length);
    const whole = matching(scope, table, steps);
    const groupId = table.column('groupId');
    for (let i = 0; i < whole.length; i++)
      if (!chosen.has(groups.get(groupId[i] ?? 0)?.problemKey ?? '')) whole[i] = 0;
    return { table, mask: whole };
  });
}

/** The conditions of a filter that only depend on the step. */
function stepsOf(node: FilterNode): FilterNode {
  const nodes = (node.kind === 'and' ? node.nodes : [node]).filter(isAboutStep);
  return nodes.length === 0 ? { kind: 'all' } : { kind: 'and', nodes };
}

function isAboutStep(node: FilterNode): boolean {
  switch (node.kind) {
    case 'and':
    case 'or':
      return node.nodes.every(isAboutStep);
    case 'not':
      return isAboutStep(node.node);
    case 'number':
    case 'known':
      return node.field === 'step';
    default:
      return false;
  }
}
