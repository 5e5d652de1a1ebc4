/**
 * Metrics of an evaluation with n samples of each of m problems: pass@1 with its uncertainty, pass@k, pass^k and
 * majority@k. All are means over problems, so that a problem with more samples has no more weight.
 */
import { seededRandom } from './seededRandom.ts';

/** The samples of one problem. */
export interface ProblemSamples {
  /** Samples whose correctness is known. */
  readonly samples: number;
  readonly correct: number;
  /** The answers, each with its samples of known correctness. Samples without an answer are not counted. */
  readonly answers: readonly { readonly samples: number; readonly correct: number }[];
}

export interface MeanOverProblems {
  /** 0 … 1 */
  readonly mean: number;
  readonly problems: number;
  /** 95 % confidence interval. Absent for a single problem, which shows no spread. */
  readonly low?: number;
  readonly high?: number;
}

export interface MeanReward {
  readonly mean: number;
  readonly problems: number;
  /** Standard error of the mean. Absent for a single problem. */
  readonly stderr?: number;
}

/**
 * Mean over problems of each problem's mean reward, and its standard error: the sample standard deviation of the
 * problem means (n − 1) over √n, as `stderr` of inspect_ai.scorer.
 *
 * @param means one per problem
 */
export function meanReward(means: readonly number[]): MeanReward | undefined {
  const problems = means.length;
  if (problems === 0) return undefined;
  const mean = meanOf(means);
  if (problems === 1) return { mean, problems };
  const squares = means.reduce((sum, each) => sum + (each - mean) ** 2, 0);
  return { mean, problems, stderr: Math.sqrt(squares / (problems - 1) / problems) };
}

/** The 97.5th percentile of the normal distribution. */
const Z95 = 1.959964;
/** "Plus four": adds as many all-correct and as many all-incorrect problems before computing the spread. */
const ADDED = 2;

/**
 * pass@1: the share of correct samples of each problem, averaged over problems. The interval is over
 * problems: samples of one problem are not independent, so they are clustered and the spread is that of the
 * problem means (Miller, "Adding error bars to evals", arXiv 2411.00640). The interval covers other draws of
 * such problems, not other samples of the same problems.
 *
 * The normal approximation alone is far too narrow for few problems (Bowyer et al., arXiv 2503.01747) and has
 * width 0 if all are correct. So two all-correct and two all-incorrect problems are added first. With one
 * sample each this is the "plus four" interval of Agresti and Coull (The American Statistician 52, 1998). In
 * simulations (problem rates from six beta distributions, 1 and 8 samples, 2 to 500 problems) it covers the
 * mean in 93 to 100 % of cases, the bare approximation in 7 to 96 %. It is not symmetric about the mean, and
 * always contains it.
 */
export function passAt1(problems: readonly ProblemSamples[]): MeanOverProblems | undefined {
  const means = problems.filter(({ samples }) => samples > 0).map((one) => one.correct / one.samples);
  const count = means.length;
  if (count === 0) return undefined;
  const mean = means.reduce((sum, each) => sum + each, 0) / count;
  if (count === 1) return { mean, problems: count };
  const widened = count + 2 * ADDED;
  const centre = (mean * count + ADDED) / widened;
  const squares =
    means.reduce((sum, each) => sum + (each - centre) ** 2, 0) + ADDED * (centre ** 2 + (1 - centre) ** 2);
  const half = Z95 * Math.sqrt(squares / (widened - 1) / widened);
  return {
    ...{ mean, problems: count },
    low: Math.min(mean, Math.max(0, centre - half)),
    high: Math.max(mean, Math.min(1, centre + half)),
  };
}

/**
 * Probability that at least one of k samples, drawn without replacement from n with c correct, is correct: 1
 * − C(n−c, k) / C(n, k), computed as a product to avoid overflow. Unbiased (Chen et al. 2021).
 *
 * @returns undefined for k > n
 */
export function passAtK(n: number, c: number, k: number): number | undefined {
  if (k > n || k < 1) return undefined;
  if (n - c < k) return 1;
  let allWrong = 1;
  for (let i = n - c + 1; i <= n; i++) allWrong *= 1 - k / i;
  return 1 - allWrong;
}

/**
 * Probability that all of k samples, drawn without replacement from n with c correct, are correct: C(c, k) / C(n, k), as
 * a product. Unbiased (Yao et al. 2024, τ-bench, arXiv 2406.12045).
 *
 * @returns undefined for k > n
 */
export function passHatK(n: number, c: number, k: number): number | undefined {
  if (k > n || k < 1) return undefined;
  let allCorrect = 1;
  for (let i = 0; i < k; i++) allCorrect *= Math.max(0, c - i) / (n - i);
  return allCorrect;
}

/** 1, 2, 3, 4, 8, 16, … and n itself. */
export function sampleSizes(n: number): readonly number[] {
  const sizes: number[] = [];
  for (let k = 1; k < n; k = k < 4 ? k + 1 : k * 2) sizes.push(k);
  return n > 0 ? [...sizes, n] : [];
}

/** All subsets of size k are enumerated up to this number; beyond it, this many are drawn. */
const MOST_SUBSETS = 4000;

export interface Majority {
  /** 0 … 1 */
  readonly value: number;
  /** False: a mean over drawn subsets. */
  readonly isExact: boolean;
}

/**
 * Expected correctness of the majority answer of k samples, over subsets of size k without replacement. A tie
 * is split equally among the leading answers. A sample without an answer does not vote. If no sample votes,
 * the result counts as incorrect. An answer's correctness is the share of correct samples that gave it.
 *
 * Exact for at most 4,000 subsets (so always for k = n), else a mean over 4,000 draws with a fixed seed.
 *
 * @returns undefined for k > n, and if no sample has an answer, because the log may omit answers
 */
export function majorityAtK(problem: ProblemSamples, k: number, seed = 1): Majority | undefined {
  const votes: number[] = [];
  problem.answers.forEach(({ samples }, answer) => {
    for (let i = 0; i < samples; i++) votes.push(answer);
  });
  if (votes.length === 0 || k < 1 || k > problem.samples) return undefined;
  while (votes.length < problem.samples) votes.push(-1);
  const rightness = problem.answers.map(({ samples, correct }) => correct / samples);
  const count = new Int32Array(rightness.length);
  const rightnessOf = (chosen: readonly number[]): number => {
    count.fill(0);
    let most = 0;
    for (const at of chosen) {
      const answer = votes[at] ?? -1;
      if (answer < 0) continue;
      const now = (count[answer] ?? 0) + 1;
      count[answer] = now;
      if (now > most) most = now;
    }
    if (most === 0) return 0;
    let leaders = 0;
    let right = 0;
    rightness.forEach((share, answer) => {
      if (count[answer] !== most) return;
      leaders++;
      right += share;
    });
    return right / leaders;
  };
  return subsetsOf(votes.length, k) <= MOST_SUBSETS
    ? { value: meanOverSubsets(votes.length, k, rightnessOf), isExact: true }
    : { value: meanOverDraws(votes.length, k, rightnessOf, seed), isExact: false };
}

function subsetsOf(n: number, k: number): number {
  let subsets = 1;
  for (let i = 1; i <= Math.min(k, n - k); i++) subsets = (subsets * (n - i + 1)) / i;
  return Math.round(subsets);
}

function meanOverSubsets(n: number, k: number, rightnessOf: (chosen: readonly number[]) => number): number {
  const chosen = Array.from({ length: k }, (_, i) => i);
  let sum = 0;
  let subsets = 0;
  for (;;) {
    sum += rightnessOf(chosen);
    subsets++;
    let at = k - 1;
    while (at >= 0 && chosen[at] === n - k + at) at--;
    if (at < 0) return sum / subsets;
    const next = (chosen[at] ?? 0) + 1;
    for (let i = at; i < k; i++) chosen[i] = next + i - at;
  }
}

function meanOverDraws(
  n: number,
  k: number,
  rightnessOf: (chosen: readonly number[]) => number,
  seed: number,
): number {
  const random = seededRandom(seed);
  const order = Array.from({ length: n }, (_, i) => i);
  let sum = 0;
  for (let draw = 0; draw < MOST_SUBSETS; draw++) {
    // Draws the first k positions of a shuffle, which may continue from the last one.
    for (let i = 0; i < k; i++) {
      const from = i + Math.floor(random() * (n - i));
      const taken = order[from] ?? 0;
      order[from] = order[i] ?? 0;
      order[i] = taken;
    }
    sum += rightnessOf(order.slice(0, k));
  }
  return sum / MOST_SUBSETS;
}

/** Minimum share of the problems behind a value at k. With fewer, values at different k would not be comparable. */
const LEAST_SHARE = 0.95;

/** The largest number of samples that enough problems have. */
function commonSamples(problems: readonly ProblemSamples[]): number {
  const descending = problems.map(({ samples }) => samples).sort((a, b) => b - a);
  return descending[Math.ceil(LEAST_SHARE * descending.length) - 1] ?? 0;
}

interface AtK {
  readonly k: number;
  /** 0 … 1, averaged over the problems with at least k samples. */
  readonly value: number;
  readonly problems: number;
}

interface MajorityAtK extends AtK {
  readonly isExact: boolean;
}

export interface Evaluation {
  readonly problems: number;
  /** Samples of known correctness. */
  readonly samples: number;
  readonly leastSamples: number;
  readonly mostSamples: number;
  readonly passAt1?: MeanOverProblems;
  readonly passAtK: readonly AtK[];
  readonly passHatK: readonly AtK[];
  /** Over problems with an answer. Empty if no answer is known. */
  readonly majorityAtK: readonly MajorityAtK[];
}

/**
 * Skips problems without a sample of known correctness. Values at k are given as long as at least 95 % of the
 * problems have k samples.
 */
export function evaluate(problems: readonly ProblemSamples[]): Evaluation {
  const known = problems.filter(({ samples }) => samples > 0);
  const most = known.reduce((max, { samples }) => Math.max(max, samples), 0);
  const sizes = sampleSizes(commonSamples(known));
  const mean = passAt1(known);
  const meansOf = (measure: typeof passAtK): readonly AtK[] =>
    sizes.map((k) => {
      const values = known.flatMap(({ samples, correct }) => measure(samples, correct, k) ?? []);
      return { k, value: meanOf(values), problems: values.length };
    });
  return {
    problems: known.length,
    samples: known.reduce((sum, { samples }) => sum + samples, 0),
    leastSamples: known.reduce((min, { samples }) => Math.min(min, samples), most),
    mostSamples: most,
    ...(mean === undefined ? {} : { passAt1: mean }),
    passAtK: meansOf(passAtK),
    passHatK: meansOf(passHatK),
    majorityAtK: sizes.flatMap((k) => {
      const values = known.flatMap((problem, i) => majorityAtK(problem, k, i + 1) ?? []);
      if (values.length === 0) return [];
      const value = meanOf(values.map((one) => one.value));
      return [{ k, value, problems: values.length, isExact: values.every(({ isExact }) => isExact) }];
    }),
  };
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, each) => sum + each, 0) / values.length;
}
