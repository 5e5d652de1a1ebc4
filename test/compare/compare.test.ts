/** Comparison of rollouts of a library, on a generated group of five with tokens and alternatives. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compareHandlers } from '../../electron/compare/handlers.ts';
import { openReader, type ReadableLibrary } from '../../electron/storage/open.ts';
import {
  COUNT_OF_PROBLEM,
  GROUPS_OF_PROBLEM,
  ROLLOUTS_OF_GROUPS,
} from '../../electron/storage/queries/compared.ts';
import { TRANSCRIPT } from '../../electron/storage/queries/transcripts.ts';
import { FREE_TASK, type Task } from '../../electron/threads/task.ts';
import type { ActionTree, AlikeList, Comparison, ForkTree } from '../../shared/api/contract.ts';
import type { Result } from '../../shared/api/errors.ts';
import { unpackComparison } from '../../shared/api/packedRows.ts';
import { ADDED, EDIT_SIZE, EQUAL, REMOVED } from '../../shared/domain/alignText.ts';
import { attempt } from '../support/columnQuestion.ts';
import { ingestHere, rows, type Scratch, scratch } from '../support/library.ts';

interface Token {
  readonly text: string;
  /** Listed alternatives with their log-probabilities. */
  readonly top?: readonly (readonly [string, number])[];
}

const line = (index: number, reward: number, tokens: readonly Token[], step = 1, group = 'g'): string =>
  JSON.stringify({
    v: 1,
    type: 'rollout',
    run: 'compared',
    step,
    group: `${group} ${step}`,
    index,
    problem: { id: 'p', prompt: 'What is 6 times 7?', ground_truth: '42' },
    reward,
    tokens: {
      text: tokens.map(({ text }) => text),
      mask: tokens.map(() => 1),
      logprob: tokens.map((_, i) => -0.1 * (i + 1)),
      ...(tokens.some(({ top }) => top !== undefined) ? { top: tokens.map(({ top }) => top ?? null) } : {}),
    },
  });
const plain = (...texts: readonly string[]): readonly Token[] => texts.map((text) => ({ text }));

const LOG = [
  line(0, 1, [
    { text: 'It' },
    { text: ' is' },
    {
      text: ' 42',
      top: [
        [' 42', -0.2],
        [' 41', -1.8],
      ],
    },
    { text: '.' },
  ]),
  line(1, 0, [
    { text: 'It' },
    { text: ' is' },
    {
      text: ' 41',
      top: [
        [' 40', -0.5],
        [' 41', -1.2],
      ],
    },
    { text: '.' },
  ]),
  line(2, 0, plain('It', ' is', ' 41', '!')),
  line(3, 1, plain('Six', ' sevens')),
  // A response without tokens.
  JSON.stringify({
    v: 1,
    type: 'rollout',
    run: 'compared',
    step: 1,
    group: 'g 1',
    index: 4,
    problem: { id: 'p', prompt: 'What is 6 times 7?' },
    reward: 0,
    text: '',
  }),
  line(0, 1, plain('It', ' is', ' 42', '.'), 2),
  line(0, 0, plain('No', '.'), 3),
].join('\n');

let place: Scratch;
let db: ReadableLibrary;
let ids: readonly number[];
let groups: readonly number[];
beforeAll(async () => {
  place = scratch();
  await ingestHere(place.library, [place.file('log.jsonl', `${LOG}\n`)]);
  db = openReader(place.library);
  const found = rows(place.library, 'SELECT rollout_id, group_id FROM rollout_row ORDER BY step, ordinal');
  ids = found.map((row) => Number(row['rollout_id']));
  groups = [...new Set(found.map((row) => Number(row['group_id'])))];
});
afterAll(() => {
  db.close();
  place.remove();
});

type Handlers = ReturnType<typeof compareHandlers>;
type Question = {
  [M in keyof Handlers]: { readonly method: M } & Parameters<Handlers[M]>[0];
}[keyof Handlers];

function compare({ method, ...params }: Question, task: Partial<Task> = {}, library = db): Result<unknown> {
  const handler = compareHandlers(library)[method] as (params: unknown, task: Task) => unknown;
  return attempt(() => handler(params, { ...FREE_TASK, ...task }));
}
function answered<T>(question: Question): T {
  const result = compare(question);
  if (!result.ok) throw new Error(JSON.stringify(result));
  // Unpacks the result like the window.
  return (question.method === 'compare.align' ? unpackComparison(result.value as never) : result.value) as T;
}
const align = (lanes: readonly number[], baseline = 0): Comparison =>
  answered<Comparison>({ method: 'compare.align', rollouts: lanes.map((i) => ids[i] ?? 0), baseline });
const failureOf = (question: Question, task: Partial<Task> = {}, library = db): string => {
  const result = compare(question, task, library);
  return result.ok ? 'ok' : result.failure.code;
};

describe('an alignment', () => {
  it('has edits, with null where a lane has no segment', () => {
    const { rows: found, lanes } = align([0, 1, 4]);
    const block = found[0]?.blocks[0];
    expect(block?.relations).toEqual(['equal', 'similar', null]);
    expect(block?.segments[2]).toBe(null);
    const edits = [...(block?.edits[1] ?? [])];
    const kinds = edits.filter((_, i) => i % EDIT_SIZE === 0);
    expect(kinds).toEqual([EQUAL, REMOVED, ADDED, EQUAL]);
    expect(lanes[0]).toBe(null);
    // Arrays on the wire contain no undefined.
    expect(JSON.parse(JSON.stringify(found[0]?.turns))).toEqual(found[0]?.turns);
  });

  it('has the signal on both sides, and whether the token of the other side was listed', () => {
    const fork = align([0, 1]).lanes[1]?.fork;
    expect(fork?.baseline).toMatchObject({
      offset: 5,
      token: 2,
      text: ' 42',
      alternatives: [
        [' 42', -0.2],
        [' 41', -1.8],
      ],
      other: { isListed: true, rank: 2, logprob: -1.8 },
    });
    expect(fork?.lane).toMatchObject({ text: ' 41', other: { isListed: false } });
    // Alternatives give the lower bound of entropy, never the entropy.
    expect(fork?.baseline).toMatchObject({ signal: 'entropy', source: { kind: 'top-k', bound: 'lower' } });
    expect(fork?.baseline.percentile).toBeGreaterThan(0);
  });

  it('has surprisal, and no rank of the other token, if nothing was listed', () => {
    const fork = align([2, 3]).lanes[1]?.fork;
    expect(fork?.baseline).toMatchObject({ token: 0, text: 'It', signal: 'surprisal' });
    expect(fork?.baseline.value).toBeCloseTo(0.1, 6);
    expect(fork?.baseline).not.toHaveProperty('alternatives');
    expect(fork?.baseline).not.toHaveProperty('other');
  });

  it('is by words if a side has no tokens, and at the end of an empty side', () => {
    const fork = align([0, 4]).lanes[1]?.fork;
    expect(fork?.baseline).toMatchObject({ offset: 0, text: 'It' });
    expect(fork?.lane).not.toHaveProperty('text');
    expect(fork?.lane).not.toHaveProperty('value');
  });

  it('finds no fork between equal rollouts', () => {
    const { lanes, rows: found } = align([0, 0, 5]);
    expect(lanes[1]).toMatchObject({ cost: 0 });
    expect(lanes[1]).not.toHaveProperty('fork');
    expect(lanes[2]).not.toHaveProperty('fork');
    expect(found.every(({ isEqual }) => isEqual)).toBe(true);
  });

  it('fails as data', () => {
    expect(failureOf({ method: 'compare.align', rollouts: [ids[0] ?? 0, 99_999], baseline: 0 })).toBe(
      'not_found',
    );
    expect(failureOf({ method: 'compare.align', rollouts: [ids[0] ?? 0], baseline: 3 })).toBe('bad_request');
    expect(failureOf({ method: 'compare.tree', groupIds: [99_999] })).toBe('not_found');
    expect(failureOf({ method: 'compare.actionTree', groupIds: [99_999] })).toBe('not_found');
    expect(failureOf({ method: 'compare.alike', rolloutId: 99_999, limit: 5 })).toBe('not_found');
    const lanes = [ids[0] ?? 0, ids[1] ?? 0];
    const isCancelled = (): boolean => true;
    expect(failureOf({ method: 'compare.align', rollouts: lanes, baseline: 0 }, { isCancelled })).toBe(
      'cancelled',
    );
    expect(failureOf({ method: 'compare.actionTree', groupIds: [...groups] }, { isCancelled })).toBe(
      'cancelled',
    );
  });
});

describe('a tree', () => {
  it('counts who went which way, right and wrong, and how unsure they were', () => {
    const { nodes, rollouts, leftOut, isCut } = answered<ForkTree>({
      method: 'compare.tree',
      groupIds: groups.slice(0, 1),
    });
    expect({ leftOut, isCut, rollouts: rollouts.length }).toEqual({ leftOut: 0, isCut: false, rollouts: 5 });
    const [root] = nodes;
    expect(root).toMatchObject({ correct: 2, correctKnown: 5, members: [0, 1, 2, 3, 4] });
    const it = nodes.find(({ nextToken, depth }) => depth === 1 && nextToken === 'It');
    expect(it).toMatchObject({ text: 'It is', members: [0, 1, 2], correct: 1 });
    // Two have the entropy bound there, one surprisal. The mean covers the two; the other is not mixed in.
    expect(it?.fork).toMatchObject({ signal: 'entropy', rollouts: 2 });
    expect(nodes.find(({ nextToken }) => nextToken === 'Six')?.fork).toBeUndefined();
  });

  it('spans steps', () => {
    const { rollouts, nodes } = answered<ForkTree>({ method: 'compare.tree', groupIds: [...groups] });
    expect(rollouts.map(({ step }) => step)).toEqual([1, 1, 1, 1, 1, 2, 3]);
    expect(nodes[0]?.members).toHaveLength(7);
  });

  it('counts rollouts and correct rollouts of each branch per step', () => {
    const { nodes, steps } = answered<ForkTree>({ method: 'compare.tree', groupIds: [...groups] });
    const one = (step: number, rollouts: number, correct: number) => ({
      step,
      rollouts,
      correct,
      correctKnown: rollouts,
    });
    // From the log above. Step 1: five, #0 and #3 correct. Step 2: one, correct. Step 3: one, incorrect.
    expect(steps).toEqual([one(1, 5, 2), one(2, 1, 1), one(3, 1, 0)]);
    expect(nodes[0]?.profile).toEqual(steps);
    const profileOf = (text: string) => nodes.find((node) => node.text === text)?.profile;
    // `It is` begins #0, #1 and #2 of step 1, and the rollout of step 2.
    expect(profileOf('It is')).toEqual([one(1, 3, 1), one(2, 1, 1)]);
    expect(profileOf(' 42.')).toEqual([one(1, 1, 1), one(2, 1, 1)]);
    // Absent for a branch of one rollout and for a tree of one step.
    expect(profileOf('Six sevens')).toBe(undefined);
    const alone = answered<ForkTree>({ method: 'compare.tree', groupIds: groups.slice(0, 1) });
    expect(alone.steps).toEqual([one(1, 5, 2)]);
    expect(alone.nodes.some(({ profile }) => profile !== undefined)).toBe(false);
  });
});

describe('a tree by action', () => {
  it('states rollouts without an action and those without a text', () => {
    const tree = answered<ActionTree>({ method: 'compare.actionTree', groupIds: [...groups] });
    expect({ withoutActions: tree.withoutActions, withoutText: tree.withoutText }).toEqual({
      withoutActions: 7,
      withoutText: 1,
    });
    expect(tree.nodes).toMatchObject([
      { members: [0, 1, 2, 3, 4, 5, 6], correct: 3, outcomes: [], after: 0 },
    ]);
  });

  it('counts who did what, and what came back', async () => {
    const own = scratch();
    const called = (code: string, printed: string, last: string) =>
      `I try.<tool_call>\n${JSON.stringify({ name: 'python', arguments: { code } })}\n</tool_call><|im_end|>\n<|im_start|>user\n<tool_response>\n${printed}\n</tool_response><|im_end|>\n<|im_start|>assistant\n<answer>\\boxed{${last}}</answer><|im_end|>`;
    const failed = 'Traceback (most recent call last):\n  File "<s>", line 1\nValueError: no';
    const log = [
      called('print(f( 1 ))', '7', '7'),
      called('print(f(1))  # one', failed, '8'),
      called('print(g())', '7', '7'),
    ].map((text, index) =>
      JSON.stringify({
        ...{ v: 1, type: 'rollout', run: 'acting', step: 1, group: 'g', index, text },
        problem: { id: 'p', prompt: 'What?' },
        reward: index === 1 ? 0 : 1,
      }),
    );
    try {
      await ingestHere(own.library, [own.file('log.jsonl', `${log.join('\n')}\n`)]);
      const reader = openReader(own.library);
      const found = compare({ method: 'compare.actionTree', groupIds: [1] }, {}, reader);
      reader.close();
      if (!found.ok) throw new Error(found.failure.message);
      expect(found.value).toMatchObject({
        nodes: [
          { members: [0, 1, 2], correct: 2, correctKnown: 3 },
          {
            members: [0, 1],
            correct: 1,
            action: { kind: 'call', tool: 'python', text: 'print(f( 1 ))' },
            outcomes: [
              { outcome: 'ok', rollouts: 1 },
              { outcome: 'error', rollouts: 1 },
            ],
          },
          { members: [0], action: { kind: 'answer', text: '7' }, outcomes: [] },
          { members: [1], action: { kind: 'answer', text: '8' } },
          { members: [2], action: { text: 'print(g())' }, after: 1 },
        ],
        withoutActions: 0,
        withoutText: 0,
      });
    } finally {
      own.remove();
    }
  });
});

describe('similar rollouts', () => {
  it('ranks those of the same problem, siblings and others', () => {
    const { rollouts, considered, total } = answered<AlikeList>({
      method: 'compare.alike',
      rolloutId: ids[0] ?? 0,
      limit: 10,
    });
    expect({ considered, total }).toEqual({ considered: 6, total: 6 });
    expect(rollouts[0]).toMatchObject({ step: 2, isSibling: false, textLikeness: 1, sharedPrefixTokens: 4 });
    expect(rollouts.slice(1, 3).map(({ ordinal, isSibling }) => ({ ordinal, isSibling }))).toEqual([
      { ordinal: 1, isSibling: true },
      { ordinal: 2, isSibling: true },
    ]);
    expect(
      answered<AlikeList>({ method: 'compare.alike', rolloutId: ids[0] ?? 0, limit: 1 }).rollouts,
    ).toHaveLength(1);
  });
});

describe('similar rollouts among more than can be compared', () => {
  let own: Scratch;
  let reader: ReadableLibrary;
  let first: number;
  beforeAll(async () => {
    own = scratch();
    // 1,040 groups of one: more than a request may name, and more rollouts than are compared.
    const log = Array.from({ length: 1_040 }, (_, step) => line(0, step % 2, plain('So', ` ${step}`), step));
    await ingestHere(own.library, [own.file('log.jsonl', `${log.join('\n')}\n`)]);
    reader = openReader(own.library);
    first = Number(rows(own.library, 'SELECT min(rollout_id) AS id FROM rollout_row')[0]?.['id']);
  });
  afterAll(() => {
    reader.close();
    own.remove();
  });

  it('states how many were considered, including other groups', () => {
    const shares: number[] = [];
    const progress: Task['progress'] = (_done, _total, share) => void shares.push(share ?? Number.NaN);
    const result = compare({ method: 'compare.alike', rolloutId: first, limit: 500 }, { progress }, reader);
    expect(shares.length).toBeGreaterThan(100);
    expect(shares).toEqual([...shares].sort((a, b) => a - b));
    expect(shares[0]).toBe(0);
    expect(shares.at(-1)).toBeLessThan(1);
    if (!result.ok) throw new Error(JSON.stringify(result));
    const { considered, total, rollouts } = result.value as AlikeList;
    expect([considered, total, rollouts.length]).toEqual([511, 1_039, 500]);
  });

  it('stops while the texts are read', () => {
    let asked = 0;
    const isCancelled = () => {
      asked += 1;
      return asked > 3;
    };
    expect(failureOf({ method: 'compare.alike', rolloutId: first, limit: 5 }, { isCancelled }, reader)).toBe(
      'cancelled',
    );
    expect(asked).toBeLessThan(10);
  });
});

describe('queries', () => {
  it('use indexes', () => {
    const plan = (sql: string): string =>
      (
        db
          .prepare(`EXPLAIN QUERY PLAN ${sql}`)
          .all({ groupIds: '[1]', groupId: 1, problems: '[1]', rolloutId: 1, limit: 5 }) as {
          detail: string;
        }[]
      )
        .map(({ detail }) => detail)
        .join('\n');
    for (const sql of [
      ROLLOUTS_OF_GROUPS,
      GROUPS_OF_PROBLEM,
      COUNT_OF_PROBLEM,
      TRANSCRIPT.replace('?', ':rolloutId'),
    ])
      expect(plan(sql)).not.toMatch(/SCAN (?!wanted|same|json_each)/);
  });
});

describe('a fork that the environment made', () => {
  it('names the author at the fork, and finds the fork of the policy', async () => {
    const own = scratch();
    const turns = (printed: string, last: string) =>
      `<tool_call>\n{"name": "python", "arguments": {"code": "print(1)"}}\n</tool_call><|im_end|>\n<|im_start|>user\n<tool_response>\n${printed}\n</tool_response><|im_end|>\n<|im_start|>assistant\nSo it is ${last}.<|im_end|>`;
    const log = [turns('994', 'five'), turns('429', 'six'), turns('429', 'five')].map((text, index) =>
      JSON.stringify({
        v: 1,
        type: 'rollout',
        run: 'environment',
        step: 1,
        group: 'g',
        index,
        problem: { id: 'p', prompt: 'What?' },
        reward: 0,
        text,
      }),
    );
    try {
      await ingestHere(own.library, [own.file('log.jsonl', `${log.join('\n')}\n`)]);
      const reader = openReader(own.library);
      try {
        const found = compare({ method: 'compare.align', rollouts: [1, 2, 3], baseline: 0 }, {}, reader);
        if (!found.ok) throw new Error(found.failure.message);
        const { lanes } = unpackComparison(found.value as never);
        expect(lanes[1]?.fork?.baseline).toMatchObject({ kind: 'tool-response', text: '994' });
        expect(lanes[1]?.policyFork).toMatchObject({
          baseline: { text: 'five', turn: 2, kind: 'text' },
          lane: { text: 'six', turn: 2 },
        });
        expect(lanes[1]?.actionFork).toEqual({ shared: 1 });
        // A different tool output, but the same words of the policy.
        expect(lanes[2]?.fork?.lane.kind).toBe('tool-response');
        expect(lanes[2]).not.toHaveProperty('policyFork');
        const tree = compare({ method: 'compare.tree', groupIds: [1] }, {}, reader);
        if (!tree.ok) throw new Error(tree.failure.message);
        const nodes = (tree.value as ForkTree).nodes.map(({ text, writers }) => [text, writers] as const);
        const [text = '', writers] = nodes.find(([each]) => each.trim().startsWith('994')) ?? [];
        expect(writers).toEqual([
          { at: 0, writer: 'tool' },
          { at: text.indexOf('So it'), writer: 'policy' },
        ]);
        expect(nodes.find(([each]) => each.trim().startsWith('six'))?.[1]).toBeUndefined();
      } finally {
        reader.close();
      }
    } finally {
      own.remove();
    }
  });
});
