/** Problems that became correct or incorrect from one step to another. */
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openReader, type ReadableLibrary } from '../../electron/storage/open.ts';
import {
  FIRST_OF_OUTCOME,
  OUTCOMES_OF_STEP,
  problemChanges,
} from '../../electron/storage/queries/changes.ts';
import { listRuns } from '../../electron/storage/queries/runs.ts';
import type { ChangeSide } from '../../shared/api/contract.ts';
import { Labelled } from '../support/labelled.ts';
import { ingestHere, type Scratch, scratch } from '../support/library.ts';

const NAMED =
  process.env['TURNWISE_REALDATA'] ?? join(import.meta.dirname, '..', '..', '..', 'shared', 'realdata');
const REAL = existsSync(NAMED) ? realpathSync(NAMED) : NAMED;
const VERL = join(REAL, 'verl-val-multiturn');
/** The same task by google/gemini-2.5-pro, ten problems in five epochs, and by openai/gpt-4o-mini, a hundred problems. */
const TWO_MODELS = [
  '2025-09-15T15-04-34-04-00_popularity_J5EskSJVsBD9iRd47twk8x',
  '2025-09-23T08-09-58-04-00_popularity_DN2wbX2ZvACsBpjwptzBRo',
].map((name) => join(REAL, 'inspect', `${name}.eval`));

let place: Scratch;
let db: ReadableLibrary;
afterAll(() => {
  db?.close();
  place?.remove();
});

interface Tried {
  readonly run?: string;
  readonly step: number;
  readonly problem: string;
  readonly prompt?: string;
  /** `+` correct, `-` incorrect, `?` unknown. */
  readonly rollouts: string;
}

const linesOf = ({ run = 'r', step, problem, prompt = `Find ${problem}.`, rollouts }: Tried): string[] =>
  [...rollouts].map((outcome, index) =>
    JSON.stringify({
      ...{ v: 1, type: 'rollout', run, step, group: `${problem} ${step}`, index },
      problem: { id: problem, prompt },
      text: `It is ${outcome}.`,
      ...(outcome === '?' ? {} : { is_correct: outcome === '+', reward: outcome === '+' ? 1 : 0 }),
    }),
  );

const TRIED: readonly Tried[] = [
  { step: 0, problem: 'lost', rollouts: '-++' },
  { step: 9, problem: 'lost', rollouts: '+--?' },
  { step: 0, problem: 'won', rollouts: '-' },
  { step: 9, problem: 'won', rollouts: '?++' },
  { step: 0, problem: 'kept', rollouts: '++' },
  { step: 9, problem: 'kept', rollouts: '++-' },
  { step: 0, problem: 'never', rollouts: '--' },
  { step: 9, problem: 'never', rollouts: '-' },
  { step: 0, problem: 'half', rollouts: '+-' },
  { step: 9, problem: 'half', rollouts: '+' },
  { step: 0, problem: 'blind', rollouts: '??' },
  { step: 9, problem: 'blind', rollouts: '+' },
  { step: 0, problem: 'old', rollouts: '+' },
  { step: 9, problem: 'new', rollouts: '+' },
  // The same question under another id, in another run.
  { run: 's', step: 9, problem: 'renamed', prompt: 'Find  kept.', rollouts: '-' },
];

beforeAll(async () => {
  place = scratch();
  await ingestHere(place.library, [place.file('log.jsonl', `${TRIED.flatMap(linesOf).join('\n')}\n`)]);
  db = openReader(place.library);
});

const runIdOf = (run: string): number =>
  Number(db.prepare('SELECT run_id FROM run_row WHERE run_key = ?').pluck().get(run));

const rolloutIdOf = (group: string, index: number): number =>
  Number(
    db
      .prepare(
        'SELECT rollout_id FROM rollout_row JOIN group_row USING (group_id) WHERE group_key = ? AND ordinal = ?',
      )
      .pluck()
      .get(group, index),
  );

it('compares the outcomes of most rollouts, and names a rollout of each', () => {
  const runId = runIdOf('r');
  const found = problemChanges(db, { runId, step: 0 }, { runId, step: 9 });
  expect(found).toEqual({
    ...{
      compared: 4,
      stayedCorrect: 1,
      stayedIncorrect: 1,
      undecided: 1,
      unknown: 1,
      onlyFrom: 1,
      onlyTo: 1,
    },
    becameIncorrect: [
      {
        ...{ problemId: 'lost', question: 'Find lost.' },
        from: { rolloutId: rolloutIdOf('lost 0', 1), groupKey: 'lost 0', ordinal: 1, correct: 2, known: 3 },
        to: { rolloutId: rolloutIdOf('lost 9', 1), groupKey: 'lost 9', ordinal: 1, correct: 1, known: 3 },
      },
    ],
    becameCorrect: [
      {
        ...{ problemId: 'won', question: 'Find won.' },
        from: { rolloutId: rolloutIdOf('won 0', 0), groupKey: 'won 0', ordinal: 0, correct: 0, known: 1 },
        to: { rolloutId: rolloutIdOf('won 9', 1), groupKey: 'won 9', ordinal: 1, correct: 2, known: 2 },
      },
    ],
    pValue: 1,
  });
});

it('names the labels of both rollouts of a pair', () => {
  const runId = runIdOf('r');
  const pairOf = () => problemChanges(db, { runId, step: 0 }, { runId, step: 9 }).becameIncorrect[0];
  const { from, to } = pairOf() ?? expect.fail();
  expect(pairOf()).not.toHaveProperty('labels');
  const labelled = new Labelled(place.library);
  const put = ({ rolloutId }: ChangeSide, label: string) =>
    labelled.apply('ann', { put: { rolloutId, target: { kind: 'rollout' }, label } });
  try {
    put(from, 'loops');
    put(to, 'loops');
    put(to, 'gave-up');
  } finally {
    labelled.close();
  }
  expect(pairOf()?.labels).toEqual(['loops', 'gave-up']);
});

it('is mirrored when the steps are swapped', () => {
  const runId = runIdOf('r');
  const [there, back] = [
    problemChanges(db, { runId, step: 0 }, { runId, step: 9 }),
    problemChanges(db, { runId, step: 9 }, { runId, step: 0 }),
  ];
  expect(back.becameCorrect.map(({ problemId }) => problemId)).toEqual(['lost']);
  expect({ ...back, becameCorrect: [], becameIncorrect: [] }).toEqual({
    ...{ ...there, becameCorrect: [], becameIncorrect: [] },
    ...{ onlyFrom: there.onlyTo, onlyTo: there.onlyFrom },
  });
});

it('finds a problem of another run by its question', () => {
  const found = problemChanges(db, { runId: runIdOf('r'), step: 0 }, { runId: runIdOf('s'), step: 9 });
  expect(found.becameIncorrect.map(({ problemId, to }) => [problemId, to.groupKey])).toEqual([
    ['kept', 'renamed 9'],
  ]);
  expect(found).toMatchObject({ compared: 1, onlyFrom: 6, onlyTo: 0 });
});

it('uses indexes', () => {
  const plan = (sql: string, params: object): string =>
    (db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(params) as { detail: string }[])
      .map(({ detail }) => detail)
      .join('\n');
  expect(plan(OUTCOMES_OF_STEP, { runId: 1, step: 0 })).not.toMatch(/SCAN/);
  expect(plan(FIRST_OF_OUTCOME, { groupIds: '[1]' })).not.toMatch(/SCAN (?!ids)/);
});

describe.runIf(existsSync(VERL))('the validation of verl', () => {
  it('agrees with the raw records', async () => {
    const own = scratch();
    try {
      await ingestHere(own.library, [VERL]);
      const reader = openReader(own.library);
      const runId = Number(reader.prepare('SELECT run_id FROM run_row').pluck().get());
      const { becameIncorrect, becameCorrect, compared } = problemChanges(
        reader,
        { runId, step: 0 },
        { runId, step: 60 },
      );
      reader.close();
      const scores = (step: number): Map<string, number> =>
        new Map(
          readFileSync(join(VERL, `${step}.jsonl`), 'utf8')
            .trimEnd()
            .split('\n')
            .map((line) => JSON.parse(line) as { input: string; score: number })
            .map(({ input, score }) => [input, score]),
        );
      const [before, after] = [scores(0), scores(60)];
      const count = (was: number, is: number): number =>
        [...before].filter(([input, score]) => score === was && after.get(input) === is).length;
      expect([compared, becameIncorrect.length, becameCorrect.length]).toEqual([
        600,
        count(1, 0),
        count(0, 1),
      ]);
      expect([becameIncorrect.length, becameCorrect.length]).toEqual([27, 123]);
    } finally {
      own.remove();
    }
  });
});

describe.runIf(TWO_MODELS.every((path) => existsSync(path)))('two Inspect logs of different models', () => {
  it('are two runs with their models, whose problems are matched', async () => {
    const own = scratch();
    try {
      await ingestHere(own.library, TWO_MODELS);
      const reader = openReader(own.library);
      const runs = listRuns(reader);
      const runOf = (model: string) => runs.find((run) => run.model === model)?.runId ?? 0;
      const places = ['google/gemini-2.5-pro', 'openai/gpt-4o-mini'].map((model) => ({
        runId: runOf(model),
        step: 0,
      }));
      const [gemini, mini] = places;
      if (gemini === undefined || mini === undefined) throw new Error('two places were made');
      const { becameCorrect, ...found } = problemChanges(reader, gemini, mini);
      reader.close();
      expect(found).toMatchObject({
        ...{ compared: 10, stayedCorrect: 7, stayedIncorrect: 2, undecided: 0, unknown: 0 },
        ...{ onlyFrom: 0, onlyTo: 90, becameIncorrect: [], pValue: 1 },
      });
      expect(becameCorrect).toMatchObject([
        { problemId: '3', from: { correct: 0, known: 5 }, to: { correct: 1, known: 1 } },
      ]);
    } finally {
      own.remove();
    }
  });
});
