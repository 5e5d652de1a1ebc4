/** Problems by steps, suspicious ground truths, and the history of a problem, against hand-made logs and SQL. */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ColumnQueryEngine } from '../../electron/columns/queryEngine.ts';
import { openReader, type ReadableLibrary } from '../../electron/storage/open.ts';
import {
  ANSWERS_OF_GROUP,
  GROUPS_OF_PROBLEM,
  LABELS_OF_GROUP,
  PROBLEM_OF_GROUP,
  problemHistory,
} from '../../electron/storage/queries/problems.ts';
import {
  LAST_USER_MESSAGE,
  PREVIEW_OF_PROBLEM,
  questionBeginnings,
} from '../../electron/storage/queries/questions.ts';
import { SAME_PROBLEMS } from '../../electron/storage/queries/sameProblem.ts';
import type { DisputedAnswer, ProblemMap, ProblemSuspect } from '../../shared/api/contract.ts';
import { seededRandom } from '../../shared/domain/seededRandom.ts';
import { askColumns, type ColumnQuestion } from '../support/columnQuestion.ts';
import { type Asked, Labelled } from '../support/labelled.ts';
import { ingestHere, type Scratch, scratch } from '../support/library.ts';

/** Answers of a problem's rollouts per step. Nobody gives the ground truth of `odd`. */
const RUN: readonly (readonly [
  step: number,
  problem: string,
  truth: string,
  answers: readonly (string | null)[],
])[] = [
  [0, 'sum', '7', ['7', '8', null, '7']],
  [0, 'odd', '5', ['3', '3', '3', '5']],
  [2, 'sum', '7', ['7', '7.0', '7', '7']],
  [2, 'odd', '5', ['3', '3.0', '4', '9']],
  [4, 'sum', '7', ['1', '2', '3', '7']],
];

let place: Scratch;
let db: ReadableLibrary;
beforeAll(async () => {
  place = scratch();
  const lines = RUN.flatMap(([step, problem, truth, answers]) =>
    answers.map((answer, index) =>
      JSON.stringify({
        ...{ v: 1, type: 'rollout', run: 'problems', split: 'train', step, group: problem, index },
        problem: {
          id: problem,
          prompt: `What is ${problem}?`,
          ground_truth: truth,
          source: problem === 'odd' ? 'b' : 'a',
        },
        text: answer === null ? 'I do not know.' : `It is.</reason>\n<answer>\n\\boxed{${answer}}\n</answer>`,
        reward: answer !== null && Number(answer) === Number(truth) ? 1 : 0,
      }),
    ),
  );
  const other = JSON.stringify({
    ...{ v: 1, type: 'rollout', run: 'later', split: 'eval', step: 9, group: 'x', index: 0 },
    problem: { id: 'sum again', prompt: 'What is  sum?', ground_truth: '7' },
    ...{ text: '<answer>7</answer>', reward: 1 },
  });
  await ingestHere(place.library, [
    place.file('log.jsonl', `${lines.join('\n')}\n`),
    place.file('more.jsonl', `${other}\n`),
  ]);
  db = openReader(place.library);
});
afterAll(() => {
  db.close();
  place.remove();
});

function ask<T>(question: ColumnQuestion): T {
  const result = askColumns(new ColumnQueryEngine(db), question);
  if (!result.ok) throw new Error(result.failure.message);
  return result.value as T;
}

const runIdOf = (kind: string): number =>
  Number(db.prepare('SELECT run_id FROM run WHERE kind = ?').pluck().get(kind));

function drawn(filter: string): readonly string[] {
  const { steps, problems, cells } = ask<ProblemMap>({
    method: 'problem.map',
    runId: runIdOf('train'),
    filter,
  });
  return Array.from(cells.problem, (problem, i) => {
    const at = `${problems[problem]?.problemId}@${steps[cells.step[i] ?? 0]}`;
    return `${at} ${cells.correct[i]}/${cells.known[i]} of ${cells.rollouts[i]}, ${cells.answers[i]} answers`;
  }).filter((_, i) => cells.rollouts[i] !== 0);
}

describe('problems by steps', () => {
  it('keeps a cell where a problem was tried but no rollout matches the filter', () => {
    const map = ask<ProblemMap>({ method: 'problem.map', runId: runIdOf('train'), filter: 'answer:1' });
    expect(map.problems.map(({ problemId }) => problemId)).toEqual(['sum']);
    const cells = Array.from(map.cells.step, (step, i) => [map.steps[step], map.cells.rollouts[i]]);
    expect(cells.sort(([a = 0], [b = 0]) => a - b)).toEqual([
      [0, 0],
      [2, 0],
      [4, 1],
    ]);
  });

  it('has a cell per problem and step', () => {
    expect(drawn('')).toEqual([
      'sum@0 2/4 of 4, 2 answers',
      'odd@0 1/4 of 4, 2 answers',
      'sum@2 4/4 of 4, 2 answers',
      'odd@2 0/4 of 4, 4 answers',
      'sum@4 1/4 of 4, 4 answers',
    ]);
  });

  it('goes by the filter of the page', () => {
    expect(drawn('source:a step:0..2')).toEqual(['sum@0 2/4 of 4, 2 answers', 'sum@2 4/4 of 4, 2 answers']);
    expect(drawn('answer:none')).toEqual(['sum@0 0/1 of 1, 0 answers']);
  });

  it('is rebuilt when the run has changed', async () => {
    const own = scratch();
    const line = (step: number) =>
      `${JSON.stringify({ v: 1, type: 'rollout', run: 'grows', step, group: 'g', index: 0, problem: { id: 'p', prompt: 'q' }, text: 'x', reward: 1 })}\n`;
    await ingestHere(own.library, [own.file('a.jsonl', line(0))]);
    const reader = openReader(own.library);
    const engine = new ColumnQueryEngine(reader);
    const steps = (): readonly number[] => {
      const result = askColumns(engine, { method: 'problem.map', runId: 1, filter: '' });
      if (!result.ok) throw new Error(result.failure.message);
      return (result.value as ProblemMap).steps;
    };
    expect(steps()).toEqual([0]);
    await ingestHere(own.library, [own.file('b.jsonl', line(7))]);
    expect(steps()).toEqual([0, 7]);
    reader.close();
    own.remove();
  });

  it('reports a consistent majority against the ground truth; differently written answers count as one', () => {
    const { suspects } = ask<{ suspects: ProblemSuspect[] }>({
      method: 'problem.suspects',
      runId: runIdOf('train'),
      filter: '',
    });
    expect(suspects).toMatchObject([
      { problemId: 'odd', groundTruth: '5', answer: '3', rollouts: 5, answers: 8, step: 2 },
    ]);
    const none = ask<{ suspects: ProblemSuspect[] }>({
      method: 'problem.suspects',
      runId: runIdOf('train'),
      filter: 'step:2',
    });
    expect(none.suspects).toMatchObject([{ rollouts: 2, answers: 4 }]);
  });

  it('a problem has the beginning of its question', () => {
    const { problems } = ask<ProblemMap>({ method: 'problem.map', runId: runIdOf('train'), filter: '' });
    expect(problems.map(({ question }) => question)).toEqual(['What is sum?', 'What is odd?']);
  });

  it('the history of a problem covers steps and runs', () => {
    const groupId = Number(
      db.prepare("SELECT group_id FROM prompt_group WHERE step = 2 AND problem_id = 'sum'").pluck().get(),
    );
    const history = problemHistory(db, groupId);
    expect(history).toMatchObject({
      problemId: 'sum',
      groundTruth: '7',
      source: 'a',
      prompt: expect.stringContaining('What is sum?'),
    });
    expect(history?.groups.map(({ kind, step, correct, answers }) => [kind, step, correct, answers])).toEqual(
      [
        [
          'train',
          0,
          2,
          [
            { text: '7', rollouts: 2, judged: 2, right: 2, isTruth: true },
            { text: '8', rollouts: 1, judged: 1, right: 0, isTruth: false },
          ],
        ],
        [
          'train',
          2,
          4,
          [
            { text: '7', rollouts: 3, judged: 3, right: 3, isTruth: true },
            { text: '7.0', rollouts: 1, judged: 1, right: 1, isTruth: true },
          ],
        ],
        [
          'train',
          4,
          1,
          expect.arrayContaining([{ text: '7', rollouts: 1, judged: 1, right: 1, isTruth: true }]),
        ],
        ['eval', 9, 1, [{ text: '7', rollouts: 1, judged: 1, right: 1, isTruth: true }]],
      ],
    );
    expect(problemHistory(db, 12345)).toBeUndefined();
  });

  it('a group has the labels of its rollouts, each rollout counted once', async () => {
    const own = scratch();
    const line = (group: string, index: number): string =>
      `${JSON.stringify({ v: 1, type: 'rollout', run: 'labelled', step: 1, group, index, problem: { id: 'p', prompt: 'q' }, text: 'x', reward: 1 })}\n`;
    await ingestHere(own.library, [own.file('a.jsonl', line('g', 0) + line('g', 1) + line('h', 0))]);
    const readers = new Labelled(own.library);
    const [first = 0, second = 0] = readers.rollouts();
    const on = (rolloutId: number, label: string): Asked => ({
      put: { rolloutId, target: { kind: 'rollout' }, label },
    });
    readers.apply('ada', on(first, 'loops'), on(second, 'loops'), on(second, 'reward-hack'));
    readers.apply('bob', on(first, 'loops'));
    const groups = problemHistory(readers.db, 1)?.groups ?? [];
    expect(groups.map(({ groupKey, labels }) => [groupKey, labels])).toEqual([
      [
        'g',
        [
          { label: 'loops', rollouts: 2 },
          { label: 'reward-hack', rollouts: 1 },
        ],
      ],
      ['h', undefined],
    ]);
    readers.close();
    own.remove();
  });

  it('is read from indexes', () => {
    const planOf = (sql: string): string =>
      (
        db
          .prepare(`EXPLAIN QUERY PLAN ${sql}`)
          .all(...(sql.includes('?') ? [1] : [{ problems: '[1]', groupId: 1 }])) as {
          detail: string;
        }[]
      )
        .map(({ detail }) => detail)
        .join('\n');
    for (const sql of [
      ...[PROBLEM_OF_GROUP, GROUPS_OF_PROBLEM, ANSWERS_OF_GROUP, LABELS_OF_GROUP, SAME_PROBLEMS],
    ])
      expect(planOf(sql)).not.toMatch(/SCAN (g|r|p|q|rollout_row)\b/);
  });
});

describe('items that share their first message', () => {
  const RULES = { role: 'user', content: 'You craft things. Each action is one line.' };
  let own: Scratch;
  let library: ReadableLibrary;
  beforeAll(async () => {
    own = scratch();
    const lines = ['a', 'b', 'c'].flatMap((item, i) =>
      [0, 1].map((sample) =>
        JSON.stringify({
          ...{ item_id: item, session_id: sample, reward: Number(sample <= i - 1), success: sample <= i - 1 },
          conversations: [RULES, { role: 'assistant', content: `get planks for ${item}` }],
        }),
      ),
    );
    await ingestHere(own.library, [own.file('results.jsonl', `${lines.join('\n')}\n`)]);
    library = openReader(own.library);
  });
  afterAll(() => {
    library.close();
    own.remove();
  });

  it('are problems of their own', () => {
    const engine = new ColumnQueryEngine(library);
    const map = askColumns(engine, { method: 'problem.map', runId: 1, filter: '' });
    if (!map.ok) throw new Error(map.failure.message);
    expect((map.value as ProblemMap).problems.map(({ problemId }) => problemId)).toEqual(['a', 'b', 'c']);
    expect(problemHistory(library, 2)?.groups.map(({ groupKey }) => groupKey)).toEqual(['b']);
  });

  it('have a pass rate each', () => {
    const evaluation = askColumns(new ColumnQueryEngine(library), {
      ...{ method: 'eval.summary', runId: 1, filter: '' },
    });
    if (!evaluation.ok) throw new Error(evaluation.failure.message);
    expect((evaluation.value as { panels: unknown }).panels).toMatchObject([
      {
        points: [
          { problems: 3, passAt1: { mean: 0.5 }, passAtK: [{ k: 1 }, { k: 2, value: 2 / 3, problems: 3 }] },
        ],
      },
    ]);
  });
});

describe('the demo run', () => {
  it('sums its groups', async () => {
    const demo = scratch();
    await ingestHere(demo.library, [join(import.meta.dirname, '../../fixtures/demo/demo.jsonl')]);
    const library = openReader(demo.library);
    const result = askColumns(new ColumnQueryEngine(library), {
      method: 'problem.map',
      runId: 1,
      filter: '',
    });
    if (!result.ok) throw new Error(result.failure.message);
    const { cells } = result.value as ProblemMap;
    const groups = library
      .prepare('SELECT group_id, rollouts, correct FROM prompt_group WHERE run_id = 1')
      .all() as {
      group_id: number;
      rollouts: number;
      correct: number;
    }[];
    const byId = new Map(groups.map((group) => [group.group_id, group]));
    expect(cells.groupId.length).toBe(groups.length);
    cells.groupId.forEach((id, i) => {
      expect([cells.rollouts[i], cells.correct[i]]).toEqual([byId.get(id)?.rollouts, byId.get(id)?.correct]);
    });
    library.close();
    demo.remove();
  });
});

describe('the beginning of a question', () => {
  const TEMPLATE =
    'You must put your answer inside <answer> </answer> tags, i.e., <answer> answer here </answer>. And your final answer will be extracted automatically by the \\boxed{} tag.\nThis is the problem:\n';
  const LONG = 'A tank is filled by three pipes. '.repeat(12).trim();
  it.each([
    ['no prompt', '', ''],
    ['white space', 'What is\n  6·7?', 'What is 6·7?'],
    [
      'a template of which the preview has hardly more than itself',
      `${TEMPLATE}${LONG}`,
      `${LONG.slice(0, 200).trim()}…`,
    ],
    ['a long question', LONG, `${LONG.slice(0, 200).trim()}…`],
    ['instructions behind it', 'What is 6·7? Please think step by step.', 'What is 6·7?'],
  ])('%s', async (_what, prompt, expected) => {
    const own = scratch();
    const line = { v: 1, type: 'rollout', run: 'r', step: 0, group: 'g', index: 0, text: 'x', reward: 1 };
    await ingestHere(own.library, [
      own.file('a.jsonl', `${JSON.stringify({ ...line, problem: { prompt } })}\n`),
    ]);
    const reader = openReader(own.library);
    expect(questionBeginnings(reader)(1)).toBe(expected);
    expect(questionBeginnings(reader)(99)).toBe('');
    for (const [sql, params] of [
      [PREVIEW_OF_PROBLEM, { problemNo: 1, user: 0 }],
      [LAST_USER_MESSAGE, { promptId: 1, user: 0 }],
    ] as const)
      expect(JSON.stringify(reader.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(params))).not.toMatch(/SCAN /);
    reader.close();
    own.remove();
  });
});

describe('the same answer, rewarded and not', () => {
  const DISPUTED = `
    SELECT problem_id AS problemId, answer, sum(is_correct) AS right, sum(1 - is_correct) AS wrong FROM rollout
    WHERE run_id = :runId AND answer IS NOT NULL AND is_correct IS NOT NULL
    GROUP BY problem_id, answer HAVING max(is_correct) = 1 AND min(is_correct) = 0 ORDER BY problem_id, answer`;

  it('is found over groups and steps without a ground truth, as in SQL, with one rollout of each', async () => {
    const own = scratch();
    const random = seededRandom(11);
    const lines = Array.from({ length: 300 }, (_, i) => {
      const step = Math.floor(i / 100);
      const group = `g${Math.floor(i / 10) % 10}`;
      const answer = random() < 0.1 ? undefined : Math.floor(random() * 9);
      const text =
        answer === undefined ? 'I do not know.' : `So.</reason>\n<answer>\n\\boxed{${answer}}\n</answer>`;
      return JSON.stringify({
        ...{ v: 1, type: 'rollout', run: 'r', split: 'train', step, group, index: i % 10, text },
        problem: { id: `p-${group}`, prompt: `What is ${group}?` },
        // A verifier that sometimes errs.
        reward: (answer === 7) !== random() < 0.08 ? 1 : 0,
      });
    });
    await ingestHere(own.library, [own.file('a.jsonl', `${lines.join('\n')}\n`)]);
    const reader = openReader(own.library);
    const result = askColumns(new ColumnQueryEngine(reader), {
      method: 'problem.disputed',
      runId: 1,
      filter: '',
    });
    if (!result.ok) throw new Error(result.failure.message);
    const { answers } = result.value as { answers: DisputedAnswer[] };
    const bySql = reader.prepare(DISPUTED).all({ runId: 1 });
    expect(bySql.length).toBeGreaterThan(10);
    const found = answers.map(({ problemId, answer, right, wrong }) => ({ problemId, answer, right, wrong }));
    expect(
      found.sort((a, b) => (`${a.problemId} ${a.answer}` < `${b.problemId} ${b.answer}` ? -1 : 1)),
    ).toEqual(bySql);
    const rolloutOf = reader.prepare(
      'SELECT problem_id AS problemId, answer, is_correct AS isCorrect, group_id AS groupId FROM rollout WHERE rollout_id = ?',
    );
    for (const { problemId, question, answer, rightId, wrongId } of answers) {
      expect(question).toBe(`What is ${problemId.slice(2)}?`);
      const [one, other] = [rolloutOf.get(rightId), rolloutOf.get(wrongId)] as { groupId: number }[];
      expect(one).toMatchObject({ problemId, answer, isCorrect: 1 });
      expect(other).toMatchObject({ problemId, answer, isCorrect: 0 });
      const together = reader
        .prepare(
          `SELECT count(*) FROM (SELECT 1 FROM rollout WHERE problem_id = ? AND answer = ?
           GROUP BY group_id HAVING max(is_correct) = 1 AND min(is_correct) = 0)`,
        )
        .pluck()
        .get(problemId, answer) as number;
      expect(one?.groupId === other?.groupId).toBe(together > 0);
    }
    const rarest = answers.map(({ right, wrong }) => Math.min(right, wrong));
    expect(rarest).toEqual([...rarest].sort((a, b) => b - a));
    reader.close();
    own.remove();
  });
});
