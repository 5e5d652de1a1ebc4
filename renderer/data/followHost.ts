/** Turns the host's events and reconnects into cache updates. Returns a function that stops it. */
import type { Query, QueryClient } from '@tanstack/react-query';
import type { FollowRow, IngestProgress, RunSummary } from '../../shared/api/contract.ts';
import { annotationsChanged } from './annotations.ts';
import type { Connection } from './connection.ts';
import { FOLLOWS_KEY, followOf } from './follows.ts';

/** While a job runs, the host reports every committed batch. Views do not need to refetch more often than this. */
const REFETCH_EVERY = 700;
/** The first change after a pause is shown at once. Events that arrive together cause one round. */
const TOGETHER = 40;
/** After a slow round of refetching the pause is longer, so that refetching never dominates the load. */
const REST_SHARE = 3;
const LONGEST_REST = 10_000;
/** Interval for data that only late lines change. */
const LATE_EVERY = 10_000;

export const JOBS_KEY = ['ingest.jobs', {}] as const;

/**
 * Data that no ingest can change: a record's bytes are fixed by its id, and jobs and follows arrive as events. Search results are kept as well; the search says when there is more.
 */
const FIXED = new Set<unknown>([
  'rollout.record',
  'ingest.jobs',
  'follow.list',
  'host.info',
  'format.list',
  'mapping.list',
  'mapping.preview',
  'file.inspect',
  'path.list',
  // The warehouse does not change with the library.
  'warehouse.runs',
  'warehouse.steps',
  'warehouse.rollouts',
  'warehouse.latencies',
  'warehouse.schema',
  'search.page',
  'search.count',
  'search.hits',
  // Reads every page of the file, so it is fetched on demand and not every second while the file grows.
  'library.sizes',
]);

/** Rows and tokens that are known already. Only late `decision` and `signal` lines change them. */
const LATE = new Set<unknown>(['rollout.get', 'rollout.rows', 'rollout.tokens']);

/** Rows of any run. Neither the params nor the response names the run. */
const ROWS = 'group.rows';

export function mergeJob(
  jobs: readonly IngestProgress[] | undefined,
  job: IngestProgress,
): readonly IngestProgress[] {
  const others = (jobs ?? []).filter((other) => other.jobId !== job.jobId);
  return [...others, job].sort((a, b) => a.jobId - b.jobId);
}

/** Pause after a round of refetching that took `took` milliseconds. */
export function restAfter(took: number): number {
  return Math.min(LONGEST_REST, Math.max(REFETCH_EVERY, took * REST_SHARE));
}

/**
 * Whether cached data may be stale after these runs have changed. True if neither the params nor the data name a run.
 */
export function isStale(
  queryKey: readonly unknown[],
  runIds: ReadonlySet<number>,
  answer?: unknown,
): boolean {
  const [method, params] = queryKey;
  if (FIXED.has(method) || LATE.has(method)) return false;
  const runId = runIdIn(params) ?? runIdIn(answer);
  return runId === undefined || runIds.has(runId);
}

function runIdIn(value: unknown): number | undefined {
  const runId = typeof value === 'object' && value !== null && 'runId' in value ? value.runId : undefined;
  return typeof runId === 'number' ? runId : undefined;
}

const knownRuns = (queryClient: QueryClient): readonly RunSummary[] =>
  queryClient.getQueryData<readonly RunSummary[]>(['run.list', {}]) ?? [];

/** The run that a query is about, by its id or key in the params or the data. */
function runIdOf(queryClient: QueryClient, { queryKey, state }: Query): number | undefined {
  const [, params] = queryKey;
  const runId = runIdIn(params) ?? runIdIn(state.data);
  if (runId !== undefined || typeof params !== 'object' || params === null || !('runKey' in params))
    return runId;
  return knownRuns(queryClient).find(({ runKey }) => runKey === params.runKey)?.runId;
}

/** Refetches all data about a run at once. */
export function refetchRun(queryClient: QueryClient, runId: number): void {
  const predicate = (query: Query) =>
    isOfHere(query.queryKey) &&
    (query.queryKey[0] === ROWS ||
      LATE.has(query.queryKey[0]) ||
      (!FIXED.has(query.queryKey[0]) && runIdOf(queryClient, query) === runId));
  void queryClient.invalidateQueries({ predicate }, { cancelRefetch: false });
}

/** The client is the one for the current library. */
type Followed = Pick<Connection, 'client' | 'status' | 'onStatus'>;

/** Query keys of other libraries have the library's id as their third part. */
export const isOfHere = (queryKey: readonly unknown[]): boolean => queryKey[2] === undefined;

/**
 * @param isPaused whether the page of a run is paused. While the run is followed, all of its data is then kept, so
 * that header, charts and lists agree. A view that requests something new refreshes all of it.
 */
export function followHost(
  connection: Followed,
  queryClient: QueryClient,
  isPaused: (runKey: string) => boolean = () => false,
): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isAsking = false;
  let isClosed = false;
  let before = connection.status();
  let changed = new Set<number>();
  let hasNews = false;
  let hasJobEnded = false;
  let lateAt: number | undefined;
  /** When the next round may begin. */
  let nextAt = 0;
  let isLatePending = false;
  let isWaitingForLate = false;
  let endRound = (): void => undefined;
  /** Queries that became stale while they were fetching, and have received that response since. */
  let overtaken = new Set<Query>();
  /** Paused runs with changes that are not shown. */
  const withheld = new Set<number>();
  /** Paused runs whose data was all requested after the pause, or was up to date at that time. */
  const settled = new Set<number>();

  const pausedRuns = (): ReadonlySet<number> => {
    const follows = queryClient.getQueryData<readonly FollowRow[]>(FOLLOWS_KEY) ?? [];
    const paused = knownRuns(queryClient).filter(
      ({ runKey, directory }) => isPaused(runKey) && followOf(follows, directory) !== undefined,
    );
    return new Set(paused.map(({ runId }) => runId));
  };
  /** Changes that arrive during a round of refetching cause one more round, or the data would be inconsistent. */
  const mayWithhold = (runId: number): boolean => {
    if (!settled.has(runId) && (isAsking || changed.has(runId))) return false;
    settled.add(runId);
    return true;
  };

  const ask = async () => {
    timer = undefined;
    isWaitingForLate = false;
    const started = performance.now();
    const runIds = changed;
    const isAll = hasJobEnded;
    const paused = pausedRuns();
    const isHeld = (query: Query): boolean => {
      const runId = runIdOf(queryClient, query);
      return runId !== undefined && paused.has(runId) && !runIds.has(runId);
    };
    const areRowsAsked = isAll || runIds.size > 0;
    const isLateDue = isAll || lateAt === undefined || started - lateAt >= LATE_EVERY;
    const asksLate = isLatePending && isLateDue;
    const again = overtaken;
    changed = new Set();
    overtaken = new Set();
    hasNews = false;
    hasJobEnded = false;
    if (asksLate) {
      lateAt = started;
      isLatePending = false;
    }
    const isAsked = ({ queryKey, state }: Query) =>
      isOfHere(queryKey) &&
      (areRowsAsked || queryKey[0] !== ROWS) &&
      (LATE.has(queryKey[0])
        ? asksLate
        : isAll
          ? !FIXED.has(queryKey[0])
          : isStale(queryKey, runIds, state.data));
    const predicate = (query: Query) => again.has(query) || (isAsked(query) && !isHeld(query));
    isAsking = true;
    const underWay = isAll ? [] : queryClient.getQueryCache().findAll({ predicate, fetchStatus: 'fetching' });
    for (const query of underWay) {
      void Promise.allSettled([query.promise]).then(() => {
        if (isClosed) return;
        overtaken.add(query);
        askSoon();
      });
    }
    // While changes come every second, requests under way are not cancelled, or none would ever finish. At the end of a
    // job they are, because their responses would be stale.
    const asked = queryClient.invalidateQueries({ predicate }, { cancelRefetch: isAll });
    await Promise.race([
      asked,
      new Promise((resolve) => setTimeout(resolve, LONGEST_REST)),
      new Promise<void>((resolve) => {
        endRound = resolve;
      }),
    ]);
    isAsking = false;
    nextAt = performance.now() + REFETCH_EVERY;
    for (const runId of paused) if (runIds.has(runId)) settled.add(runId);
    if (isClosed) return;
    const rest = restAfter(performance.now() - started);
    if (hasJobEnded) askIn(0);
    else if (hasNews) askIn(rest);
    else if (overtaken.size > 0) askIn(REFETCH_EVERY);
    else if (isLatePending) {
      askIn(LATE_EVERY);
      isWaitingForLate = true;
    }
  };
  const askIn = (milliseconds: number) => {
    if (!isAsking) timer ??= setTimeout(() => void ask(), milliseconds);
  };

  const askInstead = (milliseconds: number) => {
    clearTimeout(timer);
    timer = undefined;
    isWaitingForLate = false;
    askIn(milliseconds);
  };
  /** Replaces a timer that only waits for late lines, which is slower. */
  const askSoon = () => {
    const wait = Math.max(TOGETHER, nextAt - performance.now());
    if (isWaitingForLate) askInstead(wait);
    else askIn(wait);
  };

  const stopEvents = connection.client.subscribe((event) => {
    if (event.event === 'library.listChanged') {
      // Requests that failed for a closed library may succeed now, and the reverse.
      const predicate = ({ queryKey, state }: Query) =>
        queryKey[0] === 'library.list' || state.status === 'error';
      void queryClient.invalidateQueries({ predicate });
    }
    if (event.event === 'library.warned') {
      const predicate = ({ queryKey }: Query) => queryKey[0] === 'host.info' && isOfHere(queryKey);
      void queryClient.invalidateQueries({ predicate });
    }
    if (event.event === 'follow.changed') {
      queryClient.setQueryData(FOLLOWS_KEY, event.payload.follows);
      const paused = pausedRuns();
      for (const runId of withheld) {
        if (!paused.has(runId) && withheld.delete(runId)) refetchRun(queryClient, runId);
      }
    }
    if (event.event === 'annotations.changed') void annotationsChanged(queryClient, event.payload.revision);
    if (event.event === 'library.changed') {
      const paused = pausedRuns();
      for (const runId of event.payload.runIds) {
        if (!paused.has(runId)) {
          settled.delete(runId);
          withheld.delete(runId);
        }
        if (paused.has(runId) && mayWithhold(runId)) withheld.add(runId);
        else changed.add(runId);
      }
      if (changed.size > 0) isLatePending = true;
      // Set even if all changes are withheld, because the list of runs counts new rollouts.
      hasNews = true;
      askSoon();
    }
    if (event.event === 'ingest.progress') {
      queryClient.setQueryData<readonly IngestProgress[]>(JOBS_KEY, (jobs) => mergeJob(jobs, event.payload));
      if (event.payload.state === 'running') return;
      hasJobEnded = true;
      isLatePending = true;
      // The counts are final now, so the page shows them without the pause between rounds.
      endRound();
      askInstead(0);
    }
  });
  const stopCache = queryClient.getQueryCache().subscribe((event) => {
    if (event.type !== 'observerAdded' || event.query.state.data !== undefined) return;
    const runId = runIdOf(queryClient, event.query);
    if (runId === undefined || !withheld.delete(runId)) return;
    queueMicrotask(() => refetchRun(queryClient, runId));
  });
  const stopStatus = connection.onStatus(() => {
    const now = connection.status();
    if (now === 'open' && before !== 'connecting') void queryClient.invalidateQueries();
    before = now;
  });
  return () => {
    isClosed = true;
    clearTimeout(timer);
    stopEvents();
    stopCache();
    stopStatus();
  };
}
