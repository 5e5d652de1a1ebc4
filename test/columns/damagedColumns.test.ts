/** Stored columns that Turnwise did not write are computed again from the rows. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ColumnQueryEngine } from '../../electron/columns/queryEngine.ts';
import { stepFacts } from '../../electron/columns/series.ts';
import { sourceOf } from '../../electron/columns/stepTable.ts';
import { openWriter, type WritableLibrary } from '../../electron/storage/open.ts';
import { SMALL_STEP, StepColumnWriter } from '../../electron/storage/queries/columns.ts';
import { askColumns } from '../support/columnQuestion.ts';
import { ingestHere, type Scratch, scratch } from '../support/library.ts';

let place: Scratch;
let db: WritableLibrary;
let runId: number;
let whole: unknown;

beforeAll(async () => {
  place = scratch();
  const fixture = join(import.meta.dirname, '../../fixtures/turnwise/schedule/input.jsonl');
  const log = join(place.directory, 'log.jsonl');
  // Columns are stored of large steps only.
  const copies = Array.from({ length: SMALL_STEP }, (_, copy) =>
    readFileSync(fixture, 'utf8').replaceAll('"group":"', `"group":"${copy} `),
  );
  writeFileSync(log, copies.join(''));
  await ingestHere(place.library, [log]);
  db = openWriter(place.library);
  runId = Number(db.prepare('SELECT run_id FROM run WHERE rollouts > 0').pluck().get());
  whole = answers();
});
afterAll(() => {
  db.close();
  place.remove();
});
beforeEach(() => {
  db.exec('DELETE FROM step_column_row');
  const writer = new StepColumnWriter(db, (step, columns) => stepFacts(sourceOf(step, columns)));
  while (writer.storeOne());
  expect(answers()).toEqual(whole);
});

function answers(): unknown {
  const engine = new ColumnQueryEngine(db);
  const step = Number(db.prepare('SELECT min(step) FROM step_row WHERE run_id = ?').pluck().get(runId));
  return [
    askColumns(engine, { method: 'step.series', runId, filter: '' }),
    askColumns(engine, {
      method: 'rollout.order',
      runId,
      filter: 'tool:*',
      sort: [{ by: 'reward', direction: 'ascending' }],
    }),
    askColumns(engine, { method: 'filter.values', runId, field: 'tool', prefix: '', limit: 20 }),
    askColumns(engine, { method: 'step.schedule', runId, step, filter: '' }),
  ];
}

function replace(name: string, bytes: Uint8Array): void {
  const { changes } = db.prepare('UPDATE step_column_row SET bytes = ? WHERE name LIKE ?').run(bytes, name);
  expect(changes).toBeGreaterThan(0);
}

describe.each(['{"name":', 'null', '{}', '[{}]', '["["]', '["[1]"]', '[1]'])('%s', (json) => {
  it.each(['facts %', 'texts of tools', 'texts of worker'])('is not used as %s', (name) => {
    // Any text may be the name of a worker.
    if (json.startsWith('["[') && name === 'texts of worker') return;
    replace(name, Buffer.from(json));
    expect(answers()).toEqual(whole);
  });
});

it('facts with a part of another shape are not used', () => {
  const facts = JSON.parse(
    String(db.prepare("SELECT bytes FROM step_column_row WHERE name LIKE 'facts %'").pluck().get()),
  );
  expect(Object.keys(facts)).toEqual(expect.arrayContaining(['latency', 'schedule']));
  for (const key of Object.keys(facts))
    for (const value of [undefined, null, {}, { placed: 'x' }, '3']) {
      // These may be absent, or have no entries.
      if (value === undefined && (key === 'latency' || key === 'schedule')) continue;
      if (JSON.stringify(value) === '{}' && (key === 'values' || key === 'outcomes')) continue;
      replace('facts %', Buffer.from(JSON.stringify({ ...facts, [key]: value })));
      expect([key, value, answers()]).toEqual([key, value, whole]);
    }
});

it('a code without a text has none', () => {
  for (const name of ['texts of tools', 'texts of worker', 'texts of gpu']) replace(name, Buffer.from('[]'));
  expect(answers()).toMatchObject([{ ok: true }, { ok: true }, { ok: true }, { ok: true }]);
});

it('a column whose bytes are no numbers is not used', () => {
  replace('reward', Buffer.alloc(7));
  replace('callRollout', Buffer.alloc(7));
  expect(answers()).toEqual(whole);
});

it('a logged use of the KV cache that is no JSON is not drawn', () => {
  db.exec("UPDATE timing_row SET kv_cache = '{' WHERE kv_cache IS NOT NULL");
  expect(answers()).toMatchObject([{ ok: true }, { ok: true }, { ok: true }, { ok: true }]);
});
