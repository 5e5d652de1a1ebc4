/** Searches in the URL: `?q=` on the search page, `?find=` in a replay opened from it. */
import { pathOfRoute, type RolloutRoute } from './route.ts';

/** A hit by its segment and its offset in the segment, as in `?at=`. */
export interface HitAddress {
  readonly segment: number;
  readonly start: number;
}

/** `/run/…/rollout/3?turn=2&find=wait&at=5.120`: opens the rollout at a hit, with the search open. */
export function foundPath(
  route: RolloutRoute,
  { query, turn, at }: { readonly query: string; readonly turn?: number; readonly at?: HitAddress },
): string {
  const params = new URLSearchParams();
  if (turn !== undefined) params.set('turn', String(turn));
  params.set('find', query);
  if (at !== undefined) params.set('at', hitAddress(at));
  return `${pathOfRoute(route)}?${params}`;
}

export const hitAddress = ({ segment, start }: HitAddress): string => `${segment}.${start}`;

export function readHitAddress(text: string | null): HitAddress | undefined {
  const match = /^(\d{1,9})\.(\d{1,9})$/.exec(text ?? '');
  return match === null ? undefined : { segment: Number(match[1]), start: Number(match[2]) };
}
