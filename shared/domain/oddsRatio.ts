/**
 * Odds ratio of a 2 × 2 table with a 95 % interval. 0.5 is added to every cell, so that an empty one has a finite
 * result (Haldane 1956, Annals of Human Genetics 20; Anscombe 1956, Biometrika 43). The interval is that of Woolf 1955,
 * Annals of Human Genetics 19, on the logarithm.
 */
export interface OddsRatio {
  readonly ratio: number;
  readonly low: number;
  readonly high: number;
}

const NORMAL_95 = 1.959_963_984_540_054;

/**
 * @param inside number with the feature, of `insideOf`
 * @param outside number with the feature, of `outsideOf`
 */
export function oddsRatio(inside: number, insideOf: number, outside: number, outsideOf: number): OddsRatio {
  const cells = [inside, insideOf - inside, outside, outsideOf - outside].map((count) => count + 0.5);
  const [a = 0, b = 0, c = 0, d = 0] = cells;
  const log = Math.log((a * d) / (b * c));
  const half = NORMAL_95 * Math.sqrt(1 / a + 1 / b + 1 / c + 1 / d);
  return { ratio: Math.exp(log), low: Math.exp(log - half), high: Math.exp(log + half) };
}
