/**
 * A failure pack of 1,000 rollouts, from the request to the file. The floor reads the same rollouts from the
 * library and writes their texts to a file.
 */
import { closeSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { createHost } from '../../electron/host/createHost.ts';
import { openReader } from '../../electron/storage/open.ts';
import { exportedById } from '../../electron/storage/queries/exported.ts';
import { writeTokenLog } from '../../fixtures/generate/tokenLog.ts';
import { type Method, PACK_FORMATS, type ParamsOf, type ResultOf } from '../../shared/api/contract.ts';
import type { Measurement } from './measurement.ts';

const CASES = 1000;
const BUDGET_S = 10;
const LOG_BYTES = 200 << 20;
/** Rollouts labelled per request. */
const AT_ONCE = 100;

export async function benchPack(directory: string): Promise<Measurement[]> {
  // Long rollouts with what a trainer logs per token.
  const { files } = writeTokenLog(join(directory, 'logs'), LOG_BYTES, 1);
  const libraryPath = join(directory, 'pack.sqlite');
  const host = await createHost({ libraryPath, shell: 'browser', version: 'bench' });
  const ask = async <M extends Method>(method: M, params: ParamsOf<M>): Promise<ResultOf<M>> => {
    const result = await host.dispatch(method, params);
    if (!result.ok) throw new Error(`${method}: ${result.failure.message}`);
    return result.value as ResultOf<M>;
  };
  try {
    await host.ingest(files);
    const runId = (await ask('run.list', {}))[0]?.runId ?? 0;
    const { ids } = await ask('rollout.order', { runId });
    const cases = Array.from(ids.subarray(0, CASES));
    for (let at = 0; at < cases.length; at += AT_ONCE) await label(cases.slice(at, at + AT_ONCE));
    const floor = measureFloor(libraryPath, cases, join(directory, 'floor.txt'));
    const measured: Measurement[] = [];
    for (const format of PACK_FORMATS) {
      const started = performance.now();
      const path = join(directory, `pack-${format}`);
      host.mayWrite(path);
      const written = await ask('pack.export', { format, path, tokens: true });
      if (written.cases !== cases.length) throw new Error(`${written.cases} cases of ${cases.length}`);
      const value = (performance.now() - started) / 1000;
      measured.push({
        name: `a pack of ${written.cases} rollouts as ${format}, ${(written.bytes / (1 << 20)).toFixed(0)} MiB`,
        ...{ value, unit: 's', floor, ratio: value / floor, budget: BUDGET_S, within: value <= BUDGET_S },
      });
    }
    return measured;
  } finally {
    await host.close();
  }

  async function label(rolloutIds: readonly number[]): Promise<void> {
    await ask('annotation.apply', {
      author: 'bench',
      changes: rolloutIds.flatMap((rolloutId) => [
        {
          put: { rolloutId, target: { kind: 'rollout' as const }, label: 'loops', note: 'It *loops* here.' },
        },
        {
          put: {
            ...{ rolloutId, label: 'misread-output' },
            target: { kind: 'span' as const, text: 'response' as const, start: 20, end: 80 },
          },
        },
      ]),
    });
  }
}

function measureFloor(libraryPath: string, ids: readonly number[], path: string): number {
  const db = openReader(libraryPath);
  const file = openSync(path, 'w');
  const started = performance.now();
  try {
    for (const { prompt, response } of exportedById(db, ids)) writeSync(file, `${prompt}\n${response}\n`);
    return (performance.now() - started) / 1000;
  } finally {
    closeSync(file);
    db.close();
  }
}
