/** Latency distributions equal counts over the raw rows. */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ColumnQueryEngine } from '../../electron/columns/queryEngine.ts';
import { filterSql } from '../../electron/storage/filterSql.ts';
import { openReader, type ReadableLibrary } from '../../electron/storage/open.ts';
import type { LatencyDistribution } from '../../shared/api/contract.ts';
import { readFilter } from '../../shared/domain/filter/parse.ts';
import { binsWithCalls, LATENCY_BINS, LATENCY_EDGES, latencyBinOf } from '../../shared/domain/latencyBins.ts';
import { askColumns, CANCELLED_TASK, type ColumnQuestion } from '../support/columnQuestion.ts';
import { ingestHere, type Scratch, scratch } from '../support/library.ts';
import { copyDemoLibrary } from '../support/preparedLibrary.ts';

const FIXTURES = join(import.meta.dirname, '../../fixtures');
/** All orders of magnitude, on edges and beside them. The third call of each rollout is not logged. */
const LATENCIES = [
  0, 0.4, 1, 1.25, 3.15, 3.149, 40, 299.5, 300, 315, 629.9, 630, 8000, 59_000, 1e6, 2_500_000,
];

let place: Scratch;
let db: ReadableLibrary;
let runs: readonly { readonly run_id: number; readonly name: string }[];

function logOf(steps: number): string {
  const call = '<tool_call>\n{"name": "python", "arguments": {"code": "1"}}\n</tool_call><|im_end|>\n';
  const answer = (seconds: string) =>
    `<|im_start|>user\n<tool_response>\nTool call success\nstdout: 1\n\nexecution time: ${seconds}s\n</tool_response><|im_end|>\n<|im_start|>assistant\n`;
  const lines = Array.from({ length: steps * 6 }, (_, i) => {
    const at = (by: number) => LATENCIES[(i * 3 + by) % LATENCIES.length];
    return {
      ...{
        v: 1,
        type: 'rollout',
        run: 'slow',
        step: 1 + Math.floor(i / 6),
        group: `g${Math.floor(i / 3)}`,
        index: i % 3,
      },
      ...{ problem: { prompt: 'p' }, reward: i % 2 },
      text: `${call}${answer('0.02')}${call}${answer('1.5')}${call}${answer('0.31')}done`,
      tool_calls: [
        { turn: 1, latency_ms: at(0) },
        { turn: 2, latency_ms: at(1) },
      ],
    };
  });
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('');
}

beforeAll(async () => {
  place = scratch();
  const slow = place.file('slow.jsonl', logOf(5));
  await copyDemoLibrary(place.library);
  await ingestHere(place.library, [slow, join(FIXTURES, 'verl')]);
  db = openReader(place.library);
  runs = db.prepare('SELECT run_id, name FROM run WHERE rollouts > 0').all() as typeof runs;
});
afterAll(() => {
  db.close();
  place.remove();
});

interface Call {
  readonly latency_ms: number | null;
  readonly is_latency_logged: number | null;
}

type Question = Omit<Extract<ColumnQuestion, { method: 'run.latencies' }>, 'method'>;

function callsBySql({ runId, from = 0, to = 1e9, filter }: Question): readonly Call[] {
  const read = readFilter(filter);
  if (!read.ok) throw new Error(read.fault.message);
  return db
    .prepare(
      `SELECT c.latency_ms, c.is_latency_logged FROM tool_call_row c JOIN rollout_row r USING (rollout_id)
       JOIN group_row g USING (group_id) WHERE g.run_id = ? AND g.step BETWEEN ? AND ?
       AND rollout_id IN (SELECT rollout_id FROM (${filterSql(read.node, runId)}))`,
    )
    .all(runId, from, to) as Call[];
}

/** A naive version: collects every value in a list per bin, sorts and ranks it. */
function expected(calls: readonly Call[]) {
  // Columns hold single precision.
  const known = calls.flatMap(({ latency_ms: ms, is_latency_logged: logged }) =>
    ms === null ? [] : [{ ms: Math.fround(ms), source: logged === 1 ? 'logged' : 'derived' }],
  );
  const rank = (values: readonly number[], share: number) =>
    [...values].sort((a, b) => a - b)[Math.max(0, Math.ceil(share * values.length) - 1)];
  const three = (values: readonly number[]) => ({
    p50Ms: rank(values, 0.5),
    p95Ms: rank(values, 0.95),
    maxMs: Math.max(...values),
  });
  const all = known.map(({ ms }) => ms);
  return {
    calls: calls.length,
    known: known.length,
    bins: LATENCY_EDGES.concat(Number.POSITIVE_INFINITY)
      .map((to, bin) => {
        const from = bin === 0 ? Number.NEGATIVE_INFINITY : (LATENCY_EDGES[bin - 1] ?? 0);
        const here = known.filter(({ ms }) => ms >= from && ms < to);
        const of = (source: string) => here.filter((one) => one.source === source).length;
        return {
          fromMs: Math.max(0, from),
          logged: of('logged'),
          derived: of('derived'),
        };
      })
      .filter(({ logged, derived }) => logged + derived > 0),
    ...(all.length === 0
      ? {}
      : { summary: { ...three(all), meanMs: all.reduce((sum, ms) => sum + ms, 0) / all.length } }),
    sources: (['logged', 'derived'] as const).flatMap((source) => {
      const own = known.filter((one) => one.source === source).map(({ ms }) => ms);
      return own.length === 0 ? [] : [{ source, calls: own.length, ...three(own) }];
    }),
  };
}

const withoutEmpty = ({ bins, ...rest }: LatencyDistribution) => ({
  ...rest,
  bins: bins.filter(({ logged, derived }) => logged + derived > 0).map(({ toMs, ...bin }) => bin),
});

describe('run.latencies', () => {
  const CASES: readonly Omit<Question, 'runId'>[] = [
    { filter: '' },
    { filter: '', from: 2, to: 3 },
    { filter: 'is_correct:true' },
    { filter: 'reward:0 latency_ms:>300', from: 2 },
    { filter: 'tool_calls:0' },
    { filter: '', from: 10_000 },
  ];

  it.each(CASES)('%j: equals counts over the rows, in every run', (scope) => {
    const engine = new ColumnQueryEngine(db);
    let known = 0;
    for (const { run_id: runId } of runs) {
      const question = { runId, ...scope };
      const answer = askColumns(engine, { method: 'run.latencies', ...question });
      if (!answer.ok) throw new Error(answer.failure.message);
      const found = withoutEmpty(answer.value as LatencyDistribution);
      const raw = expected(callsBySql(question));
      expect(found).toEqual({
        ...raw,
        ...(raw.summary === undefined
          ? {}
          : { summary: { ...raw.summary, meanMs: expect.closeTo(raw.summary.meanMs, 6) } }),
      });
      known += found.known;
    }
    expect(known > 0).toBe(scope.filter !== 'tool_calls:0' && scope.from !== 10_000);
  });

  it('has calls of both sources, and consecutive bins', () => {
    const { run_id: runId } = runs.find(({ name }) => name === 'slow') ?? { run_id: -1 };
    const engine = new ColumnQueryEngine(db);
    const answer = askColumns(engine, { method: 'run.latencies', runId, filter: '' });
    const { bins, sources } = (answer.ok ? answer.value : undefined) as LatencyDistribution;
    expect(sources.map(({ source }) => source)).toEqual(['logged', 'derived']);
    expect(bins[0]?.fromMs).toBe(0);
    expect(bins.slice(1).map(({ fromMs }) => fromMs)).toEqual(bins.slice(0, -1).map(({ toMs }) => toMs));
    expect(bins.at(-1)).toEqual({ fromMs: 1e6, logged: expect.any(Number), derived: 0 });
  });

  it('a bin leads to rollouts whose slowest call is in it', () => {
    const { run_id: runId } = runs.find(({ name }) => name === 'slow') ?? { run_id: -1 };
    const slowest = db
      .prepare(
        `SELECT max(c.latency_ms) AS ms FROM tool_call_row c JOIN rollout_row r USING (rollout_id)
         JOIN group_row g USING (group_id) WHERE g.run_id = ? GROUP BY rollout_id`,
      )
      .all(runId) as { readonly ms: number }[];
    const engine = new ColumnQueryEngine(db);
    let rollouts = 0;
    const every = new Float64Array(LATENCY_BINS).fill(1);
    for (const [bin, { fromMs, toMs }] of binsWithCalls(every, every).entries()) {
      const filter = `latency_ms:>=${fromMs}${toMs === undefined ? '' : ` latency_ms:<${toMs}`}`;
      const answer = askColumns(engine, { method: 'rollout.order', runId, filter, sort: [] });
      const found = answer.ok ? (answer.value as { ids: Uint32Array }).ids.length : -1;
      expect(found, filter).toBe(slowest.filter(({ ms }) => latencyBinOf(ms) === bin).length);
      rollouts += found;
    }
    expect(rollouts).toBe(slowest.length);
  });

  it('stops when cancelled', () => {
    const engine = new ColumnQueryEngine(db);
    const runId = runs[0]?.run_id ?? 0;
    const answer = askColumns(engine, { method: 'run.latencies', runId, filter: '' }, CANCELLED_TASK);
    expect(answer).toMatchObject({ ok: false, failure: { code: 'cancelled' } });
  });
});

it('edges are short decimals, each the start of its bin', () => {
  expect(LATENCY_EDGES.slice(0, 12)).toEqual([1, 1.25, 1.6, 2, 2.5, 3.15, 4, 5, 6.3, 8, 10, 12.5]);
  expect(LATENCY_EDGES.slice(-11)).toEqual([1e5, 125e3, 16e4, 2e5, 25e4, 315e3, 4e5, 5e5, 63e4, 8e5, 1e6]);
  LATENCY_EDGES.forEach((edge, i) => {
    expect([latencyBinOf(edge), latencyBinOf(edge - edge * 1e-9)]).toEqual([i + 1, i]);
    // Rounding to single precision keeps the bin.
    expect(latencyBinOf(Math.fround(edge))).toBe(i + 1);
  });
});
