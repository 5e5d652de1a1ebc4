/** A step of 16,384 rollouts: its order and the first screen of rows, as the renderer asks for them. */
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { createHost } from '../../electron/host/createHost.ts';
import type { Host } from '../../electron/host/host.ts';
import { writeVerlDump } from '../../fixtures/generate/verlDump.ts';
import { ROLLOUT_SORTS, type RolloutSort } from '../../shared/api/contract.ts';
import { type Measurement, percentile } from './measurement.ts';

const ROLLOUTS = 16_384;
const FIRST_SCREEN = 50;
const ROUNDS = 20;
const BUDGET_MS = 100;

export async function benchFirstPage(directory: string): Promise<Measurement[]> {
  const logs = join(directory, 'step');
  // Short texts, because lists read none and the file is written in a second.
  writeVerlDump(logs, Number.MAX_SAFE_INTEGER, { seed: 2, rolloutsPerStep: ROLLOUTS, padding: 0, steps: 1 });
  const library = join(directory, 'step.sqlite');
  const host = await createHost({ libraryPath: library, shell: 'browser', version: 'bench' });
  try {
    const report = await host.ingest([logs]);
    if (report.rollouts !== ROLLOUTS) throw new Error(`${report.rollouts} rollouts instead of ${ROLLOUTS}`);
    const times: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      for (const sort of ROLLOUT_SORTS) times.push(await firstPage(host, sort));
    }
    const warm = times.slice(ROLLOUT_SORTS.length);
    const p95 = percentile(warm, 0.95);
    const median = percentile(warm, 0.5);
    const floor = floorOf(library);
    return [
      {
        name: 'first page of a step with 16,384 rollouts, any sort: p95',
        value: p95,
        unit: 'ms',
        budget: BUDGET_MS,
        within: p95 <= BUDGET_MS,
      },
      // Has no budget. It helps to tell a slow list from a slow machine.
      {
        name: 'first page: median, over one read of all ids from the index',
        value: median,
        unit: 'ms',
        floor,
        ratio: median / floor,
      },
    ];
  } finally {
    await host.close();
  }
}

async function firstPage(host: Host, sort: RolloutSort): Promise<number> {
  const started = performance.now();
  const order = await host.dispatch('rollout.order', {
    runId: 1,
    step: 1,
    sort: [{ by: sort, direction: 'descending' }],
  });
  if (!order.ok) throw new Error(order.failure.message);
  const { ids } = order.value as { ids: Uint32Array };
  if (ids.length !== ROLLOUTS) throw new Error(`${ids.length} ids`);
  const rows = await host.dispatch('rollout.rows', { rolloutIds: Array.from(ids.subarray(0, FIRST_SCREEN)) });
  if (!rows.ok) throw new Error(rows.failure.message);
  return performance.now() - started;
}

/** The least work of a list: reads the ids of the step from an index, in this process. */
function floorOf(library: string): number {
  const db = new Database(library, { readonly: true });
  const statement = db
    .prepare('SELECT rollout_id FROM rollout_row WHERE run_id = 1 AND step = 1 ORDER BY run_id, step')
    .pluck();
  const times = Array.from({ length: ROUNDS }, () => {
    const started = performance.now();
    statement.all();
    return performance.now() - started;
  });
  db.close();
  return percentile(times, 0.5);
}
