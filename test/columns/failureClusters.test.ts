/** Clusters of incorrect rollouts of a hand-made log, against counts by hand and in SQL. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ColumnQueryEngine } from '../../electron/columns/queryEngine.ts';
import { openReader, type ReadableLibrary } from '../../electron/storage/open.ts';
import { FAILED_CALLS } from '../../electron/storage/queries/failedCalls.ts';
import type { FailureClusters } from '../../shared/api/contract.ts';
import { oddsRatio } from '../../shared/domain/oddsRatio.ts';
import { askColumns, CANCELLED_TASK } from '../support/columnQuestion.ts';
import { ingestHere, type Scratch, scratch } from '../support/library.ts';

const call = (code: string, response: string): string =>
  `<tool_call>\n${JSON.stringify({ name: 'python', arguments: { code } })}\n</tool_call>\n<|im_end|>\n<|im_start|>user\n<tool_response>\n${response}\n</tool_response><|im_end|>\n<|im_start|>assistant\n`;
const FAILED =
  'tool call failed\nstderr: Traceback (most recent call last):\n  File "a.py", line 1\nNameError: name \'x\' is not defined\n';
const PRINTED = 'tool call success\nstdout: 4\n';

/** Steps 0 and 3: of twelve rollouts, five fail in the tool, four answer wrongly, two are right, one is unknown. */
function lineOf(step: number, index: number): string {
  const texts = [
    `<reason>\n${call('x', FAILED)}`,
    `<reason>\n${call('2+2', PRINTED)}So.</reason>\n<answer>\n\\boxed{4}\n</answer>`,
  ];
  const text = index < 5 ? texts[0] : texts[1];
  const reward = index < 9 ? 0 : index < 11 ? 1 : undefined;
  return JSON.stringify({
    ...{ v: 1, type: 'rollout', run: 'r', split: 'train', step, group: `g${step}`, index, text },
    ...{
      problem: { id: 'p', prompt: 'What?' },
      ...(reward === undefined ? {} : { reward, correct: reward === 1 }),
    },
  });
}

let place: Scratch;
let db: ReadableLibrary;

beforeAll(async () => {
  place = scratch();
  const lines = [0, 3].flatMap((step) => Array.from({ length: 12 }, (_, index) => lineOf(step, index)));
  await ingestHere(place.library, [place.file('a.jsonl', `${lines.join('\n')}\n`)]);
  db = openReader(place.library);
});
afterAll(() => {
  db.close();
  place.remove();
});

function ask(scope: { filter?: string; from?: number; to?: number } = {}): FailureClusters {
  const result = askColumns(new ColumnQueryEngine(db), {
    ...{ method: 'problem.failures', runId: 1, filter: '', ...scope },
  });
  if (!result.ok) throw new Error(result.failure.message);
  return result.value as FailureClusters;
}

describe('clusters of failures', () => {
  it('are the groups with similar actions, with medoid, steps and odds ratios', () => {
    const { rollouts, known, wrong, steps, clusters, unlike } = ask();
    expect({ rollouts, known, wrong, steps }).toEqual({ rollouts: 24, known: 22, wrong: 18, steps: [0, 3] });
    expect(clusters.map(({ name, ids, byStep }) => [name, ids.length, [...byStep]])).toEqual([
      ['python exception NameError, then no answer', 10, [5, 5]],
      ['python ok_stdout, then a number as the answer', 8, [4, 4]],
    ]);
    expect(unlike.ids).toHaveLength(0);
    expect(clusters[0]?.medoid).toMatchObject({ step: 0, groupKey: 'g0', ordinal: 0 });
    const found = clusters[0]?.features.find(({ feature }) => feature === 'call: python exception NameError');
    expect(found).toEqual({
      feature: 'call: python exception NameError',
      ...{ inside: 10, outside: 0, odds: oddsRatio(10, 10, 0, 8) },
    });
    const wrongIds = db
      .prepare('SELECT rollout_id FROM rollout WHERE is_correct = 0 ORDER BY 1')
      .pluck()
      .all();
    expect(clusters.flatMap(({ ids }) => [...ids]).sort((a, b) => a - b)).toEqual(wrongIds);
  });

  it('have two rollouts or more: one alone is unlike the others', () => {
    const { clusters, unlike } = ask({ filter: 'ordinal:4..7', from: 3 });
    expect(clusters.map(({ ids }) => ids.length)).toEqual([3]);
    expect(unlike.ids).toHaveLength(1);
    expect([...unlike.byStep]).toEqual([1]);
    const alone = ask({ filter: 'ordinal:4', from: 3 });
    expect([alone.clusters.map(({ ids }) => ids.length), alone.unlike.ids.length]).toEqual([[1], 0]);
  });

  it('are those of the filter and of the steps', () => {
    expect(ask({ from: 1, to: 3 })).toMatchObject({ rollouts: 12, wrong: 9, steps: [3] });
    expect(ask({ to: 2 }).clusters[1]?.medoid.step).toBe(0);
    const [only, ...others] = ask({ filter: 'outcome:exception' }).clusters;
    expect(others).toEqual([]);
    // Nothing to compare with.
    expect(only?.features[0]).not.toHaveProperty('odds');
    expect(ask({ filter: 'is_correct:true' })).toMatchObject({
      rollouts: 4,
      known: 4,
      wrong: 0,
      clusters: [],
    });
  });

  it('can be cancelled', () => {
    const question = { method: 'problem.failures', runId: 1, filter: '' } as const;
    expect(askColumns(db, question, CANCELLED_TASK)).toMatchObject({ failure: { code: 'cancelled' } });
  });

  it('read the failed calls of a step by its index', () => {
    const plan = db.prepare(`EXPLAIN QUERY PLAN ${FAILED_CALLS}`).all({ runId: 1, step: 0 }) as {
      detail: string;
    }[];
    expect(plan.map(({ detail }) => detail)).toEqual([
      'SEARCH r USING INDEX rollout_by_step (run_id=? AND step=?)',
      'SEARCH c USING PRIMARY KEY (rollout_id=?)',
      'SEARCH s USING PRIMARY KEY (rollout_id=? AND ordinal=?)',
    ]);
  });
});
