/**
 * A library of a million rollouts: ordered and filtered lists and charts, requested from the host. The floor
 * is one pass of the driver over the same number of ids in an index.
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { createHost } from '../../electron/host/createHost.ts';
import type { Host } from '../../electron/host/host.ts';
import { openReader } from '../../electron/storage/open.ts';
import { STALE_STEPS } from '../../electron/storage/queries/columns.ts';
import { MILLION, type ScaleOptions, writeScaleLogs } from '../../fixtures/generate/scaleLogs.ts';
import {
  GROUP_SORTS,
  type Method,
  type ParamsOf,
  type ResultOf,
  ROLLOUT_SORTS,
} from '../../shared/api/contract.ts';
import { type Measurement, percentile } from './measurement.ts';

const ROUNDS = 5;
/** With fewer, the 95th percentile is the slowest one, often a garbage collection. */
const FEWEST_SAMPLES = 40;
const FIRST_SCREEN = 60;
const LIST_MS = 100;
const FILTERED_CHART_MS = 1000;

/** Fields with columns; text search is measured elsewhere. */
const FILTERS = [
  'kept:false',
  'reward:0 tool_errors:>1',
  'step:20..40 outcome:timeout',
  'stop_reason:length or is_correct:none',
  'problem_id:p77',
  'answer:1*',
  'pass_rate:0.2..0.8 -tool_calls:0',
] as const;

/** @returns the library, made in the given folder */
export async function makeScaleLibrary(directory: string, options: ScaleOptions = MILLION): Promise<string> {
  const logs = join(directory, 'logs');
  const libraryPath = join(directory, 'scale.sqlite');
  writeScaleLogs(logs, options);
  const host = await createHost({ libraryPath, shell: 'browser', version: 'bench' });
  try {
    const { rollouts } = await host.ingest([logs]);
    const expected = options.steps * options.groupsPerStep * options.groupSize;
    if (rollouts !== expected) throw new Error(`${rollouts} rollouts instead of ${expected}`);
    await columnsKept(libraryPath);
  } finally {
    await host.close();
  }
  rmSync(logs, { recursive: true });
  return libraryPath;
}

/** The writer stores columns while it is idle. */
async function columnsKept(libraryPath: string): Promise<void> {
  const db = openReader(libraryPath);
  while (db.prepare(STALE_STEPS).get(-1, 0) !== undefined)
    await new Promise((resolve) => setTimeout(resolve, 200));
  db.close();
}

export async function benchScale(directory: string): Promise<Measurement[]> {
  const libraryPath = await makeScaleLibrary(directory);
  const results: Measurement[] = [];
  const cold = await timed(() => openAndList(libraryPath));
  results.push({ name: '1 M rollouts: host started to the first page of the run', value: cold, unit: 'ms' });
  const host = await createHost({ libraryPath, shell: 'browser', version: 'bench' });
  try {
    const floor = floorOf(libraryPath);
    const measure = async (name: string, budget: number, questions: readonly (() => Promise<unknown>)[]) => {
      // The first round reads columns from the file.
      for (const ask of questions) await ask();
      const times: number[] = [];
      const rounds = budget === LIST_MS ? Math.max(ROUNDS, FEWEST_SAMPLES / questions.length) : ROUNDS;
      for (let round = 0; round < rounds; round++) for (const ask of questions) times.push(await timed(ask));
      const value = percentile(times, 0.95);
      results.push({
        name: `1 M rollouts, ${name}: p95`,
        value,
        unit: 'ms',
        floor,
        ratio: value / floor,
        budget,
        within: value <= budget,
      });
    };
    await measure(
      'first page by any sort',
      LIST_MS,
      ROLLOUT_SORTS.map((by) => () => firstPage(host, '', by)),
    );
    await measure(
      'first page under a filter',
      LIST_MS,
      FILTERS.map((filter) => () => firstPage(host, filter, 'reward')),
    );
    await measure(
      'first page of groups by any sort',
      LIST_MS,
      GROUP_SORTS.map((sort) => () => ask(host, 'group.order', { runId: 1, sort })),
    );
    await measure('charts without a filter', LIST_MS, [() => ask(host, 'step.series', { runId: 1 })]);
    await measure('tool latencies without a filter', LIST_MS, [
      () => ask(host, 'run.latencies', { runId: 1 }),
    ]);
    await measure('problems by steps', LIST_MS, [() => ask(host, 'problem.map', { runId: 1 })]);
    await measure(
      'charts under a filter',
      FILTERED_CHART_MS,
      FILTERS.map((filter) => () => ask(host, 'step.series', { runId: 1, filter })),
    );
    return results;
  } finally {
    await host.close();
  }
}

async function openAndList(libraryPath: string): Promise<void> {
  const host = await createHost({ libraryPath, shell: 'browser', version: 'bench' });
  await ask(host, 'run.list', {});
  await firstPage(host, '', 'order');
  await host.close();
}

async function firstPage(host: Host, filter: string, by: (typeof ROLLOUT_SORTS)[number]): Promise<void> {
  const { ids } = await ask(host, 'rollout.order', {
    runId: 1,
    filter,
    sort: [{ by, direction: 'descending' }],
  });
  const rows = await ask(host, 'rollout.rows', { rolloutIds: Array.from(ids.subarray(0, FIRST_SCREEN)) });
  if (rows.length === 0) throw new Error(`${filter}: no rows`);
}

async function ask<M extends Method>(host: Host, method: M, params: ParamsOf<M>): Promise<ResultOf<M>> {
  const result = await host.dispatch(method, params);
  if (!result.ok) throw new Error(`${method}: ${result.failure.message}`);
  return result.value as ResultOf<M>;
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

function floorOf(libraryPath: string): number {
  const db = new Database(libraryPath, { readonly: true });
  const statement = db
    .prepare('SELECT rollout_id FROM rollout_row WHERE run_id = 1 ORDER BY run_id, step')
    .pluck();
  const times = Array.from({ length: ROUNDS }, () => {
    const started = performance.now();
    statement.all();
    return performance.now() - started;
  });
  db.close();
  return percentile(times, 0.5);
}
