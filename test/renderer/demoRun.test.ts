import { describe, expect, it } from 'vitest';
import { openDemoRun, openedRoute } from '../../renderer/shell/useIngestActions.ts';
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
      'Read 2,400 new rollouts, 1 issue',
    );
    expect(jobNotice({ ...job, state: 'done', rollouts: 5, issues: 5, caveats: 4 })).toBe(
      'Read 5 new rollouts, 1 issue, 4 caveats',
    );
    expect(jobNotice({ ...job, state: 'done', duplicates: 2 })).toBe(
      'Nothing new to read: 2 files have the same content as files read before (see Issues)',
    );
    expect(jobNotice({ ...job, state: 'done', rollouts: 3, duplicates: 1 })).toBe(
      'Read 3 new rollouts; 1 file has the same content as one read before (see Issues)',
    );
    expect(jobNotice({ ...job, state: 'done', rollouts: 3, runs: 3 })).toBe('Read 3 new rollouts of 3 runs');
    expect(jobNotice({ ...job, state: 'failed', message: 'nothing of a known format below /logs' })).toBe(
      'Not read: nothing of a known format below /logs',
    );
  });
});

describe('what opens after logs were read', () => {
  const read: IngestProgress = { ...job, runKey: 'a', runs: 1, rollouts: 1 };
  const library = { view: 'library' };
  const run = { view: 'run', runKey: 'a' };

  it('is the run as soon as it is known, if all files are of one run by their paths', () => {
    expect(openedRoute({ ...job, isOneRun: true })).toBeUndefined();
    expect(openedRoute({ ...read, files: 510, isOneRun: true })).toEqual(run);
  });

  it('is not decided by the first of several files, even of one directory', () => {
    expect(openedRoute({ ...read, files: 3 })).toBeUndefined();
    expect(openedRoute({ ...read, files: 3, state: 'done' })).toEqual(run);
    expect(openedRoute({ ...read, files: 3, runs: 2 })).toEqual(library);
  });

  it('is the run of a file that also has the evaluation of its run', () => {
    expect(openedRoute({ ...read, state: 'done', runs: 2, isOneRun: true })).toEqual(run);
  });

  it('is the library when the files are of several runs', () => {
    expect(openedRoute({ ...read, files: 3, runs: 3, state: 'done' })).toEqual(library);
    expect(openedRoute({ ...read, files: 3, runs: 2, paths: ['/a', '/b', '/c'] })).toEqual(library);
  });

  it('is the library, which names the run, when all was read before from another path', () => {
    const again = { ...job, runKey: 'a', runs: 1, duplicates: 1, isOneRun: true } as const;
    expect(openedRoute(again)).toBeUndefined();
    expect(openedRoute({ ...again, state: 'done' })).toEqual(library);
    expect(openedRoute({ ...again, state: 'done', rollouts: 1 })).toEqual(run);
  });

  it('is the run of several paths once all are read and there is no other', () => {
    const several = { ...read, files: 2, paths: ['/a', '/b'] };
    expect(openedRoute(several)).toBeUndefined();
    expect(openedRoute({ ...several, state: 'done' })).toEqual(run);
  });
});
