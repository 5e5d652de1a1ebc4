import { useMemo } from 'react';
import type { RolloutDetail } from '../../../shared/api/contract.ts';
import { useRequest } from '../../data/useRequest.ts';
import { heatLevels, heatThresholds, policyValues, type Signal, signalOf } from './heatModel.ts';

export interface Heat {
  readonly signal: Signal;
  readonly ends: Uint32Array;
  /** Per token: 0 unmarked, 1…4. */
  readonly levels: Uint8Array;
  readonly thresholds: readonly number[];
  /** Known values of the policy tokens, ascending. */
  readonly known: Float32Array;
  readonly mask: Uint8Array | undefined;
  readonly response: string;
}

/** The signal of a rollout on its exact characters; undefined when nothing was logged or aligned. */
export function useHeat(detail: RolloutDetail | undefined): Heat | undefined {
  const info = detail?.tokens;
  const hasSignal = info?.isAligned === true && (info.hasEntropy || info.hasLogprob);
  const tokens = useRequest(
    'rollout.tokens',
    detail === undefined || !hasSignal ? undefined : { rolloutId: detail.row.rolloutId },
  ).data;
  return useMemo(() => {
    const signal = signalOf(info, tokens);
    if (signal === undefined || tokens?.ends === undefined || detail === undefined) return undefined;
    const known = policyValues(signal.values, tokens.mask);
    const thresholds = heatThresholds(known);
    return {
      signal,
      ends: tokens.ends,
      levels: heatLevels(signal.values, tokens.mask, thresholds),
      thresholds,
      known,
      mask: tokens.mask,
      response: detail.response,
    };
  }, [info, tokens, detail]);
}
