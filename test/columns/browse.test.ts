/** Lists, filters and charts from columns equal the same queries in SQL. */

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { ColumnQueryEngine } from '../../electron/columns/queryEngine.ts';
import { stepFacts } from '../../electron/columns/series.ts';
import { sourceOf } from '../../electron/columns/stepTable.ts';
import { filterSql } from '../../electron/storage/filterSql.ts';
import { openReader, openWriter, type ReadableLibrary } from '../../electron/storage/open.ts';
import {
  KEPT_COLUMN,
  STALE_STEPS,
  STEP_CALLS,
  STEP_ROLLOUTS,
  StepColumnWriter,
} from '../../electron/storage/queries/columns.ts';
import { listSteps } from '../../electron/storage/queries/runs.ts';
import { TextReader } from '../../electron/storage/queries/texts.ts';
import { rowOfFacts, rowOfSummary, type StepRow } from '../../renderer/widgets/tables/stepRows.ts';
import {
  GROUP_SORTS,
  type ProblemRewards,
  ROLLOUT_SORTS,
  type StepFacts,
} from '../../shared/api/contract.ts';
import { FIELDS, type NumberField } from '../../shared/domain/filter/fields.ts';
import type { FilterNode } from '../../shared/domain/filter/node.ts';
import { readFilter } from '../../shared/domain/filter/parse.ts';
import { filterText } from '../../shared/domain/filter/print.ts';
import { askColumns, CANCELLED_TASK, type ColumnQuestion } from '../support/columnQuestion.ts';
import { ingestHere, type Scratch, scratch } from '../support/library.ts';
import { copyDemoLibrary } from '../support/preparedLibrary.ts';
import { groupOrder, rolloutOrder } from '../support/rolloutOrder.ts';

const FIXTURES = join(import.meta.dirname, '../../fixtures');
const NUMBER_FIELDS = FIELDS.flatMap(({ name, kind }) => (kind === 'number' ? [name as NumberField] : []));
let place: Scratch;
let db: ReadableLibrary;
let runs: readonly { run_id: number; rollouts: number; name: string }[];

beforeAll(async () => {
  place = scratch();
  const cases = readdirSync(join(FIXTURES, 'turnwise')).map((name) => join(FIXTURES, 'turnwise', name));
  await copyDemoLibrary(place.library);
  await ingestHere(place.library, [
    join(FIXTURES, 'verl'),
    join(FIXTURES, 'tau-bench'),
    join(FIXTURES, 'prime-rl'),
    join(FIXTURES, 'messages'),
    ...cases,
  ]);
  db = openReader(place.library);
  runs = db
    .prepare('SELECT run_id, rollouts, name FROM run WHERE rollouts > 0 ORDER BY rollouts DESC')
    .all() as typeof runs;
});
afterAll(() => {
  db.close();
  place.remove();
});

function ask<T>(engine: ColumnQueryEngine, question: ColumnQuestion): T {
  const result = askColumns(engine, question);
  if (!result.ok) throw new Error(result.failure.message);
  return result.value as T;
}

const idsFor = (engine: ColumnQueryEngine, runId: number, filter: string): number[] =>
  Array.from(ask<{ ids: Uint32Array }>(engine, { method: 'rollout.order', runId, filter, sort: [] }).ids);

const nodeOf = (filter: string): FilterNode => {
  const read = readFilter(filter);
  if (!read.ok) throw new Error(read.fault.message);
  return read.node;
};

function idsBySql(runId: number, filter: string): number[] {
  const rows = db.prepare(filterSql(nodeOf(filter), runId)).all() as { rollout_id: number }[];
  return rows.map(({ rollout_id }) => rollout_id).sort((a, b) => a - b);
}

const FILTERS = [
  '',
  'reward:0',
  'not reward:0',
  'is_correct:true kept:false',
  'is_correct:none or kept:none',
  'step:50..200 tool_calls:>2',
  'tool_errors:>0 is_correct:true',
  'outcome:timeout',
  'outcome:exception,timeout -outcome:ok_*',
  'tool:*python*',
  'stop_reason:length',
  'stop_reason:none',
  'reason:discarded_*',
  'reason:*',
  'answer:none',
  'answer:*1*',
  'policy_tokens:>500 mean_entropy:<0.5',
  'penalty:>0.2 p_err:..0.5',
  'latency_ms:>1',
  'latency_ms:none',
  'repeats:>0',
  'repeats:0',
  'pass_rate:0.2..0.8',
  'pass_rate:1',
  'source:*',
  'ground_truth:none',
  'problem_id:*a*',
  'wait',
  '"double-check" or however',
  'code:sympy',
  'output:Error -outcome:timeout',
  'prompt:the',
  'reasoning:/\\bwait\\b/i kept:*',
  'answer_text:the or -text:import',
  'ordinal:0 group_key:*',
  'duration:>20 worker:w1',
  'duration:none',
  'worker:none -gpu:0',
  'gpu:0,1',
  'flag:equals_truth is_correct:true',
  'flag:*',
  'flag:*_answer*',
  'flag:none or flag:all_calls_failed,identical_retry',
];

describe('filters over columns', () => {
  it.each(FILTERS)('%s: the same rollouts as SQL over the views', (filter) => {
    const engine = new ColumnQueryEngine(db);
    let some = 0;
    for (const { run_id } of runs) {
      const ids = idsFor(engine, run_id, filter);
      expect([...ids].sort((a, b) => a - b)).toEqual(idsBySql(run_id, filter));
      some += ids.length;
    }
    expect(some).toBeGreaterThan(0);
  });

  it('reads only the texts of rollouts that the rest of the filter leaves', () => {
    const plan = db.prepare(`EXPLAIN QUERY PLAN ${filterSql(nodeOf('wait'), 1)}`).all() as {
      detail: string;
    }[];
    const steps = plan.map(({ detail }) => detail);
    expect(steps).toContain('SEARCH segment_row USING PRIMARY KEY (rollout_id=?)');
    expect(steps.filter((step) => step.includes('AUTOMATIC'))).toEqual([]);
  });

  it('any filter of numbers, flags and words equals SQL, and its negation is the complement', () => {
    const number = fc.oneof(fc.integer({ min: -3, max: 40 }), fc.constantFrom(0.25, 0.5, 1000, 4000));
    const bound = fc.record({ value: number, isExclusive: fc.boolean() });
    const leaf: fc.Arbitrary<FilterNode> = fc.oneof(
      fc.record({
        kind: fc.constant('number' as const),
        field: fc.constantFrom(...NUMBER_FIELDS),
        from: bound,
      }),
      fc.record({
        kind: fc.constant('number' as const),
        field: fc.constantFrom(...NUMBER_FIELDS),
        to: bound,
      }),
      fc.record({
        kind: fc.constant('flag' as const),
        field: fc.constantFrom('is_correct' as const, 'kept' as const),
        value: fc.boolean(),
      }),
      fc.record({
        kind: fc.constant('known' as const),
        field: fc.constantFrom(
          'answer' as const,
          'mean_entropy' as const,
          'kept' as const,
          'tool' as const,
          'ground_truth' as const,
        ),
      }),
      fc.record({
        kind: fc.constant('word' as const),
        field: fc.constantFrom(
          'answer' as const,
          'problem_id' as const,
          'reason' as const,
          'tool' as const,
          'outcome' as const,
        ),
        text: fc.constantFrom('*', '1*', '*e*', 'a_b*', '*%', "it's*", '*_*e'),
        isPattern: fc.constant(true),
      }),
    );
    const { node: anyNode } = fc.letrec<{ node: FilterNode }>((tie) => ({
      node: fc.oneof(
        { maxDepth: 3 },
        leaf,
        fc.record({ kind: fc.constant('not' as const), node: tie('node') }),
        fc.record({
          kind: fc.constantFrom('and' as const, 'or' as const),
          nodes: fc.array(tie('node'), { minLength: 2, maxLength: 3 }),
        }),
      ),
    }));
    const engine = new ColumnQueryEngine(db);
    fc.assert(
      fc.property(anyNode, fc.nat(), (node, at) => {
        const run = runs[at % runs.length];
        if (run === undefined) throw new Error('no runs');
        const filter = filterText(node);
        const ids = idsFor(engine, run.run_id, filter);
        expect([...ids].sort((a, b) => a - b)).toEqual(idsBySql(run.run_id, filter));
        const rest = idsFor(engine, run.run_id, filterText({ kind: 'not', node }));
        expect(ids.length + rest.length).toBe(run.rollouts);
      }),
      { seed: 17, numRuns: 100 },
    );
  });

  it.each(['/the/', 'not /the/', '/the/ or is_correct:true'])(
    '%s in one group: reads the texts of no other group',
    (filter) => {
      const runId = runs[0]?.run_id ?? 0;
      const groups = db
        .prepare('SELECT group_id, rollouts FROM group_row WHERE run_id = ? ORDER BY group_id DESC LIMIT 2')
        .all(runId) as { group_id: number; rollouts: number }[];
      const wanted = new Set(idsBySql(runId, filter));
      for (const { group_id: groupId, rollouts } of groups) {
        const read = vi.spyOn(TextReader.prototype, 'rollout');
        const question = { method: 'rollout.order' as const, runId, groupId, filter, sort: [] };
        const { ids } = ask<{ ids: Uint32Array }>(new ColumnQueryEngine(db), question);
        const reads = read.mock.calls.length;
        read.mockRestore();
        expect(reads).toBeGreaterThan(0);
        expect(reads).toBeLessThanOrEqual(rollouts);
        const all = db
          .prepare('SELECT rollout_id FROM rollout_row WHERE group_id = ? ORDER BY rollout_id')
          .pluck()
          .all(groupId) as number[];
        expect(Array.from(ids).sort((a, b) => a - b)).toEqual(all.filter((id) => wanted.has(id)));
      }
    },
  );

  it('returns a syntax error with its position', () => {
    const failed = askColumns(new ColumnQueryEngine(db), {
      method: 'rollout.order',
      runId: 1,
      filter: 'reward:high',
      sort: [],
    });
    expect(failed).toMatchObject({
      ok: false,
      failure: { code: 'bad_request', message: expect.stringMatching(/character 8/) },
    });
  });

  it('stops between two steps when cancelled', () => {
    const question = {
      method: 'rollout.order' as const,
      runId: runs[0]?.run_id ?? 0,
      filter: 'wait',
      sort: [],
    };
    const answer = askColumns(new ColumnQueryEngine(db), question, CANCELLED_TASK);
    expect(answer).toMatchObject({ ok: false, failure: { code: 'cancelled' } });
  });
});

describe('orders over columns', () => {
  it.each(ROLLOUT_SORTS)('by %s: equals SQL in both directions, with ties broken by a second key', (by) => {
    const engine = new ColumnQueryEngine(db);
    for (const { run_id: runId } of runs.slice(0, 6)) {
      for (const direction of ['ascending', 'descending'] as const) {
        const sort = [
          { by, direction },
          { by: 'turns' as const, direction: 'descending' as const },
        ];
        const ours = ask<{ ids: Uint32Array }>(engine, { method: 'rollout.order', runId, filter: '', sort });
        expect(Array.from(ours.ids)).toEqual(rolloutOrder(db, { runId, sort }));
      }
    }
  });

  it.each(['ascending', 'descending'] as const)(
    'log order %s decides between equal rollouts, and later keys do not',
    (direction) => {
      const engine = new ColumnQueryEngine(db);
      const log = { by: 'order' as const, direction };
      const reward = { by: 'reward' as const, direction: 'ascending' as const };
      const turns = { by: 'turns' as const, direction: 'descending' as const };
      for (const { run_id: runId } of runs.slice(0, 6)) {
        for (const sort of [
          [reward, log],
          [reward, log, turns],
          [log, turns],
          [turns, reward, log],
        ]) {
          const ours = ask<{ ids: Uint32Array }>(engine, {
            method: 'rollout.order',
            runId,
            filter: '',
            sort,
          });
          expect(Array.from(ours.ids)).toEqual(rolloutOrder(db, { runId, sort }));
        }
      }
    },
  );

  it.each(GROUP_SORTS)('orders the groups of a run and of a step by %s as SQL does', (sort) => {
    const engine = new ColumnQueryEngine(db);
    for (const { run_id: runId } of runs) {
      const [first] = db
        .prepare('SELECT min(step) FROM group_row WHERE run_id = ?')
        .pluck()
        .all(runId) as number[];
      for (const direction of ['ascending', 'descending'] as const)
        for (const step of [undefined, first]) {
          const params = { runId, step, filter: '', sort, direction, withRows: false };
          const { ids } = ask<{ ids: Uint32Array }>(engine, { method: 'group.order', ...params });
          expect(Array.from(ids)).toEqual(groupOrder(db, params));
        }
    }
  });

  it.each(GROUP_SORTS)('groups by %s: those with a rollout that matches, with how many', (sort) => {
    const runId = runs[0]?.run_id ?? 0;
    const { ids, matches } = ask<{ ids: Uint32Array; matches: Uint32Array }>(new ColumnQueryEngine(db), {
      method: 'group.order',
      runId,
      filter: 'is_correct:true',
      sort,
      direction: 'ascending',
    });
    const bySql = db
      .prepare(
        'SELECT group_id, count(*) AS n FROM rollout WHERE run_id = ? AND is_correct = 1 GROUP BY group_id',
      )
      .all(runId) as { group_id: number; n: number }[];
    const counts = new Map(bySql.map(({ group_id, n }) => [group_id, n]));
    expect(ids.length).toBe(counts.size);
    expect(Array.from(ids, (id) => counts.get(id))).toEqual(Array.from(matches));
  });
});

/** Computes the chart values from the rows, independently of the columns. */
function factsBySql(runId: number, filter: string): readonly Record<string, unknown>[] {
  const matching = `SELECT rollout_id FROM (${filterSql(nodeOf(filter), runId)})`;
  const errors = "('exception', 'timeout', 'infra', 'parse_error', 'dispatch_error', 'error')";
  return db
    .prepare(
      `SELECT coalesce(step, 0) AS step, count(*) AS rollouts, count(DISTINCT group_id) AS groups,
        avg(reward) AS meanReward, count(reward) AS rewards, json_group_array(reward) AS rewardList,
        avg(is_correct) AS passRate, sum(tool_calls) AS toolCalls,
        avg(tool_calls) AS toolCallsPerRollout, avg(tool_calls = 0) AS noToolShare,
        avg(malformed_calls > 0) AS malformedCallShare,
        1.0 * sum(tool_errors) / nullif(sum(tool_calls), 0) AS toolErrorRate,
        1.0 * sum(tool_errors) FILTER (WHERE is_correct) / nullif(sum(tool_calls) FILTER (WHERE is_correct), 0) AS toolErrorRateCorrect,
        avg(tool_errors > 0) FILTER (WHERE is_correct) AS correctWithErrorShare,
        avg(turns) AS meanTurns, avg(policy_tokens) AS meanTokens, avg(response_chars) AS meanChars,
        avg(stop_reason IS 'length') FILTER (WHERE stop_reason_logged IS NOT NULL) AS truncatedShare,
        avg(kept) AS keptShare, avg(kept) FILTER (WHERE is_correct = 1) AS keptShareCorrect,
        avg(kept) FILTER (WHERE is_correct = 0) AS keptShareWrong,
        count(*) FILTER (WHERE tool_errors > 0 AND is_correct IS NOT NULL) AS erred,
        count(*) FILTER (WHERE tool_errors > 0 AND is_correct = 1) AS erredCorrect,
        (SELECT json_object('calls', count(*), 'succeeded', count(*) FILTER (WHERE n.outcome LIKE 'ok%'))
          FROM tool_call c JOIN tool_call n ON n.rollout_id = c.rollout_id AND n.ordinal = c.ordinal + 1
          WHERE c.outcome IN ${errors} AND n.outcome NOT IN ('missing', 'malformed') AND c.rollout_id IN
            (SELECT x.rollout_id FROM rollout x WHERE x.run_id = rollout.run_id AND x.step IS rollout.step AND x.rollout_id IN (${matching}))) AS retries
      FROM rollout WHERE rollout_id IN (${matching}) GROUP BY step ORDER BY step`,
    )
    .all() as Record<string, unknown>[];
}

const DIRECT = [
  'meanReward',
  'passRate',
  'toolCalls',
  'malformedCallShare',
  'toolCallsPerRollout',
  'noToolShare',
  'toolErrorRate',
  'toolErrorRateCorrect',
  'correctWithErrorShare',
  'meanTurns',
  'meanTokens',
  'meanChars',
  'truncatedShare',
  'keptShare',
  'keptShareCorrect',
  'keptShareWrong',
] as const;

/** Sample standard deviation, in two passes. */
function deviationOf(list: unknown): number | null {
  const rewards = (JSON.parse(String(list)) as (number | null)[]).filter((reward) => reward !== null);
  const mean = rewards.reduce((sum, reward) => sum + reward, 0) / rewards.length;
  const squares = rewards.reduce((sum, reward) => sum + (reward - mean) ** 2, 0);
  return rewards.length < 2 ? null : Math.sqrt(squares / (rewards.length - 1));
}

function expectClose(found: number | undefined, expected: unknown): void {
  if (typeof expected !== 'number') expect(found).toBeUndefined();
  else expect(found).toBeCloseTo(expected, 9);
}

describe('charts', () => {
  it.each(['', 'is_correct:true', 'tool_calls:>1', 'step:..300 kept:false'])(
    '%s: equal SQL over the rows',
    (filter) => {
      const engine = new ColumnQueryEngine(db);
      let compared = 0;
      for (const { run_id: runId } of runs) {
        const { steps } = ask<{ steps: readonly StepFacts[] }>(engine, {
          method: 'step.series',
          runId,
          filter,
        });
        const bySql = factsBySql(runId, filter);
        expect(steps.filter(({ rollouts }) => rollouts > 0).map(({ step }) => step)).toEqual(
          bySql.map((row) => row['step']),
        );
        for (const row of bySql) {
          const facts = steps.find(({ step }) => step === row['step']);
          expect(facts).toMatchObject({ rollouts: row['rollouts'], groups: row['groups'] });
          for (const name of DIRECT) {
            expectClose(facts?.values[name], row[name]);
            if (row[name] !== null) compared++;
          }
          expect(facts?.retries).toEqual(JSON.parse(String(row['retries'])));
          expect(facts?.recovery).toEqual({ rollouts: row['erred'], correct: row['erredCorrect'] });
          expect(facts?.reward?.known ?? 0).toBe(row['rewards']);
          expectClose(facts?.reward?.deviation, deviationOf(row['rewardList']));
        }
      }
      expect(compared).toBeGreaterThan(20);
    },
  );

  it('a row of the step table is equal, stored or summed over columns', () => {
    const close = (row: StepRow) =>
      Object.fromEntries(
        Object.entries(row).flatMap(([name, value]) =>
          value === undefined ? [] : [[name, Number(value.toPrecision(12))]],
        ),
      );
    for (const { run_id: runId } of runs) {
      const question = { method: 'step.series' as const, runId, filter: '' };
      const { steps } = ask<{ steps: readonly StepFacts[] }>(new ColumnQueryEngine(db), question);
      expect(steps.map(rowOfFacts).map(close)).toEqual(listSteps(db, runId).map(rowOfSummary).map(close));
    }
  });

  it('rewards by problem, of the matching rollouts', () => {
    const runId = runs[0]?.run_id ?? 0;
    const found = ask<ProblemRewards>(new ColumnQueryEngine(db), {
      method: 'step.problemRewards',
      runId,
      step: 200,
      filter: 'tool_calls:>1',
    });
    const expected = db
      .prepare(
        `SELECT g.problem_id AS id, count(r.reward) AS rollouts, sum(r.reward) AS sum
           FROM rollout r JOIN prompt_group g USING (group_id)
           WHERE r.run_id = ? AND r.step = 200 AND r.tool_calls > 1 AND r.reward IS NOT NULL
           GROUP BY g.problem_id ORDER BY min(r.group_id)`,
      )
      .all(runId) as { id: string; rollouts: number; sum: number }[];
    expect(expected.length).toBeGreaterThan(2);
    expect(found.problems.map((key) => key.split(':').at(-1))).toEqual(expected.map(({ id }) => id));
    expect(expected.map(({ rollouts }) => rollouts)).toEqual([...found.rollouts]);
    expect(expected.map(({ sum }) => sum)).toEqual([...found.sums]);
  });

  it('percentiles, outcomes, groups and entropy of the demo run', () => {
    const runId = runs[0]?.run_id ?? 0;
    const { steps } = ask<{ steps: readonly StepFacts[] }>(new ColumnQueryEngine(db), {
      method: 'step.series',
      runId,
      filter: '',
    });
    for (const facts of steps) {
      const column = (sql: string) => db.prepare(sql).pluck().all(runId, facts.step) as number[];
      const tokens = column(
        'SELECT policy_tokens FROM rollout WHERE run_id = ? AND step = ? AND policy_tokens IS NOT NULL ORDER BY 1',
      );
      expect(facts.values.p95Tokens).toBe(tokens[Math.ceil(tokens.length * 0.95) - 1]);
      const latencies = column(
        'SELECT latency_ms FROM tool_call WHERE latency_ms IS NOT NULL AND rollout_id IN (SELECT rollout_id FROM rollout WHERE run_id = ? AND step = ?) ORDER BY 1',
      ).map(Math.fround);
      expect(facts.latency).toMatchObject({
        calls: latencies.length,
        p50Ms: latencies[Math.ceil(latencies.length * 0.5) - 1],
        maxMs: latencies.at(-1),
      });
      const calls = db
        .prepare(
          'SELECT outcome, count(*) AS n FROM tool_call WHERE rollout_id IN (SELECT rollout_id FROM rollout WHERE run_id = ? AND step = ?) GROUP BY outcome',
        )
        .all(runId, facts.step) as { outcome: string; n: number }[];
      expect(facts.outcomes).toEqual(Object.fromEntries(calls.map(({ outcome, n }) => [outcome, n])));
      const step = db
        .prepare('SELECT * FROM step WHERE run_id = ? AND step = ?')
        .get(runId, facts.step) as Record<string, number>;
      expect(facts.values.groupsMixed).toBe(step['groups_mixed']);
      expectClose(facts.values.meanEntropy, step['mean_entropy']);
    }
    expect(steps.length).toBeGreaterThan(1);
  });
});

describe('stored columns', () => {
  it('equal the rows, are used, and are rebuilt when a step changes', async () => {
    const before = runs.map(({ run_id: runId }) =>
      ask(new ColumnQueryEngine(db), { method: 'step.series', runId, filter: 'tool_calls:>0' }),
    );
    const writer = openWriter(place.library);
    let kept = 0;
    const columnWriter = new StepColumnWriter(writer, (step, columns) => stepFacts(sourceOf(step, columns)));
    while (columnWriter.storeOne()) kept++;
    expect(kept).toBe(db.prepare('SELECT count(*) FROM step_row').pluck().get());
    const after = runs.map(({ run_id: runId }) =>
      ask(new ColumnQueryEngine(db), { method: 'step.series', runId, filter: 'tool_calls:>0' }),
    );
    expect(after).toEqual(before);
    const whole = runs.map(({ run_id: runId }) =>
      ask(new ColumnQueryEngine(db), { method: 'step.series', runId, filter: '' }),
    );
    const masked = runs.map(({ run_id: runId }) =>
      ask(new ColumnQueryEngine(db), { method: 'step.series', runId, filter: 'ordinal:>=0' }),
    );
    expect(whole).toEqual(masked);

    // Stored columns are read without verification: a manipulated column is believed until the next change.
    const runId = runs[0]?.run_id ?? 0;
    const step = Number(db.prepare('SELECT min(step) FROM step_row WHERE run_id = ?').pluck().get(runId));
    writer
      .prepare(
        "UPDATE step_column_row SET bytes = zeroblob(length(bytes)) WHERE run_id = ? AND step = ? AND name = 'reward'",
      )
      .run(runId, step);
    const ofStep = { method: 'rollout.order' as const, runId, step, filter: 'reward:0', sort: [] };
    const all = Number(
      db.prepare('SELECT rollouts FROM step_row WHERE run_id = ? AND step = ?').pluck().get(runId, step),
    );
    const engine = new ColumnQueryEngine(db);
    expect(ask<{ ids: Uint32Array }>(engine, ofStep).ids).toHaveLength(all);
    writer
      .prepare('UPDATE step_revision_row SET revision = revision + 1 WHERE run_id = ? AND step = ?')
      .run(runId, step);
    expect(ask<{ ids: Uint32Array }>(engine, ofStep).ids.length).toBeLessThan(all);
    expect(columnWriter.storeOne()).toBe(true);
    expect(columnWriter.storeOne()).toBe(false);
    writer.close();
  });

  it('are found in one pass over the steps, also when one before the last changes', () => {
    const writer = openWriter(place.library);
    const order: string[] = [];
    const columnWriter = new StepColumnWriter(writer, (step, columns) => {
      order.push(String(step));
      return stepFacts(sourceOf(step, columns));
    });
    writer.exec('DELETE FROM step_column_row');
    const steps = writer.prepare('SELECT run_id, step FROM step_row ORDER BY run_id, step').all() as {
      run_id: number;
      step: number;
    }[];
    columnWriter.storeOne();
    columnWriter.storeOne();
    const [first] = steps;
    writer
      .prepare('UPDATE step_revision_row SET revision = revision + 1 WHERE run_id = ? AND step = ?')
      .run(first?.run_id, first?.step);
    while (columnWriter.storeOne());
    expect(order).toEqual([...steps, first].map((each) => String(each?.step)));
    writer.close();
  });

  it('queries use their indexes', () => {
    const planOf = (sql: string): string[] =>
      (
        db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...Array(sql.split('?').length - 1).fill(1)) as {
          detail: string;
        }[]
      ).map(({ detail }) => detail);
    expect(planOf(STEP_ROLLOUTS)[0]).toMatch(/^SEARCH r USING INDEX rollout_by_step/);
    expect(planOf(STEP_CALLS)).toEqual([
      expect.stringMatching(/^SEARCH r USING COVERING INDEX rollout_by_step/),
      expect.stringMatching(/^SEARCH c USING PRIMARY KEY/),
    ]);
    expect(planOf(KEPT_COLUMN)).toEqual([
      expect.stringMatching(/^SEARCH step_column_row USING INDEX step_column_by_name/),
    ]);
    expect(planOf(STALE_STEPS).join('\n')).toMatch(/SEARCH c USING INDEX step_column_by_name/);
    // Continues after a place instead of reading all steps before it.
    expect(planOf(STALE_STEPS).join('\n')).toMatch(/SEARCH s USING .*\(\(run_id,step\)>\(\?,\?\)\)/);
  });
});
