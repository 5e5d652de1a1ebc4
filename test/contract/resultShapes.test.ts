/** Every method answers with a value of its result type: a column renamed in SQL would not get this far. */
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { LibraryManager } from '../../electron/host/host.ts';
import { createLibraryManager } from '../../electron/host/libraryManager.ts';
import { resultShapes, type ShapeCheck } from '../support/resultShape.ts';
import { createTemporaryHome } from '../support/shells/temporaryHome.ts';
import { type PreparedCall, prepareCalls, readInto } from './cases.ts';

const DEMO = fileURLToPath(new URL('../../fixtures/demo', import.meta.url));
const home = createTemporaryHome();
let host: LibraryManager;
let calls: readonly PreparedCall[];
let shapes: ReadonlyMap<string, ShapeCheck>;

beforeAll(async () => {
  shapes = resultShapes();
  host = await createLibraryManager({ libraryPath: home.libraryPath, shell: 'browser', version: '0.0.0' });
  await readInto(host, DEMO);
  calls = await prepareCalls((method, params) => host.dispatch(method, params));
}, 120_000);
afterAll(async () => {
  await host?.close();
  home.remove();
});

it('fits the result type of every method', async () => {
  const faults: string[] = [];
  for (const { method, params } of calls) {
    const answer = await host.dispatch(method, params);
    if (!answer.ok) continue;
    const check = shapes.get(method);
    const fault = check === undefined ? `${method}: the contract has no result type` : check(answer.value);
    if (fault !== undefined) faults.push(fault);
  }
  expect(faults).toEqual([]);
});

it('finds a missing, a wrong and an unknown field', async () => {
  const answer = await host.dispatch('run.list', {});
  if (!answer.ok) throw new Error(answer.failure.message);
  const check = shapes.get('run.list');
  const [run, ...others] = answer.value as readonly Record<string, unknown>[];
  const { runKey, ...withoutKey } = run ?? {};
  expect(check?.([run, ...others])).toBeUndefined();
  expect(check?.([withoutKey, ...others])).toContain('run.list[0].runKey: undefined is no string');
  expect(check?.([{ ...run, rollouts: '7' }])).toContain('run.list[0].rollouts: "7" is no number');
  expect(check?.([{ ...run, run_key: runKey }])).toContain('run.list[0].run_key: not in RunSummary');
});
