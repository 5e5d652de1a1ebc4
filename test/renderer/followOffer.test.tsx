/** Following is offered where logs may grow, and not for uploaded copies. */
import { cleanup, screen, waitFor } from '@testing-library/react';
import { afterEach, expect, it } from 'vitest';
import { FollowChip } from '../../renderer/shell/TopBarChips.tsx';
import { JobCards } from '../../renderer/views/library/JobCards.tsx';
import { RunMenu } from '../../renderer/views/library/RunMenu.tsx';
import { FollowControls } from '../../renderer/widgets/FollowControls.tsx';
import type { FollowRow, IngestProgress, RunSummary } from '../../shared/api/contract.ts';
import { createFakeClient } from '../support/fakeClient.ts';
import { renderWithClient } from '../support/renderWithClient.tsx';

afterEach(cleanup);

const runIn = (directory: string) => ({ runId: 1, runKey: 'r', name: 'r', directory }) as RunSummary;
const jobOf = (path: string): IngestProgress => ({
  ...{ jobId: 1, state: 'running', paths: [path], bytes: 10, bytesDone: 4 },
  ...{ files: 1, filesDone: 0, rollouts: 0, issues: 0, elapsedMs: 1 },
});

function show(directory: string, follows: readonly FollowRow[] = []): void {
  const client = createFakeClient({
    'host.info': () => ({
      ...{ version: '0', shell: 'browser', platform: 'linux', granted: [], warnings: [] },
      ...{ libraryPath: '/home/l.sqlite', uploads: '/home/uploads', wheels: '/home/wheels' },
    }),
    'run.list': () => [runIn(directory)],
    'follow.list': () => follows,
    'ingest.jobs': () => [jobOf(`${directory}/a.jsonl`)],
    'ingest.unread': () => [],
    'issue.list': () => ({ issues: [], total: 0, refused: 0 }),
  });
  renderWithClient(
    client,
    <>
      <FollowChip />
      <JobCards />
      <FollowControls runKey="r" canStart />
      <RunMenu at={{ run: runIn(directory), x: 0, y: 0 }} onClose={() => undefined} />
    </>,
  );
}

const OFFERS = /^Follow/;

it('is offered for logs that may grow', async () => {
  show('/logs/run');
  await waitFor(() => expect(screen.getAllByText(OFFERS)).toHaveLength(3));
});

it('is not offered for uploaded files', async () => {
  show('/home/uploads/run');
  await screen.findByText('Cancel');
  await screen.findByText('Export as Parquet…');
  expect(screen.queryAllByText(OFFERS)).toEqual([]);
});

it('can be stopped for uploaded files', async () => {
  show('/home/uploads/run', [{ path: '/home/uploads/run', state: 'watching', since: 0, rollouts: 0 }]);
  await waitFor(() => expect(screen.getAllByText(/^Stop/)).toHaveLength(3));
});

it('says once that the run is live', async () => {
  show('/logs/run', [{ path: '/logs/run', state: 'watching', since: 0, rollouts: 0 }]);
  await screen.findByText('nothing new yet');
  await waitFor(() => expect(screen.getAllByText(/live/i)).toHaveLength(1));
});
