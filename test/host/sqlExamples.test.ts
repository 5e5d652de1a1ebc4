/** Runs each example of the console on the demo, and checks that every word of the schema is explained. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createHost } from '../../electron/host/createHost.ts';
import type { Host } from '../../electron/host/host.ts';
import { EXAMPLE_QUERIES } from '../../electron/storage/exampleQueries.ts';
import type { Method, ParamsOf, ResultOf } from '../../shared/api/contract.ts';
import type { Result } from '../../shared/api/errors.ts';
import { rows, type Scratch, scratch } from '../support/library.ts';
import { copyDemoLibrary } from '../support/preparedLibrary.ts';

const DEMO = new URL('../../fixtures/demo/demo.jsonl', import.meta.url).pathname;
let files: Scratch;
let host: Host;

beforeAll(async () => {
  files = scratch();
  await copyDemoLibrary(files.library);
  host = await createHost({ libraryPath: files.library, shell: 'browser', version: '0' });
});
afterAll(async () => {
  await host.close();
  files.remove();
});

async function ask<M extends Method>(method: M, params: ParamsOf<M>): Promise<ResultOf<M>> {
  const result = (await host.dispatch(method, params)) as Result<ResultOf<M>>;
  if (!result.ok) throw new Error(result.failure.message);
  return result.value;
}

test.each(EXAMPLE_QUERIES.map((query) => [query.name, query.sql] as const))('%s', async (_name, sql) => {
  const answer = await ask('sql.run', { sql });
  expect(answer).toMatchObject({ kind: 'rows' });
  if (answer.kind !== 'rows') return;
  expect(answer.rows).toBeGreaterThan(0);
  expect(answer.cut).toBeUndefined();
  const plan = await ask('sql.run', { sql: `EXPLAIN QUERY PLAN ${sql}` });
  expect(plan).toMatchObject({ kind: 'rows', columns: ['id', 'parent', 'notused', 'detail'] });
});

describe('the schema', () => {
  test('documents every view, column and function', async () => {
    const sources = await ask('sql.schema', {});
    expect(sources.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['run', 'rollout', 'segment', 'tokens', 'has_words', 'has_pattern']),
    );
    for (const { name, about, columns } of sources) {
      expect(about, name).not.toBe('');
      for (const column of columns) expect(column.about, `${name}.${column.name}`).not.toBe('');
    }
    const tokens = sources.find(({ name }) => name === 'tokens');
    expect(tokens?.columns.map(({ name }) => name)).toContain('entropy_lower');
    expect(tokens?.columns.map(({ name }) => name)).not.toContain('rollout_id');
  });

  test('leads from a row to its page', async () => {
    const [row] = rows(
      files.library,
      `SELECT r.rollout_id, r.group_id, r.run_id, n.run_key, r.step, g.group_key, r.ordinal FROM rollout r
        JOIN prompt_group g USING (group_id) JOIN run n ON n.run_id = r.run_id ORDER BY rollout_id DESC LIMIT 1`,
    );
    const { rollout_id, group_id, run_id, run_key: runKey, step, group_key: groupKey, ordinal } = row ?? {};
    expect(await ask('sql.target', { of: 'rollout', id: Number(rollout_id) })).toEqual({
      runKey,
      step,
      groupKey,
      ordinal,
    });
    expect(await ask('sql.target', { of: 'group', id: Number(group_id) })).toEqual({
      runKey,
      step,
      groupKey,
    });
    expect(await ask('sql.target', { of: 'run', id: Number(run_id) })).toEqual({ runKey });
    expect(await host.dispatch('sql.target', { of: 'rollout', id: 999_999 })).toMatchObject({
      failure: { code: 'not_found' },
    });
  });
});

describe('saved queries', () => {
  test('are listed, replaced, renamed, and restored unchanged', async () => {
    const first = await ask('query.save', { name: ' b ', sql: 'SELECT 1' });
    expect(first).toMatchObject({ name: 'b', sql: 'SELECT 1' });
    await ask('query.save', { name: 'A', sql: 'SELECT 2', createdAt: 5 });
    expect((await ask('query.list', {})).map(({ name }) => name)).toEqual(['A', 'b']);
    const replaced = await ask('query.save', { name: 'A', sql: 'SELECT 3' });
    expect(replaced).toEqual({ name: 'A', sql: 'SELECT 3', createdAt: 5 });
    expect(await ask('query.save', { name: 'c', sql: 'SELECT 3', formerName: 'A' })).toEqual({
      name: 'c',
      sql: 'SELECT 3',
      createdAt: 5,
    });
    expect(await host.dispatch('query.save', { name: 'b', sql: 'SELECT 3', formerName: 'c' })).toMatchObject({
      ok: false,
      failure: { code: 'refused', message: 'there is already a query named "b"' },
    });
    expect(await ask('query.remove', { name: 'c' })).toEqual({ removed: true });
    expect(await ask('query.remove', { name: 'c' })).toEqual({ removed: false });
    await ask('query.save', { name: 'c', sql: 'SELECT 3', createdAt: 5 });
    expect(await ask('query.list', {})).toEqual([first, { name: 'c', sql: 'SELECT 3', createdAt: 5 }]);
  });

  test('survive re-ingest', async () => {
    await ask('query.save', { name: 'kept', sql: 'SELECT 1', createdAt: 1 });
    await host.ingest([DEMO]);
    expect(await ask('query.list', {})).toContainEqual({ name: 'kept', sql: 'SELECT 1', createdAt: 1 });
  });
});
