/**
 * Entropy and related per-token quantities (shared/domain/DOMAIN.md#entropy). Three quantities are kept
 * apart: the entropy of the whole distribution, its bounds from the most likely tokens, and the surprisal of
 * the sampled token.
 */
import type { Nats } from './model.ts';

/** `unsaid`: the log does not specify the distribution of its entropy. */
export const SOURCE_KINDS = ['full', 'top-k', 'unsaid', 'surprisal', 'logprob', 'gap', 'advantage'] as const;

/** Origin of a signal, shown beside every number derived from it. */
export interface SignalSource {
  readonly kind: (typeof SOURCE_KINDS)[number];
  /** For `top-k`: the largest number of tokens listed at a position. */
  readonly k?: number;
  /**
   * The values are lower bounds of the entropy, computed here from the k listed alternatives. Absent: as
   * logged. A logged `top-k` is the entropy of the head alone, by the trainer's own formula.
   */
  readonly bound?: 'lower';
  /** `nats` unless logged otherwise. */
  readonly unit?: string;
  readonly temperature?: number;
  /** Policy whose distribution it is: `rollout` or `trainer`. */
  readonly policy?: string;
}

/** Parsed from a URL or a request. */
export type SourceParts = { readonly [Part in keyof SignalSource]: SignalSource[Part] | undefined };

/** Equal for equal sources, whatever the order of their parts. */
export function sourceKey({ kind, k, bound, unit, temperature, policy }: Partial<SourceParts>): string {
  return [kind, k, bound, unit, temperature, policy].map((part) => part ?? '').join('.');
}

/** Bounds of the entropy of a distribution whose head alone is known. */
export interface TopKEntropy {
  /** Entropy terms of the listed tokens only; below the entropy. */
  readonly truncated: Nats;
  /** Probability of all tokens that are not listed, 0 … 1: the uncertainty of the bounds. */
  readonly tail: number;
  /** Minimum entropy for this head. */
  readonly lower: Nats;
  /** Maximum entropy for this head. Requires the size of the vocabulary. */
  readonly upper?: Nats;
}

const term = (p: number): number => (p > 0 ? -p * Math.log(p) : 0);

/**
 * @param logprobs of the most likely tokens, in any order, natural logarithm; NaN and −∞ are skipped
 * @param options.vocabulary number of tokens; without it there is no upper bound
 * @param options.sampled log-probability of the sampled token if it is not listed: one more known token, but
 *   no bound for the others
 * @returns undefined if nothing is listed
 *
 * The tail is r = 1 − Σp. Each of its tokens is at most as likely as the least likely listed one. The entropy
 * is minimal if the tail is packed in chunks of that size, and maximal if it is spread evenly over all V − k
 * unlisted tokens.
 */
export function topKEntropy(
  logprobs: readonly number[],
  options: { readonly vocabulary?: number; readonly sampled?: number } = {},
): TopKEntropy | undefined {
  let truncated = 0;
  let mass = 0;
  let least = Number.POSITIVE_INFINITY;
  let listed = 0;
  for (const logprob of logprobs) {
    const p = Math.exp(Math.min(0, logprob));
    if (!(p > 0)) continue;
    truncated += term(p);
    mass += p;
    least = Math.min(least, p);
    listed++;
  }
  if (listed === 0) return undefined;
  const { sampled, vocabulary } = options;
  if (sampled !== undefined && !Number.isNaN(sampled)) {
    const p = Math.exp(Math.min(0, sampled));
    if (p > 0) {
      truncated += term(p);
      mass += p;
      listed++;
    }
  }
  // The sum of rounded logarithms may exceed 1 slightly.
  const tail = Math.max(0, 1 - mass);
  const chunks = Math.floor(tail / least);
  const lower = truncated + chunks * term(least) + term(tail - chunks * least);
  if (vocabulary === undefined) return { truncated, tail, lower };
  const unlisted = vocabulary - listed;
  const upper = unlisted > 0 && tail > 0 ? truncated - tail * Math.log(tail / unlisted) : truncated;
  return { truncated, tail, lower, upper: Math.max(upper, lower) };
}

/** Entropy of a whole distribution given as log-probabilities, in nats. */
export function entropyOf(logprobs: ArrayLike<number>): Nats {
  let sum = 0;
  for (let i = 0; i < logprobs.length; i++) sum += term(Math.exp(logprobs[i] ?? Number.NEGATIVE_INFINITY));
  return sum;
}

/**
 * Surprisal of the sampled token: one draw from a distribution whose mean is the entropy, but not the entropy
 * itself.
 */
export const surprisalOf = (logprob: number): Nats => -logprob;
