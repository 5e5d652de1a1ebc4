/** A run states the source of its correctness and of its reward, and is named by what it was read from. */
import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openReader } from '../../electron/storage/open.ts';
import { listRuns } from '../../electron/storage/queries/runs.ts';
import { ingestHere, type Scratch, scratch } from '../support/library.ts';

let place: Scratch;
beforeEach(() => {
  place = scratch();
});
afterEach(() => place.remove());

async function sourceOf(name: string, ...records: readonly object[]) {
  const path = place.file(name, records.map((record) => `${JSON.stringify(record)}\n`).join(''));
  await ingestHere(place.library, [path]);
  const db = openReader(place.library);
  try {
    return listRuns(db).map(({ correctSource, correctKnown }) => ({ correctSource, correctKnown }));
  } finally {
    db.close();
  }
}

/** A record of an evaluation of ToRA. */
const tora = (more: object) => ({
  ...{ idx: 1, question: 'What is 2 + 2?', gt: '4' },
  ...{ code: ['The sum.\n```python\nprint(2+2)\n```\n```output\n4\n```\nIt is $\\boxed{4}$.'], pred: ['4'] },
  ...more,
});
const rollout = (step: number, more: object) => ({
  ...{ v: 1, type: 'rollout', run: 'r', step, group: `g${step}`, index: 0, text: 't' },
  problem: { id: 'p', prompt: '?' },
  ...more,
});

it('is derived where the answer was compared with the ground truth', async () => {
  expect(await sourceOf('tora.jsonl', tora({}))).toEqual([{ correctSource: 'derived', correctKnown: 1 }]);
});

it('is logged where the log has a verdict', async () => {
  expect(await sourceOf('tora.jsonl', tora({ score: [true] }))).toEqual([
    { correctSource: 'logged', correctKnown: 1 },
  ]);
});

it('is absent where the reward says it, and where it is unknown', async () => {
  expect(await sourceOf('rewards.jsonl', rollout(1, { reward: 1 }))).toEqual([
    { correctSource: undefined, correctKnown: 1 },
  ]);
});

it('is that of the first step whose correctness is known', async () => {
  expect(await sourceOf('late.jsonl', rollout(1, {}), rollout(2, { is_correct: false }))).toEqual([
    { correctSource: 'logged', correctKnown: 1 },
  ]);
});

/** A log of inspect_ai with one sample. */
const inspect = (scores: object) => ({
  ...{ version: 2, status: 'success', eval: { run_id: 'r', task: 't', model: 'm', created: '' } },
  samples: [{ id: 1, epoch: 1, input: 'p', target: '4', messages: [], scores }],
});

it.each([
  ['a grade', { match: { value: 'C', answer: '4' } }, 'C'],
  ['a number', { match: { value: 1, answer: '4' } }, undefined],
  ['a number beside a grade of another scorer', { match: { value: 1 }, style: { value: 'C' } }, undefined],
])('has the grade that the reward was translated from: %s', async (_, scores, grade) => {
  const path = place.file('log.json', JSON.stringify(inspect(scores)));
  await ingestHere(place.library, [path]);
  const db = openReader(place.library);
  expect(listRuns(db).map(({ rewardGrade }) => rewardGrade)).toEqual([grade]);
  db.close();
});

describe('the name of a run without an id', () => {
  const line = (n: number) =>
    `${JSON.stringify({ input: `user\n${n}\nassistant\n`, output: 'o', gts: '1', score: 0, step: 1 })}\n`;
  const namesOf = async (...files: readonly string[]): Promise<readonly string[]> => {
    const paths = files.map((file, i) => {
      mkdirSync(dirname(join(place.directory, file)), { recursive: true });
      return place.file(file, line(i));
    });
    for (const path of paths) await ingestHere(place.library, [path]);
    const db = openReader(place.library);
    try {
      return listRuns(db)
        .map(({ name }) => name)
        .sort();
    } finally {
      db.close();
    }
  };

  it('is that of its only file', async () => {
    expect(await namesOf('exp/big.jsonl')).toEqual(['big']);
  });
  it('is that of its directory, once it has two', async () => {
    expect(await namesOf('exp/big.jsonl', 'exp/small.jsonl', 'exp/third.jsonl')).toEqual(['exp']);
  });
  it('is that of its directory, if the file is one of its steps, or is called by its content', async () => {
    expect(await namesOf('exp/20.jsonl', 'other/rollouts.jsonl', 'third/shard-00-of-08.jsonl')).toEqual([
      'exp',
      'other',
      'third',
    ]);
  });
});
