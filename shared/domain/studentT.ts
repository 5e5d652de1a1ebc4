/** Quantiles of Student's t distribution (M. Abramowitz and I. Stegun, Handbook of Mathematical Functions, 26.7). */

/** Above this, the series of the probability is replaced by an expansion about the normal distribution. */
const MOST_TERMS = 200;
const NORMAL_95 = 1.959_963_984_540_054;

/**
 * Half the width of a two-sided 95 % interval, in standard errors.
 * @param degrees of freedom, an integer from 1
 */
export function halfWidth95(degrees: number): number {
  if (degrees > MOST_TERMS) {
    // 26.7.5, to the second order; the rest is below 1e-6.
    const z = NORMAL_95;
    return z + (z ** 3 + z) / (4 * degrees) + (5 * z ** 5 + 16 * z ** 3 + 3 * z) / (96 * degrees ** 2);
  }
  let [low, high] = [NORMAL_95, 13];
  while (high - low > 1e-12 * high) {
    const middle = (low + high) / 2;
    if (probabilityWithin(middle, degrees) < 0.95) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/** Probability that |t| is at most `t` (26.7.3 and 26.7.4). */
function probabilityWithin(t: number, degrees: number): number {
  const angle = Math.atan(t / Math.sqrt(degrees));
  const [sine, square] = [Math.sin(angle), Math.cos(angle) ** 2];
  const isOdd = degrees % 2 === 1;
  let term = isOdd ? Math.cos(angle) : 1;
  let sum = degrees === 1 ? 0 : term;
  for (let power = isOdd ? 3 : 2; power <= degrees - 2; power += 2) {
    term *= square * ((power - 1) / power);
    sum += term;
  }
  return isOdd ? (2 / Math.PI) * (angle + sine * sum) : sine * sum;
}
