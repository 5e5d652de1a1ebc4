/**
 * What per-token numbers say about a distribution, and how much (shared/domain/DOMAIN.md#entropy). Three things are
 * never confused: the entropy of the whole distribution, bounds of it from its most likely tokens,
 * and the surprisal of the one token that was sampled.
 */
import type { Nats } from './model.ts';

/** `unsaid`: entropy, but the log does not say of which distribution. */
export const SOURCE_KINDS = ['full', 'top-k', 'unsaid', 'surprisal', 'logprob', 'gap', 'advantage'] as const;

/** What a signal is made of; stands beside every number made from it. */
export interface SignalSource {
  readonly kind: (typeof SOURCE_KINDS)[number];
  /** Of `top-k`: tokens listed per position, the largest number seen. */
  readonly k?: number;
  /**
   * The values are no entropy but what it is at least, worked out here from the k listed alternatives. Absent: as
   * logged; a logged `top-k` is the entropy of the head alone, by whatever formula the trainer has.
   */
  readonly bound?: 'lower';
  /** `nats` unless the log says otherwise. */
  readonly unit?: string;
  readonly temperature?: number;
  /** Whose distribution: `rollout` or `trainer`. */
  readonly policy?: string;
}

/** As it comes from a URL or a wire. */
export type SourceParts = { readonly [Part in keyof SignalSource]: SignalSource[Part] | undefined };

/** The same text for the same source, whatever order its parts were written in. */
export function sourceKey({ kind, k, bound, unit, temperature, policy }: Partial<SourceParts>): string {
  return [kind, k, bound, unit, temperature, policy].map((part) => part ?? '').join('.');
}

/** Bounds of the entropy of a distribution of which only the head is known. */
export interface TopKEntropy {
  /** Of the listed tokens alone; below the entropy. */
  readonly truncated: Nats;
  /** Probability of everything not listed, 0 … 1: how much the bounds leave open. */
  readonly tail: number;
  /** Least entropy such a head allows. */
  readonly lower: Nats;
  /** Most it allows; needs the size of the vocabulary. */
  readonly upper?: Nats;
}

const term = (p: number): number => (p > 0 ? -p * Math.log(p) : 0);

/**
 * @param logprobs of the most likely tokens, in any order, natural logarithm; NaN and −∞ are passed over
 * @param options.vocabulary tokens there are; without it there is no upper bound
 * @param options.sampled log-probability of the sampled token where it is not among them: one more that is
 *   known, and no bound for the others
 * @returns undefined when nothing is listed
 *
 * The tail is r = 1 − Σp. Each of its tokens is at most as likely as the least likely listed one, so the
 * entropy is least when the tail is packed in chunks of that size, and most when it is spread evenly
 * over all V − k tokens not listed.
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
  // Rounded logs may add up to a little more than 1.
  const tail = Math.max(0, 1 - mass);
  const chunks = Math.floor(tail / least);
  const lower = truncated + chunks * term(least) + term(tail - chunks * least);
  if (vocabulary === undefined) return { truncated, tail, lower };
  const unlisted = vocabulary - listed;
  const upper = unlisted > 0 && tail > 0 ? truncated - tail * Math.log(tail / unlisted) : truncated;
  return { truncated, tail, lower, upper: Math.max(upper, lower) };
}

/** Of a whole distribution given as log-probabilities, in nats. */
export function entropyOf(logprobs: ArrayLike<number>): Nats {
  let sum = 0;
  for (let i = 0; i < logprobs.length; i++) sum += term(Math.exp(logprobs[i] ?? Number.NEGATIVE_INFINITY));
  return sum;
}

/** What the sampled token tells: one draw from a distribution whose mean is its entropy, never the entropy itself. */
export const surprisalOf = (logprob: number): Nats => -logprob;
