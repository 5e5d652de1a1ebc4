/** A whole tree as a drawing and as a table of numbers, for files. The page draws only what is in sight. */

import type { ActionNode, ForkNode } from '../../../shared/api/contract.ts';
import { callName } from '../../../shared/domain/actions.ts';
import { type Cell, csvFile } from '../../../shared/domain/delimited.ts';
import { OUTCOME_NAMES } from '../../../shared/domain/words.ts';
import { plainLogText } from '../../ui/LogText.tsx';
import { count, counted, percent, reward } from '../../ui/numbers.ts';
import { beginning, layoutTree, passOf, type Tree, type TreeItem, writtenText } from './treeModel.ts';

/** CSS pixels. */
const ROW = 17;
const INDENT = 14;
/** Deeper branches are not indented further, so that their texts keep some room. */
const DEEPEST = 20;
const BAR = 40;
const LETTER = 6.2;

type Node = ForkNode | ActionNode;

const actionName = ({ action }: ActionNode): string | undefined =>
  action === undefined ? undefined : action.kind === 'answer' ? 'answer' : callName(action);

/** The text or the action of a branch. */
function textOf(node: Node): string {
  if ('text' in node) return node.text;
  return node.action?.text ?? '';
}

function labelOf(node: Node): string {
  const isRoot = node.parent === undefined;
  if ('text' in node)
    return node.text === '' ? (isRoot ? 'nothing in common' : 'ends here') : beginning(writtenText(node));
  const name = actionName(node);
  return name === undefined ? (isRoot ? 'Start' : 'no further action') : `${name} ${beginning(textOf(node))}`;
}

/** All items of the tree, from top to bottom, with nothing folded. */
const itemsOf = (tree: Tree): readonly TreeItem[] => layoutTree(tree, new Set(), 0).items;

interface TreeFigureProps {
  readonly tree: Tree;
  readonly width: number;
  readonly title: string;
}

/** A line per branch and per rollout, indented below the branch that it belongs to. */
export function TreeFigure({ tree, width, title }: TreeFigureProps) {
  const items = itemsOf(tree);
  const hasSteps = tree.steps.length > 1;
  return (
    <svg role="img" aria-label={title} width={width} height={Math.max(1, items.length) * ROW}>
      {items.map((item, row) => {
        const x = Math.min(item.depth, DEEPEST) * INDENT;
        return (
          <g key={item.key} transform={`translate(${x} ${row * ROW})`}>
            {item.kind === 'branch' ? (
              <Branch node={tree.nodes[item.node]} room={width - x} />
            ) : (
              <Leaf tree={tree} item={item} hasSteps={hasSteps} room={width - x} />
            )}
          </g>
        );
      })}
    </svg>
  );
}

function Line({ text, x = 0, room, fill }: { text: string; x?: number; room: number; fill: string }) {
  const most = Math.max(8, Math.floor((room - x) / LETTER));
  const shown = text.length > most ? `${text.slice(0, most - 1).toWellFormed()}…` : text;
  return (
    <text x={x} y={12} fontSize={10.5} fill={fill}>
      {plainLogText(shown)}
    </text>
  );
}

function Branch({ node, room }: { readonly node: Node | undefined; readonly room: number }) {
  if (node === undefined) return null;
  const pass = passOf(node);
  const share = pass === undefined ? undefined : pass.correct / pass.known;
  const facts = [
    counted(node.members.length, 'rollout'),
    share === undefined ? 'correctness unknown' : `${percent(share, 0)} % correct`,
  ].join(', ');
  return (
    <>
      <rect y={4} width={BAR} height={8} fill="var(--rule)" />
      {share !== undefined && <rect y={4} width={BAR * share} height={8} fill="var(--right)" />}
      <Line text={`${facts} · ${labelOf(node)}`} x={BAR + 6} room={room} fill="var(--ink)" />
    </>
  );
}

interface LeafProps {
  readonly tree: Tree;
  readonly item: Extract<TreeItem, { kind: 'rollout' }>;
  readonly hasSteps: boolean;
  readonly room: number;
}

function Leaf({ tree, item, hasSteps, room }: LeafProps) {
  const rollout = tree.rollouts[item.rollout];
  if (rollout === undefined) return null;
  const node = item.node === undefined ? undefined : tree.nodes[item.node];
  const { isCorrect } = rollout;
  const mark = isCorrect === undefined ? '' : isCorrect ? ' ✓' : ' ✕';
  const fill = isCorrect === undefined ? 'var(--ink2)' : isCorrect ? 'var(--right)' : 'var(--wrong)';
  const facts = [
    `${hasSteps ? `step ${count(rollout.step)} ` : ''}#${rollout.ordinal}${mark}`,
    rollout.answer ?? '',
    isCorrect === undefined && rollout.reward !== undefined ? `reward ${reward(rollout.reward)}` : '',
    node === undefined ? '' : labelOf(node),
  ];
  return <Line text={facts.filter((part) => part !== '').join(' · ')} room={room} fill={fill} />;
}

const COLUMNS = [
  ...['id', 'parent', 'kind', 'depth', 'rollouts', 'correct', 'correct known', 'action', 'text'],
  ...['characters left out of text', 'outcomes', 'mean signal at the fork [nats]', 'signal'],
  ...['step', 'group', 'rollout', 'reward', 'is correct', 'kept', 'answer'],
] as const;

/**
 * A row per branch and per rollout; a rollout that is alone on its branch has the branch's text. `parent` is the `id`
 * of another row.
 */
export function treeCsv(tree: Tree, source: string): string {
  const items = itemsOf(tree);
  const rows = items.map((item): readonly Cell[] => {
    const node = item.node === undefined ? undefined : tree.nodes[item.node];
    const rollout = item.kind === 'rollout' ? tree.rollouts[item.rollout] : undefined;
    const parent = item.parent === undefined ? undefined : items[item.parent]?.key;
    const fork = node !== undefined && 'text' in node ? node.fork : undefined;
    const outcomes = node !== undefined && 'outcomes' in node ? node.outcomes : [];
    return [
      ...[item.key, parent, item.kind, item.depth],
      ...(rollout === undefined
        ? [node?.members.length, node?.correctKnown === 0 ? undefined : node?.correct, node?.correctKnown]
        : [undefined, undefined, undefined]),
      node !== undefined && 'outcomes' in node ? actionName(node) : undefined,
      node === undefined ? undefined : textOf(node),
      node !== undefined && 'text' in node && node.omitted > 0 ? node.omitted : undefined,
      outcomes.map(({ outcome, rollouts }) => `${OUTCOME_NAMES[outcome]} ${rollouts}`).join(', '),
      ...[fork?.mean, fork?.signal],
      ...[tree.steps.length > 1 ? rollout?.step : undefined, rollout?.groupKey, rollout?.ordinal],
      ...[rollout?.reward, rollout?.isCorrect, rollout?.kept, rollout?.answer],
    ];
  });
  return csvFile(source, COLUMNS, rows);
}
