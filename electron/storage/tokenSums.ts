import type { Nats } from '../../shared/domain/model.ts';

export interface TokenSums {
  /** Unknown without a loss mask, which marks the tokens that the policy sampled. */
  readonly policyTokens: number | undefined;
  readonly entropySum: Nats;
  /** Policy tokens whose entropy is known and finite. */
  readonly entropyTokens: number;
}

/**
 * Sums over policy tokens (mask 1). Environment tokens are excluded: the tool wrote them, so their entropy
 * does not describe the policy. Without a mask there is no mean.
 */
export function sumTokens(mask: Uint8Array | undefined, entropy: Float32Array | undefined): TokenSums {
  if (mask === undefined) return { policyTokens: undefined, entropySum: 0, entropyTokens: 0 };
  let policyTokens = 0;
  let entropySum = 0;
  let entropyTokens = 0;
  for (let i = 0; i < mask.length; i++) {
    if (mask[i] !== 1) continue;
    policyTokens++;
    const value = entropy?.[i];
    // An infinity, as where the log's 16 bits overflow, would leave the sums of group and step without a value.
    if (value === undefined || !Number.isFinite(value)) continue;
    entropySum += value;
    entropyTokens++;
  }
  return { policyTokens, entropySum, entropyTokens };
}
