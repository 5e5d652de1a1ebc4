/** A run states the source of its correctness. */
import { afterEach, beforeEach, expect, it } from 'vitest';
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
