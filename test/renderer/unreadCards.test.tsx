// @vitest-environment happy-dom
/** Cards of files that were not read to their end, on the library page. */
import { cleanup, fireEvent, screen } from '@testing-library/react';
import { afterEach, expect, it } from 'vitest';
import { JobCards } from '../../renderer/views/library/JobCards.tsx';
import type { UnreadFile } from '../../shared/api/contract.ts';
import { createFakeClient } from '../support/fakeClient.ts';
import { renderWithClient } from '../support/renderWithClient.tsx';

const unread = (path: string, hasAdapter = false): UnreadFile => ({
  ...{ path, hasAdapter, records: 3, bytesRead: 10, bytes: 100 },
});

afterEach(cleanup);

it('are put away alone, and stay away', async () => {
  const client = createFakeClient({
    'ingest.jobs': () => [],
    'ingest.unread': () => [unread('/logs/a.jsonl'), unread('/gone/b.jsonl'), unread('/gone/c.jsonl')],
    'host.info': () => ({
      ...{ version: '0', platform: 'linux', libraryPath: '/l.turnwise', warnings: [] },
      shell: 'browser',
      granted: ['/logs'],
    }),
  });
  renderWithClient(client, <JobCards />);
  await screen.findByText('2 files not read to the end:');
  const [, ofEarlier] = screen.getAllByRole('button', { name: 'Put this card away' });
  if (ofEarlier === undefined) throw new Error('one card only');
  fireEvent.click(ofEarlier);
  expect(screen.queryByText('2 files not read to the end:')).toBeNull();
  screen.getByText('1 file not read to the end:');
  cleanup();
  renderWithClient(client, <JobCards />);
  await screen.findByText('1 file not read to the end:');
  expect(screen.queryByText('2 files not read to the end:')).toBeNull();
});
