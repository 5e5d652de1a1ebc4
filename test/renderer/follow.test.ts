import { QueryClient, QueryObserver } from '@tanstack/react-query';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Connection } from '../../renderer/data/connection.ts';
import { sharedAnswer } from '../../renderer/data/DataProvider.tsx';
import { followHost, isStale, refetchRun, restAfter } from '../../renderer/data/followHost.ts';
import { FOLLOWS_KEY, followOf, isBelow } from '../../renderer/data/follows.ts';
import { ago, followText } from '../../renderer/shell/TopBarChips.tsx';
import { useInterface } from '../../renderer/state/interface.ts';
import { withheldText } from '../../renderer/widgets/FollowControls.tsx';
import { freshRows, newestStep, nextSnapshot } from '../../renderer/widgets/tables/useFrozenList.tsx';
import type { FollowRow, IngestProgress } from '../../shared/api/contract.ts';
import { createFakeClient } from '../support/fakeClient.ts';
import { stepRow } from '../support/preview/previewData.ts';

const follow: FollowRow = { path: '/logs/run-7', state: 'watching', since: 0, rollouts: 0 };

const JOB: IngestProgress = {
  ...{ jobId: 1, state: 'running', paths: ['/logs'], bytes: 10, bytesDone: 4 },
  ...{ files: 1, filesDone: 0, rollouts: 0, issues: 0, elapsedMs: 1 },
};

describe('followed directories', () => {
  it('show path, count and time', () => {
    expect(followText([], 0)).toBeUndefined();
    expect(followText([follow], 0)).toEqual({ state: 'watching', what: 'run-7', news: 'nothing new yet' });
    const grown = { ...follow, rollouts: 12, lastChange: 1_000 };
    expect(followText([grown], 4_000)?.news).toBe('12 new rollouts since 00:00, the last 3 s ago');
    expect(followText([grown, { ...follow, state: 'lost' }], 4_000)).toEqual({
      state: 'lost',
      what: '2 directories',
      news: '1 not found',
    });
    const outside = { ...follow, state: 'outside' } as const;
    expect(followText([outside], 0)).toMatchObject({ state: 'outside', news: 'not read: leads elsewhere' });
    expect(followText([outside, grown, { ...follow, state: 'lost' }], 4_000)).toMatchObject({
      state: 'lost',
      news: '1 not found, 1 not read',
    });
  });

  it('tells time as finely as one cares', () => {
    expect([500, 3_000, 600_000, 7.2e6 * 2].map((then) => ago(0, then))).toEqual([
      'just now',
      '3 s ago',
      '10 min ago',
      '4 h ago',
    ]);
  });

  it('finds the follow that reads a directory', () => {
    expect(isBelow('/logs/run-7/eval', '/logs/run-7/')).toBe(true);
    expect(isBelow('/logs/run-70', '/logs/run-7')).toBe(false);
    expect(isBelow('C:\\logs\\a', 'C:\\logs')).toBe(true);
    expect(isBelow('/anything', '/')).toBe(true);
    expect(followOf([follow], '/logs/run-7/eval')).toBe(follow);
    expect(followOf([follow], undefined)).toBeUndefined();
  });
});

describe('a frozen list', () => {
  const shown = { key: 'a', value: [1, 2] };
  const newest = [1, 2, 3];

  it('is unchanged while frozen, and updates when not', () => {
    expect(nextSnapshot(shown, 'a', newest, true)).toBe(shown);
    expect(nextSnapshot(shown, 'a', newest, false)).toEqual({ key: 'a', value: newest });
    expect(nextSnapshot(shown, 'a', shown.value, false)).toBe(shown);
  });

  it('replaces another list, or an empty one, at once', () => {
    expect(nextSnapshot(shown, 'b', newest, true)).toEqual({ key: 'b', value: newest });
    expect(nextSnapshot({ key: 'a', value: [] }, 'a', newest, true)).toEqual({ key: 'a', value: newest });
    expect(nextSnapshot(shown, 'b', undefined, true)).toBe(shown);
  });

  it('counts withheld rows', () => {
    expect(freshRows([1], [1, 2, 3])).toBe('2 new');
    expect(freshRows([1, 2], [2, 1])).toBe('the list has changed');
    const [first, second] = [stepRow(0), stepRow(5)];
    expect(newestStep([second, first])).toBe(5);
    expect(newestStep([])).toBeUndefined();
  });

  it('counts what a paused page does not show', () => {
    const first = stepRow(0);
    expect(withheldText({ rollouts: first.rollouts }, [first])).toBeUndefined();
    expect(withheldText({ rollouts: first.rollouts + 12 }, [first])).toBe('12 rollouts not shown');
    expect(withheldText({ rollouts: 1 }, [first])).toBe('the run has changed');
    expect(withheldText(undefined, [first])).toBeUndefined();
  });

  it('is paused per run', () => {
    useInterface.getState().flipPause('a');
    expect(useInterface.getState().pausedRuns).toEqual({ a: true });
    useInterface.getState().flipPause('a');
    expect(useInterface.getState().pausedRuns).toEqual({});
  });
});

describe('answers', () => {
  it('of equal ids stay the same object', () => {
    const before = { ids: Uint32Array.of(1, 2) };
    expect(sharedAnswer(before, { ids: Uint32Array.of(1, 2) })).toBe(before);
    const after = { ids: Uint32Array.of(1, 2, 3) };
    expect(sharedAnswer(before, after)).toBe(after);
    const rows = [{ id: 1 }];
    expect(sharedAnswer(rows, [{ id: 1 }])).toBe(rows);
  });

  it('of equal ids keep their ids, and take every count that has changed', () => {
    const groups = { runId: 1, ids: Uint32Array.of(7, 8), matches: Uint32Array.of(1, 1) };
    expect(sharedAnswer(groups, structuredClone(groups))).toBe(groups);
    const grown = { ...structuredClone(groups), matches: Uint32Array.of(5, 1) };
    const shown = sharedAnswer(groups, grown);
    expect(shown).toEqual(grown);
    expect((shown as typeof groups).ids).toBe(groups.ids);
    const queue = { ids: Uint32Array.of(3), total: 9, read: 8, skipped: 0 };
    expect(sharedAnswer(queue, { ...queue, ids: Uint32Array.of(3), read: 7, skipped: 1 })).toEqual({
      ...queue,
      read: 7,
      skipped: 1,
    });
  });

  it('about other runs are not refetched', () => {
    const changed = new Set([7]);
    expect(isStale(['step.list', { runId: 7 }], changed)).toBe(true);
    expect(isStale(['step.list', { runId: 8 }], changed)).toBe(false);
    expect(isStale(['run.list', {}], changed)).toBe(true);
    expect(isStale(['rollout.rows', [1, 2]], changed)).toBe(false);
    expect(isStale(['mapping.preview', {}], changed)).toBe(false);
  });

  it('pause longer after a long round', () => {
    expect([10, 1_000, 60_000].map(restAfter)).toEqual([700, 3_000, 10_000]);
  });
});

describe('news', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('that overtakes an answer under way fetches once more, even if it was the last news', async () => {
    const client = createFakeClient({});
    const queryClient = new QueryClient({
      defaultOptions: { queries: { staleTime: Number.POSITIVE_INFINITY } },
    });
    const stop = followHost({ client, status: () => 'open', onStatus: () => () => undefined }, queryClient);
    let inLibrary = 'before';
    const queryKey = ['roc.report', { runId: 7 }];
    const queryFn = vi.fn(async () => {
      const answer = inLibrary;
      await new Promise((resolve) => setTimeout(resolve, 15_000));
      return answer;
    });
    const unsubscribe = new QueryObserver(queryClient, { queryKey, queryFn }).subscribe(() => undefined);
    await vi.advanceTimersByTimeAsync(100);
    inLibrary = 'after';
    client.emit({ event: 'library.changed', payload: { runIds: [7] } });
    await vi.advanceTimersByTimeAsync(120_000);
    expect(queryClient.getQueryData(queryKey)).toBe('after');
    expect(queryFn).toHaveBeenCalledTimes(2);
    unsubscribe();
    stop();
  });

  it('after a pause is fetched at once, and the next one not sooner than 700 ms after it', async () => {
    const client = createFakeClient({});
    const queryClient = new QueryClient({
      defaultOptions: { queries: { staleTime: Number.POSITIVE_INFINITY } },
    });
    const stop = followHost({ client, status: () => 'open', onStatus: () => () => undefined }, queryClient);
    const queryFn = vi.fn(async () => 1);
    const unsubscribe = new QueryObserver(queryClient, {
      queryKey: ['step.list', { runId: 7 }],
      queryFn,
    }).subscribe(() => undefined);
    const told = async (wait: number) => {
      client.emit({ event: 'library.changed', payload: { runIds: [7] } });
      await vi.advanceTimersByTimeAsync(wait);
      return queryFn.mock.calls.length;
    };
    await vi.advanceTimersByTimeAsync(5_000);
    expect(await told(60)).toBe(2);
    expect(await told(600)).toBe(2);
    expect(await told(100)).toBe(3);
    unsubscribe();
    stop();
  });

  it('that a job has ended fetches at once, and drops stale answers under way', async () => {
    const client = createFakeClient({});
    const queryClient = new QueryClient({
      defaultOptions: { queries: { staleTime: Number.POSITIVE_INFINITY } },
    });
    const stop = followHost({ client, status: () => 'open', onStatus: () => () => undefined }, queryClient);
    let rollouts = 1;
    let took = 10;
    const queryKey = ['step.list', { runId: 7 }];
    const queryFn = vi.fn(async () => {
      const answer = rollouts;
      await new Promise((resolve) => setTimeout(resolve, took));
      return answer;
    });
    const unsubscribe = new QueryObserver(queryClient, { queryKey, queryFn }).subscribe(() => undefined);
    await vi.advanceTimersByTimeAsync(100);
    [rollouts, took] = [2, 5_000];
    client.emit({ event: 'library.changed', payload: { runIds: [7] } });
    await vi.advanceTimersByTimeAsync(1_000);
    [rollouts, took] = [3, 10];
    client.emit({ event: 'ingest.progress', payload: { ...JOB, state: 'cancelled' } });
    await vi.advanceTimersByTimeAsync(50);
    expect(queryClient.getQueryData(queryKey)).toBe(3);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(queryFn).toHaveBeenCalledTimes(3);
    unsubscribe();
    stop();
  });

  describe('of a paused run', () => {
    /** A run with a header, charts and a table, which all show the same number of rollouts. */
    async function pausedRun() {
      const client = createFakeClient({});
      const queryClient = new QueryClient({
        defaultOptions: { queries: { staleTime: Number.POSITIVE_INFINITY } },
      });
      let isPaused = false;
      const stop = followHost(
        { client, status: () => 'open', onStatus: () => () => undefined },
        queryClient,
        () => isPaused,
      );
      let inLibrary = 1;
      const stops = [stop];
      const watch = (
        queryKey: readonly unknown[],
        answer: () => unknown = () => ({ rollouts: inLibrary }),
      ) => {
        const observer = new QueryObserver(queryClient, { queryKey, queryFn: async () => answer() });
        stops.push(observer.subscribe(() => undefined));
        return () => (queryClient.getQueryData(queryKey) as { rollouts: number } | undefined)?.rollouts;
      };
      queryClient.setQueryData(FOLLOWS_KEY, [follow]);
      const runs = [{ runId: 7, runKey: 'r', directory: '/logs/run-7' }];
      watch(['run.list', {}], () => runs.map((run) => ({ ...run, rollouts: inLibrary })));
      const shown = [
        watch(['run.get', { runKey: 'r' }], () => ({ runId: 7, rollouts: inLibrary })),
        watch(['step.list', { runId: 7 }]),
        watch(['step.series', { runId: 7, filter: '' }]),
      ];
      await vi.advanceTimersByTimeAsync(100);
      return {
        client,
        queryClient,
        watch,
        shown: () => shown.map((rollouts) => rollouts()),
        listed: () => queryClient.getQueryData<{ rollouts: number }[]>(['run.list', {}])?.[0]?.rollouts,
        pause: () => {
          isPaused = true;
        },
        grow: async (rollouts: number, wait = 3_000) => {
          inLibrary = rollouts;
          client.emit({ event: 'library.changed', payload: { runIds: [7] } });
          await vi.advanceTimersByTimeAsync(wait);
        },
        end: () => {
          for (const undo of stops) undo();
        },
      };
    }

    it('changes neither header nor charts nor table, only the list of runs', async () => {
      const run = await pausedRun();
      await run.grow(2);
      expect(run.shown()).toEqual([2, 2, 2]);
      run.pause();
      await run.grow(3);
      await run.grow(4);
      expect(run.shown()).toEqual([2, 2, 2]);
      expect(run.listed()).toBe(4);
      refetchRun(run.queryClient, 7);
      await vi.advanceTimersByTimeAsync(100);
      expect(run.shown()).toEqual([4, 4, 4]);
      run.end();
    });

    it('reaches all of it when a view asks something new, so that all agree', async () => {
      const run = await pausedRun();
      run.pause();
      await run.grow(3);
      const filtered = run.watch(['step.series', { runId: 7, filter: 'reward > 0' }]);
      await vi.advanceTimersByTimeAsync(100);
      expect([filtered(), ...run.shown()]).toEqual([3, 3, 3, 3]);
      await run.grow(4);
      expect([filtered(), ...run.shown()]).toEqual([3, 3, 3, 3]);
      run.end();
    });

    it('reaches all of it when the run is no longer live', async () => {
      const run = await pausedRun();
      run.pause();
      await run.grow(3);
      expect(run.shown()).toEqual([1, 1, 1]);
      run.client.emit({ event: 'follow.changed', payload: { follows: [] } });
      await vi.advanceTimersByTimeAsync(100);
      expect(run.shown()).toEqual([3, 3, 3]);
      run.end();
    });

    it('that came before the pause is still shown', async () => {
      const run = await pausedRun();
      await run.grow(2, 0);
      run.pause();
      await run.grow(3);
      expect(run.shown()).toEqual([3, 3, 3]);
      await run.grow(4);
      expect(run.shown()).toEqual([3, 3, 3]);
      run.end();
    });
  });

  it('every 100 ms fetches at most about once a second, finishes each fetch, and rarely refetches known rows', async () => {
    const client = createFakeClient({});
    const connection: Connection = {
      client,
      clientOf: () => client,
      isStart: false,
      status: () => 'open',
      onStatus: () => () => undefined,
    };
    const queryClient = new QueryClient({
      defaultOptions: { queries: { staleTime: Number.POSITIVE_INFINITY } },
    });
    const stop = followHost(connection, queryClient);
    const asked = { list: 0, answered: 0, rows: 0, tokens: 0, other: 0 };
    const watch = (queryKey: readonly unknown[], queryFn: () => Promise<number>) =>
      new QueryObserver(queryClient, { queryKey, queryFn }).subscribe(() => undefined);
    const stops = [
      watch(['step.list', { runId: 7 }], async () => {
        asked.list += 1;
        await new Promise((resolve) => setTimeout(resolve, 250));
        asked.answered += 1;
        return asked.list;
      }),
      watch(['rollout.rows', [1]], async () => (asked.rows += 1)),
      watch(['rollout.tokens', { rolloutId: 1 }], async () => (asked.tokens += 1)),
      watch(['step.list', { runId: 8 }], async () => (asked.other += 1)),
    ];
    await vi.advanceTimersByTimeAsync(300);
    for (let i = 0; i < 100; i += 1) {
      client.emit({ event: 'library.changed', payload: { runIds: [7] } });
      await vi.advanceTimersByTimeAsync(100);
    }
    expect(asked.list).toBeGreaterThan(5);
    expect(asked.list).toBeLessThanOrEqual(12);
    expect(asked.answered).toBeGreaterThanOrEqual(asked.list - 1);
    expect(asked.rows).toBeLessThanOrEqual(3);
    // A late `signal` line adds to them.
    expect(asked.tokens).toBe(asked.rows);
    expect(asked.tokens).toBeGreaterThan(1);
    expect(asked.other).toBe(1);
    client.emit({ event: 'follow.changed', payload: { follows: [follow] } });
    expect(queryClient.getQueryData(FOLLOWS_KEY)).toEqual([follow]);
    for (const undo of stops) undo();
    stop();
  });
});
