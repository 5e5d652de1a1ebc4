/** Scores by scorer of an Inspect log: in SQL, and filtered, sorted, completed and exported like any field. */
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ColumnQueryEngine } from '../../electron/columns/queryEngine.ts';
import { filterSql } from '../../electron/storage/filterSql.ts';
import { openReader, type ReadableLibrary } from '../../electron/storage/open.ts';
import { FREE_TASK } from '../../electron/threads/task.ts';
import { scoreColumns } from '../../renderer/widgets/rollouts/scoreColumns.tsx';
import type { RolloutRow, RolloutSort } from '../../shared/api/contract.ts';
import { LIST_METHODS } from '../../shared/api/listMethods.ts';
import { readFilter } from '../../shared/domain/filter/parse.ts';
import { filterText } from '../../shared/domain/filter/print.ts';
import { compareScores, parseScores } from '../../shared/domain/scores.ts';
import { ingestHere, type Scratch, scratch } from '../support/library.ts';

let place: Scratch;
let db: ReadableLibrary;

beforeAll(async () => {
  place = scratch();
  const log = join(import.meta.dirname, '../../fixtures/inspect/archive-deflated/input.eval');
  const bare = join(import.meta.dirname, '../../fixtures/messages');
  await ingestHere(place.library, [log, bare]);
  db = openReader(place.library);
});
afterAll(() => {
  db.close();
  place.remove();
});

const runId = (): number =>
  (db.prepare("SELECT run_id FROM run WHERE format = 'inspect'").get() as { run_id: number }).run_id;
const order = (filter: string, by?: RolloutSort, direction: 'ascending' | 'descending' = 'ascending') =>
  Array.from(
    new ColumnQueryEngine(db).answer(
      'rollout.order',
      { runId: runId(), filter, sort: by === undefined ? [] : [{ by, direction }] },
      FREE_TASK,
    ).ids,
  );
/** `problem#ordinal` of each rollout. */
const names = (ids: readonly number[]): string[] =>
  ids.map((id) => {
    const row = db.prepare('SELECT problem_id, ordinal FROM rollout WHERE rollout_id = ?').get(id);
    const { problem_id, ordinal } = row as { problem_id: string; ordinal: number };
    return `${problem_id}#${ordinal}`;
  });

it('has each scorer, and each key of a dictionary, in SQL', () => {
  const rows = db
    .prepare(
      "SELECT scores ->> '$.match' AS match, scores ->> '$.style' AS style, scores ->> '$.\"judge.tone\"' AS tone FROM rollout WHERE run_id = ? ORDER BY rollout_id",
    )
    .all(runId());
  expect(rows).toEqual([
    { match: 'C', style: 0.25, tone: 'P' },
    { match: 'I', style: 0.25, tone: 'P' },
    { match: 'P', style: 0.25, tone: 'P' },
    { match: 0.75, style: 0.25, tone: 'P' },
  ]);
});

it.each([
  ['scores:match=C', ['1#0']],
  ['scores:match=c,match=P', ['1#0', 'b#0']],
  ['scores:match>0.5', ['b#1']],
  ['scores:match<=0.75', ['b#1']],
  ['scores:match=0.750', ['b#1']],
  ['scores:style>=0.25', ['1#0', '1#1', 'b#0', 'b#1']],
  ['scores:judge.polite=true', ['1#0', '1#1', 'b#0', 'b#1']],
  ['scores:judge.tone', ['1#0', '1#1', 'b#0', 'b#1']],
  ['scores:match=*', ['1#0', '1#1', 'b#0']],
  ['not scores:match=I', ['1#0', 'b#0', 'b#1']],
  ['scores:judge.notes', []],
  ['scores:other=none', ['1#0', '1#1', 'b#0', 'b#1']],
  ['scores:match=none', []],
  ['scores:none', []],
  ["scores:it's=C", []],
])('filters by %s in columns and in SQL', (filter, expected) => {
  const read = readFilter(filter);
  if (!read.ok) throw new Error(read.fault.message);
  expect(names(order(filter))).toEqual(expected);
  const found = db.prepare(filterSql(read.node, runId())).all() as { rollout_id: number }[];
  expect(names(found.map(({ rollout_id }) => rollout_id))).toEqual(expected);
  expect(readFilter(filterText(read.node))).toEqual(read);
});

it.each(['scores:style>much', 'scores:=C', 'scores:style>', 'scores:"\\"\\"=1"'])(
  'refuses %s with an example',
  (filter) => {
    const read = readFilter(filter);
    expect(read.ok ? '' : read.fault.message).toContain('as in scores:match=C');
  },
);

it('filters by each cell of its columns, whatever its name and value', async () => {
  const odd = scratch();
  const samples = [
    { 'x=y': { value: 1 }, word: { value: 'none' }, 'acc>="1"': { value: '' } },
    { 'acc>="1"': { value: 0 } },
  ].map((scores, i) => ({
    ...{ id: i, epoch: 1, input: `q${i}`, target: 'a', scores },
    messages: [
      { role: 'user', content: `q${i}` },
      { role: 'assistant', content: 'a' },
    ],
  }));
  const head = {
    version: 2,
    status: 'success',
    eval: { task: 't', model: 'm', run_id: 'r', created: '2026-01-01' },
  };
  await ingestHere(odd.library, [odd.file('a.json', JSON.stringify({ ...head, samples }))]);
  const columns = scoreColumns(['x=y', 'word', 'acc>="1"']);
  const reader = openReader(odd.library);
  const rows = reader.prepare('SELECT rollout_id, scores FROM rollout ORDER BY rollout_id').all() as {
    rollout_id: number;
    scores: string;
  }[];
  const find = (filter: string) =>
    Array.from(
      new ColumnQueryEngine(reader).answer('rollout.order', { runId: 1, filter, sort: [] }, FREE_TASK).ids,
    );
  const ids = rows.map(({ rollout_id }) => rollout_id);
  expect(ids).toHaveLength(2);
  for (const { filterCondition } of columns) {
    for (const [i, row] of rows.entries()) {
      const only = filterCondition?.(row as unknown as RolloutRow, false) ?? '';
      expect([only, find(only)]).toEqual([only, [ids[i]]]);
      const without = filterCondition?.(row as unknown as RolloutRow, true) ?? '';
      expect([without, find(without)]).toEqual([without, [ids[1 - i]]]);
    }
  }
  reader.close();
  odd.remove();
});

it('sorts by a score: grades among numbers, the unknown last', () => {
  expect(names(order('', 'scores.match'))).toEqual(['1#1', 'b#0', 'b#1', '1#0']);
  expect(names(order('', 'scores.match', 'descending'))).toEqual(['1#0', 'b#1', 'b#0', '1#1']);
  expect(names(order('', 'scores.gone'))).toEqual(['1#0', '1#1', 'b#0', 'b#1']);
  const asked = { runId: 1, sort: [{ by: 'scores.a b', direction: 'descending' }] };
  const { params } = LIST_METHODS['rollout.order'];
  expect(params.parse(asked).sort[0]?.by).toBe('scores.a b');
  expect(params.safeParse({ runId: 1, sort: [{ by: 'score' }] }).success).toBe(false);
});

it('orders words after numbers and grades', () => {
  const values = ['good', 'C', 0.75, 'bad', 'I', true, 'P', -1];
  expect([...values].sort(compareScores)).toEqual([-1, 'I', 'P', 0.75, 'C', true, 'bad', 'good']);
});

it('completes names with their values', () => {
  const { values } = new ColumnQueryEngine(db).answer(
    'filter.values',
    { runId: runId(), field: 'scores', prefix: 'match', limit: 20 },
    FREE_TASK,
  );
  expect(values.map(({ text }) => text)).toEqual(['match=0.75', 'match=C', 'match=I', 'match=P']);
});

it('takes damaged or foreign JSON for no scores', () => {
  expect(parseScores('{"a":1,"b":[1],"c":null,"d":"x"}')).toEqual({ a: 1, d: 'x' });
  for (const json of ['', '{', '[1]', 'null', '3', undefined]) expect(parseScores(json)).toEqual({});
});
