import { useMemo } from 'react';
import type { UnreadFile } from '../../shared/api/contract.ts';
import { followOf, isBelow, useFollows } from './follows.ts';
import { useRequest } from './useRequest.ts';

interface UnreadFiles {
  readonly files: readonly UnreadFile[];
  readonly isReading: boolean;
}

/** No event reports that a log has grown that nobody follows. */
const LOOK_EVERY = 20_000;

/**
 * Files that were not read to their end, or have grown since. A file that a running job reads, or whose directory is
 * followed, is not one of them.
 * @returns undefined while they are requested
 */
export function useUnreadFiles(): UnreadFiles | undefined {
  const files = useRequest('ingest.unread', {}, { every: LOOK_EVERY }).data;
  const jobs = useRequest('ingest.jobs', {}).data;
  const follows = useFollows();
  return useMemo(() => {
    if (files === undefined || jobs === undefined) return undefined;
    const running = jobs.filter(({ state }) => state === 'running');
    const isRead = ({ path }: UnreadFile) =>
      running.some(({ paths }) => paths.some((root) => isBelow(path, root))) ||
      followOf(follows, path) !== undefined;
    return { files: files.filter((file) => !isRead(file)), isReading: running.length > 0 };
  }, [files, jobs, follows]);
}
