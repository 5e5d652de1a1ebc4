import type { FollowRow, RunSummary } from '../../shared/api/contract.ts';
import { followOf, useFollows } from './follows.ts';
import { useRequest } from './useRequest.ts';

export interface Live {
  readonly run: RunSummary | undefined;
  /** What reads new logs of the run; undefined: it is not followed. */
  readonly follow: FollowRow | undefined;
}

/** Whether a run is growing under the reader's eyes. */
export function useLive(runKey: string): Live {
  const run = useRequest('run.list', {}).data?.find((one) => one.runKey === runKey);
  return { run, follow: followOf(useFollows(), run?.directory) };
}
