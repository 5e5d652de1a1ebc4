import { type RolloutRow, rolloutSortNamed } from '../../../shared/api/contract.ts';
import type { RolloutListLink } from '../../data/rolloutListLink.ts';
import type { Route } from '../../data/route.ts';
import { useNeighbourRollout } from '../../data/useNeighbours.ts';
import { useRequest } from '../../data/useRequest.ts';
import { goTo } from '../../data/useRoute.ts';
import { plainLogText } from '../../ui/LogText.tsx';
import { count } from '../../ui/numbers.ts';
import { parseSorts } from '../../ui/sorting.ts';

export interface Siblings {
  /**
   * `of the group’s 32`; with a filtered list `of the group’s 32 · 3 of 14 that match`, with a
   * ready-made list `3 of 14: Repeats itself`; `5 of 600 in the step` where
   * each problem was sampled once.
   */
  readonly label: string;
  /** Names the list that next and previous step through. */
  readonly hint: string;
  readonly hasPrevious: boolean;
  readonly hasNext: boolean;
  readonly go: (by: number) => void;
}

interface SiblingOptions {
  /** Query parameters to keep: the review queue with its blind setting, and the list. */
  readonly search?: string;
  /** The filtered list from which the rollout was opened. */
  readonly list?: RolloutListLink | undefined;
}

/** The rollouts to step through: the filtered list, else the group, or the whole step if the group has no other. */
export function useSiblings(
  route: Extract<Route, { view: 'rollout' }>,
  row: RolloutRow | undefined,
  run: { readonly runId: number; readonly hasSteps: boolean } | undefined,
  { search = '', list }: SiblingOptions = {},
): Siblings {
  const runId = run?.runId;
  const isKnown = row !== undefined && runId !== undefined;
  const group = useRequest(
    'rollout.order',
    isKnown ? { runId, step: row.step, groupId: row.groupId, sort: [{ by: 'ordinal' }] } : undefined,
    { keepPrevious: true },
  ).data?.ids;
  const listed = useRequest(
    'rollout.order',
    isKnown && list !== undefined
      ? {
          runId,
          ...(list.of === 'run' ? {} : { step: row.step }),
          ...(list.of === 'group' ? { groupId: row.groupId } : {}),
          filter: list.filter,
          sort: sortOf(list),
        }
      : undefined,
    { keepPrevious: true },
  ).data?.ids;
  const isAlone = group !== undefined && group.length <= 1;
  const step = useRequest('rollout.order', isAlone && isKnown ? { runId, step: row.step } : undefined, {
    keepPrevious: true,
  }).data?.ids;
  // The list may no longer contain the rollout.
  const isListed = row !== undefined && listed?.includes(row.rolloutId) === true;
  const ids = isListed ? listed : isAlone ? step : group;
  const goToNeighbour = useNeighbourRollout(ids, row?.rolloutId);
  const at = row === undefined ? -1 : (ids?.indexOf(row.rolloutId) ?? -1);
  const place = `${count(at + 1)} of ${count(ids?.length ?? 0)}`;
  const ofGroup = isAlone || group === undefined ? [] : [`of the group’s ${count(group.length)}`];
  const within = isListed ? ' that match' : run?.hasSteps === false ? ' in the run' : ' in the step';
  const name = isListed && list?.name !== undefined ? `: ${plainLogText(list.name)}` : undefined;
  const inList = isListed || isAlone ? [`${place}${name ?? within}`] : [];
  return {
    label: at < 0 ? '' : [...ofGroup, ...inList].join(' · '),
    hint: isListed
      ? `Next and previous go through the list filtered by ${list?.filter ?? ''}`
      : `Rollouts of a group are numbered from #0. Next and previous go through the ${isAlone ? (run?.hasSteps === false ? 'run' : 'step') : 'group'}, without a filter`,
    hasPrevious: at > 0,
    hasNext: ids !== undefined && at >= 0 && at < ids.length - 1,
    go: (by) =>
      goToNeighbour(by, (next) =>
        goTo({ ...route, step: next.step, groupKey: next.groupKey, ordinal: next.ordinal }, search),
      ),
  };
}

function sortOf({ sort }: RolloutListLink) {
  const order = { column: 'order', direction: 'ascending' } as const;
  return parseSorts(sort, (name) => rolloutSortNamed(name) !== undefined, [order]).map(
    ({ column, direction }) => ({
      by: rolloutSortNamed(column) ?? ('order' as const),
      direction,
    }),
  );
}
