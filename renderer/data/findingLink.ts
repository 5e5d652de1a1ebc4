/** A finding of a detector in the URL of a replay: `?turn=2&finding=3.17`, segment and offset in the response. */
import type { PlacedFinding } from '../../shared/api/contract.ts';
import { pathOfRoute } from './route.ts';
import { hitAddress, readHitAddress } from './searchLink.ts';

type Place = Pick<PlacedFinding, 'step' | 'groupKey' | 'ordinal' | 'turn' | 'segment' | 'start'>;

export function findingPath(runKey: string, found: Place): string {
  const { step, groupKey, ordinal, turn, segment, start } = found;
  const query = new URLSearchParams({ turn: String(turn), finding: hitAddress({ segment, start }) });
  return `${pathOfRoute({ view: 'rollout', runKey, step, groupKey, ordinal })}?${query}`;
}

/** @returns whether the URL names the finding */
export function isLinkedFinding(
  query: URLSearchParams,
  { segment, start }: Pick<PlacedFinding, 'segment' | 'start'>,
): boolean {
  const at = readHitAddress(query.get('finding'));
  return at?.segment === segment && at.start === start;
}
