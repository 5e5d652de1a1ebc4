import { describe, expect, it } from 'vitest';
import { parentRoute, parseRoute, pathOfRoute } from '../../renderer/data/route.ts';
import {
  columnLabel,
  columnParts,
  fateLabel,
  readSteps,
  scaleOf,
  stepColumns,
  stepsOf,
  writeSteps,
} from '../../renderer/views/tree/stepModel.ts';
import { treeCsv } from '../../renderer/views/tree/TreeFigure.tsx';
import {
  beginning,
  branchLanes,
  idleNote,
  isDialogue,
  itemFrom,
  itemsInSight,
  layoutTree,
  passagesIn,
  readMarks,
  type TreeLayout,
  writeMarks,
  writtenText,
} from '../../renderer/views/tree/treeModel.ts';
import type { ActionTree, ForkNode, ForkTree } from '../../shared/api/contract.ts';
import { prefixTree } from '../../shared/domain/prefixTree.ts';

/** `✓`, `✕`, `?` and the response of each rollout. */
function treeOf(drawn: readonly string[]): ForkTree {
  const rollouts = drawn.map((line, ordinal) => {
    const isCorrect = { '✓': true, '✕': false }[line.slice(0, 1)];
    return { response: line.slice(2), ordinal, ...(isCorrect === undefined ? {} : { isCorrect }) };
  });
  const { nodes, isCut } = prefixTree(rollouts.map((rollout, id) => ({ id, ...rollout })));
  return {
    rollouts: rollouts.map(({ response: _, ...rollout }) => ({
      rolloutId: 100 + rollout.ordinal,
      groupId: 1,
      groupKey: 'p7',
      step: 3,
      ...rollout,
    })),
    nodes: nodes.map((node): ForkNode => {
      const own = (rollouts[node.members[0] ?? 0]?.response ?? '').slice(node.start, node.end);
      return { ...node, text: own, omitted: 0 };
    }),
    steps: [],
    isCut,
    leftOut: 0,
  };
}

const TREE = treeOf([
  '✓ Let me compute by hand',
  '✕ Let me compute with Python',
  '✓ Let me compute with Perl',
  '✕ No idea',
  '✕ No idea',
]);

/** One line per item: column, rows, what it is. */
const drawn = ({ items }: TreeLayout) =>
  items.map(
    (item) =>
      `${'  '.repeat(item.depth)}${item.firstRow}–${item.endRow} ${
        item.kind === 'branch' ? `[${TREE.nodes[item.node]?.text ?? ''}]` : `#${item.rollout}`
      }${item.kind === 'branch' && item.isFolded ? ' folded' : ''}`,
  );

const NONE: ReadonlySet<string> = new Set();

describe('fork tree', () => {
  it('gives each rollout a row and each branch the rows of its rollouts', () => {
    const layout = layoutTree(TREE, NONE);
    expect(drawn(layout)).toEqual([
      '0–5 []',
      '  0–3 [Let me compute]',
      '    0–2 [ with]',
      '      0–1 #1',
      '      1–2 #2',
      '    2–3 #0',
      '  3–5 [No idea]',
      '    3–4 #3',
      '    4–5 #4',
    ]);
    expect(layout.rows).toBe(5);
  });

  it('puts large branches below their parent, and small ones beside it', () => {
    const layout = layoutTree(TREE, NONE, 2);
    expect(
      layout.items.map(({ columns, indents, firstRow, endRow }) => [columns, indents, firstRow, endRow]),
    ).toEqual([
      // The root and `Let me compute`, of 5 and 3 rollouts, have two rows of their own.
      [0, 0, 0, 9],
      [0, 1, 2, 7],
      [0, 2, 4, 6],
      [1, 2, 4, 5],
      [1, 2, 5, 6],
      [0, 2, 6, 7],
      [0, 1, 7, 9],
      [1, 1, 7, 8],
      [1, 1, 8, 9],
    ]);
    expect(layout.rows).toBe(9);
    // Folded, it has no rows below it.
    expect(layoutTree(TREE, new Set(['n1']), 2).rows).toBe(6);
  });

  it('folds a branch to the height of its card', () => {
    const layout = layoutTree(TREE, new Set(['n1']));
    expect(drawn(layout)).toEqual([
      '0–4 []',
      '  0–2 [Let me compute] folded',
      '  2–4 [No idea]',
      '    2–3 #3',
      '    3–4 #4',
    ]);
  });

  it('is navigated by keys: rollouts like a list, branches like a column', () => {
    const layout = layoutTree(TREE, NONE);
    expect(itemFrom(layout, 0, 'right')).toBe(1);
    expect(itemFrom(layout, 1, 'down')).toBe(6);
    expect(itemFrom(layout, 6, 'up')).toBe(1);
    expect(itemFrom(layout, 5, 'down')).toBe(7);
    expect(itemFrom(layout, 7, 'up')).toBe(5);
    expect(itemFrom(layout, 7, 'left')).toBe(6);
    expect(itemFrom(layout, 8, 'down')).toBe(8);
    expect(itemFrom(layout, 8, 'right')).toBe(8);
    expect(itemFrom(layout, 0, 'left')).toBe(0);
  });

  it('draws visible items, and the branches over them', () => {
    expect(itemsInSight(layoutTree(TREE, NONE), 4, 5)).toEqual([0, 6, 8]);
  });

  it('compares the branches by a right one of the best and a wrong one of the worst', () => {
    expect(branchLanes(TREE, 0)).toEqual([0, 3]);
    const [withOne] = TREE.nodes.flatMap(({ text }, i) => (text === ' with' ? [i] : []));
    expect([...branchLanes(TREE, withOne ?? -1)].sort()).toEqual([1, 2]);
    expect(branchLanes(TREE, 99)).toEqual([]);
  });

  it('survives as many branches below each other as there are rollouts', () => {
    const chain = treeOf(Array.from({ length: 400 }, (_, i) => `? ${'and so on '.repeat(i)}end`));
    const layout = layoutTree(chain, NONE);
    expect(layout.rows).toBe(400);
    expect(layout.items.filter(({ kind }) => kind === 'rollout')).toHaveLength(400);
  });

  it('lays out an empty tree as empty', () => {
    expect(layoutTree(treeOf([]), NONE)).toEqual({ items: [], rows: 0 });
  });

  it('keeps up to four marks in the link', () => {
    expect(readMarks('r3,r7', 8)).toEqual([3, 7]);
    expect(readMarks('r3,r3,x,r9,r-1,r1e3', 8)).toEqual([3]);
    expect(readMarks(null, 8)).toEqual([]);
    expect(readMarks(writeMarks([4, 2, 0, 1]), 8)).toEqual([4, 2, 0, 1]);
  });

  it('names the writers of a text that the policy did not write alone', () => {
    const [node = undefined] = TREE.nodes;
    if (node === undefined) throw new Error('no tree');
    const text = 'Hi, I need help.\nSure.';
    const writers = [
      { at: 0, writer: 'user' },
      { at: 17, writer: 'policy' },
    ] as const;
    expect(passagesIn({ ...node, text, writers })).toEqual([
      { writer: 'user', text: 'Hi, I need help.\n' },
      { writer: 'policy', text: 'Sure.' },
    ]);
    expect(writtenText({ ...node, text, writers })).toBe('user: Hi, I need help.\n policy: Sure.');
    expect(writtenText({ ...node, text })).toBe(text);
    const call = [
      { at: 0, writer: 'policy' },
      { at: 4, writer: 'tool' },
    ] as const;
    expect(writtenText({ ...node, text: 'Run.4\n', writers: call })).toBe('Run. tool: 4\n');
  });

  it('shows that a line ends', () => {
    expect(beginning(' so\n\tit')).toBe('so⏎⇥it');
    expect(beginning('   ')).toBe('   ');
  });

  it.each(['/run/a/step/5/group/g%2F1/tree', '/run/a/step/5/group/g/rollout/3/alike'])(
    'has an address: %s',
    (path) => {
      const route = parseRoute(path);
      expect(pathOfRoute(route)).toBe(path);
      expect(pathOfRoute(parentRoute(route) ?? { view: 'library' })).toBe(path.replace(/\/\w+$/, ''));
    },
  );
});

/** `step rollouts correct known`. */
const counts = (...drawn: readonly string[]) =>
  drawn.map((line) => {
    const [step = 0, rollouts = 0, correct = 0, correctKnown = 0] = line.split(' ').map(Number);
    return { step, rollouts, correct, correctKnown };
  });

describe('a tree over the steps', () => {
  const all = counts('0 8 2 8', '20 8 4 8', '40 4 3 3');

  it('gives per step the share of the branch, and the correct share of it', () => {
    const columns = stepColumns(all, counts('0 6 1 6', '40 2 1 1'), 10);
    expect(columns.map(columnLabel)).toEqual([
      'step 0: 6 of 8 rollouts on this branch (75 %), 1 of 6 correct',
      'step 20: 0 of 8 rollouts on this branch (0 %)',
      'step 40: 2 of 4 rollouts on this branch (50 %), 1 of 1 correct',
    ]);
    expect(columns.map((column) => columnParts(column, column.total))).toEqual([
      { right: 1 / 8, unknown: 0, wrong: 5 / 8 },
      { right: 0, unknown: 0, wrong: 0 },
      // One of the two is unknown: neither correct nor incorrect.
      { right: 1 / 4, unknown: 1 / 4, wrong: 0 },
    ]);
    expect(fateLabel(columns)).toBe('75 % of step 0 to 50 % of step 40');
    expect(fateLabel(stepColumns(all, counts('20 2 0 0'), 10))).toBe('only step 20: 25 %');
    expect(fateLabel(stepColumns(all, counts('20 2 0 0', '40 4 0 0'), 10))).toBe(
      'first at step 20, 25 % of step 20 to 100 % of step 40',
    );
  });

  it('merges steps if there are too many to draw, and loses none', () => {
    const [one, other] = stepColumns(all, counts('0 6 1 6', '40 2 1 1'), 2);
    expect(one).toEqual({ first: 0, last: 20, rollouts: 6, total: 16, correct: 1, correctKnown: 6 });
    expect(other).toEqual({ first: 40, last: 40, rollouts: 2, total: 4, correct: 1, correctKnown: 1 });
  });

  it('draws a rare branch high enough to be seen, by one of a few scales', () => {
    const scale = (...own: readonly string[]) => scaleOf(stepColumns(all, counts(...own), 10));
    expect([scale('0 8 2 8'), scale('0 4 0 0', '40 1 0 0'), scale('0 1 0 0'), scale()]).toEqual([
      1, 0.5, 0.25, 0.01,
    ]);
  });

  it('adds the groups of one step', () => {
    expect(stepsOf(counts('20 8 4 8', '0 8 2 8', '20 8 1 4'))).toEqual(counts('0 8 2 8', '20 16 5 12'));
  });

  it('keeps a range in the link, and bears nonsense there', () => {
    expect(readSteps('20-40', all)).toEqual({ first: 20, last: 40 });
    expect(readSteps('40-20', all)).toEqual({ first: 20, last: 40 });
    for (const text of [null, '', '20', '-1-4', '21-39', 'a-b']) expect(readSteps(text, all)).toBe(undefined);
    expect(writeSteps({ first: 20, last: 40 }, all)).toBe('20-40');
    expect(writeSteps({ first: 0, last: 40 }, all)).toBe(undefined);
  });
});

describe('a tree by action', () => {
  const idle = (withoutActions: number, withoutText: number): ActionTree => ({
    ...{ rollouts: TREE.rollouts, nodes: [], steps: [], isCut: false, leftOut: 0 },
    ...{ withoutActions, withoutText },
  });

  it('states the rollouts that do nothing, and those without a text', () => {
    expect(idleNote(idle(0, 0))).toBeUndefined();
    expect(idleNote(idle(1, 0))).toBe('1 rollout without a tool call or an answer.');
    expect(idleNote(idle(3, 2))).toBe('3 rollouts (2 without a text) without a tool call or an answer.');
  });

  it('has one branch below the other, however few rollouts share them', () => {
    const node = (parent: number | undefined, members: number[], children: number[]) => ({
      ...(parent === undefined ? {} : { parent }),
      ...{ depth: 0, members, children, correct: 0, correctKnown: 0, outcomes: [], after: 0 },
    });
    const tree = { ...idle(0, 0), nodes: [node(undefined, [0, 1], [1]), node(0, [0, 1], [])] };
    expect(
      layoutTree(tree, NONE, 0).items.map(({ key, columns, indents, firstRow }) => [
        key,
        columns,
        indents,
        firstRow,
      ]),
    ).toEqual([
      ['n0', 0, 0, 0],
      ['n1', 0, 1, 2],
      ['r0', 0, 2, 4],
      ['r1', 0, 2, 5],
    ]);
  });
});

describe('a saved tree', () => {
  const cellsOf = (csv: string) =>
    csv
      .trimEnd()
      .split('\n')
      .map((line) => line.split(','));

  it('has a row per branch and rollout, with the row that it is below', () => {
    const [head = [], ...rows] = cellsOf(treeCsv(TREE, 'demo'));
    const column = (name: string) => head.indexOf(name);
    const shown = rows.map((row) =>
      ['id', 'parent', 'rollouts', 'correct', 'rollout', 'is correct']
        .map((name) => row[column(name)])
        .join(' '),
    );
    expect(shown).toEqual([
      'n0  5 2  ',
      ...['n1 n0 3 2  ', 'n2 n1 2 1  ', 'r1 n2   1 false', 'r2 n2   2 true', 'r0 n1   0 true'],
      ...['n6 n0 2 0  ', 'r3 n6   3 false', 'r4 n6   4 false'],
    ]);
    expect(rows.every((row) => row.at(-1) === 'demo')).toBe(true);
  });

  it('leaves what is unknown blank', () => {
    const [head = [], root = [], first = []] = cellsOf(treeCsv(treeOf(['? yes', '? no']), 'demo'));
    const at = (row: readonly string[], name: string) => row[head.indexOf(name)];
    expect([at(root, 'correct'), at(root, 'correct known')]).toEqual(['', '0']);
    expect(at(first, 'is correct')).toBe('');
  });
});

it('knows a dialogue by a user who speaks, not by a tool that answers', () => {
  const [root] = TREE.nodes;
  if (root === undefined) throw new Error('no root');
  const spokenBy = (writer: 'user' | 'tool'): ForkTree => ({
    ...TREE,
    nodes: [{ ...root, writers: [{ at: 0, writer }] }, ...TREE.nodes.slice(1)],
  });
  expect([TREE, spokenBy('tool'), spokenBy('user')].map(isDialogue)).toEqual([false, false, true]);
});
