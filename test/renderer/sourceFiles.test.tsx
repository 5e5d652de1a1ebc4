/** The sentences of the page of sources about the files of a run. */
import { cleanup, screen } from '@testing-library/react';
import { afterEach, expect, it } from 'vitest';
import { SourceFiles } from '../../renderer/views/sources/SourceFiles.tsx';
import type { RunSources } from '../../shared/api/contract.ts';
import { createFakeClient } from '../support/fakeClient.ts';
import { renderWithClient } from '../support/renderWithClient.tsx';

afterEach(cleanup);

const file = (path: string, halfLineBytes?: number) => ({
  ...{ fileId: 1, path, format: 'verl', container: 'plain', unit: 'line', bytes: 90 },
  ...{ rollouts: 1, joined: 0, waiting: 0, masked: 0 },
  ...(halfLineBytes === undefined ? {} : { halfLineBytes }),
});

it('says that a followed file waits for the rest of its last line, and nothing of others', async () => {
  const client = createFakeClient({
    'follow.list': () => [{ path: '/live', since: 0, state: 'watching', rollouts: 0 }],
  });
  const sources = (...files: readonly ReturnType<typeof file>[]) =>
    ({ files, moreFiles: 0 }) as unknown as RunSources;
  renderWithClient(
    client,
    <SourceFiles
      sources={sources(file('/live/1.jsonl', 30), file('/live/2.jsonl'), file('/old/3.jsonl', 7))}
    />,
  );
  await screen.findByText(/1 file is waiting for the rest of its last line, 30 B so far/);
  cleanup();
  renderWithClient(
    client,
    <SourceFiles sources={sources(file('/live/1.jsonl', 30), file('/live/2.jsonl', 5))} />,
  );
  await screen.findByText(/2 files are waiting for the rest of their last line/);
  expect(screen.queryByText(/so far/)).toBeNull();
});
