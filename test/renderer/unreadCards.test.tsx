/** Files that were not read to their end: cards on the library page, and a badge on their run. */
import { cleanup, fireEvent, screen, waitFor } from '@testing-library/react';
import { afterEach, describe, expect, it } from 'vitest';
import { JobCards } from '../../renderer/views/library/JobCards.tsx';
import { missingOf, PartlyRead, PartlyReadNote } from '../../renderer/widgets/PartlyRead.tsx';
import type { FollowRow, IngestProgress, UnreadFile } from '../../shared/api/contract.ts';
import { createFakeClient } from '../support/fakeClient.ts';
import { renderWithClient } from '../support/renderWithClient.tsx';

const unread = (path: string, more: Partial<UnreadFile> = {}): UnreadFile => ({
  ...{ path, runIds: [7], hasAdapter: false, records: 3, bytesRead: 10, bytes: 100 },
  ...more,
});
const INFO = {
  ...{
    version: '0',
    platform: 'linux',
    libraryPath: '/l.turnwise',
    uploads: '/uploads',
    wheels: '/home/wheels',
    warnings: [],
  },
  shell: 'browser' as const,
  granted: ['/logs'],
};
const RUN = { runId: 7, directory: '/logs' };
const OTHER = { runId: 8, directory: '/other' };

afterEach(cleanup);

it('are put away alone, and stay away', async () => {
  const client = createFakeClient({
    'ingest.jobs': () => [],
    'ingest.unread': () => [unread('/logs/a.jsonl'), unread('/gone/b.jsonl'), unread('/gone/c.jsonl')],
    'host.info': () => INFO,
  });
  renderWithClient(client, <JobCards />);
  await screen.findByText('2 files not read to the end:');
  const [, ofEarlier] = screen.getAllByRole('button', { name: 'Dismiss' });
  if (ofEarlier === undefined) throw new Error('one card only');
  fireEvent.click(ofEarlier);
  expect(screen.queryByText('2 files not read to the end:')).toBeNull();
  screen.getByText('1 file not read to the end:');
  cleanup();
  renderWithClient(client, <JobCards />);
  await screen.findByText('1 file not read to the end:');
  expect(screen.queryByText('2 files not read to the end:')).toBeNull();
});

describe('the card of a job that read nothing', () => {
  const job: IngestProgress = {
    ...{ jobId: 1, state: 'done', paths: ['/copy'], files: 2, filesDone: 2, bytes: 9, bytesDone: 9 },
    ...{ rollouts: 0, issues: 0, elapsedMs: 1 },
  };
  const show = (jobs: readonly IngestProgress[], runs: readonly object[] = []) =>
    renderWithClient(
      createFakeClient({
        'ingest.jobs': () => jobs,
        'ingest.unread': () => [],
        'issue.list': () => ({ issues: [], total: 1, refused: 1 }) as never,
        'run.list': () => [{ ...RUN, runKey: 'a b', name: 'grpo', kind: 'train' }, ...runs] as never,
        'follow.list': () => [],
        'host.info': () => INFO,
      }),
      <JobCards />,
    );

  it('names the run that has its content, with the way there, and is put away', async () => {
    show([{ ...job, runKey: 'a b', runs: 1, duplicates: 2 }]);
    const link = await screen.findByRole('link', { name: 'Open the run' });
    expect(link.getAttribute('href')).toBe('/run/a%20b');
    const text = screen.getByText(/2 files have the same content/).parentElement?.textContent;
    expect(text).toMatch(/^Already in the library as grpo: \/copy/);
    // The directory may grow, though nothing in it is new.
    screen.getByRole('button', { name: 'Follow' });
    fireEvent.click(screen.getByRole('button', { name: 'Dismiss' }));
    expect(screen.queryByText(/Already in the library/)).toBeNull();
  });

  it('is taken away once new files of the directory are a run', async () => {
    const of = (path: string, jobId: number) => ({
      ...job,
      jobId,
      paths: [path],
      runKey: 'a b',
      duplicates: 1,
    });
    show(
      [of('/copy/', 6), of('/other', 7)],
      [{ runId: 9, directory: '/copy', runKey: 'c', name: 'copy', kind: 'train' }],
    );
    await screen.findByText('/other');
    await waitFor(() => expect(screen.queryByText('/copy/')).toBeNull());
    screen.getByText('/other');
  });

  it('leads to the issues if no file could be read, once for the same paths', async () => {
    show([
      { ...job, jobId: 2, issues: 1 },
      { ...job, jobId: 3, issues: 2 },
    ]);
    await screen.findByText(/2 issues: no file has records/);
    expect(screen.getAllByRole('link', { name: 'Show why' })).toHaveLength(1);
    expect(await screen.findAllByRole('button', { name: 'Follow' })).toHaveLength(1);
  });

  it('is not there if the files are unchanged, or were read', async () => {
    show([
      { ...job, jobId: 4, issues: 1, runKey: 'a b' },
      { ...job, jobId: 5, paths: ['/x'], issues: 1, rollouts: 1 },
      { ...job, jobId: 6, paths: ['/running'], state: 'running' },
    ]);
    await screen.findByText('/running');
    expect(screen.queryByText(/Nothing read|Already/)).toBeNull();
  });
});

describe('the badge of a run', () => {
  const started: (readonly string[])[] = [];
  const cancelled: number[] = [];
  const clientWith = (files: readonly UnreadFile[], isReading = false) =>
    createFakeClient({
      'ingest.jobs': () =>
        isReading
          ? [
              {
                ...{ jobId: 1, state: 'running', paths: ['/logs'], bytes: 10, bytesDone: 4 },
                ...{ files: 1, filesDone: 0, rollouts: 0, issues: 0, elapsedMs: 1 },
              } satisfies IngestProgress,
            ]
          : [],
      'ingest.unread': () => files,
      'host.info': () => INFO,
      'ingest.cancel': ({ jobId }) => {
        cancelled.push(jobId);
        return { cancelled: true };
      },
      'ingest.start': ({ paths }) => {
        started.push(paths);
        return { jobId: 2 };
      },
    });

  it('says how much was read, and reads on', async () => {
    const files = [
      unread('/logs/a.jsonl', { records: 3827, bytesRead: 4_000, bytes: 94_000 }),
      unread('/logs/other.jsonl', { runIds: [8] }),
    ];
    const client = clientWith(files);
    renderWithClient(client, <PartlyRead run={RUN} />);
    await screen.findByText('partly read: about 90,000 records (96 % of 1 file) missing');
    fireEvent.click(await screen.findByRole('button', { name: 'Continue' }));
    await waitFor(() => expect(started).toEqual([['/logs/a.jsonl']]));
  });

  it('is absent of a run that is whole', async () => {
    renderWithClient(clientWith([unread('/logs/a.jsonl')]), <PartlyRead run={{ ...RUN, runId: 8 }} />);
    renderWithClient(clientWith([unread('/logs/a.jsonl')], true), <PartlyRead run={OTHER} />);
    await new Promise((resolve) => setTimeout(resolve));
    expect(screen.queryByText(/partly read|Reading/)).toBeNull();
  });

  it('is absent of a run whose directory is followed, because its follower reads the rest', async () => {
    const files = [unread('/logs/run/a.jsonl'), unread('/other/b.jsonl', { runIds: [8] })];
    const follow: FollowRow = { path: '/logs', state: 'watching', since: 0, rollouts: 0 };
    const client = createFakeClient({
      ...{ 'ingest.jobs': () => [], 'ingest.unread': () => files, 'host.info': () => INFO },
      'follow.list': () => [follow],
    });
    renderWithClient(
      client,
      <>
        <PartlyRead run={{ ...RUN, directory: '/logs/run' }} />
        <PartlyRead run={OTHER} />
      </>,
    );
    await waitFor(() => expect(screen.getAllByText(/partly read/)).toHaveLength(1));
  });

  it('says how far a job has come, and cancels it', async () => {
    renderWithClient(clientWith([unread('/logs/a.jsonl')], true), <PartlyRead run={RUN} />);
    await screen.findByText('Reading… 40 %');
    expect(screen.queryByText(/partly read/)).toBeNull();
    fireEvent.click(screen.getByRole('button', { name: 'Cancel' }));
    await waitFor(() => expect(cancelled).toEqual([1]));
  });

  it('has a note above the charts, which says what they cover', async () => {
    const files = [unread('/logs/a.jsonl', { records: 3827, bytesRead: 4_000, bytes: 94_000 })];
    renderWithClient(clientWith(files), <PartlyReadNote run={RUN} />);
    await screen.findByText('Partly read: charts and lists lack about 90,000 records (96 % of 1 file).');
    cleanup();
    renderWithClient(clientWith(files, true), <PartlyReadNote run={RUN} />);
    await screen.findByText('Being read: charts and lists cover what has been read so far.');
  });

  it('reads files of its other steps, too, which the cancelled job had not begun', async () => {
    const notBegun = { runIds: [], records: 0, bytesRead: 0 };
    const files = [
      unread('/logs/0.jsonl', { records: 100, bytesRead: 5_000, bytes: 10_000 }),
      unread('/logs/20.jsonl', { ...notBegun, bytes: 20_000 }),
      unread('/logs/notes.jsonl', notBegun),
      unread('/other/20.jsonl', notBegun),
    ];
    renderWithClient(clientWith(files), <PartlyRead run={RUN} />);
    await screen.findByText('partly read: about 500 records (83 % of 2 files) missing');
    fireEvent.click(await screen.findByRole('button', { name: 'Continue' }));
    await waitFor(() => expect(started.at(-1)).toEqual(['/logs/0.jsonl', '/logs/20.jsonl']));
  });

  it('estimates no number for a compressed file', () => {
    const { bytesRead: _, ...compressed } = unread('/logs/a.jsonl');
    expect(missingOf([compressed])).toBe('the rest of 1 file');
    expect(missingOf([unread('/a'), compressed])).toBe('the rest of 2 files');
    expect(missingOf([unread('/a', { records: 0, bytesRead: 0 })])).toBe('the rest of 1 file');
    expect(missingOf([unread('/a'), unread('/b', { records: 1, bytesRead: 50, bytes: 100 })])).toBe(
      'about 9 records (70 % of 2 files)',
    );
  });
});
