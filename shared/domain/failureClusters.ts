/**
 * Clusters of incorrect rollouts by their features (shared/domain/DOMAIN.md#groups-of-failures). Equal sets of features
 * are one point, weighted by its rollouts. The result depends on the sets alone, not on their order.
 */
import { buildMedoids, meanSilhouette, swapMedoids, type WeightedPoints } from './kMedoids.ts';
import { seededRandom } from './seededRandom.ts';

export interface FeatureSet {
  /** Distinct, in UTF-16 order. */
  readonly features: readonly string[];
  /** Rollouts that have exactly these, at least 1. */
  readonly count: number;
}

export interface Clustering {
  /** Positions in the input, largest cluster first. */
  readonly medoids: readonly number[];
  /** By position in the input: index into `medoids`, or -1 if the set is far from every medoid. */
  readonly clusterOf: Int32Array;
  /** Mean silhouette of the sample. Absent for a single cluster. */
  readonly silhouette?: number;
}

export const MOST_CLUSTERS = 12;
/** Distance from the nearest medoid beyond which a set is in no cluster. */
const FAR = 0.8;
/** Sets that the medoids are chosen from. More are sampled. */
const MOST_POINTS = 500;
/** A smaller number of clusters is taken if its silhouette is worse by at most this. */
const TOLERANCE = 0.02;

/** @param sets distinct */
export function clusterSets(sets: readonly FeatureSet[], checkpoint = () => {}): Clustering {
  const order = sets
    .map(({ features, count }, input) => ({ input, count, key: features.join('\n') }))
    .sort((a, b) => (a.key < b.key ? -1 : 1));
  if (order.length === 0) return { medoids: [], clusterOf: new Int32Array(0) };
  const { codes, weights } = weighted(sets);
  const codesOf = (input: number): Int32Array => codes[input] ?? new Int32Array(0);
  const points = sampled(order);
  const found = bestMedoids(
    {
      weights: Float64Array.from(points, ({ weight }) => weight),
      distances: distancesOf(
        points.map(({ input }) => codesOf(input)),
        weights,
      ),
    },
    sets.reduce((sum, { count }) => sum + count, 0),
    checkpoint,
  );
  const medoids = found.medoids.map((point) => points[point]?.input ?? 0);
  const nearest = new Int32Array(sets.length);
  const sizes = medoids.map(() => 0);
  for (let i = 0; i < sets.length; i++) {
    let [own, least] = [-1, FAR];
    for (let c = 0; c < medoids.length; c++) {
      const distance = jaccard(codesOf(i), codesOf(medoids[c] ?? 0), weights);
      if (distance < least || (own < 0 && distance === least)) [own, least] = [c, distance];
    }
    nearest[i] = own;
    if (own >= 0) sizes[own] = (sizes[own] ?? 0) + (sets[i]?.count ?? 0);
  }
  const rank = new Map(order.map(({ input }, at) => [input, at]));
  const bySize = medoids
    .map((input, c) => ({ input, c, size: sizes[c] ?? 0 }))
    .sort((a, b) => b.size - a.size || (rank.get(a.input) ?? 0) - (rank.get(b.input) ?? 0));
  const placeOf = new Map(bySize.map(({ c }, place) => [c, place]));
  return {
    medoids: bySize.map(({ input }) => input),
    clusterOf: nearest.map((c) => placeOf.get(c) ?? -1),
    ...(found.silhouette === undefined ? {} : { silhouette: found.silhouette }),
  };
}

interface Point {
  readonly input: number;
  readonly weight: number;
}

/**
 * All sets, or a systematic sample: rollouts at equal intervals in the order of the sets, so that a set is drawn in
 * proportion to its rollouts and similar sets are represented alike.
 */
function sampled(order: readonly { readonly input: number; readonly count: number }[]): readonly Point[] {
  if (order.length <= MOST_POINTS) return order.map(({ input, count }) => ({ input, weight: count }));
  const total = order.reduce((sum, { count }) => sum + count, 0);
  const interval = total / MOST_POINTS;
  let next = seededRandom(0)() * interval;
  let passed = 0;
  return order.flatMap(({ input, count }) => {
    passed += count;
    let weight = 0;
    for (; next < passed; next += interval) weight++;
    return weight === 0 ? [] : [{ input, weight }];
  });
}

/**
 * Features as numbers, and the weight of each: the entropy of having it, in nats. A feature of nearly all or nearly
 * none of the rollouts says little.
 */
function weighted(sets: readonly FeatureSet[]) {
  const names = [...new Set(sets.flatMap(({ features }) => features))].sort();
  const codeOf = new Map(names.map((name, code) => [name, code]));
  const counts = new Float64Array(names.length);
  let total = 0;
  const codes = sets.map(({ features, count }) => {
    total += count;
    const own = Int32Array.from(features, (name) => codeOf.get(name) ?? 0);
    for (const code of own) counts[code] = (counts[code] ?? 0) + count;
    return own;
  });
  const weights = counts.map((count) => {
    const p = count / total;
    return p >= 1 ? 0 : -p * Math.log(p) - (1 - p) * Math.log(1 - p);
  });
  return { codes, weights };
}

/** 1 − weight of the common features / weight of all features of both; 0 if those weigh nothing. */
function jaccard(a: Int32Array, b: Int32Array, weights: Float64Array): number {
  let [both, either, i, j] = [0, 0, 0, 0];
  while (i < a.length || j < b.length) {
    const [x, y] = [a[i] ?? Number.POSITIVE_INFINITY, b[j] ?? Number.POSITIVE_INFINITY];
    const weight = weights[Math.min(x, y)] ?? 0;
    either += weight;
    if (x === y) both += weight;
    if (x <= y) i++;
    if (y <= x) j++;
  }
  return either === 0 ? 0 : 1 - both / either;
}

function distancesOf(points: readonly Int32Array[], weights: Float64Array): Float64Array {
  const m = points.length;
  const distances = new Float64Array(m * m);
  for (const [i, a] of points.entries())
    for (let j = 0; j < i; j++) {
      const distance = jaccard(a, points[j] ?? a, weights);
      distances[i * m + j] = distance;
      distances[j * m + i] = distance;
    }
  return distances;
}

/** √(n / 2), the rule of thumb of Mardia, Kent and Bibby 1979, so that few rollouts do not make many clusters. */
const mostClusters = (rollouts: number): number =>
  Math.min(MOST_CLUSTERS, Math.max(2, Math.floor(Math.sqrt(rollouts / 2))));

/** Tries 2 clusters and more. Takes the fewest whose silhouette is near the best, or one if none is above 0. */
function bestMedoids(points: WeightedPoints, rollouts: number, checkpoint: () => void) {
  const first = buildMedoids(points, mostClusters(rollouts));
  const tried: { medoids: readonly number[]; silhouette: number }[] = [];
  for (let k = 2; k <= first.length; k++) {
    const medoids = swapMedoids(points, first.slice(0, k), checkpoint);
    tried.push({ medoids, silhouette: meanSilhouette(points, medoids) });
  }
  const best = Math.max(0, ...tried.map(({ silhouette }) => silhouette));
  const chosen = best === 0 ? undefined : tried.find(({ silhouette }) => silhouette >= best - TOLERANCE);
  return chosen ?? { medoids: first.slice(0, 1), silhouette: undefined };
}
