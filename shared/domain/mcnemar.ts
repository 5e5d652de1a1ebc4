/**
 * Exact McNemar test: whether more pairs changed in one direction than chance alone would explain. If both directions
 * were equally likely, the number of changes in one of them would follow a binomial distribution with p = ½.
 *
 * Source: McNemar 1947, Psychometrika 12, 153–157; the exact form is a two-sided sign test over the changed pairs.
 *
 * @param one pairs that changed in one direction, a whole number
 * @param other pairs that changed in the other
 * @returns the two-sided p-value, 0 … 1; 1 if no pair changed
 */
export function exactMcNemar(one: number, other: number): number {
  const changed = one + other;
  const least = Math.min(one, other);
  // The sum of binomial coefficients up to `least`, over 2^changed, in logarithms: both overflow beyond 1,000.
  let log = -changed * Math.LN2;
  let sum = Math.exp(log);
  for (let i = 1; i <= least; i++) {
    log += Math.log((changed - i + 1) / i);
    sum += Math.exp(log);
  }
  return Math.min(1, 2 * sum);
}
