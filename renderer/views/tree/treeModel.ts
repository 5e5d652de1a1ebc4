/**
 * A tree by text or by action as rows and columns: every rollout is a row, every branch a bracket over the rows of its rollouts. A
 * leaf with one rollout is that rollout's row. A leaf with several (equal responses, or branches that were cut) is a
 * branch whose rollouts follow.
 *
 *   few rollouts: to the right          many: below, indented
 *   [branch] ┬ [branch] ┬ rollout       [branch]
 *            │          └ rollout       ├ [branch]
 *            └ rollout                  │ ├ rollout
 *                                       └ rollout
 *
 * If a card spans hundreds of rows, children beside it would leave its column almost empty, so they are placed below
 * it.
 */
import type { ActionTree, ForkNode, ForkTree, TreeNode, TreeRollout } from '../../../shared/api/contract.ts';
import type { Writer } from '../../../shared/domain/divergence.ts';
import { MOST_LANES } from '../../data/compareLink.ts';
import { pathOfRoute } from '../../data/route.ts';
import { count, counted } from '../../ui/numbers.ts';

export type Tree = ForkTree | ActionTree;

/**
 * Height of a card in rows. A folded branch takes as many; a branch with its children below it has as many in
 * addition.
 */
const CARD_ROWS = 2;

interface Placed {
  /** `n3`, `r12`: used in the URL. */
  readonly key: string;
  readonly depth: number;
  /** Distance from the left edge: in cards, and in indents. */
  readonly columns: number;
  readonly indents: number;
  readonly firstRow: number;
  readonly endRow: number;
  /** Index into the items. */
  readonly parent: number | undefined;
}

export interface BranchItem extends Placed {
  readonly kind: 'branch';
  readonly node: number;
  readonly isFolded: boolean;
  /** Whether its children are below its card rather than beside it. */
  readonly isStacked: boolean;
}

export interface RolloutItem extends Placed {
  readonly kind: 'rollout';
  readonly rollout: number;
  /** The leaf that belongs to this rollout alone. Absent if several rollouts share it. */
  readonly node: number | undefined;
}

export type TreeItem = BranchItem | RolloutItem;

export interface TreeLayout {
  /** Parents before their children, from top to bottom. */
  readonly items: readonly TreeItem[];
  readonly rows: number;
}

/** @param stackedAbove branches with more rollouts have their children below */
export function layoutTree(
  tree: Tree,
  folded: ReadonlySet<string>,
  stackedAbove = Number.POSITIVE_INFINITY,
): TreeLayout {
  const items: TreeItem[] = [];
  let rows = 0;
  // An explicit stack instead of recursion: a chain may be as deep as there are rollouts.
  type Task = { readonly open: number; readonly parent: number | undefined } | { readonly close: number };
  const tasks: Task[] = tree.nodes.length === 0 ? [] : [{ open: 0, parent: undefined }];
  for (let task = tasks.pop(); task !== undefined; task = tasks.pop()) {
    if ('close' in task) {
      const item = items[task.close];
      if (item !== undefined) items[task.close] = { ...item, endRow: rows };
      continue;
    }
    const node = tree.nodes[task.open];
    if (node === undefined) continue;
    const { parent } = task;
    const place = { ...below(parent === undefined ? undefined : items[parent]), firstRow: rows, parent };
    const [only, ...others] = node.members;
    if (node.children.length === 0 && only !== undefined && others.length === 0) {
      items.push({
        kind: 'rollout',
        key: `r${only}`,
        rollout: only,
        node: task.open,
        ...place,
        endRow: ++rows,
      });
      continue;
    }
    const key = `n${task.open}`;
    const isFolded = folded.has(key);
    const self = items.length;
    const isStacked = !isFolded && node.members.length > stackedAbove;
    items.push({ kind: 'branch', key, node: task.open, isFolded, isStacked, ...place, endRow: rows });
    if (isStacked) rows += CARD_ROWS;
    tasks.push({ close: self });
    if (isFolded) {
      rows += CARD_ROWS;
    } else if (node.children.length === 0) {
      for (const rollout of node.members) {
        const own = { ...below(items[self]), firstRow: rows, parent: self };
        items.push({ kind: 'rollout', key: `r${rollout}`, rollout, node: undefined, ...own, endRow: ++rows });
      }
    } else {
      for (const child of [...node.children].reverse()) tasks.push({ open: child, parent: self });
    }
  }
  return { items, rows };
}

/** The position of an item's children. */
function below(parent: TreeItem | undefined): Pick<Placed, 'depth' | 'columns' | 'indents'> {
  if (parent === undefined) return { depth: 0, columns: 0, indents: 0 };
  const isStacked = parent.kind === 'branch' && parent.isStacked;
  return {
    depth: parent.depth + 1,
    columns: parent.columns + (isStacked ? 0 : 1),
    indents: parent.indents + (isStacked ? 1 : 0),
  };
}

export type Motion = 'up' | 'down' | 'left' | 'right';

/** The item that a key leads to. Returns the same item if none exists in that direction. */
export function itemFrom({ items }: TreeLayout, at: number, motion: Motion): number {
  const item = items[at];
  if (item === undefined) return 0;
  switch (motion) {
    case 'left':
      return item.parent ?? at;
    case 'right':
      return items[at + 1]?.parent === at ? at + 1 : at;
    case 'up':
    case 'down': {
      const isBeyond = (other: TreeItem) =>
        motion === 'down' ? other.firstRow >= item.endRow : other.endRow <= item.firstRow;
      const beyond = items.flatMap((other, i) => (isBeyond(other) ? [i] : []));
      const inOrder = motion === 'down' ? beyond : beyond.reverse();
      // Up and down go to the next rollout in any column, or to the next branch of the same depth.
      const wanted = inOrder.find((i) => {
        const other = items[i];
        return item.kind === 'rollout' ? other?.kind === 'rollout' : other?.depth === item.depth;
      });
      return wanted ?? inOrder[0] ?? at;
    }
  }
}

/** Items with a visible row, and their ancestors. */
export function itemsInSight({ items }: TreeLayout, first: number, end: number): readonly number[] {
  return items.flatMap((item, i) => (item.endRow > first && item.firstRow < end ? [i] : []));
}

export interface PassShare {
  readonly correct: number;
  readonly known: number;
}

/** Undefined if no correctness is known. */
export function passOf({ correct, correctKnown }: TreeNode): PassShare | undefined {
  return correctKnown === 0 ? undefined : { correct, known: correctKnown };
}

/**
 * One rollout from each of the four largest branches. The branch with the highest pass rate gives its first correct
 * one, the branch with the lowest its first incorrect one.
 */
export function branchLanes(tree: Tree, node: number): readonly number[] {
  const branches = (tree.nodes[node]?.children ?? [])
    .slice(0, MOST_LANES)
    .flatMap((child) => tree.nodes[child] ?? []);
  const rate = (branch: TreeNode) => branch.correct / Math.max(1, branch.correctKnown);
  const known = branches.filter(({ correctKnown }) => correctKnown > 0).sort((a, b) => rate(b) - rate(a));
  const [best, worst] = [known[0], known.length > 1 ? known.at(-1) : undefined];
  const first = (branch: TreeNode, isCorrect?: boolean) =>
    branch.members.find((member) => tree.rollouts[member]?.isCorrect === isCorrect);
  return branches.flatMap((branch) => {
    const wanted =
      branch === best ? first(branch, true) : branch === worst ? first(branch, false) : undefined;
    return wanted ?? branch.members[0] ?? [];
  });
}

export const rolloutPath = (runKey: string, { step, groupKey, ordinal }: TreeRollout): string =>
  pathOfRoute({ view: 'rollout', runKey, step, groupKey, ordinal });

/** The beginning of a node's text on one line. Line ends stay visible as symbols. */
export function beginning(text: string): string {
  return text
    .slice(0, 200)
    .replace(/^ +(?=\S)/, '')
    .replaceAll(/\r?\n/g, '⏎')
    .replaceAll('\t', '⇥');
}

/** A node's text by its writers. No writer: the policy's, before anyone else writes. */
export function passagesIn({
  text,
  writers = [],
}: ForkNode): readonly { readonly writer?: Writer; readonly text: string }[] {
  if (writers.length === 0) return [{ text }];
  return writers.map(({ at, writer }, i) => ({
    ...(i === 0 && writer === 'policy' ? {} : { writer }),
    text: text.slice(at, writers[i + 1]?.at),
  }));
}

/** Whether a user speaks in any branch, so that by text it is often the user who forks. */
export const isDialogue = ({ nodes }: ForkTree): boolean =>
  nodes.some(({ writers = [] }) => writers.some(({ writer }) => writer === 'user'));

/** A node's text with the writers' names, for titles and files. */
export const writtenText = (node: ForkNode): string =>
  passagesIn(node)
    .map(({ writer, text }) => (writer === undefined ? text : `${writer}: ${text}`))
    .join(' ');

/** States what the tree by action leaves out. Undefined: every rollout acts. */
export function idleNote({ withoutActions, withoutText }: ActionTree): string | undefined {
  if (withoutActions === 0) return undefined;
  const texts = withoutText === 0 ? '' : ` (${count(withoutText)} without a text)`;
  return `${counted(withoutActions, 'rollout')}${texts} without a tool call or an answer.`;
}

/** Parses `r3,r7` from the URL. Ignores rollouts that are not in the tree. */
export function readMarks(text: string | null, rollouts: number): readonly number[] {
  return (text ?? '')
    .split(',')
    .flatMap((part) => (/^r\d{1,9}$/.test(part) ? [Number(part.slice(1))] : []))
    .filter((index, i, all) => index < rollouts && all.indexOf(index) === i)
    .slice(0, MOST_LANES);
}

export const writeMarks = (marks: readonly number[]): string => marks.map((index) => `r${index}`).join(',');
