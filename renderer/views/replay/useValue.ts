import { useMemo } from 'react';
import type { StoredContinuations } from '../../../shared/api/contract.ts';
import { type PolicyValue, valuesByPolicy } from '../../../shared/domain/valueByTurn.ts';
import { useRequest } from '../../data/useRequest.ts';

interface StoredValue {
  readonly stored: StoredContinuations | undefined;
  /** The value by the policy with the most continuations. Absent: nothing was sampled from the ends of turns. */
  readonly value: PolicyValue | undefined;
}

/**
 * The stored continuations of a rollout, and its value by turn.
 * @param rolloutId undefined in a blind review, because the values show how the rollout ended
 */
export function useValue(rolloutId: number | undefined): StoredValue {
  const params = rolloutId === undefined ? undefined : { rolloutIds: [rolloutId] };
  const stored = useRequest('sampling.stored', params).data?.[0];
  const value = useMemo(() => (stored === undefined ? undefined : valuesByPolicy(stored)[0]), [stored]);
  return { stored, value };
}
