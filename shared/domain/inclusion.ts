/**
 * Inclusion probability of a row under successive sampling: rows are drawn one after another without
 * replacement, in proportion to the remaining weights. Rows of equal weight share one probability.
 */

/** Rows of equal weight share one probability, by symmetry. */
export interface WeightClass {
  readonly weight: number;
  readonly rows: number[];
}

/**
 * Probability per class that one given row is among `take` draws. A state counts the drawn rows of each
 * class, as a number in a mixed radix. A draw only increases it, so one ascending pass carries all
 * probability to the states of `take` draws. undefined for more than `mostStates`.
 */
export function exactInclusion(
  classes: readonly WeightClass[],
  take: number,
  mostStates: number,
): Float64Array | undefined {
  const sizes = classes.map(({ rows }) => rows.length);
  const [only] = sizes;
  if (only === undefined) return new Float64Array(0);
  if (sizes.length === 1) return Float64Array.of(take / only);
  const radix = sizes.map((size) => Math.min(size, take) + 1);
  const place: number[] = [];
  let states = 1;
  for (const base of radix) {
    place.push(states);
    states *= base;
    if (states > mostStates) return undefined;
  }
  const probability = new Float64Array(states);
  probability[0] = 1;
  const expected = new Float64Array(sizes.length);
  const drawn = new Int32Array(sizes.length);
  for (let state = 0; state < states; state++) {
    if (state > 0) countUp(drawn, radix);
    const p = probability[state] ?? 0;
    if (p === 0) continue;
    let count = 0;
    let total = 0;
    for (let c = 0; c < sizes.length; c++) {
      count += drawn[c] ?? 0;
      total += ((sizes[c] ?? 0) - (drawn[c] ?? 0)) * (classes[c]?.weight ?? 0);
    }
    for (let c = 0; c < sizes.length; c++) {
      if (count === take) {
        expected[c] = (expected[c] ?? 0) + p * (drawn[c] ?? 0);
        continue;
      }
      const weight = ((sizes[c] ?? 0) - (drawn[c] ?? 0)) * (classes[c]?.weight ?? 0);
      if (weight === 0) continue;
      const next = state + (place[c] ?? 0);
      probability[next] = (probability[next] ?? 0) + (p * weight) / total;
    }
  }
  return expected.map((draws, c) => draws / (sizes[c] ?? 1));
}

function countUp(digits: Int32Array, radix: readonly number[]): void {
  for (let i = 0; i < digits.length; i++) {
    const digit = (digits[i] ?? 0) + 1;
    if (digit < (radix[i] ?? 0)) {
      digits[i] = digit;
      return;
    }
    digits[i] = 0;
  }
}

/** Nodes and weights of Gauss–Legendre quadrature with eight points on [−1, 1] (Abramowitz & Stegun 25.4). */
const NODES = [
  [0.1834346424956498, 0.362683783378362],
  [0.525532409916329, 0.3137066458778873],
  [0.7966664774136267, 0.2223810344533745],
  [0.9602898564975363, 0.1012285362903763],
] as const;
/** Probability neglected at either end of the integral. */
const NEGLIGIBLE = 1e-11;

/**
 * Inclusion probabilities to nine digits if there are too many states to enumerate. Successive sampling is a
 * race of exponential clocks with the weights as rates; the first `take` to ring are drawn. So
 *
 *   inclusion = ∫ w·e^(−w·t) · P(fewer than `take` of the others have rung by t) dt
 *
 * The probability is that of a sum of independent trials, built class by class. Time is logarithmic. Before
 * the first node the others ring too rarely to matter.
 */
export function integratedInclusion(classes: readonly WeightClass[], take: number): Float64Array {
  const sizes = classes.map(({ rows }) => rows.length);
  const rates = classes.map(({ weight }) => weight);
  const rows = sizes.reduce((sum, size) => sum + size, 0);
  if (take <= 0) return new Float64Array(classes.length);
  if (take >= rows) return new Float64Array(classes.length).fill(1);
  const [from, to] = spanOf(sizes, rates, take);
  const panels = Math.max(1, Math.ceil(Math.log(to / from)));
  const width = Math.log(to / from) / panels;
  const inclusion = Float64Array.from(rates, (rate) => -Math.expm1(-rate * from));
  const race = new Race(sizes, take);
  for (let panel = 0; panel < panels; panel++) {
    const middle = Math.log(from) + (panel + 0.5) * width;
    for (const [node, share] of NODES) {
      for (const sign of [-1, 1]) {
        const t = Math.exp(middle + (sign * node * width) / 2);
        race.at(rates, t);
        for (let c = 0; c < rates.length; c++) {
          const rate = rates[c] ?? 0;
          const density = rate * t * Math.exp(-rate * t);
          inclusion[c] = (inclusion[c] ?? 0) + (share * width * density * race.fewerThanTakeWithout(c)) / 2;
        }
      }
    }
  }
  return inclusion;
}

/** From the time when almost none have rung to the time when almost surely `take` have. */
function spanOf(sizes: readonly number[], rates: readonly number[], take: number): readonly [number, number] {
  let total = 0;
  let logFactorial = 0;
  sizes.forEach((size, c) => {
    total += size * (rates[c] ?? 0);
  });
  for (let i = 2; i <= take; i++) logFactorial += Math.log(i);
  // P(take or more have rung by t) ≤ (total · t)^take / take!
  const from = Math.exp((Math.log(NEGLIGIBLE) + logFactorial) / take) / total;
  // If fewer than `take` have rung, the slowest of some rows − take + 1 are still silent, in at most 2^rows
  // ways.
  const ascending = sizes.map((size, c) => ({ size, rate: rates[c] ?? 0 })).sort((a, b) => a.rate - b.rate);
  const rows = sizes.reduce((sum, size) => sum + size, 0);
  let silent = rows - take;
  let slowest = 0;
  for (const { size, rate } of ascending) {
    const counted = Math.min(size, silent);
    slowest += counted * rate;
    silent -= counted;
  }
  return [from, (rows * Math.LN2 - Math.log(NEGLIGIBLE)) / slowest];
}

/** Distribution of the number of clocks that have rung at a time, over 0 … take − 1. */
class Race {
  private readonly sizes: readonly number[];
  private readonly take: number;
  /** Distributions of the classes before each, of those from each on, and of each class without one row. */
  private readonly before: readonly Float64Array[];
  private readonly after: readonly Float64Array[];
  private readonly others: readonly Float64Array[];
  private readonly whole: Float64Array;

  constructor(sizes: readonly number[], take: number) {
    this.sizes = sizes;
    this.take = take;
    const rows = (count: number) => Array.from({ length: count }, () => new Float64Array(take));
    this.before = rows(sizes.length + 1);
    this.after = rows(sizes.length + 1);
    this.others = rows(sizes.length);
    this.whole = new Float64Array(take);
  }

  at(rates: readonly number[], t: number): void {
    const { sizes, take, before, after, others, whole } = this;
    unit(before[0]);
    for (let c = 0; c < sizes.length; c++) {
      const other = others[c];
      const here = before[c];
      const next = before[c + 1];
      if (other === undefined || here === undefined || next === undefined) continue;
      const rung = -Math.expm1(-(rates[c] ?? 0) * t);
      unit(other);
      for (let i = 1; i < (sizes[c] ?? 0); i++) addTrial(other, rung);
      whole.set(other);
      addTrial(whole, rung);
      multiply(here, whole, next);
    }
    unit(after[sizes.length]);
    for (let c = sizes.length - 1; c >= 0; c--) {
      const other = others[c];
      const later = after[c + 1];
      const here = after[c];
      if (other === undefined || later === undefined || here === undefined) continue;
      whole.set(other);
      addTrial(whole, -Math.expm1(-(rates[c] ?? 0) * t));
      multiply(later, whole, here);
    }
    // The distributions below cover the classes from each one on.
    for (const counts of after)
      for (let n = 1; n < take; n++) counts[n] = (counts[n] ?? 0) + (counts[n - 1] ?? 0);
  }

  /** Probability that fewer than `take` have rung, not counting one row of the class. */
  fewerThanTakeWithout(c: number): number {
    const { before, others, after, take } = this;
    const here = before[c];
    const other = others[c];
    const later = after[c + 1];
    if (here === undefined || other === undefined || later === undefined) return 0;
    let sum = 0;
    for (let i = 0; i < take; i++) {
      const p = here[i] ?? 0;
      if (p === 0) continue;
      for (let j = 0; i + j < take; j++) sum += p * (other[j] ?? 0) * (later[take - 1 - i - j] ?? 0);
    }
    return sum;
  }
}

function unit(counts: Float64Array | undefined): void {
  counts?.fill(0).fill(1, 0, 1);
}

/** Adds a clock that has rung with probability `rung`. */
function addTrial(counts: Float64Array, rung: number): void {
  for (let n = counts.length - 1; n > 0; n--) {
    counts[n] = (counts[n] ?? 0) * (1 - rung) + (counts[n - 1] ?? 0) * rung;
  }
  counts[0] = (counts[0] ?? 0) * (1 - rung);
}

function multiply(a: Float64Array, b: Float64Array, into: Float64Array): void {
  into.fill(0);
  for (let i = 0; i < a.length; i++) {
    const p = a[i] ?? 0;
    if (p === 0) continue;
    for (let j = 0; i + j < a.length; j++) into[i + j] = (into[i + j] ?? 0) + p * (b[j] ?? 0);
  }
}
