/** Events of the host and reconnects, turned into cache updates. Returns its own undo. */
import type { QueryClient } from '@tanstack/react-query';
import type { IngestProgress } from '../../shared/api/contract.ts';
import type { Connection } from './connection.ts';

/** While a job runs the host reports every committed batch; views need not refetch more often than this. */
const REFETCH_EVERY = 700;

export const JOBS_KEY = ['ingest.jobs', {}] as const;

/** Answers that no ingest can change: a rollout's tokens and the bytes of a record are fixed by its id. */
const FIXED = new Set<unknown>(['rollout.tokens', 'rollout.record', 'ingest.jobs', 'host.info']);

/** Large, and changed by late `decision` and `signal` lines only: asked again when a job has ended. */
const LARGE = new Set<unknown>(['rollout.get']);

export function mergeJob(
  jobs: readonly IngestProgress[] | undefined,
  job: IngestProgress,
): readonly IngestProgress[] {
  const others = (jobs ?? []).filter((other) => other.jobId !== job.jobId);
  return [...others, job].sort((a, b) => a.jobId - b.jobId);
}

export function followHost(connection: Connection, queryClient: QueryClient): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let before = connection.status();

  let hasJobEnded = false;

  const refetchSoon = () => {
    timer ??= setTimeout(() => {
      timer = undefined;
      const includesLarge = hasJobEnded;
      hasJobEnded = false;
      void queryClient.invalidateQueries({
        predicate: ({ queryKey: [method] }) => !FIXED.has(method) && (includesLarge || !LARGE.has(method)),
      });
    }, REFETCH_EVERY);
  };

  const stopEvents = connection.client.subscribe((event) => {
    if (event.event === 'library.changed') refetchSoon();
    if (event.event === 'ingest.progress') {
      queryClient.setQueryData<readonly IngestProgress[]>(JOBS_KEY, (jobs) => mergeJob(jobs, event.payload));
      if (event.payload.state !== 'running') {
        hasJobEnded = true;
        refetchSoon();
      }
    }
  });
  const stopStatus = connection.onStatus(() => {
    const now = connection.status();
    if (now === 'open' && before !== 'connecting') void queryClient.invalidateQueries();
    before = now;
  });
  return () => {
    clearTimeout(timer);
    stopEvents();
    stopStatus();
  };
}
