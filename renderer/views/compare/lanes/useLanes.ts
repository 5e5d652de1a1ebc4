/** Loads the rollouts of a link. Each is found or missing on its own. */
import { useMemo } from 'react';
import type { ParamsOf } from '../../../../shared/api/contract.ts';
import { unpackComparison } from '../../../../shared/api/packedRows.ts';
import { MOST_LANES, rolloutRouteOf } from '../../../data/compareLink.ts';
import { ApiError } from '../../../data/failures.ts';
import type { RolloutRoute } from '../../../data/route.ts';
import { usePage } from '../../../data/usePage.ts';
import { useRequest } from '../../../data/useRequest.ts';
import { type Compared, type Lane, type LaneSlot, laneOf } from './laneModel.ts';

const isNotFound = (error: Error | null): boolean => error instanceof ApiError && error.code === 'not_found';

type RolloutAddress = Exclude<ParamsOf<'compare.align'>['rollouts'][number], number>;

function useSlot(index: number, path: string | undefined): LaneSlot | undefined {
  const route = useMemo(() => (path === undefined ? undefined : rolloutRouteOf(path)), [path]);
  const address = route && addressOf(route);
  const resolved = usePage(address && { ...address, show: 'rollout' });
  const rolloutId = resolved.error === null ? resolved.data?.rolloutId : undefined;
  const rollout = useRequest('rollout.get', rolloutId === undefined ? undefined : { rolloutId });
  const detail = rolloutId === undefined ? undefined : rollout.data;
  const lane = useMemo(
    () =>
      path === undefined || route === undefined || detail === undefined
        ? undefined
        : laneOf(index, path, route, detail),
    [index, path, route, detail],
  );
  if (path === undefined) return undefined;
  const at = { index, path };
  if (route === undefined) return { ...at, state: 'missing', why: 'This is not the address of a rollout.' };
  const error = resolved.error ?? rollout.error;
  if (isNotFound(error) || (resolved.data !== undefined && resolved.data.rolloutId === undefined))
    return { ...at, state: 'missing', why: 'It was removed, logged again, or is in another library.' };
  if (error !== null) {
    const retry = () => void (resolved.error === null ? rollout.refetch() : resolved.refetch());
    return { ...at, state: 'failed', error, retry };
  }
  return lane === undefined ? { ...at, state: 'waiting', route } : { ...at, state: 'found', lane };
}

function addressOf({ runKey, step, groupKey, ordinal }: RolloutRoute): RolloutAddress {
  return { runKey, step, groupKey, ordinal };
}

/** One slot per lane of the link. Always calls the hook for the maximum number of lanes. */
export function useSlots(paths: readonly string[]): readonly LaneSlot[] {
  const slots = [useSlot(0, paths[0]), useSlot(1, paths[1]), useSlot(2, paths[2]), useSlot(3, paths[3])];
  return slots.slice(0, MOST_LANES).filter((slot) => slot !== undefined);
}

/**
 * Uses addresses rather than ids, so that the alignment starts while texts are loading. Undefined if too few lanes
 * exist.
 */
function questionOf(slots: readonly LaneSlot[], base: number): ParamsOf<'compare.align'> | undefined {
  const rollouts: RolloutAddress[] = [];
  let baseline = 0;
  for (const slot of slots) {
    const route =
      slot.state === 'found' ? slot.lane.route : slot.state === 'waiting' ? slot.route : undefined;
    if (route === undefined) continue;
    if (slot.index === base) baseline = rollouts.length;
    rollouts.push(addressOf(route));
  }
  // A single lane is allowed, and can be stepped and watched. If the others are missing, the page shows an error
  // instead.
  const isEnough = rollouts.length > 1 || (rollouts.length === 1 && slots.length === 1);
  return isEnough ? { rollouts, baseline } : undefined;
}

export interface ComparedState {
  readonly lanes: readonly Lane[];
  readonly compared: Compared | undefined;
  readonly error: Error | null;
  readonly retry: () => void;
}

/** @param base index into the link. If that lane is missing, the first one found is the baseline */
export function useCompared(slots: readonly LaneSlot[], base: number): ComparedState {
  const found = slots.flatMap((slot) => (slot.state === 'found' ? [slot.lane] : []));
  // Slots are new objects on every render, lanes are not.
  const [a, b, c, d] = found;
  const lanes = useMemo(() => [a, b, c, d].filter((lane) => lane !== undefined), [a, b, c, d]);
  const baseline = Math.max(
    0,
    lanes.findIndex(({ index }) => index === base),
  );
  const rolloutIds = lanes.map(({ detail }) => detail.row.rolloutId);
  const isSettled = slots.every(({ state }) => state !== 'waiting');
  const answer = useRequest('compare.align', questionOf(slots, base));
  const rows = useMemo(
    () => (answer.data === undefined ? undefined : unpackComparison(answer.data)),
    [answer.data],
  );
  const comparison = isSettled && lanes.length > 0 ? rows : undefined;
  const key = `${rolloutIds.join(' ')} ${baseline}`;
  const compared = useMemo(
    () => (comparison === undefined ? undefined : { lanes, base: baseline, comparison, key }),
    [comparison, lanes, baseline, key],
  );
  // A missing lane makes the first request fail. The request is then repeated without that lane.
  return { lanes, compared, error: isSettled ? answer.error : null, retry: () => void answer.refetch() };
}
