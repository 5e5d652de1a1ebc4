import { describe, expect, it } from 'vitest';
import { openDemoRun } from '../../renderer/shell/useIngestActions.ts';
import { jobNotice } from '../../renderer/shell/useShellCommands.ts';
import type { IngestProgress } from '../../shared/api/contract.ts';
import { createFakeClient } from '../support/fakeClient.ts';
import { RUN } from '../support/preview/previewData.ts';

const job: IngestProgress = {
  jobId: 3,
  state: 'running',
  paths: ['/logs'],
  files: 1,
  filesDone: 0,
  bytes: 10,
  bytesDone: 1,
  rollouts: 0,
  issues: 0,
  elapsedMs: 1,
};

describe('the demo run', () => {
  it('is opened when its job has ended', async () => {
    const client = createFakeClient({
      'ingest.demo': () => ({ jobId: 3 }),
      'ingest.jobs': () => [job],
      'run.list': () => [RUN],
    });
    let hasOpened = false;
    const opening = openDemoRun(client).then((key) => {
      hasOpened = true;
      return key;
    });
    await new Promise((resolve) => setImmediate(resolve));
    expect(hasOpened).toBe(false);
    client.emit({ event: 'ingest.progress', payload: { ...job, jobId: 2, state: 'done' } });
    client.emit({ event: 'ingest.progress', payload: { ...job, state: 'done' } });
    expect(await opening).toBe(RUN.runKey);
  });

  it('is opened at once when it ended before its number was known', async () => {
    const client = createFakeClient({
      'ingest.demo': () => {
        client.emit({ event: 'ingest.progress', payload: { ...job, state: 'done' } });
        return { jobId: 3 };
      },
      'ingest.jobs': () => [],
      'run.list': () => [],
    });
    expect(await openDemoRun(client)).toBeUndefined();
  });

  it('ends with a sentence', () => {
    expect(jobNotice(job)).toBeUndefined();
    expect(jobNotice({ ...job, state: 'done', rollouts: 2_400, issues: 1 })).toBe(
      'Read 2,400 rollouts, 1 issue',
    );
    expect(jobNotice({ ...job, state: 'done', duplicates: 2 })).toBe(
      'Nothing new to read: 2 files read before, under another path',
    );
    expect(jobNotice({ ...job, state: 'done', rollouts: 3, duplicates: 1 })).toBe(
      'Read 3 rollouts; 1 file read before, under another path',
    );
    expect(jobNotice({ ...job, state: 'failed', message: 'nothing of a known format below /logs' })).toBe(
      'Not read: nothing of a known format below /logs',
    );
  });
});
