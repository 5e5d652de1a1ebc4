import { useMemo } from 'react';
import { type PolicyValue, valuesByPolicy } from '../../../shared/domain/valueByTurn.ts';
import { useRequest } from '../../data/useRequest.ts';

/**
 * The value by turn of a rollout, of the policy with the most continuations. Undefined: nothing was sampled from the
 * ends of turns, or it is not loaded.
 * @param rolloutId undefined in a blind review, because the values show how the rollout ended
 */
export function useValue(rolloutId: number | undefined): PolicyValue | undefined {
  const stored = useRequest(
    'sampling.stored',
    rolloutId === undefined ? undefined : { rolloutIds: [rolloutId] },
  ).data?.[0];
  return useMemo(() => (stored === undefined ? undefined : valuesByPolicy(stored)[0]), [stored]);
}
