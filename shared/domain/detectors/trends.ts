/** Rank correlation of two values, and the trend of one over steps. */

/** Spearman's ρ with mean ranks for ties. Undefined if one of them does not vary. */
export function rankCorrelation(xs: ArrayLike<number>, ys: ArrayLike<number>): number | undefined {
  const [x, y] = [meanRanks(xs), meanRanks(ys)];
  const middle = (x.length + 1) / 2;
  let [xx, yy, xy] = [0, 0, 0];
  for (let i = 0; i < x.length; i++) {
    const [dx, dy] = [(x[i] ?? 0) - middle, (y[i] ?? 0) - middle];
    xx += dx * dx;
    yy += dy * dy;
    xy += dx * dy;
  }
  return xx === 0 || yy === 0 ? undefined : xy / Math.sqrt(xx * yy);
}

function meanRanks(values: ArrayLike<number>): Float64Array {
  const sorted = Float64Array.from(values).sort();
  const ranks = new Map<number, number>();
  for (let from = 0; from < sorted.length; ) {
    const value = sorted[from] ?? 0;
    let to = from;
    while (to < sorted.length && sorted[to] === value) to++;
    ranks.set(value, (from + 1 + to) / 2);
    from = to;
  }
  return Float64Array.from(values, (value) => ranks.get(value) ?? 0);
}

export interface Trend {
  /** Normal score of the Mann-Kendall test, corrected for ties. Positive: rising. */
  readonly z: number;
  /** Median of the last third less the median of the first. */
  readonly growth: number;
  readonly first: number;
  readonly last: number;
}

/** At least three values, in step order. */
export function trendOf(values: readonly number[]): Trend | undefined {
  const n = values.length;
  if (n < 3) return undefined;
  let s = 0;
  const ties = new Map<number, number>();
  for (const [i, value] of values.entries()) {
    ties.set(value, (ties.get(value) ?? 0) + 1);
    for (let j = 0; j < i; j++) s += Math.sign(value - (values[j] ?? 0));
  }
  const term = (t: number): number => t * (t - 1) * (2 * t + 5);
  let variance = term(n);
  for (const t of ties.values()) variance -= term(t);
  const third = Math.floor(n / 3);
  const [first, last] = [median(values.slice(0, third)), median(values.slice(-third))];
  const z = variance === 0 ? 0 : (s - Math.sign(s)) / Math.sqrt(variance / 18);
  return { z, growth: last - first, first, last };
}

/** Undefined values are not allowed; 0 for none. */
export function median(values: ArrayLike<number>): number {
  const sorted = Float64Array.from(values).sort();
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? 0;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? upper)) / 2;
}
