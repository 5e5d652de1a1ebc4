/** A job that is cancelled in the middle of a file stops there, and can be continued. */
import { join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { createHost } from '../../electron/host/createHost.ts';
import type { Host } from '../../electron/host/host.ts';
import { writeSmallRollouts } from '../../fixtures/generate/verlDump.ts';
import type { IngestProgress, ResultOf } from '../../shared/api/contract.ts';
import { scratch } from '../support/library.ts';

/** 60 MB, several times what the parser is ahead of the writer. */
const ROLLOUTS = 30_000;
const { directory, remove } = scratch();
let host: Host | undefined;
afterEach(async () => {
  await host?.close();
  remove();
});

it('stops within the file, and reads the rest when it is continued', async () => {
  const log = join(directory, 'log.jsonl');
  writeSmallRollouts(log, ROLLOUTS, 1);
  host = await createHost({ libraryPath: join(directory, 'library.sqlite'), shell: 'browser', version: '0' });
  await host.grant(log);
  let last: IngestProgress | undefined;
  const shown: IngestProgress[] = [];
  host.subscribe(({ event, payload }) => {
    if (event !== 'ingest.progress') return;
    last = payload;
    shown.push(payload);
  });
  const start = async (): Promise<number> => {
    const started = await host?.dispatch('ingest.start', { paths: [log] });
    if (started?.ok !== true) throw new Error('the job did not start');
    return (started.value as ResultOf<'ingest.start'>).jobId;
  };
  const jobId = await start();
  await vi.waitUntil(() => (last?.rollouts ?? 0) > ROLLOUTS / 10, { timeout: 50_000 });
  await host.dispatch('ingest.cancel', { jobId });
  await vi.waitUntil(() => last?.state !== 'running', { timeout: 50_000 });
  expect(last).toMatchObject({ jobId, state: 'cancelled' });
  const read = last?.rollouts ?? 0;
  expect(read).toBeLessThan(ROLLOUTS);

  const { bytes: size = 0, bytesDone: readBytes = 0 } = last ?? {};
  const second = await start();
  await vi.waitUntil(() => last?.jobId === second && last.state !== 'running', { timeout: 50_000 });
  expect(last).toMatchObject({ state: 'done', rollouts: ROLLOUTS - read, bytes: size, bytesDone: size });
  // The progress begins where the first job ended.
  const first = shown.find(({ jobId: id, bytes }) => id === second && bytes > 0);
  expect(first?.bytesDone).toBeGreaterThanOrEqual(readBytes);
  expect(first?.bytes).toBe(size);
});
