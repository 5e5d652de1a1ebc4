/**
 * Intervals of a proportion and of the difference of two, at 95 %. They stay inside their range and keep a width when
 * all or none of the trials succeed, which the normal approximation does not.
 */

/** The 97.5th percentile of the normal distribution. */
const Z95 = 1.959_963_984_540_054;

export interface Interval {
  readonly low: number;
  readonly high: number;
}

/** A proportion with its interval. */
export interface Proportion extends Interval {
  readonly value: number;
}

/**
 * The score interval of a proportion.
 *
 * Source: Wilson 1927, Journal of the American Statistical Association 22, 209–212.
 *
 * @param trials 0: nothing is known, so the interval is [0, 1]
 */
export function wilsonInterval(successes: number, trials: number): Interval {
  if (trials === 0) return { low: 0, high: 1 };
  const p = successes / trials;
  const scale = 1 + Z95 ** 2 / trials;
  const centre = (p + Z95 ** 2 / (2 * trials)) / scale;
  const half = (Z95 * Math.sqrt((p * (1 - p)) / trials + Z95 ** 2 / (4 * trials ** 2))) / scale;
  // The bounds are exactly 0 and 1 there, which rounding may miss.
  return {
    low: successes === 0 ? 0 : Math.max(0, centre - half),
    high: successes === trials ? 1 : Math.min(1, centre + half),
  };
}

/**
 * The interval of `after − before`, from the intervals of the two. A proportion that is known exactly has an interval
 * without width.
 *
 * Source: Newcombe 1998, Statistics in Medicine 17, 873–890, method 10.
 */
export function differenceInterval(before: Proportion, after: Proportion): Interval {
  const change = after.value - before.value;
  return {
    low: change - Math.hypot(after.value - after.low, before.high - before.value),
    high: change + Math.hypot(after.high - after.value, before.value - before.low),
  };
}
