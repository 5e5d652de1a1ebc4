/** A log that has grown since it was read is listed as unread, if the user has opened it. */
import { appendFileSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { createHost } from '../../electron/host/createHost.ts';
import { onlyGrown } from '../../electron/host/grownFiles.ts';
import type { Host } from '../../electron/host/host.ts';
import { writeSmallRollouts } from '../../fixtures/generate/verlDump.ts';
import type { UnreadFile } from '../../shared/api/contract.ts';
import { scratch } from '../support/library.ts';

const { directory, remove } = scratch();
let host: Host;
afterEach(async () => {
  await host.close();
  remove();
});

async function unread(): Promise<readonly UnreadFile[]> {
  const result = await host.dispatch('ingest.unread', {});
  if (!result.ok) throw new Error(result.failure.message);
  return result.value as readonly UnreadFile[];
}

it('is found without a job, and is whole again after one', async () => {
  const logs = join(directory, 'run');
  mkdirSync(logs);
  const log = join(logs, '1.jsonl');
  writeSmallRollouts(log, 10, 1);
  writeSmallRollouts(join(logs, '2.jsonl'), 10, 2);
  host = await createHost({ libraryPath: join(directory, 'library.sqlite'), shell: 'browser', version: '0' });
  await host.grant(logs);
  let jobsDone = 0;
  host.subscribe(({ event, payload }) => {
    if (event === 'ingest.progress' && payload.state === 'done') jobsDone += 1;
  });
  await host.dispatch('ingest.start', { paths: [logs] });
  await vi.waitUntil(() => jobsDone === 1, { timeout: 20_000 });
  expect(await unread()).toEqual([]);

  const before = readFileSync(log);
  appendFileSync(log, before);
  const [grown, ...others] = await unread();
  expect(others).toEqual([]);
  expect(grown).toMatchObject({ path: log, hasGrown: true, records: 10, hasAdapter: false });
  expect([grown?.bytesRead, grown?.bytes]).toEqual([before.length, before.length * 2]);
  expect(grown?.runIds).toHaveLength(1);
  // A file that the user has not opened is not looked at, and neither is one that is gone.
  const candidates: readonly UnreadFile[] = [
    { path: log, runIds: [1], records: 10, bytes: 1, hasAdapter: false, hasGrown: true },
  ];
  expect(await onlyGrown(candidates, new Set([join(directory, 'other')]))).toEqual([]);
  expect(await onlyGrown(candidates, new Set([logs]))).toHaveLength(1);

  await host.dispatch('ingest.start', { paths: [log] });
  await vi.waitUntil(() => jobsDone === 2, { timeout: 20_000 });
  expect(await unread()).toEqual([]);
  rmSync(log);
  expect(await unread()).toEqual([]);
});
