/** The rollouts of a link, each found (or not) by itself. */
import { useMemo } from 'react';
import type { ParamsOf } from '../../../shared/api/contract.ts';
import { unpackComparison } from '../../../shared/api/packedRows.ts';
import { MOST_LANES, rolloutPlaceOf } from '../../data/compareLink.ts';
import { ApiError } from '../../data/failures.ts';
import { useRequest } from '../../data/useRequest.ts';
import { type Compared, type Lane, type LaneSlot, laneOf } from './laneModel.ts';

const isNotFound = (error: Error | null): boolean => error instanceof ApiError && error.code === 'not_found';

function useSlot(index: number, path: string | undefined): LaneSlot | undefined {
  const place = useMemo(() => (path === undefined ? undefined : rolloutPlaceOf(path)), [path]);
  const address =
    place === undefined
      ? undefined
      : { runKey: place.runKey, step: place.step, groupKey: place.groupKey, ordinal: place.ordinal };
  const resolved = useRequest('place.resolve', address);
  const rolloutId = resolved.error === null ? resolved.data?.rolloutId : undefined;
  const rollout = useRequest('rollout.get', rolloutId === undefined ? undefined : { rolloutId });
  const detail = rolloutId === undefined ? undefined : rollout.data;
  const lane = useMemo(
    () =>
      path === undefined || place === undefined || detail === undefined
        ? undefined
        : laneOf(index, path, place, detail),
    [index, path, place, detail],
  );
  if (path === undefined) return undefined;
  const at = { index, path };
  if (place === undefined) return { ...at, state: 'missing', why: 'This is no address of a rollout.' };
  const error = resolved.error ?? rollout.error;
  if (isNotFound(error) || (resolved.data !== undefined && resolved.data.rolloutId === undefined))
    return { ...at, state: 'missing', why: 'It was removed, logged anew, or belongs to another library.' };
  if (error !== null) {
    const retry = () => void (resolved.error === null ? rollout.refetch() : resolved.refetch());
    return { ...at, state: 'failed', error, retry };
  }
  return lane === undefined ? { ...at, state: 'waiting', rolloutId } : { ...at, state: 'found', lane };
}

/** One slot per lane of the link. The number of hooks is that of the lanes there can be. */
export function useSlots(paths: readonly string[]): readonly LaneSlot[] {
  const slots = [useSlot(0, paths[0]), useSlot(1, paths[1]), useSlot(2, paths[2]), useSlot(3, paths[3])];
  return slots.slice(0, MOST_LANES).filter((slot) => slot !== undefined);
}

/** Undefined while it is not known of every lane which rollout it is, and where too few are there. */
function questionOf(slots: readonly LaneSlot[], base: number): ParamsOf<'compare.align'> | undefined {
  const ids: number[] = [];
  let baseline = 0;
  for (const slot of slots) {
    const isKnown = slot.state === 'waiting' || slot.state === 'found';
    const id = slot.state === 'found' ? slot.lane.detail.row.rolloutId : isKnown ? slot.rolloutId : undefined;
    if (isKnown && id === undefined) return undefined;
    if (id === undefined) continue;
    if (slot.index === base) baseline = ids.length;
    ids.push(id);
  }
  // One lane by itself is stepped through and watched like several; one that lost its others is told so.
  return ids.length > 1 || (ids.length === 1 && slots.length === 1)
    ? { rolloutIds: ids, baseline }
    : undefined;
}

export interface ComparedState {
  readonly lanes: readonly Lane[];
  readonly compared: Compared | undefined;
  readonly error: Error | null;
  readonly retry: () => void;
}

/** @param base index into the link: where that one is missing, the first that is there takes its place */
export function useCompared(slots: readonly LaneSlot[], base: number): ComparedState {
  const found = slots.flatMap((slot) => (slot.state === 'found' ? [slot.lane] : []));
  // Slots are made anew on every render, lanes are not.
  const [a, b, c, d] = found;
  const lanes = useMemo(() => [a, b, c, d].filter((lane) => lane !== undefined), [a, b, c, d]);
  const baseline = Math.max(
    0,
    lanes.findIndex(({ index }) => index === base),
  );
  const rolloutIds = lanes.map(({ detail }) => detail.row.rolloutId);
  const isSettled = slots.every(({ state }) => state !== 'waiting');
  // Asked as soon as it is known which rollouts these are: their texts arrive while they are aligned.
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
  return { lanes, compared, error: answer.error, retry: () => void answer.refetch() };
}
