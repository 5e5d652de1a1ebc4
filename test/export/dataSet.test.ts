/** An exported data set that is read again gives an equal library. */

import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parquetMetadata } from 'hyparquet';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { partitionName, writeDataSet } from '../../electron/export/dataSet.ts';
import { openReader } from '../../electron/storage/open.ts';
import { EXPORTED_ROLLOUTS } from '../../electron/storage/queries/exported.ts';
import { ApiError } from '../../shared/api/errors.ts';
import { readDataSetRow } from '../../shared/format/dataSet.ts';
import { DATA_SET_COLUMNS } from '../../shared/format/dataSetColumns.ts';
import { ingestHere, rows, type Scratch, scratch } from '../support/library.ts';
import { copyDemoLibrary } from '../support/preparedLibrary.ts';

const FIXTURES = join(import.meta.dirname, '..', '..', 'fixtures');

/** Everything but the source, which is another file. */
const COMPARED = {
  run: 'SELECT name, kind, steps, rollouts, run_key FROM run ORDER BY run_id',
  prompt_group:
    'SELECT group_id, run_id, step, problem_id, rollouts, correct, kept, group_key, ground_truth, source, group_rule FROM prompt_group',
  rollout: `SELECT rollout_id, run_id, step, group_id, problem_id, ordinal, reward, is_correct, answer, ground_truth, turns, tool_calls,
    tool_errors, stop_reason, kept, reason, p_err, p_format, penalty, advantage, policy_tokens, response_chars, answer_source,
    stop_reason_source, rule, mean_entropy, started_at, ended_at, correct_source, p_err_text, p_format_text, p_text_source,
    p_err_typed, p_format_typed, flags, duration, worker, gpu, kv_cache FROM rollout`,
  segment: 'SELECT * FROM segment',
  tool_call: 'SELECT * FROM tool_call',
  turn: 'SELECT * FROM turn',
  flag: 'SELECT * FROM flag',
  stage: 'SELECT * FROM stage',
  metric: 'SELECT * FROM metric',
  tokens: `SELECT rollout_id, count, hex(ends), hex(ids), hex(mask), hex(entropy), hex(logprob), hex(trainer_logprob),
    hex(advantage), entropy_of FROM token_row`,
} as const;

let first: Scratch;
let second: Scratch;
beforeEach(() => {
  first = scratch();
  second = scratch();
});
afterEach(() => {
  first.remove();
  second.remove();
});

function write(place: Scratch, directory: string, runKeys?: readonly string[]) {
  const db = openReader(place.library);
  try {
    const written = writeDataSet(db, { directory, ...(runKeys === undefined ? {} : { runKeys }) });
    let step = written.next();
    const progress: number[] = [];
    while (step.done !== true) {
      progress.push(step.value.rollouts);
      step = written.next();
    }
    return { ...step.value, progress };
  } finally {
    db.close();
  }
}

function expectSame(): void {
  for (const [view, sql] of Object.entries(COMPARED)) {
    const order = /ORDER BY/.test(sql) ? sql : `${sql} ORDER BY 1, 2, 3`;
    expect([view, rows(second.library, order)]).toEqual([view, rows(first.library, order)]);
  }
}

describe('a data set', () => {
  it('the demo run survives: texts, calls, decisions, tokens, flags, stages, metrics', async () => {
    await copyDemoLibrary(first.library);
    const directory = join(first.directory, 'data');
    const report = write(first, directory);
    expect(report).toMatchObject({ runs: 2, files: 16, rollouts: 1981 });
    expect(report.progress.at(-1)).toBe(1981);
    const { issues } = await ingestHere(second.library, [directory]).then((outcome) => ({
      issues: outcome.files.flatMap((file) => file.issues),
    }));
    expect(issues).toEqual([]);
    expectSame();
  });

  it('a run that is named twice is written once', async () => {
    await ingestHere(first.library, [join(FIXTURES, 'tir')]);
    const [{ key } = { key: '' }] = rows(first.library, 'SELECT run_key AS key FROM run') as {
      key: string;
    }[];
    const once = write(first, join(first.directory, 'once'), [key]);
    expect(write(first, join(first.directory, 'twice'), [key, key])).toMatchObject({
      ...{ runs: 1, rollouts: once.rollouts },
    });
  });

  it.each([
    ['messages with tools', join(FIXTURES, 'tau2-bench')],
    ['ids without text', join(FIXTURES, 'nemo-gym')],
    ['rollouts of no step', join(FIXTURES, 'inspect')],
    ['an order for a group', join(FIXTURES, 'tir')],
    ['log-probabilities', join(FIXTURES, 'openai-logprobs')],
    ['verl dumps', join(FIXTURES, 'verl')],
    ['waits, workers and KV caches', join(FIXTURES, 'turnwise', 'schedule')],
  ])('%s survives', async (_, logs) => {
    const read = readdirSync(logs).map((name) => join(logs, name));
    await ingestHere(first.library, read);
    const directory = join(first.directory, 'data');
    expect(write(first, directory).rollouts).toBeGreaterThan(0);
    await ingestHere(second.library, [directory]);
    const byText = `SELECT r.step, r.ordinal, r.reward, r.is_correct, r.answer, r.tool_calls, r.tool_errors, r.stop_reason,
      r.policy_tokens, r.mean_entropy, r.flags, r.duration, r.worker, r.gpu, r.kv_cache,
      (SELECT json_group_array(json_array(c.latency_ms, c.latency_source, c.queue_ms, c.worker, c.started_at)) FROM tool_call c
        WHERE c.rollout_id = r.rollout_id) AS calls, (SELECT group_concat(s.kind || s.turn || s.text, char(10)) FROM segment s
      WHERE s.rollout_id = r.rollout_id ORDER BY s.ordinal) AS texts FROM rollout r ORDER BY texts, 1, 2`;
    expect(rows(second.library, byText)).toEqual(rows(first.library, byText));
  });

  it('keeps the keys of runs whose logs name none, also in a second round', async () => {
    const logs = join(FIXTURES, 'inspect');
    await ingestHere(
      first.library,
      readdirSync(logs).map((name) => join(logs, name)),
    );
    const keys = 'SELECT run_key, kind FROM run ORDER BY run_key';
    const before = rows(first.library, keys);
    expect(before.some((row) => JSON.stringify(row).includes('eval'))).toBe(true);
    write(first, join(first.directory, 'data'));
    await ingestHere(second.library, [join(first.directory, 'data')]);
    expect(rows(second.library, keys)).toEqual(before);
    const third = scratch();
    try {
      write(second, join(third.directory, 'data'));
      await ingestHere(third.library, [join(third.directory, 'data')]);
      expect(rows(third.library, keys)).toEqual(before);
    } finally {
      third.remove();
    }
  });

  it('has the documented columns, run and step in the path, and the run in every file', async () => {
    await copyDemoLibrary(first.library);
    const directory = join(first.directory, 'data');
    write(first, directory, ['synthetic-grpo-roc-demo']);
    expect(readdirSync(join(directory, 'rollouts'))).toEqual(['run=synthetic-grpo-roc-demo']);
    const place = join(directory, 'rollouts', 'run=synthetic-grpo-roc-demo', 'step=150', 'part-0.parquet');
    const metadata = parquetMetadata(Uint8Array.from(readFileSync(place)).buffer);
    const names = metadata.schema.filter(({ name }) =>
      DATA_SET_COLUMNS.some((column) => column.name === name),
    );
    expect(new Set(names.map(({ name }) => name))).toEqual(new Set(DATA_SET_COLUMNS.map(({ name }) => name)));
    expect(metadata.key_value_metadata).toEqual([
      { key: 'turnwise', value: '{"v":1,"run":"synthetic-grpo-roc-demo","split":"train","step":150}' },
    ]);
    const readme = readFileSync(join(directory, 'README.md'), 'utf8');
    const said = readme.split('\n').filter((line) => line.startsWith('| `'));
    expect(said.map((line) => line.split(' | ')[0])).toEqual(
      DATA_SET_COLUMNS.map(({ name }) => `| \`${name}\``),
    );
    expect(said.every((line, i) => line.endsWith(` | ${DATA_SET_COLUMNS[i]?.note} |`))).toBe(true);
  });

  it('leaves nothing when cancelled midway', async () => {
    await copyDemoLibrary(first.library);
    const directory = join(first.directory, 'data');
    const db = openReader(first.library);
    const written = writeDataSet(db, { directory });
    written.next();
    written.return({ directory, runs: 0, files: 0, rollouts: 0, bytes: 0 });
    db.close();
    expect(existsSync(directory)).toBe(false);
  });

  it('killed midway, leaves no data set, and is restarted', async () => {
    await copyDemoLibrary(first.library);
    const directory = join(first.directory, 'data');
    const db = openReader(first.library);
    const written = writeDataSet(db, { directory });
    // Simulates a process that ends here.
    for (let i = 0; i < 3; i++) written.next();
    const second = scratch();
    try {
      expect(await ingestHere(second.library, [directory])).toMatchObject({ added: 0 });
      write(first, directory);
      const { added } = await ingestHere(second.library, [directory]);
      expect(added).toBe(rows(first.library, 'SELECT count(*) AS n FROM rollout')[0]?.['n']);
      expect(readdirSync(directory).sort()).toEqual(['README.md', 'rollouts', 'runs']);
    } finally {
      db.close();
      second.remove();
    }
  });

  it('keeps keys of any length', async () => {
    const keys = ['解'.repeat(90), 'long'.repeat(80), `${'long'.repeat(80)}er`];
    const line = (run: string) =>
      JSON.stringify({
        ...{ v: 1, type: 'rollout', run, split: 'train', step: 0, group: 'g', index: 0 },
        ...{ problem: { id: 'p', prompt: 'q' }, text: 'a', reward: 1 },
      });
    await ingestHere(first.library, [first.file('long.jsonl', `${keys.map(line).join('\n')}\n`)]);
    const directory = join(first.directory, 'data');
    write(first, directory);
    const second = scratch();
    try {
      await ingestHere(second.library, [directory]);
      const query = 'SELECT run_key FROM run ORDER BY run_key';
      expect(rows(second.library, query)).toEqual(rows(first.library, query));
      expect(rows(second.library, query)).toHaveLength(3);
    } finally {
      second.remove();
    }
  });

  it('keeps a byte order mark at the beginning of texts', async () => {
    const line = (i: number, problem: object, text: string) =>
      JSON.stringify({
        ...{ v: 1, type: 'rollout', run: 'r', split: 'train', step: 0, group: `g${i}`, index: 0 },
        ...{ problem, text, reward: i, answer: '\uFEFF72' },
      });
    const problem = { id: 'p', prompt: 'q' };
    const marked = { id: '\uFEFFp', prompt: '\uFEFFq', ground_truth: '\uFEFF72' };
    const lines = [line(0, problem, '\uFEFFIt is 72.'), line(1, marked, 'It is 72.')];
    await ingestHere(first.library, [first.file('marked.jsonl', `${lines.join('\n')}\n`)]);
    const directory = join(first.directory, 'data');
    write(first, directory);
    expect(await ingestHere(second.library, [directory])).toMatchObject({ added: 2 });
    expectSame();
    expect(rows(second.library, "SELECT text FROM segment WHERE text LIKE char(65279) || '%'")).toHaveLength(
      2,
    );
  });

  it('is refused if the path exists, and for a missing run', async () => {
    await copyDemoLibrary(first.library);
    const directory = join(first.directory, 'data');
    mkdirSync(directory);
    writeFileSync(join(directory, 'thesis.txt'), 'mine');
    expect(() => write(first, directory)).toThrow(ApiError);
    expect(readFileSync(join(directory, 'thesis.txt'), 'utf8')).toBe('mine');
    expect(() => write(first, join(first.directory, 'other'), ['nobody'])).toThrow('there is no run nobody');
  });

  it('says which number a column cannot hold', async () => {
    const line = {
      ...{ v: 1, type: 'rollout', run: 'r', split: 'train', step: 0, group: 'g', index: 2 ** 31 },
      ...{ problem: { id: 'p', prompt: 'q' }, text: 'a', reward: 1 },
    };
    await ingestHere(first.library, [first.file('large.jsonl', `${JSON.stringify(line)}\n`)]);
    expect(() => write(first, join(first.directory, 'data'))).toThrow(
      'index of a rollout is 2147483648; in Parquet it can be at most 2,147,483,647',
    );
    expect(existsSync(join(first.directory, 'data'))).toBe(false);
  });

  it.each([
    [1_000_001, { kind: 'issue', issue: { code: 'unfit_row', message: expect.stringContaining('1000001') } }],
    [Number.MAX_SAFE_INTEGER, { kind: 'issue', issue: { code: 'unfit_row' } }],
    [2, { kind: 'rollout', rollout: { turns: [{ segments: 0 }, { segments: 1 }] } }],
  ])('a row whose segment claims turn %i', (turn, read) => {
    const segment = { kind: 'text', start: 0, end: 2, inner_start: 0, inner_end: 2, turn };
    const texts = { group: 'g', problem: 'p', prompt: '', prompt_segments: [], response: 'hm' };
    expect(readDataSetRow({ v: 1, rollout: 1, ...texts, segments: [segment] }, { run: 'r' })).toMatchObject(
      read,
    );
  });

  it.each([
    ['entropy_of', {}, '"entropy_of" is not JSON text'],
    ['entropy_of', '{', '"entropy_of" is not JSON text'],
    ['entropy_of', '"full"', '"entropy_of" is not a JSON object'],
    ['extra', { note: 1 }, '"extra" is not JSON text'],
    ['extra', '[]', '"extra" is not a JSON object'],
    ['kv_cache', [0.5], '"kv_cache" is not JSON text'],
  ])('a row whose %s is %j is refused', (name, value, message) => {
    const texts = { group: 'g', problem: 'p', prompt: '', prompt_segments: [], response: '', segments: [] };
    const row = { v: 1, rollout: 1, ...texts, tokens: 1, entropy: [0.5], [name]: value };
    expect(readDataSetRow(row, { run: 'r' })).toMatchObject({ issue: { code: 'unfit_row', message } });
    expect(readDataSetRow({ ...row, [name]: null }, { run: 'r' })).toMatchObject({ kind: 'rollout' });
  });

  it('a row with a number of tokens, and nothing of any token, is refused', () => {
    const texts = { group: 'g', problem: 'p', prompt: '', prompt_segments: [], response: '', segments: [] };
    expect(readDataSetRow({ v: 1, rollout: 1, ...texts, tokens: 3e9 }, { run: 'r' })).toMatchObject({
      issue: {
        code: 'unfit_row',
        message: '"tokens" is 3000000000, but the row has no values of tokens',
      },
    });
  });

  it('finds the rollouts of a step by an index', async () => {
    await copyDemoLibrary(first.library);
    const plan = rows(first.library, `EXPLAIN QUERY PLAN ${EXPORTED_ROLLOUTS.replaceAll('?', '1')}`);
    expect(
      plan
        .map(({ detail }) => String(detail))
        .some((line) => /SEARCH r USING INDEX rollout_by_step/.test(line)),
    ).toBe(true);
  });
});

it('names of runs are directories anywhere', () => {
  expect(partitionName('exp/α 1=2%')).toBe('exp%2F%CE%B1%201%3D2%25');
  expect(partitionName('plain-run_1.2~eval')).toBe('plain-run_1.2~eval');
  const cut = partitionName('a'.repeat(300));
  expect(cut).toMatch(/^a+~[\da-f]{16}$/);
  expect(partitionName(cut)).not.toBe(cut);
  const long = partitionName('解'.repeat(300));
  expect(long).toMatch(/^(%[0-9A-F]{2})+~[0-9a-f]{16}$/);
  expect(long.length).toBeLessThanOrEqual(200);
});
