/**
 * Followed directories: the host's list, kept up to date by its events, and the actions to start and stop following.
 */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { FollowRow, RunSummary } from '../../shared/api/contract.ts';
import { isCopyOfWarehouse } from '../../shared/domain/warehouseCopies.ts';
import { useClient } from './DataProvider.tsx';
import { useRequest } from './useRequest.ts';

export const FOLLOWS_KEY = ['follow.list', {}] as const;

const NONE: readonly FollowRow[] = [];

export function useFollows(): readonly FollowRow[] {
  return useRequest('follow.list', {}).data ?? NONE;
}

const trimmed = (path: string): string => path.replace(/(?<=.)[/\\]+$/, '');

/** Whether `inner` is `outer` or below it. */
export function isBelow(inner: string, outer: string): boolean {
  const [a, b] = [trimmed(inner), trimmed(outer)];
  if (!a.startsWith(b)) return false;
  return a.length === b.length || /[/\\]$/.test(b) || /^[/\\]/.test(a.slice(b.length));
}

/** The follow that covers a directory. */
export function followOf(
  follows: readonly FollowRow[],
  directory: string | undefined,
): FollowRow | undefined {
  return directory === undefined ? undefined : follows.find(({ path }) => isBelow(directory, path));
}

/** Whether a path can be followed. Uploaded files and copies of a warehouse's steps never grow. */
export function useCanFollow(): (path: string) => boolean {
  const uploads = useRequest('host.info', {}).data?.uploads;
  return (path) => uploads !== undefined && !isBelow(path, uploads) && !isCopyOfWarehouse(path);
}

export function useFollowActions() {
  const client = useClient();
  const queryClient = useQueryClient();
  const onSuccess = (follows: readonly FollowRow[]) => queryClient.setQueryData(FOLLOWS_KEY, follows);
  const start = useMutation({
    mutationFn: (paths: readonly string[]) => client.request('follow.start', { paths: [...paths] }),
    onSuccess,
  });
  const stop = useMutation({
    mutationFn: (path: string) => client.request('follow.stop', { path }),
    onSuccess,
  });
  return { start, stop };
}

interface Live {
  readonly run: RunSummary | undefined;
  /** The follow that reads new logs of the run. Undefined: the run is not followed. */
  readonly follow: FollowRow | undefined;
}

/** The run, and whether it is being followed. */
export function useLive(runKey: string): Live {
  const run = useRequest('run.list', {}).data?.find((one) => one.runKey === runKey);
  return { run, follow: followOf(useFollows(), run?.directory) };
}
