/**
 * What an evaluation says of a policy, from n samples of each of m problems: pass@1 with its uncertainty,
 * pass@k and majority@k. Everything is a mean over problems, so that a problem sampled more often weighs no more.
 */
import { seededRandom } from './seededRandom.ts';

/** The samples of one problem. */
export interface ProblemSamples {
  /** Samples of which it is known whether they are correct. */
  readonly samples: number;
  readonly correct: number;
  /** The answers given, each with its samples of known correctness; a sample without an answer is in none. */
  readonly answers: readonly { readonly samples: number; readonly correct: number }[];
}

export interface MeanOverProblems {
  /** 0 … 1 */
  readonly mean: number;
  readonly problems: number;
  /** 95 % confidence interval; absent where one problem says nothing about the spread. */
  readonly low?: number;
  readonly high?: number;
}

/** The 97.5th percentile of the normal distribution. */
const Z95 = 1.959964;
/** "Plus four": as many problems all right, and as many all wrong, are added before the spread is taken. */
const ADDED = 2;

/**
 * pass@1: the share of correct samples of each problem, averaged over problems. The interval is over problems: samples
 * of one problem are not independent, so they are clustered and the spread is that of the problems' own means (as in
 * Miller, "Adding error bars to evals", arXiv 2411.00640). It says how far another draw of problems of this kind may
 * lie, not how far another draw of samples of the same problems.
 *
 * The normal approximation alone claims far too much of few problems (Bowyer et al., arXiv 2503.01747), and certainty
 * where all are right. So two problems all right and two all wrong are added first: with one sample each this is the
 * "plus four" interval of Agresti and Coull (The American Statistician 52, 1998). Simulated for problem rates from six
 * beta distributions, 1 and 8 samples, 2 to 500 problems, it holds the mean in 93 to 100 % of cases (the bare
 * approximation in 7 to 96 %). It is not symmetric about the mean, and always holds it.
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
 * The chance that at least one of k samples, drawn without replacement from n of which c are correct, is correct:
 * 1 − C(n−c, k) / C(n, k), as a product so that nothing overflows. Unbiased (Chen et al. 2021).
 *
 * @returns undefined for k > n: nothing was drawn that often
 */
export function passAtK(n: number, c: number, k: number): number | undefined {
  if (k > n || k < 1) return undefined;
  if (n - c < k) return 1;
  let allWrong = 1;
  for (let i = n - c + 1; i <= n; i++) allWrong *= 1 - k / i;
  return 1 - allWrong;
}

/** 1, 2, 4, … and n itself. */
export function sampleSizes(n: number): readonly number[] {
  const sizes: number[] = [];
  for (let k = 1; k < n; k *= 2) sizes.push(k);
  return n > 0 ? [...sizes, n] : [];
}

/** Up to this many subsets of size k all of them are looked at; beyond it as many are drawn. */
const MOST_SUBSETS = 4000;

export interface Majority {
  /** 0 … 1 */
  readonly value: number;
  /** False: a mean over drawn subsets. */
  readonly isExact: boolean;
}

/**
 * The expected correctness of the answer that most of k samples give, over subsets of size k without replacement. A tie
 * is split: each of the answers that lead counts in equal parts. A sample without an answer does not vote; where none
 * votes, there is no answer and it counts as wrong. An answer is as right as the samples that gave it.
 *
 * Exact where there are at most 4,000 subsets (so always for k = n), else a mean over 4,000 drawn with a fixed seed.
 *
 * @returns undefined for k > n, and where no sample has an answer at all: the log may not say them
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
    // The first k places of a shuffle, which may go on from the last one.
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
  /** Of known correctness. */
  readonly samples: number;
  readonly leastSamples: number;
  readonly mostSamples: number;
  readonly passAt1?: MeanOverProblems;
  readonly passAtK: readonly AtK[];
  /** Over the problems with an answer; empty where no answer is known. */
  readonly majorityAtK: readonly MajorityAtK[];
}

/** Problems without a sample of known correctness are left out. */
export function evaluate(problems: readonly ProblemSamples[]): Evaluation {
  const known = problems.filter(({ samples }) => samples > 0);
  const most = known.reduce((max, { samples }) => Math.max(max, samples), 0);
  const sizes = sampleSizes(most);
  const mean = passAt1(known);
  return {
    problems: known.length,
    samples: known.reduce((sum, { samples }) => sum + samples, 0),
    leastSamples: known.reduce((min, { samples }) => Math.min(min, samples), most),
    mostSamples: most,
    ...(mean === undefined ? {} : { passAt1: mean }),
    passAtK: sizes.map((k) => {
      const values = known.flatMap(({ samples, correct }) => passAtK(samples, correct, k) ?? []);
      return { k, value: meanOf(values), problems: values.length };
    }),
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
