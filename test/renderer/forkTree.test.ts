import { describe, expect, it } from 'vitest';
import { parentPlace, parsePlace, pathOfPlace } from '../../renderer/data/place.ts';
import {
  beginning,
  branchLanes,
  itemFrom,
  itemsInSight,
  layoutTree,
  readMarks,
  type TreeLayout,
  writeMarks,
} from '../../renderer/views/compare/tree/treeModel.ts';
import type { ForkNode, ForkTree } from '../../shared/api/contract.ts';
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
    expect(layout.depth).toBe(4);
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

  it('is walked by keys: rollouts like a list, branches like a column', () => {
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

  it('draws what is in sight, and the branches over it', () => {
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

  it('lays out nothing as nothing', () => {
    expect(layoutTree(treeOf([]), NONE)).toEqual({ items: [], rows: 0, depth: 0 });
  });

  it('keeps up to four marks in the link', () => {
    expect(readMarks('r3,r7', 8)).toEqual([3, 7]);
    expect(readMarks('r3,r3,x,r9,r-1,r1e3', 8)).toEqual([3]);
    expect(readMarks(null, 8)).toEqual([]);
    expect(readMarks(writeMarks([4, 2, 0, 1]), 8)).toEqual([4, 2, 0, 1]);
  });

  it('shows that a line ends', () => {
    expect(beginning(' so\n\tit')).toBe('so⏎⇥it');
    expect(beginning('   ')).toBe('   ');
  });

  it.each(['/run/a/step/5/group/g%2F1/tree', '/run/a/step/5/group/g/rollout/3/alike'])(
    'has an address: %s',
    (path) => {
      const place = parsePlace(path);
      expect(pathOfPlace(place)).toBe(path);
      expect(pathOfPlace(parentPlace(place) ?? { view: 'library' })).toBe(path.replace(/\/\w+$/, ''));
    },
  );
});
