/** The page that a start opens, and that nothing opens later by itself. */
import { cleanup, screen, waitFor } from '@testing-library/react';
import { afterEach, expect, it } from 'vitest';
import { useRequest } from '../../renderer/data/useRequest.ts';
import type { HostEvent, IngestProgress, RunSummary } from '../../shared/api/contract.ts';
import { createFakeClient } from '../support/fakeClient.ts';
import { renderWithClient } from '../support/renderWithClient.tsx';

// The module looks once at the page's address, where another file of tests may have left its own.
window.history.replaceState(null, '', '/');
const { useStartRun } = await import('../../renderer/app/App.tsx');

const job: IngestProgress = {
  ...{ jobId: 1, state: 'running', paths: ['/logs'], files: 1, filesDone: 0, bytes: 10, bytesDone: 1 },
  ...{ rollouts: 0, issues: 0, elapsedMs: 1 },
};
const read: IngestProgress = { ...job, state: 'done', rollouts: 3, runKey: 'a', runs: 1 };

/** The page of a start. Its module opens one run only, so the test that opens one comes last. */
async function start(runKeys: string[], jobs: readonly IngestProgress[]) {
  let asked = 0;
  const client = createFakeClient({
    'host.info': () => ({ shell: 'browser', warnings: [] }) as never,
    'follow.list': () => [],
    'ingest.jobs': () => jobs,
    'run.list': () => {
      asked++;
      return runKeys.map((runKey, runId) => ({ runId, runKey }) as RunSummary);
    },
  });
  const Page = () => {
    useStartRun();
    return useRequest('ingest.jobs', {}).data === undefined ? null : <p>jobs known</p>;
  };
  renderWithClient(client, <Page />, '/', true);
  await screen.findByText('jobs known');
  return {
    tell: (payload: IngestProgress) => client.emit({ event: 'ingest.progress', payload } as HostEvent),
    /** @returns when the runs were asked for again */
    async changed(runIds: readonly number[]) {
      const before = asked;
      client.emit({ event: 'library.changed', payload: { runIds } });
      await waitFor(() => expect(asked).toBeGreaterThan(before));
    },
  };
}

const pathname = () => window.location.pathname;

afterEach(cleanup);

it('does not open a run of the start that was removed', async () => {
  const page = await start(['other'], [read]);
  await page.changed([0]);
  expect(pathname()).toBe('/');
});

it('does not open the run of a later job, when another run is removed', async () => {
  const page = await start(['a', 'other'], []);
  page.tell(read);
  await page.changed([0]);
  expect(pathname()).toBe('/');
});

it('stays at the library when something was opened after the demo', async () => {
  const demo = { ...read, runKey: 'synthetic-grpo-roc-demo' };
  const page = await start([demo.runKey, 'own'], [demo, { ...read, jobId: 2, runKey: 'own' }]);
  await page.changed([0]);
  expect(pathname()).toBe('/');
});

it('opens the run that a job of the start has read, also when it is known only later', async () => {
  const runs: string[] = [];
  const page = await start(runs, [job]);
  expect(pathname()).toBe('/');
  runs.push('a');
  page.tell(read);
  await waitFor(() => expect(pathname()).toBe('/run/a'));
});
