/**
 * Thresholds above which a token counts as high. Three definitions are in use and disagree
 * (shared/domain/DOMAIN.md#thresholds), so every view states its own. They are the highest share of each
 * rollout (rStar2-Agent, and the fork's `retain_high_entropy_token_ratio`), a quantile over a batch (arXiv
 * 2506.01939), and a fixed value. Only policy tokens with known values count.
 */

/** `q`: the high share, 0.2 in both papers. */
export type Threshold =
  | { readonly kind: 'rollout' | 'group' | 'step' | 'run'; readonly q: number }
  | { readonly kind: 'fixed'; readonly value: number };

export const DEFAULT_THRESHOLD: Threshold = { kind: 'rollout', q: 0.2 };

/** @returns the known values of policy tokens, ascending; without a mask, of all tokens */
export function policyValues(values: Float32Array, mask: Uint8Array | undefined): Float32Array {
  return values.filter((value, i) => Number.isFinite(value) && mask?.[i] !== 0).sort();
}

/**
 * The least of the highest ⌊q·n⌋ values, so that `value ≥ threshold` marks that many (more if the value at
 * the cut repeats).
 * @param ascending known values
 * @returns undefined without values
 */
export function quantileThreshold(ascending: Float32Array, q: number): number | undefined {
  const high = Math.floor(q * ascending.length);
  return high <= 0 ? undefined : ascending[ascending.length - high];
}

/** @returns how many of the ascending values reach the threshold */
export function countHigh(ascending: Float32Array, threshold: number): number {
  let low = 0;
  let high = ascending.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ascending[middle] ?? 0) < threshold) low = middle + 1;
    else high = middle;
  }
  return ascending.length - low;
}
