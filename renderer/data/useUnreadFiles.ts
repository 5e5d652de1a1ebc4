import type { UnreadFile } from '../../shared/api/contract.ts';
import { isBelow } from './follows.ts';
import { useRequest } from './useRequest.ts';

interface UnreadFiles {
  readonly files: readonly UnreadFile[];
  readonly isReading: boolean;
}

/**
 * Files that were not read to their end. A file that a running job reads is not one of them.
 * @returns undefined while they are requested
 */
export function useUnreadFiles(): UnreadFiles | undefined {
  const files = useRequest('ingest.unread', {}).data;
  const jobs = useRequest('ingest.jobs', {}).data;
  if (files === undefined || jobs === undefined) return undefined;
  const running = jobs.filter(({ state }) => state === 'running');
  const isRead = ({ path }: UnreadFile) =>
    running.some(({ paths }) => paths.some((root) => isBelow(path, root)));
  return { files: files.filter((file) => !isRead(file)), isReading: running.length > 0 };
}
