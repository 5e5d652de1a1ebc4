/** The head of a run's page while its logs are read. */
import { cleanup, screen } from '@testing-library/react';
import { afterEach, expect, it } from 'vitest';
import RunView from '../../renderer/views/run/RunView.tsx';
import type { IngestProgress, RunDetail, StepSummary } from '../../shared/api/contract.ts';
import { createFakeClient } from '../support/fakeClient.ts';
import { renderWithClient } from '../support/renderWithClient.tsx';

afterEach(cleanup);

const run = {
  ...{ runId: 1, runKey: 'r', name: 'r', kind: 'train', format: 'verl', directory: '/logs/r' },
  ...{ hasSteps: true, issues: 0, config: { lr: 1 }, stages: [] },
} as unknown as RunDetail;

const job: IngestProgress = {
  ...{ jobId: 1, state: 'running', paths: ['/logs/r'], files: 2, filesDone: 0, bytes: 10, bytesDone: 4 },
  ...{ rollouts: 30, issues: 0, elapsedMs: 1 },
};

function open(jobs: readonly IngestProgress[]) {
  const client = createFakeClient({
    'run.get': () => run,
    'run.list': () => [run],
    'step.list': () =>
      [
        { step: 1, rollouts: 30, groups: 30, decided: 0, correctKnown: 0 },
      ] as unknown as readonly StepSummary[],
    'ingest.jobs': () => jobs,
    'ingest.unread': () =>
      jobs.map(() => ({ path: '/logs/r/2.jsonl', runIds: [1], hasAdapter: false, records: 1, bytes: 9 })),
    'follow.list': () => [],
  });
  renderWithClient(client, <RunView runKey="r" />, '/run/r?tab=configuration', true);
}

it('shows how far a run is read in place of counts that are not final', async () => {
  open([job]);
  await screen.findByText('Reading… 40 %');
  expect(screen.queryByText(/30 rollouts/)).toBeNull();
  cleanup();
  open([]);
  await screen.findByTitle('30 rollouts · 1 step');
  // Each fact has its own box, so that a line breaks between them.
  const facts = [...document.querySelectorAll('.page-fact')].map((fact) => fact.textContent);
  expect(facts).toEqual(['30 rollouts', '1 step']);
});
