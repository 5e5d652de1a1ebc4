/** A library on which every method of the contract can succeed once. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createHost } from '../../electron/host/createHost.ts';
import type { Method, ParamsOf, ResultOf } from '../../shared/api/contract.ts';
import { byteTokenizerJson } from '../support/byteTokenizer.ts';
import { runHere } from '../support/commandLine.ts';
import { jsonLine, poolAndKept, sampledIds } from '../support/joinableLogs.ts';
import { copyDemoLibrary } from '../support/preparedLibrary.ts';
import { serveTableModel, type TableModelServer } from '../support/tableModelServer.ts';
import { type Engine, openEngine } from '../warehouse/engine.ts';

export const DEMO_RUN = 'synthetic-grpo-roc-demo';

export interface Prepared {
  readonly libraryPath: string;
  /** Logs, a tokenizer and a pack, which both sides may read but not change. */
  readonly logs: string;
  /** Its label differs from that of the same annotation id in `logs/pack.jsonl`. */
  readonly disputedId: string;
  /** A run of the warehouse that the environment names from now on. */
  readonly warehouseRun: string;
  readonly warehouse: Engine;
  /** The endpoint that the environment names from now on. */
  readonly endpoint: TableModelServer;
}

export async function prepare(directory: string): Promise<Prepared> {
  const logs = join(directory, 'logs');
  for (const name of ['pool', 'kept', 'ids', 'odd', 'late']) mkdirSync(join(logs, name), { recursive: true });
  const { pool, kept } = poolAndKept(3);
  writeFileSync(join(logs, 'pool', 'traces.jsonl'), pool);
  writeFileSync(join(logs, 'kept', '3.jsonl'), kept);
  writeFileSync(
    join(logs, 'ids', 'rollouts.jsonl'),
    sampledIds(0, 'Let me see.') + sampledIds(1, 'Another way.'),
  );
  writeFileSync(join(logs, 'tokenizer.json'), JSON.stringify(byteTokenizerJson()));
  writeFileSync(join(logs, 'odd', 'out.jsonl'), jsonLine({ q: 'What is 1 + 1?', a: 'It is 2.' }));
  const late = { input: 'user\nWhat is 2 + 2?\nassistant\n', output: 'It is 4.', score: 1, step: 1 };
  writeFileSync(join(logs, 'late', '1.jsonl'), jsonLine(late));

  const libraryPath = join(directory, 'library.sqlite');
  await copyDemoLibrary(libraryPath);
  const host = await createHost({ libraryPath, shell: 'browser', version: '0.0.0' });
  async function ask<M extends Method>(method: M, params: ParamsOf<M>): Promise<ResultOf<M>> {
    const result = await host.dispatch(method, params);
    if (!result.ok) throw new Error(`${method}: ${result.failure.message}`);
    return result.value as ResultOf<M>;
  }
  await host.ingest(['pool', 'kept', 'ids'].map((name) => join(logs, name)));
  const { runId } = await ask('run.get', { runKey: DEMO_RUN });
  const [first = 0, second = 0] = (await ask('rollout.order', { runId })).ids;
  const whole = { kind: 'rollout' as const };
  await ask('annotation.apply', {
    author: 'ann',
    changes: [
      { put: { rolloutId: first, target: whole, label: 'loops' } },
      { put: { rolloutId: second, target: { kind: 'turn', turn: 1 }, note: 'hm' } },
    ],
  });
  host.mayWrite(join(logs, 'pack.jsonl'));
  await ask('pack.export', { labels: ['loops'], format: 'jsonl', path: join(logs, 'pack.jsonl') });
  const { annotations } = await ask('annotation.list', { rolloutId: first });
  const disputedId = annotations[0]?.id ?? '';
  await ask('annotation.apply', { author: 'ann', changes: [{ put: { id: disputedId, label: 'gave-up' } }] });
  await ask('annotation.apply', {
    author: 'bob',
    changes: [
      { put: { rolloutId: first, target: whole, label: 'loops' } },
      { read: second, verdict: 'read' },
    ],
  });
  await ask('view.save', { name: 'failures', filter: 'reward:0' });
  await ask('query.save', { name: 'runs', sql: 'SELECT * FROM run', createdAt: 1 });
  await host.close();
  const { code, err } = await runHere(directory, ['index', '--library', libraryPath]);
  if (code !== 0) throw new Error(err);
  const endpoint = await serveTableModel(() => [[' so', 1]]);
  process.env['TURNWISE_ENDPOINT'] = endpoint.url;
  process.env['TURNWISE_ENDPOINT_MODEL'] = 'table';
  return { libraryPath, logs, disputedId, endpoint, ...(await prepareWarehouse(directory)) };
}

async function prepareWarehouse(directory: string): Promise<Pick<Prepared, 'warehouse' | 'warehouseRun'>> {
  const log = join(directory, 'far');
  mkdirSync(log);
  writeFileSync(join(log, '3.jsonl'), poolAndKept(3).kept);
  const warehouse = await openEngine();
  const url = `${warehouse.server}/turnwise_contract`;
  for (const args of [
    ['init', url],
    ['push', log, '--to', url, '--as', 'far'],
  ]) {
    const { code, err } = await runHere(directory, ['warehouse', ...args]);
    if (code !== 0) throw new Error(err);
  }
  process.env['TURNWISE_WAREHOUSE'] = url;
  return { warehouse, warehouseRun: 'far' };
}
