/** Events of the host and reconnects, turned into cache updates. Returns its own undo. */
import type { Query, QueryClient } from '@tanstack/react-query';
import type { FollowRow, IngestProgress, RunSummary } from '../../shared/api/contract.ts';
import { annotationsChanged } from './annotations.ts';
import type { Connection } from './connection.ts';
import { FOLLOWS_KEY, followOf } from './follows.ts';

/** While a job runs the host reports every committed batch; views need not refetch more often than this. */
const REFETCH_EVERY = 700;
/** A round of refetching that took long is followed by a longer rest, so that asking never is the load. */
const REST_SHARE = 3;
const LONGEST_REST = 10_000;
/** Between two readings of what only late lines change. */
const LATE_EVERY = 10_000;

export const JOBS_KEY = ['ingest.jobs', {}] as const;

/**
 * Answers that no ingest can change: a rollout's tokens and the bytes of a record are fixed by its
 * id, and jobs and follows come as events. What was found stays as it is; the search says when there is more.
 */
const FIXED = new Set<unknown>([
  'rollout.tokens',
  'rollout.record',
  'ingest.jobs',
  'follow.list',
  'host.info',
  'format.list',
  'mapping.list',
  'mapping.preview',
  'file.inspect',
  'path.list',
  'search.page',
  'search.count',
  'search.hits',
  // Reads every page of the file: asked for, and not by the second while it grows.
  'library.sizes',
]);

/** Rollouts that are known already: late `decision` and `signal` lines change them, and nothing else does. */
const LATE = new Set<unknown>(['rollout.get', 'rollout.rows']);

/** Rows of any run: neither their params nor their answer names it. */
const ROWS = 'group.rows';

export function mergeJob(
  jobs: readonly IngestProgress[] | undefined,
  job: IngestProgress,
): readonly IngestProgress[] {
  const others = (jobs ?? []).filter((other) => other.jobId !== job.jobId);
  return [...others, job].sort((a, b) => a.jobId - b.jobId);
}

/** How long to rest after a round of refetching that took `took` milliseconds. */
export function restAfter(took: number): number {
  return Math.min(LONGEST_REST, Math.max(REFETCH_EVERY, took * REST_SHARE));
}

/**
 * Whether an answer may be another one, now that these runs have changed. Always, where neither the parameters nor the
 * answer names a run.
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

/** The run that a query is about, by its id or key in the params or the answer. */
function runIdOf(queryClient: QueryClient, { queryKey, state }: Query): number | undefined {
  const [, params] = queryKey;
  const runId = runIdIn(params) ?? runIdIn(state.data);
  if (runId !== undefined || typeof params !== 'object' || params === null || !('runKey' in params))
    return runId;
  return knownRuns(queryClient).find(({ runKey }) => runKey === params.runKey)?.runId;
}

/** Brings every answer about a run up to date at once. */
export function refetchRun(queryClient: QueryClient, runId: number): void {
  const predicate = (query: Query) =>
    isOfHere(query.queryKey) &&
    (query.queryKey[0] === ROWS ||
      LATE.has(query.queryKey[0]) ||
      (!FIXED.has(query.queryKey[0]) && runIdOf(queryClient, query) === runId));
  void queryClient.invalidateQueries({ predicate }, { cancelRefetch: false });
}

/** The client is the one of the library that is looked at. */
type Followed = Pick<Connection, 'client' | 'status' | 'onStatus'>;

/** Answers of another library than the one that is looked at have its id as the third part of their key. */
export const isOfHere = (queryKey: readonly unknown[]): boolean => queryKey[2] === undefined;

/**
 * @param isPaused whether the view of a run is paused. While the run is live, its answers then stay as they are, all of
 * them, so that header, charts and lists agree. A view that asks something new brings all of them up to date.
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
  let isLatePending = false;
  let isWaitingForLate = false;
  /** Queries that became stale while they were fetching, once that answer has arrived. */
  let overtaken = new Set<Query>();
  /** Paused runs with news that is not shown. */
  const withheld = new Set<number>();
  /** Paused runs whose answers were all asked after the pause, or were up to date at it. */
  const settled = new Set<number>();

  const pausedRuns = (): ReadonlySet<number> => {
    const follows = queryClient.getQueryData<readonly FollowRow[]>(FOLLOWS_KEY) ?? [];
    const paused = knownRuns(queryClient).filter(
      ({ runKey, directory }) => isPaused(runKey) && followOf(follows, directory) !== undefined,
    );
    return new Set(paused.map(({ runId }) => runId));
  };
  /** News that arrives during a round of refetching is asked for once more, else the answers would differ. */
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
    for (const query of queryClient.getQueryCache().findAll({ predicate, fetchStatus: 'fetching' })) {
      void Promise.allSettled([query.promise]).then(() => {
        if (isClosed) return;
        overtaken.add(query);
        askSoon();
      });
    }
    // An answer under way is not thrown away for a newer question: with news every second none would ever come.
    const asked = queryClient.invalidateQueries({ predicate }, { cancelRefetch: false });
    await Promise.race([asked, new Promise((resolve) => setTimeout(resolve, LONGEST_REST))]);
    isAsking = false;
    for (const runId of paused) if (runIds.has(runId)) settled.add(runId);
    if (isClosed) return;
    const rest = restAfter(performance.now() - started);
    if (hasNews || hasJobEnded) askIn(rest);
    else if (overtaken.size > 0) askIn(REFETCH_EVERY);
    else if (isLatePending) {
      askIn(LATE_EVERY);
      isWaitingForLate = true;
    }
  };
  const askIn = (milliseconds: number) => {
    if (!isAsking) timer ??= setTimeout(() => void ask(), milliseconds);
  };

  /** Sooner than what waits for late lines only. */
  const askSoon = () => {
    if (isWaitingForLate) {
      clearTimeout(timer);
      timer = undefined;
      isWaitingForLate = false;
    }
    askIn(REFETCH_EVERY);
  };

  const stopEvents = connection.client.subscribe((event) => {
    if (event.event === 'library.listChanged') {
      // What could not be asked of a closed library may be asked now, and the other way round.
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
      // Also when all of it is withheld, because the list of runs counts what has come.
      hasNews = true;
      askSoon();
    }
    if (event.event === 'ingest.progress') {
      queryClient.setQueryData<readonly IngestProgress[]>(JOBS_KEY, (jobs) => mergeJob(jobs, event.payload));
      if (event.payload.state === 'running') return;
      hasJobEnded = true;
      isLatePending = true;
      askSoon();
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
