import type { RolloutRow } from '../../../shared/api/contract.ts';
import type { Route } from '../../data/route.ts';
import { useNeighbourRollout } from '../../data/useNeighbours.ts';
import { useRequest } from '../../data/useRequest.ts';
import { goTo } from '../../data/useRoute.ts';
import { count } from '../../ui/numbers.ts';

export interface Siblings {
  /** `5 of 32`, or `5 of 600 in the step` where each problem was sampled once. */
  readonly label: string;
  readonly hasPrevious: boolean;
  readonly hasNext: boolean;
  readonly go: (by: number) => void;
}

/** The rollouts beside this one: its group, or the whole step when the group has no other. */
export function useSiblings(
  route: Extract<Route, { view: 'rollout' }>,
  row: RolloutRow | undefined,
  run: { readonly runId: number; readonly hasSteps: boolean } | undefined,
  /** Of the URL, kept on the way: a queue, and that it is read blind. */
  search = '',
): Siblings {
  const runId = run?.runId;
  const group = useRequest(
    'rollout.order',
    row === undefined || runId === undefined
      ? undefined
      : { runId, step: row.step, groupId: row.groupId, sort: [{ by: 'ordinal' }] },
    { keepPrevious: true },
  ).data?.ids;
  const isAlone = group !== undefined && group.length <= 1;
  const step = useRequest(
    'rollout.order',
    !isAlone || row === undefined || runId === undefined ? undefined : { runId, step: row.step },
    { keepPrevious: true },
  ).data?.ids;
  const ids = isAlone ? step : group;
  const goToNeighbour = useNeighbourRollout(ids, row?.rolloutId);
  const at = row === undefined ? -1 : (ids?.indexOf(row.rolloutId) ?? -1);
  return {
    label:
      ids === undefined || at < 0
        ? ''
        : `${count(at + 1)} of ${count(ids.length)}${isAlone ? (run?.hasSteps === false ? ' in the run' : ' in the step') : ''}`,
    hasPrevious: at > 0,
    hasNext: ids !== undefined && at >= 0 && at < ids.length - 1,
    go: (by) =>
      goToNeighbour(by, (next) => goTo({ ...route, groupKey: next.groupKey, ordinal: next.ordinal }, search)),
  };
}
