/**
 * Group-normalized advantages, one per rollout (shared/domain/DOMAIN.md#advantages).
 *
 * Source: `compute_grpo_outcome_advantage` of `verl/trainer/ppo/core_algos.py`, which gives every sampled
 * token of a rollout this one number. The paper (Eq. 7) does not define its standard deviation; the code uses
 * the sample's (`ddof` 1).
 */

export interface AdvantageOptions {
  /** 1: standard deviation of a sample, as in the code; 0: of a population. Default 1. */
  readonly ddof?: 0 | 1;
  /** Added to the standard deviation. Default 1e-6. */
  readonly epsilon?: number;
  /** `algorithm.norm_adv_by_std_in_grpo`; false: only subtracts the mean. Default true. */
  readonly normByStd?: boolean;
}

/**
 * @param rewards of all rollouts of the group, in any order; all known
 * @returns advantages in the same order: (r − mean) / (std + epsilon). A group of one uses mean 0 and std 1.
 *   Equal rewards give exactly 0.
 */
export function groupAdvantages(rewards: ArrayLike<number>, options: AdvantageOptions = {}): Float64Array {
  const { ddof = 1, epsilon = 1e-6, normByStd = true } = options;
  const n = rewards.length;
  const advantages = new Float64Array(n);
  const first = rewards[0];
  if (first === undefined) return advantages;
  if (n === 1) {
    advantages[0] = normByStd ? first / (1 + epsilon) : first;
    return advantages;
  }
  let sum = 0;
  let isEqual = true;
  for (let i = 0; i < n; i++) {
    const reward = rewards[i] ?? Number.NaN;
    sum += reward;
    if (reward !== first) isEqual = false;
  }
  // The mean of equal numbers may be off by a rounding error, which dividing by epsilon would magnify.
  if (isEqual) return advantages;
  const mean = sum / n;
  let squares = 0;
  for (let i = 0; i < n; i++) {
    const deviation = (rewards[i] ?? Number.NaN) - mean;
    advantages[i] = deviation;
    squares += deviation * deviation;
  }
  if (!normByStd) return advantages;
  const scale = Math.sqrt(squares / (n - ddof)) + epsilon;
  for (let i = 0; i < n; i++) advantages[i] = (advantages[i] ?? Number.NaN) / scale;
  return advantages;
}
