import { useEffect, useRef } from 'react';
import type { IngestProgress } from '../../shared/api/contract.ts';
import { goTo } from '../data/usePlace.ts';
import { useRequest } from '../data/useRequest.ts';

/** Once for a window: coming back from another library is no start. */
const startsAtLibrary = globalThis.location?.pathname === '/';
let hasOpened = false;

/**
 * A start without a place opens one run (from argv, or the demo), once; coming to the library later stays there. A job
 * that was under way when the page was opened may learn its run only later: on a busy machine, or from a slow disk.
 */
export function useStartRun(): void {
  const openRunKey = useRequest('host.info', {}).data?.openRunKey;
  const jobs = useRequest('ingest.jobs', {}).data;
  const ofStart = useRef<ReadonlySet<number>>(undefined);
  useEffect(() => {
    if (jobs !== undefined) ofStart.current ??= new Set(jobs.map(({ jobId }) => jobId));
    const runKey = openRunKey ?? runOf(jobs, ofStart.current);
    if (!startsAtLibrary || runKey === undefined || hasOpened) return;
    hasOpened = true;
    if (window.location.pathname === '/') goTo({ view: 'run', runKey });
  }, [openRunKey, jobs]);
}

function runOf(
  jobs: readonly IngestProgress[] | undefined,
  ofStart: ReadonlySet<number> | undefined,
): string | undefined {
  return jobs?.find(({ jobId, runKey }) => ofStart?.has(jobId) === true && runKey !== undefined)?.runKey;
}
