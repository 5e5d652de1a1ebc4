/**
 * k-medoids of weighted points: BUILD of PAM (Kaufman and Rousseeuw 1990), then swaps as in FastPAM1 (Schubert and
 * Rousseeuw 2021, Information Systems 101, 101804). Deterministic: of equal choices, the first point is taken.
 */

export interface WeightedPoints {
  readonly weights: Float64Array;
  /** Symmetric, row by row. */
  readonly distances: Float64Array;
}

/** Beyond this many swaps, rounding errors may go in circles. */
const MAX_SWAPS = 200;
const EPSILON = 1e-9;

/**
 * The first medoids, each the point that lowers the sum of distances most. Those of a smaller number are a prefix.
 * @returns fewer than `most` if there are fewer points
 */
export function buildMedoids({ weights, distances }: WeightedPoints, most: number): readonly number[] {
  const m = weights.length;
  const nearest = new Float64Array(m).fill(1);
  const medoids: number[] = [];
  while (medoids.length < Math.min(most, m)) {
    let [best, bestGain] = [-1, -1];
    for (let x = 0; x < m; x++) {
      if (medoids.includes(x)) continue;
      let gain = 0;
      for (let o = 0; o < m; o++)
        gain += at(weights, o) * Math.max(0, at(nearest, o) - at(distances, x * m + o));
      if (gain > bestGain + EPSILON) [best, bestGain] = [x, gain];
    }
    medoids.push(best);
    for (let o = 0; o < m; o++) nearest[o] = Math.min(at(nearest, o), at(distances, best * m + o));
  }
  return medoids;
}

/** Exchanges a medoid for another point as long as that lowers the sum of distances. Needs at least two medoids. */
export function swapMedoids(
  points: WeightedPoints,
  first: readonly number[],
  checkpoint = () => {},
): readonly number[] {
  const { weights, distances } = points;
  const m = weights.length;
  const medoids = [...first];
  for (let swaps = 0; swaps < MAX_SWAPS; swaps++) {
    checkpoint();
    const { own, near, second } = nearestTwo(points, medoids);
    const loss = new Float64Array(medoids.length);
    for (let o = 0; o < m; o++)
      loss[at(own, o)] = at(loss, at(own, o)) + at(weights, o) * (at(second, o) - at(near, o));
    let best = { change: -EPSILON, medoid: -1, point: -1 };
    for (let x = 0; x < m; x++) {
      if (medoids.includes(x)) continue;
      const change = loss.slice();
      let shared = 0;
      for (let o = 0; o < m; o++) {
        const [d, w, i] = [at(distances, x * m + o), at(weights, o), at(own, o)];
        if (d < at(near, o)) {
          shared += w * (d - at(near, o));
          change[i] = at(change, i) + w * (at(near, o) - at(second, o));
        } else if (d < at(second, o)) change[i] = at(change, i) + w * (d - at(second, o));
      }
      for (let i = 0; i < medoids.length; i++)
        if (at(change, i) + shared < best.change - EPSILON)
          best = { change: at(change, i) + shared, medoid: i, point: x };
    }
    if (best.point < 0) break;
    medoids[best.medoid] = best.point;
  }
  return medoids;
}

/** Mean silhouette (Rousseeuw 1987, J. Comput. Appl. Math. 20), −1 … 1. A point of weight w counts as w equal ones. */
export function meanSilhouette(points: WeightedPoints, medoids: readonly number[]): number {
  const { weights, distances } = points;
  const m = weights.length;
  const { own } = nearestTwo(points, medoids);
  const sizes = new Float64Array(medoids.length);
  for (let o = 0; o < m; o++) sizes[at(own, o)] = at(sizes, at(own, o)) + at(weights, o);
  let [sum, total] = [0, 0];
  for (let o = 0; o < m; o++) {
    total += at(weights, o);
    const size = at(sizes, at(own, o));
    if (size <= 1) continue;
    const sums = new Float64Array(medoids.length);
    for (let p = 0; p < m; p++)
      sums[at(own, p)] = at(sums, at(own, p)) + at(weights, p) * at(distances, o * m + p);
    const inside = at(sums, at(own, o)) / (size - 1);
    let outside = Number.POSITIVE_INFINITY;
    for (let i = 0; i < medoids.length; i++)
      if (i !== at(own, o) && at(sizes, i) > 0) outside = Math.min(outside, at(sums, i) / at(sizes, i));
    const longer = Math.max(inside, outside);
    if (longer > 0 && Number.isFinite(longer)) sum += (at(weights, o) * (outside - inside)) / longer;
  }
  return total === 0 ? 0 : sum / total;
}

function nearestTwo({ weights, distances }: WeightedPoints, medoids: readonly number[]) {
  const m = weights.length;
  const own = new Int32Array(m);
  const near = new Float64Array(m).fill(Number.POSITIVE_INFINITY);
  const second = new Float64Array(m).fill(Number.POSITIVE_INFINITY);
  for (let i = 0; i < medoids.length; i++)
    for (let o = 0; o < m; o++) {
      const d = at(distances, (medoids[i] ?? 0) * m + o);
      if (d < at(near, o)) {
        second[o] = at(near, o);
        near[o] = d;
        own[o] = i;
      } else if (d < at(second, o)) second[o] = d;
    }
  return { own, near, second };
}

const at = (values: Float64Array | Int32Array, i: number): number => values[i] ?? 0;
