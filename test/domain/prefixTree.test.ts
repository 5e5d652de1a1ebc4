import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type PrefixNode,
  type PrefixTree,
  prefixTree,
  type TreeMember,
} from '../../shared/domain/prefixTree.ts';
import { isInsidePair } from '../../shared/domain/textUnits.ts';

const word = fc.constantFrom(
  'Let',
  ' me',
  ' me',
  ' compute',
  '.',
  '\n',
  ' 🧮',
  '🧪',
  ' x1',
  '(',
  '漢',
  '\ud83e',
  'me',
);
const member = fc.record({
  words: fc.array(word, { maxLength: 8 }),
  hasTokens: fc.boolean(),
  isCorrect: fc.option(fc.boolean(), { nil: undefined }),
  split: fc.integer({ min: 1, max: 4 }),
});
const membersArbitrary = fc.tuple(fc.array(member, { maxLength: 12 }), fc.boolean()).map(([drawn, all]) =>
  drawn.map(({ words, hasTokens, isCorrect, split }, id): TreeMember => {
    const response = words.join('');
    const ends: number[] = [];
    for (let at = 0; at < response.length; ) {
      at = Math.min(response.length, at + (split % 2 === 0 ? 2 : 3));
      ends.push(at);
    }
    return {
      id,
      response,
      ...(isCorrect === undefined ? {} : { isCorrect }),
      ...(all || hasTokens ? { tokenEnds: Uint32Array.from(ends) } : {}),
    };
  }),
);

const leavesOf = ({ nodes }: PrefixTree): readonly PrefixNode[] =>
  nodes.filter(({ children }) => children.length === 0);

describe('invariants of prefixTree', () => {
  it('has every member in one leaf, and consistent counts', () => {
    fc.assert(
      fc.property(membersArbitrary, (members) => {
        const tree = prefixTree(members);
        const ids = leavesOf(tree).flatMap((leaf) => leaf.members);
        expect([...ids].sort((a, b) => a - b)).toEqual(members.map(({ id }) => id));
        tree.nodes.forEach((node, i) => {
          if (node.children.length > 0) {
            expect(node.children.length).toBeGreaterThan(1);
            const below = node.children.map((child) => tree.nodes[child]);
            expect(below.flatMap((child) => child?.members ?? []).sort((a, b) => a - b)).toEqual([
              ...node.members,
            ]);
            for (const name of ['correct', 'correctKnown'] as const)
              expect(below.reduce((sum, child) => sum + (child?.[name] ?? 0), 0)).toBe(node[name]);
            for (const child of below) {
              expect(child).toMatchObject({ parent: i, depth: node.depth + 1, start: node.end });
            }
          }
        });
        expect(tree.isCut).toBe(false);
      }),
      { seed: 1, numRuns: 600 },
    );
  });

  it('gives every node the longest text its members have in common, by its boundary', () => {
    fc.assert(
      fc.property(membersArbitrary, (members) => {
        const byId = new Map(members.map((each) => [each.id, each]));
        for (const { end, start, members: ids, boundary, children, nextToken } of prefixTree(members).nodes) {
          const own = ids.map((id) => byId.get(id)).filter((each) => each !== undefined);
          const texts = own.map(({ response }) => response);
          const [first = ''] = texts;
          for (const text of texts) {
            expect(text.slice(0, end)).toBe(first.slice(0, end));
            expect(isInsidePair(text, end)).toBe(false);
          }
          if (boundary === 'token') expect(own.every(({ tokenEnds }) => tokenEnds !== undefined)).toBe(true);
          if (nextToken !== undefined) expect(first.slice(start).startsWith(nextToken)).toBe(true);
          if (children.length === 0) expect(new Set(texts).size).toBe(1);
          // No further whole token or word is common: the next ones differ.
          if (boundary === 'word' && children.length > 0) {
            const next = texts.map((text) => /^\s*(?:\w+|[^\s\w]|$)/u.exec(text.slice(end))?.[0]);
            expect(new Set(next).size).toBeGreaterThan(1);
          }
          if (boundary === 'token' && children.length > 0) {
            const next = own.map(({ tokenEnds = new Uint32Array(0), response }) =>
              response.slice(
                end,
                tokenEnds.find((each) => each > end && !isInsidePair(response, each)) ?? end,
              ),
            );
            expect(new Set(next).size).toBeGreaterThan(1);
          }
        }
      }),
      { seed: 2, numRuns: 600 },
    );
  });
});

/** One line per node, indented by depth: own text, members, correct of known. */
function drawTree({ nodes }: PrefixTree, members: readonly TreeMember[]): string {
  return nodes
    .map(({ depth, start, end, members: ids, correct, correctKnown, boundary }) => {
      const text = members.find(({ id }) => id === ids[0])?.response.slice(start, end) ?? '';
      return `${'  '.repeat(depth)}${JSON.stringify(text)} ${ids.length} · ${correct}/${correctKnown} · ${boundary}`;
    })
    .join('\n');
}

describe('trees as drawn', () => {
  it('splits at words, most travelled first, and counts who was right', () => {
    const texts = [
      'Let me compute by hand',
      'Let me compute with Python',
      'Let me compute with Perl',
      'Let me compute with Python',
    ];
    const members = texts.map((response, id) => ({ id, response, isCorrect: id % 2 === 1 }));
    expect(drawTree(prefixTree(members), members)).toBe(
      [
        '"Let me compute" 4 · 2/4 · word',
        '  " with" 3 · 2/3 · word',
        '    " Python" 2 · 2/2 · end',
        '    " Perl" 1 · 0/1 · end',
        '  " by hand" 1 · 0/1 · end',
      ].join('\n'),
    );
  });

  it('splits at tokens if all have them', () => {
    const members = [
      { id: 1, response: 'recompute', tokenEnds: Uint32Array.of(2, 9) },
      { id: 2, response: 'recomputing', tokenEnds: Uint32Array.of(2, 11) },
    ];
    expect(drawTree(prefixTree(members), members)).toBe(
      '"re" 2 · 0/0 · token\n  "compute" 1 · 0/0 · end\n  "computing" 1 · 0/0 · end',
    );
  });

  it('a response that ends at a fork is a leaf without text', () => {
    const members = [
      { id: 1, response: 'a b' },
      { id: 2, response: 'a' },
    ];
    expect(drawTree(prefixTree(members), members)).toBe(
      '"a" 2 · 0/0 · word\n  " b" 1 · 0/0 · end\n  "" 1 · 0/0 · end',
    );
  });

  it('one member gives one node, none gives none', () => {
    expect(prefixTree([{ id: 7, response: 'x' }]).nodes).toHaveLength(1);
    expect(prefixTree([])).toEqual({ nodes: [], isCut: false });
  });

  it('stops at the maximum of nodes, and when cancelled, and sets isCut', () => {
    const members = Array.from({ length: 50 }, (_, id) => ({ id, response: `${'a '.repeat(id)}b` }));
    const cut = prefixTree(members, { maxNodes: 20 });
    expect(cut.isCut).toBe(true);
    expect(cut.nodes.length).toBeLessThanOrEqual(20);
    expect(leavesOf(cut).flatMap((leaf) => leaf.members)).toHaveLength(50);
    expect(prefixTree(members, { isCancelled: () => true })).toMatchObject({ isCut: true });
  });
});
