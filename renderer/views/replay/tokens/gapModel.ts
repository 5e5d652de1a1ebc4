import { policyValues, quantileThreshold } from '../../../../shared/domain/thresholds.ts';

/** Of the policy tokens, the share the gap overlay marks. */
export const GAP_SHARE = 0.05;

/** 1: the two policies differ here more than at most tokens. Undefined when they never do. */
export function gapFlags(gap: Float32Array, mask: Uint8Array | undefined): Uint8Array | undefined {
  const sizes = gap.map(Math.abs);
  const threshold = quantileThreshold(policyValues(sizes, mask), GAP_SHARE);
  if (threshold === undefined || threshold <= 0) return undefined;
  return Uint8Array.from(sizes, (size, i) => (mask?.[i] !== 0 && size >= threshold ? 1 : 0));
}

/** 1: written by the environment. */
export function maskedFlags(mask: Uint8Array): Uint8Array {
  return mask.map((isPolicy) => (isPolicy === 0 ? 1 : 0));
}
