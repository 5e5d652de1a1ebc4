/**
 * Tree of what many rollouts of one problem do, by `actions.ts`. Rollouts whose first actions are the same share a path.
 *
 *   start ─┬─ search(…) ─┬─ python(…)   3 rollouts, 1 correct
 *          │             └─ answer 7    2, 0
 *          └─ answer 5                  1, 0
 *
 * Invariants: the leaves partition the members. A node's members are those of its children. Only the root and the end
 * of rollouts beside others that go on have no action.
 *
 * An action is normalised only where two rollouts may share it, so what one rollout does alone costs nothing.
 */
import { type Action, actionForm } from './actions.ts';
import type { ToolOutcome } from './model.ts';
import { isSameAmount } from './sameAnswer.ts';

export interface ActingMember {
  readonly id: number;
  readonly actions: readonly Action[];
  /** Absent: unknown. */
  readonly isCorrect?: boolean;
}

export interface OutcomeCount {
  readonly outcome: ToolOutcome;
  readonly rollouts: number;
}

export interface ActionTreeNode {
  /** Index of the parent; absent for the root. Parents precede their children. */
  readonly parent?: number;
  /** Number of actions up to here, this one included. */
  readonly depth: number;
  /** Ids in input order. */
  readonly members: readonly number[];
  readonly correct: number;
  /** Members whose correctness is known. */
  readonly correctKnown: number;
  /** Indices of nodes, most members first. */
  readonly children: readonly number[];
  /** As the first member wrote it. Absent for the root, and where rollouts end while others go on. */
  readonly action?: Action;
  /** Outcomes of the call, most frequent first. Empty for an answer. */
  readonly outcomes: readonly OutcomeCount[];
  /** Further actions of a rollout that is alone here. 0 if there are several. */
  readonly after: number;
}

export interface ActionTreeOptions {
  /** Polled once per node. On true, the tree is returned as far as it was built, with `isCut`. */
  readonly isCancelled?: () => boolean;
  readonly maxNodes: number;
}

interface OpenNode {
  readonly parent?: number;
  readonly depth: number;
  readonly members: readonly ActingMember[];
}

export function actionTree(
  members: readonly ActingMember[],
  { isCancelled, maxNodes }: ActionTreeOptions,
): { readonly nodes: readonly ActionTreeNode[]; readonly isCut: boolean } {
  const nodes: (ActionTreeNode & { readonly children: number[] })[] = [];
  const waiting: OpenNode[] = members.length === 0 ? [] : [{ depth: 0, members }];
  let isCut = false;
  for (let open = waiting.pop(); open !== undefined; open = waiting.pop()) {
    const { parent, depth } = open;
    const branches = open.members.length > 1 || depth === 0 ? branchesOf(open.members, depth) : [];
    const isTooMany = nodes.length + 1 + waiting.length + branches.length > maxNodes;
    const isLeft = branches.length > 0 && (isTooMany || isCancelled?.() === true);
    isCut ||= isLeft;
    const place = nodes.length;
    if (parent !== undefined) nodes[parent]?.children.push(place);
    const known = open.members.filter(({ isCorrect }) => isCorrect !== undefined);
    const [first, ...others] = open.members;
    const action = first?.actions[depth - 1];
    nodes.push({
      ...(parent === undefined ? {} : { parent }),
      depth,
      members: open.members.map(({ id }) => id),
      correct: known.filter(({ isCorrect }) => isCorrect === true).length,
      correctKnown: known.length,
      children: [],
      ...(action === undefined ? {} : { action }),
      outcomes: outcomesOf(open.members.map(({ actions }) => actions[depth - 1]?.outcome)),
      after: others.length > 0 ? 0 : Math.max(0, (first?.actions.length ?? 0) - depth),
    });
    if (isLeft) continue;
    // The stack pops the last entry first; children are numbered by size, largest first.
    for (const branch of branches.reverse())
      waiting.push({ parent: place, depth: depth + 1, members: branch });
  }
  return { nodes, isCut };
}

/** Members by their action at `depth`, most first. Empty if none does anything more. */
function branchesOf(members: readonly ActingMember[], depth: number): ActingMember[][] {
  const byKey = new Map<string | undefined, ActingMember[]>();
  const amounts: { readonly amount: number; readonly branch: ActingMember[] }[] = [];
  for (const member of members) {
    const action = member.actions[depth];
    const { key, amount } = action === undefined ? {} : actionForm(action);
    const same = byKey.get(key) ?? amounts.find((one) => isSameAmount(one.amount, amount))?.branch;
    if (same !== undefined) {
      same.push(member);
      continue;
    }
    const branch = [member];
    byKey.set(key, branch);
    if (amount !== undefined) amounts.push({ amount, branch });
  }
  if (byKey.size === 1 && byKey.has(undefined)) return [];
  return [...byKey.values()].sort((one, other) => other.length - one.length);
}

function outcomesOf(outcomes: readonly (ToolOutcome | undefined)[]): readonly OutcomeCount[] {
  const counts = new Map<ToolOutcome, number>();
  for (const outcome of outcomes)
    if (outcome !== undefined) counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
  return [...counts]
    .map(([outcome, rollouts]) => ({ outcome, rollouts }))
    .sort((one, other) => other.rollouts - one.rollouts);
}
