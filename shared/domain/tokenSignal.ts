/**
 * One number per token with its source. A request for a missing signal never returns another under its name:
 * surprisal never replaces entropy.
 */
import { type SignalSource, topKEntropy } from './entropy.ts';

export const SIGNALS = ['entropy', 'surprisal', 'logprob', 'trainer_logprob', 'gap', 'advantage'] as const;
export type SignalName = (typeof SIGNALS)[number];

/** Values may be negative, so "high" is ambiguous. */
export function isSigned(signal: SignalName): boolean {
  return signal !== 'entropy' && signal !== 'surprisal';
}

/** Logged token columns of a rollout, all of length `count`; NaN: unknown. */
export interface TokenColumns {
  readonly count: number;
  readonly entropy?: Float32Array;
  readonly logprob?: Float32Array;
  readonly trainerLogprob?: Float32Array;
  readonly advantage?: Float32Array;
  /** Log-probabilities of the listed alternatives per token; null: none. */
  readonly top?: readonly (readonly number[] | null)[];
  /** Properties of the logged entropy, as logged. */
  readonly entropyOf?: {
    readonly kind?: unknown;
    readonly k?: unknown;
    readonly unit?: unknown;
    readonly temperature?: unknown;
    readonly policy?: unknown;
  };
}

export interface TokenSignal {
  readonly name: SignalName;
  readonly source: SignalSource;
  /** For entropy from listed alternatives: the lower bound. */
  readonly values: Float32Array;
  /** Present only with listed alternatives and a vocabulary. */
  readonly upper?: Float32Array;
  /** Present only with listed alternatives: total probability of unlisted tokens. */
  readonly tail?: Float32Array;
}

/**
 * @param name absent: the best available, in the order of shared/domain/DOMAIN.md#order-of-preference (logged
 *   entropy, its bounds from listed alternatives, surprisal)
 * @returns undefined if no such signal was logged
 */
export function tokenSignal(
  columns: TokenColumns,
  name?: SignalName,
  vocabulary?: number,
): TokenSignal | undefined {
  switch (name) {
    case undefined:
      return tokenSignal(columns, 'entropy', vocabulary) ?? tokenSignal(columns, 'surprisal') ?? undefined;
    case 'entropy':
      return loggedEntropy(columns) ?? boundedEntropy(columns, vocabulary);
    case 'surprisal':
      return from(name, { kind: 'surprisal', unit: 'nats', policy: 'rollout' }, negative(columns.logprob));
    case 'logprob':
      return from(name, { kind: 'logprob', unit: 'nats', policy: 'rollout' }, columns.logprob);
    case 'trainer_logprob':
      return from(name, { kind: 'logprob', unit: 'nats', policy: 'trainer' }, columns.trainerLogprob);
    case 'gap':
      return from(name, { kind: 'gap', unit: 'nats' }, gapOf(columns));
    case 'advantage':
      return from(name, { kind: 'advantage' }, columns.advantage);
  }
}

/** Names of the available signals. */
export function signalsIn(columns: TokenColumns): readonly SignalName[] {
  return SIGNALS.filter((name) => tokenSignal(columns, name) !== undefined);
}

function from(
  name: SignalName,
  source: SignalSource,
  values: Float32Array | undefined,
): TokenSignal | undefined {
  return values === undefined ? undefined : { name, source, values };
}

function loggedEntropy({ entropy, entropyOf }: TokenColumns): TokenSignal | undefined {
  if (entropy === undefined) return undefined;
  const { kind, k, unit, temperature, policy } = entropyOf ?? {};
  return {
    name: 'entropy',
    source: {
      // It may cover the head only; the log does not tell.
      kind: kind === 'top-k' || kind === 'full' ? kind : 'unsaid',
      ...(typeof k === 'number' ? { k } : {}),
      ...(typeof unit === 'string' ? { unit } : {}),
      ...(typeof temperature === 'number' ? { temperature } : {}),
      ...(typeof policy === 'string' ? { policy } : {}),
    },
    values: entropy,
  };
}

function boundedEntropy(
  { count, top, logprob }: TokenColumns,
  vocabulary: number | undefined,
): TokenSignal | undefined {
  if (top === undefined) return undefined;
  const values = new Float32Array(count).fill(Number.NaN);
  const tail = new Float32Array(count).fill(Number.NaN);
  const upper = vocabulary === undefined ? undefined : new Float32Array(count).fill(Number.NaN);
  let k = 0;
  for (let i = 0; i < count; i++) {
    const listed = top[i];
    if (listed === null || listed === undefined) continue;
    const sampled = logprob?.[i];
    const isListed =
      sampled === undefined || Number.isNaN(sampled) || listed.some((one) => isSame(one, sampled));
    const found = topKEntropy(listed, {
      ...(vocabulary === undefined ? {} : { vocabulary }),
      ...(isListed ? {} : { sampled }),
    });
    if (found === undefined) continue;
    k = Math.max(k, listed.length);
    values[i] = found.lower;
    tail[i] = found.tail;
    if (upper !== undefined) upper[i] = found.upper ?? Number.NaN;
  }
  return {
    name: 'entropy',
    source: { kind: 'top-k', k, bound: 'lower', unit: 'nats', policy: 'rollout' },
    values,
    tail,
    ...(upper === undefined ? {} : { upper }),
  };
}

/** Compares in 32-bit precision, because the column is narrower than the list. */
const isSame = (a: number, b: number): boolean => Math.abs(a - b) <= 1e-5 * Math.max(1, Math.abs(a));

function negative(values: Float32Array | undefined): Float32Array | undefined {
  // 0 − x, so that a certain token gets 0 instead of −0.
  return values?.map((value) => 0 - value);
}

/**
 * Trainer minus rollout log-probability of the sampled token: how far the two policies have drifted apart.
 */
function gapOf({ logprob, trainerLogprob }: TokenColumns): Float32Array | undefined {
  if (logprob === undefined || trainerLogprob === undefined) return undefined;
  return trainerLogprob.map((value, i) => value - (logprob[i] ?? Number.NaN));
}
