/** The run and filter that the labels page covers. */
import type { RunSummary } from '../../../shared/api/contract.ts';
import { useFilterLink } from '../../data/filterLink.ts';
import { useRequest } from '../../data/useRequest.ts';
import { useUrlQuery } from '../../data/useRoute.ts';

export interface LabelsScope {
  readonly runs: readonly RunSummary[];
  /** Undefined: all runs. */
  readonly run: RunSummary | undefined;
  /** False while the link's run is being looked up. */
  readonly isKnown: boolean;
  readonly filter: string;
  /** The scope as request params. */
  readonly params: { readonly runId?: number; readonly filter: string };
}

export function useLabelsScope(): LabelsScope {
  const [query] = useUrlQuery();
  const { applied } = useFilterLink();
  const list = useRequest('run.list', {}).data;
  const runKey = query.get('run');
  const run = list?.find((one) => one.runKey === runKey);
  return {
    runs: list ?? [],
    run,
    isKnown: runKey === null || list !== undefined,
    filter: applied,
    params: { ...(run === undefined ? {} : { runId: run.runId }), filter: applied },
  };
}
