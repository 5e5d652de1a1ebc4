/** Offers of similar runs as parts of one run, and names of runs by their paths. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openReader } from '../../electron/storage/open.ts';
import { getSources } from '../../electron/storage/queries/sources.ts';
import { ingestHere, rows, type Scratch, scratch } from '../support/library.ts';

let place: Scratch;
beforeEach(() => {
  place = scratch();
});
afterEach(() => place.remove());

const file = (path: string, lines: readonly object[]) => {
  mkdirSync(join(place.directory, path, '..'), { recursive: true });
  place.file(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
};
/** Records of verl's rollout dump. */
const verl = (path: string, questions: readonly string[]) =>
  file(
    path,
    questions.map((question) => ({ input: `user\n${question}`, output: 'x', score: 1, step: 1 })),
  );

describe('runs that may be the same run', () => {
  const offered = (name: string) => {
    const db = openReader(place.library);
    try {
      const [run] = rows(place.library, `SELECT run_key AS runKey FROM run WHERE name = '${name}'`);
      const sources = getSources(db, String(run?.['runKey']));
      return sources?.neighbours.map((one) => one.name);
    } finally {
      db.close();
    }
  };

  it('share a problem, or are the evaluation beside the training', async () => {
    verl('first/1.jsonl', ['One?', 'Two?']);
    verl('resumed/1.jsonl', ['Two?', 'Three?']);
    verl('other/1.jsonl', ['Four?']);
    verl('first-eval/validation_data/1.jsonl', ['Five?']);
    await ingestHere(place.library, [place.directory]);
    expect(offered('first')).toEqual(['first-eval', 'resumed']);
    expect(offered('other')).toEqual(['first-eval']);
  });

  it('have the same name, unless the log names them', async () => {
    verl('grpo/1.jsonl', ['One?']);
    verl('old/grpo/1.jsonl', ['Two?']);
    verl('old/dapo/1.jsonl', ['Three?']);
    const logged = (run: string) => ({
      ...{ v: 1, type: 'rollout', run, step: 1, group: 'g', index: 0, text: 'x' },
      problem: { id: 'p', prompt: 'Four?' },
    });
    file('a/log.jsonl', [logged('run a')]);
    file('b/log.jsonl', [logged('run b')]);
    await ingestHere(place.library, [place.directory]);
    expect(offered('grpo')).toEqual(['grpo']);
    expect(offered('dapo')).toEqual([]);
    expect(offered('run a')).toEqual([]);
  });
});

describe('the name of a run that its log does not name', () => {
  it('has the parts of the path from the nearest one that describes it', async () => {
    verl('grpo-seed1/1.jsonl', ['One?']);
    verl('grpo-seed2/2025/results/1.jsonl', ['Two?']);
    const record = {
      idx: 0,
      question: 'Three?',
      gt: '4',
      code: ['```python\n2+2\n```'],
      pred: ['4'],
      report: [null],
    };
    file('tora/output/results.jsonl', [record]);
    await ingestHere(place.library, [place.directory]);
    const names = rows(place.library, 'SELECT name FROM run ORDER BY name').map(({ name }) => name);
    expect(names).toEqual(['grpo-seed1', 'grpo-seed2/2025/results', 'tora/output/results']);
  });
});
