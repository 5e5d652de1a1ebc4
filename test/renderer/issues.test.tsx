/** The page Issues: files that were not read to their end are listed with the issues. */
import { cleanup, fireEvent, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import IssuesView from '../../renderer/views/issues/IssuesView.tsx';
import type { FollowRow, IngestProgress, IssueRow, UnreadFile } from '../../shared/api/contract.ts';
import { createFakeClient } from '../support/fakeClient.ts';
import { renderWithClient } from '../support/renderWithClient.tsx';

const FILE: UnreadFile = {
  ...{ path: '/logs/0.jsonl', runIds: [7], hasAdapter: false, records: 3, bytesRead: 90, bytes: 200 },
};
const JOB: IngestProgress = {
  ...{ jobId: 1, state: 'running', paths: ['/logs'], bytes: 10, bytesDone: 4 },
  ...{ files: 1, filesDone: 0, rollouts: 0, issues: 0, elapsedMs: 1 },
};

const started: (readonly string[])[] = [];

function show(
  files: readonly UnreadFile[],
  jobs: readonly IngestProgress[] = [],
  issues: readonly IssueRow[] = [],
  follows: readonly FollowRow[] = [],
): void {
  const client = createFakeClient({
    'issue.list': () => ({
      issues,
      total: issues.length,
      refused: issues.filter(({ severity }) => severity === 'refused').length,
    }),
    'ingest.unread': () => files,
    'ingest.jobs': () => jobs,
    'follow.list': () => follows,
    'ingest.start': ({ paths }) => {
      started.push(paths);
      return { jobId: 2 };
    },
    'host.info': () => ({
      ...{
        version: '0',
        platform: 'linux',
        libraryPath: '/l.turnwise',
        uploads: '/u',
        wheels: '/home/wheels',
        warnings: [],
      },
      shell: 'browser',
      granted: ['/logs'],
    }),
  });
  renderWithClient(client, <IssuesView />, '/issues');
}

beforeEach(() => {
  // happy-dom has no layout, and a virtual table shows the rows that fit.
  vi.spyOn(HTMLElement.prototype, 'clientHeight', 'get').mockReturnValue(600);
});
afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
  started.length = 0;
});

it('lists a file that was not read to its end, and continues it', async () => {
  show([FILE]);
  await screen.findByText(/^1 record or file not in the library/);
  screen.getByText('✕ not read to the end');
  screen.getByText('90 B of 200 B read so far');
  expect(screen.queryByText('Everything was read in full')).toBeNull();
  fireEvent.click(screen.getByText('Continue reading'));
  await waitFor(() => expect(started[0]).toEqual(['/logs/0.jsonl']));
});

it('counts what is missing apart from caveats', async () => {
  const issue = { issueId: 1, path: '/logs/a', unit: 'line' as const, records: 1, code: 'c', message: 'm' };
  const severities = ['refused', 'warning', 'warning'] as const;
  show(
    [],
    [],
    severities.map((severity, issueId) => ({ ...issue, issueId, severity })),
  );
  await screen.findByText(/^1 record or file not in the library/);
  await screen.findByText(/2 records and files with a caveat/);
});

it('names the command for a file of an earlier session', async () => {
  show([{ ...FILE, path: '/gone/1.jsonl' }]);
  await screen.findByText('turnwise ingest --continue --library /l.turnwise');
  expect(screen.queryByText('Continue reading')).toBeNull();
  cleanup();
  show([{ ...FILE, hasAdapter: true }]);
  await screen.findByText('turnwise ingest --continue --library /l.turnwise --adapter COMMAND');
});

it('says that everything was read only if no file is unread and none is being read', async () => {
  show([FILE], [JOB]);
  await screen.findByText('No issue so far: logs are being read');
  cleanup();
  show([]);
  await screen.findByText('Everything was read in full');
});

it('writes out the issue of the cursor, which the table cuts', async () => {
  const message = `no records: ${'a long reason '.repeat(20)}`.trim();
  const issue = { issueId: 1, path: '/logs/a/b/README.md', line: 3, records: 1, unit: 'line' as const };
  show([], [], [{ ...issue, severity: 'refused', code: 'no_records', message }]);
  const whole = await screen.findByRole('complementary', { name: 'Issue' });
  expect(whole.textContent).toBe(`${message}/logs/a/b/README.md, line 3`);
});

it('says of a file with known content that it was not read', async () => {
  const issue = { issueId: 1, path: '/logs/b', unit: 'line' as const, records: 1 };
  const message = 'same content as /logs/a of run a, so it was not read again';
  show([], [], [{ ...issue, severity: 'warning', code: 'duplicate_file', message }]);
  await screen.findByText('△ not read: same content');
  screen.getByText(/1 record or file with a caveat/);
  expect(screen.getAllByText(message)).toHaveLength(2);
});

it('lists a file that has grown since it was read, unless it is followed', async () => {
  const grown: UnreadFile = { ...FILE, hasGrown: true };
  show([grown]);
  await screen.findByText('The file has grown since it was read: 90 B of 200 B read so far');
  cleanup();
  show([grown], [], [], [{ path: '/logs', state: 'watching', since: 0, rollouts: 0 }]);
  await screen.findByText('Everything was read in full');
});
