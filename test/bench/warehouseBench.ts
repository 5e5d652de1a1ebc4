/**
 * A warehouse on ClickHouse's engine in a process of its own: sending, sizes, and questions as it grows. The
 * largest steps are copies that the engine makes of the sent ones, without their texts.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { createHost } from '../../electron/host/createHost.ts';
import { Warehouse } from '../../electron/warehouse/connection.ts';
import { readAddress } from '../../electron/warehouse/namedWarehouse.ts';
import { pull, warehouseRuns } from '../../electron/warehouse/pull.ts';
import { Push } from '../../electron/warehouse/push.ts';
import { warehouseRollouts } from '../../electron/warehouse/rollouts.ts';
import { warehouseSteps } from '../../electron/warehouse/steps.ts';
import { makeTables } from '../../electron/warehouse/tables.ts';
import { writeTokenLog } from '../../fixtures/generate/tokenLog.ts';
import { writeVerlDump } from '../../fixtures/generate/verlDump.ts';
import type { FilterNode } from '../../shared/domain/filter/node.ts';
import { readFilter } from '../../shared/domain/filter/parse.ts';
import { DATA_SET_COLUMNS } from '../../shared/format/dataSetColumns.ts';
import { CLI } from '../support/commandLine.ts';
import { openEngine } from '../warehouse/engine.ts';
import { type Measurement, percentile, ratioOf } from './measurement.ts';

const CREDENTIALS = { user: 'default', password: '' };
const MEBIBYTES = 200;
const NODES = 4;
const ROUNDS = 7;
const STEP = 16_384;
const SIZES = [100_000, 1_000_000, 8_400_000] as const;
const FILTERS = ['reward:0', 'tool_errors:>=1', 'turns:>1 not reward:1', 'outcome:timeout', 'answer:4*'];
const BY_REWARD = [{ by: 'reward', direction: 'descending' }] as const;
/** Speed of a push over that of ingest alone. */
const LEAST_SPEED = 0.6;

export async function benchWarehouse(directory: string): Promise<Measurement[]> {
  const engine = await openEngine();
  try {
    const open = (database: string, isNew = false) =>
      new Warehouse(readAddress(`${engine.server}/${database}`), { credentials: CREDENTIALS, isNew });
    const made = open('bench', true);
    await makeTables(made);
    await made.close();
    const warehouse = open('bench');
    try {
      return [
        ...(await sending(warehouse, directory)),
        ...(await sendingAtOnce(`${engine.server}/bench`, directory)),
        ...(await sizes(warehouse, directory)),
        ...(await growth(warehouse, directory)),
      ];
    } finally {
      await warehouse.close();
    }
  } finally {
    await engine.remove();
  }
}

async function ingestInto(library: string, logs: string): Promise<number> {
  const startedAt = performance.now();
  const host = await createHost({ libraryPath: library, shell: 'browser', version: 'bench' });
  try {
    await host.ingest([logs]);
    return (performance.now() - startedAt) / 1000;
  } finally {
    await host.close();
  }
}

async function send(warehouse: Warehouse, library: string): Promise<number> {
  const startedAt = performance.now();
  const sender = new Push(library, warehouse);
  try {
    await sender.send();
    return (performance.now() - startedAt) / 1000;
  } finally {
    sender.close();
  }
}

async function sending(warehouse: Warehouse, directory: string): Promise<Measurement[]> {
  const logs = join(directory, 'verl');
  const { bytes, rollouts } = writeVerlDump(logs, MEBIBYTES << 20, { seed: 1 });
  const library = join(directory, 'verl.sqlite');
  const read = await ingestInto(library, logs);
  const sent = await send(warehouse, library);
  const name = `${MEBIBYTES} MiB verl JSONL, ${rollouts} rollouts, read and sent`;
  return [
    ratioOf(`${name}: over reading alone`, read + sent, read, 's', 1 / LEAST_SPEED),
    { name: `${name}: sent`, value: bytes / sent / (1 << 20), unit: 'MiB/s of logs' },
    { name: `${name}: sent`, value: rollouts / sent, unit: 'rollouts/s' },
  ];
}

/** Each pusher is a process with a library of its own, as on a node of a training. */
async function sendingAtOnce(to: string, directory: string): Promise<Measurement[]> {
  const libraries: string[] = [];
  let bytes = 0;
  for (let node = 0; node < NODES; node++) {
    const logs = join(directory, `node-${node}`);
    bytes += writeVerlDump(logs, (MEBIBYTES / NODES) << 20, { seed: 10 + node }).bytes;
    libraries.push(join(directory, `node-${node}.sqlite`));
    await ingestInto(libraries[node] ?? '', logs);
  }
  const startedAt = performance.now();
  const ended = libraries.map(async (library) => {
    const args = ['warehouse', 'push', '--library', library, '--to', to];
    const [code] = (await once(spawn(process.execPath, [CLI, ...args], { stdio: 'ignore' }), 'exit')) as [
      number | null,
    ];
    if (code !== 0) throw new Error(`the push of ${library} ended with ${code}`);
  });
  await Promise.all(ended);
  const seconds = (performance.now() - startedAt) / 1000;
  return [
    {
      name: `${MEBIBYTES} MiB verl JSONL in ${NODES} libraries, sent at once`,
      value: bytes / seconds / (1 << 20),
      unit: 'MiB/s of logs',
    },
  ];
}

async function sizes(warehouse: Warehouse, directory: string): Promise<Measurement[]> {
  const bytesOf = async (columns: string): Promise<number> => {
    const [row] = await warehouse.rows(
      `SELECT sum(column_data_compressed_bytes) AS bytes FROM system.parts_columns
      WHERE database = {database:String} AND table = 'rollout_row' AND active AND ${columns}`,
      { database: warehouse.database },
    );
    return Number(row?.['bytes']);
  };
  const [{ rollouts, chars } = { rollouts: 1, chars: 1 }] = await warehouse.parsed(
    z.object({ rollouts: z.number(), chars: z.number() }),
    'SELECT count() AS rollouts, sum(length(response) + length(prompt)) AS chars FROM rollout',
  );
  const all = await bytesOf('1');
  const texts = await bytesOf(`column IN ('prompt', 'response')`);
  const logs = join(directory, 'tokens');
  const { tokens } = writeTokenLog(logs, 50 << 20, 1);
  const library = join(directory, 'tokens.sqlite');
  await ingestInto(library, logs);
  const signals = `column IN ('token_ends', 'token_mask', 'entropy', 'logprob')`;
  const before = await bytesOf(signals);
  await send(warehouse, library);
  const perToken = ((await bytesOf(signals)) - before) / tokens / 4;
  return [
    { name: 'warehouse: size of the texts', value: texts / chars, unit: '× the texts' },
    { name: 'warehouse: everything but texts, per rollout', value: (all - texts) / rollouts, unit: 'bytes' },
    { name: 'warehouse: per token and signal', value: perToken, unit: 'bytes' },
  ];
}

async function growth(warehouse: Warehouse, directory: string): Promise<Measurement[]> {
  await warehouse.run('TRUNCATE TABLE rollout_row');
  await warehouse.run('TRUNCATE TABLE load_row');
  const logs = join(directory, 'step');
  writeVerlDump(logs, Number.MAX_SAFE_INTEGER, { seed: 2, rolloutsPerStep: STEP, padding: 0, steps: 1 });
  const library = join(directory, 'step.sqlite');
  await ingestInto(library, logs);
  await send(warehouse, library);
  const results = [...(await words(warehouse))];
  let there = STEP;
  for (const rollouts of SIZES) {
    await copySteps(warehouse, Math.round(there / STEP), Math.round(rollouts / STEP));
    there = Math.round(rollouts / STEP) * STEP;
    results.push(...(await questions(warehouse, directory, there)));
  }
  return results;
}

/** Every text is read, so the time grows with their size. */
async function words(warehouse: Warehouse): Promise<readonly Measurement[]> {
  const [{ gigabytes } = { gigabytes: 1 }] = await warehouse.parsed(
    z.object({ gigabytes: z.number() }),
    'SELECT sum(length(prompt) + length(response)) / 1e9 AS gigabytes FROM rollout',
  );
  const run = (await warehouseRuns(warehouse))[0]?.run ?? '';
  const results: Measurement[] = [];
  for (const text of ['text:wait', 'text:"therefore the answer"', 'text:/wait.*hmm/']) {
    const filter = nodeOf(text);
    for (const [what, ask] of [
      ['1,000 rollouts', () => warehouseRollouts(warehouse, { run, filter, sort: BY_REWARD })],
      ['steps and charts', () => warehouseSteps(warehouse, run, filter)],
    ] as const) {
      const startedAt = performance.now();
      await ask();
      results.push({
        name: `warehouse, ${text}: ${what}`,
        value: (performance.now() - startedAt) / 1000 / gigabytes,
        unit: 's/GB of text',
      });
    }
  }
  return results;
}

function nodeOf(text: string): FilterNode {
  const filter = readFilter(text);
  if (!filter.ok) throw new Error(filter.fault.message);
  return filter.node;
}

/** Steps are copies of the first, with the columns of a rollout and without its texts. */
async function copySteps(warehouse: Warehouse, from: number, to: number): Promise<void> {
  const columns = DATA_SET_COLUMNS.map(({ name }) =>
    ['prompt', 'response'].includes(name) ? `'' AS \`${name}\`` : `\`${name}\``,
  );
  for (let step = from + 1; step <= to; step++) {
    await warehouse.run(
      `INSERT INTO rollout_row (run, step, load, ${DATA_SET_COLUMNS.map(({ name }) => `\`${name}\``).join(', ')})
      SELECT run, {step:Int32}, toUUID({load:String}), ${columns.join(', ')} FROM rollout_row WHERE step = 1`,
      { step, load: loadOf(step) },
    );
    await warehouse.run(
      `INSERT INTO load_row (run, step, source, load, run_id, split, rollouts, content, summary, facts)
      SELECT run, {step:Int32}, 'copy', toUUID({load:String}), run_id, split, rollouts, 'copy',
        ${['summary', 'facts'].map((sums) => `replaceOne(${sums}, '"step":1,', '"step":' || toString({step:Int32}) || ',')`).join(', ')}
      FROM load_row WHERE step = 1 LIMIT 1`,
      { step, load: loadOf(step) },
    );
  }
}

const loadOf = (step: number): string => `00000000-0000-0000-0000-${String(step).padStart(12, '0')}`;

async function questions(
  warehouse: Warehouse,
  directory: string,
  rollouts: number,
): Promise<readonly Measurement[]> {
  const run = (await warehouseRuns(warehouse))[0]?.run ?? '';
  const of = `warehouse of ${rollouts} rollouts`;
  const measured = async (
    what: string,
    budget: number | undefined,
    work: (round: number) => Promise<unknown>,
  ): Promise<Measurement> => {
    const times: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const startedAt = performance.now();
      await work(round);
      times.push(performance.now() - startedAt);
    }
    const value = percentile(times, 0.95);
    const held = budget === undefined ? {} : { budget, within: value <= budget };
    return { name: `${of}: ${what}, p95`, value, unit: 'ms', ...held };
  };
  const target = join(directory, 'pulled');
  return [
    await measured('its runs', 300, () => warehouseRuns(warehouse)),
    await measured('the sums and charts of every step', 1000, () =>
      warehouseSteps(warehouse, run, { kind: 'all' }),
    ),
    await measured('the same under a filter', 2000, (round) =>
      warehouseSteps(warehouse, run, nodeOf(FILTERS[round % FILTERS.length] ?? '')),
    ),
    await measured('the first 1,000 by reward', 300, () =>
      warehouseRollouts(warehouse, {
        run,
        filter: { kind: 'all' },
        sort: BY_REWARD,
      }),
    ),
    await measured('one rollout with its text', 200, (round) =>
      warehouse.rows(
        `SELECT * FROM rollout_row WHERE run = {run:String} AND step = 1
        AND load = (SELECT load FROM load WHERE run = {run:String} AND step = 1) AND rollout = {rollout:Int32}`,
        { run, rollout: round * 997 },
      ),
    ),
    await measured('a step of 16,384 rollouts as a data set', undefined, async () => {
      rmSync(target, { recursive: true, force: true });
      await pull(warehouse, { run, directory: target, steps: [1] });
    }),
  ];
}
