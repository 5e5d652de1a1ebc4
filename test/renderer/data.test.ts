import { describe, expect, it } from 'vitest';
import { readTokenUrl } from '../../renderer/data/connection.ts';
import { mergeJob } from '../../renderer/data/followHost.ts';
import { neighbourOf } from '../../renderer/data/useNeighbours.ts';
import { chunksOf } from '../../renderer/data/useRowWindow.ts';
import { reconnectDelay } from '../../renderer/data/webSocketTransport.ts';
import { crumbsOf, nextTheme } from '../../renderer/shell/TopBar.tsx';
import { resolvedTheme } from '../../renderer/theme/theme.ts';
import { mixedShare, rowOfSummary } from '../../renderer/widgets/tables/stepRows.ts';
import type { IngestProgress, StepSummary } from '../../shared/api/contract.ts';
import { stepRow } from '../support/preview/previewData.ts';

const job: IngestProgress = {
  jobId: 2,
  state: 'running',
  paths: [],
  files: 1,
  filesDone: 0,
  bytes: 10,
  bytesDone: 1,
  rollouts: 0,
  issues: 0,
  elapsedMs: 1,
};

describe('data', () => {
  it('removes the token from the URL and keeps the route', () => {
    expect(readTokenUrl(new URL('http://127.0.0.1:8001/run/a?turn=5#token=s3cret'))).toEqual({
      token: 's3cret',
      cleanUrl: '/run/a?turn=5',
    });
    expect(readTokenUrl(new URL('http://127.0.0.1:8001/#token=')).token).toBeUndefined();
    expect(readTokenUrl(new URL('http://127.0.0.1:8001/')).token).toBeUndefined();
  });

  it('asks for aligned chunks', () => {
    expect(chunksOf({ first: 95, end: 130 }, 250)).toEqual([
      { first: 0, end: 100 },
      { first: 100, end: 200 },
    ]);
    expect(chunksOf({ first: 240, end: 300 }, 250)).toEqual([{ first: 200, end: 250 }]);
    expect(chunksOf({ first: 0, end: 60 }, 0)).toEqual([]);
  });

  it('keeps one entry per job, the newest', () => {
    const done = { ...job, state: 'done' } as const;
    expect(mergeJob([job, { ...job, jobId: 1 }], done)).toEqual([{ ...job, jobId: 1 }, done]);
    expect(mergeJob(undefined, job)).toEqual([job]);
  });

  it('waits longer between attempts, up to a limit', () => {
    expect([0, 1, 2, 30].map(reconnectDelay)).toEqual([250, 500, 1_000, 5_000]);
  });

  it('knows the neighbours of an id', () => {
    const ids = Uint32Array.of(7, 3, 9);
    expect([neighbourOf(ids, 3, 1), neighbourOf(ids, 7, -1), neighbourOf(ids, 4, 1)]).toEqual([
      9,
      undefined,
      undefined,
    ]);
  });
});

describe('shell', () => {
  it('writes the path from the library to a page', () => {
    const route = { view: 'rollout', runKey: 'r', step: 240, groupKey: 'p-0417', ordinal: 11 } as const;
    expect(crumbsOf(route, { run: 'grpo' }).map((crumb) => crumb.label)).toEqual([
      'Library',
      'grpo',
      'step 240',
      'p-0417',
      '#11',
    ]);
    const limited = crumbsOf({ view: 'search' }, { run: 'grpo' }, true, 'a');
    expect(limited.map(({ label }) => label)).toEqual(['Library', 'grpo', 'Search']);
    expect(limited[1]?.route).toEqual({ view: 'run', runKey: 'a' });
    const pages = crumbsOf({ view: 'sql' }, { library: 'other', run: undefined });
    expect(pages.map(({ label }) => label)).toEqual(['other', 'SQL']);
  });

  it('follows the system unless set', () => {
    expect([
      resolvedTheme('system', true),
      resolvedTheme('light', true),
      resolvedTheme('dark', false),
    ]).toEqual(['dark', 'light', 'dark']);
    expect(nextTheme('dark')).toBe('system');
  });
});

describe('browsing', () => {
  const row: StepSummary = {
    ...stepRow(100),
    rollouts: 700,
    withText: 600,
    withoutToolCalls: 576,
    correct: 3,
    correctKnown: 0,
  };

  it('has shares only of known values', () => {
    expect(rowOfSummary(row).noToolShare).toBe(0.96);
    expect(rowOfSummary(row).passRate).toBeUndefined();
    expect(
      mixedShare({ ...rowOfSummary(row), groupsAllWrong: 0, groupsMixed: 0, groupsAllRight: 0 }),
    ).toBeUndefined();
  });
});
