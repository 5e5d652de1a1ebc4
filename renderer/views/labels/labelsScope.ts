/** Of which run, and under which filter, the page of labels speaks. */
import type { RunSummary } from '../../../shared/api/contract.ts';
import { useFilterLink } from '../../data/filterLink.ts';
import { useRequest } from '../../data/useRequest.ts';
import { useUrlQuery } from '../../data/useRoute.ts';

export interface LabelsScope {
  readonly runs: readonly RunSummary[];
  /** Undefined: all runs. */
  readonly run: RunSummary | undefined;
  /** False while the run of the link is looked for. */
  readonly isKnown: boolean;
  readonly filter: string;
  /** As the host's methods take it. */
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
