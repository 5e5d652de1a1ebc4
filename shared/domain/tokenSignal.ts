/**
 * One number per token, and what it is. Asked for a signal that is not there, the answer is no
 * other signal under its name: surprisal never stands in for entropy.
 */
import { type SignalSource, topKEntropy } from './entropy.ts';

export const SIGNALS = ['entropy', 'surprisal', 'logprob', 'trainer_logprob', 'gap', 'advantage'] as const;
export type SignalName = (typeof SIGNALS)[number];

/** Its values lie on both sides of 0, or below it: what is high is another question then. */
export function isSigned(signal: SignalName): boolean {
  return signal !== 'entropy' && signal !== 'surprisal';
}

/** What was logged for the tokens of a rollout; all columns of length `count`, NaN is unknown. */
export interface TokenColumns {
  readonly count: number;
  readonly entropy?: Float32Array;
  readonly logprob?: Float32Array;
  readonly trainerLogprob?: Float32Array;
  readonly advantage?: Float32Array;
  /** Log-probabilities of the listed alternatives per token; null where none are. */
  readonly top?: readonly (readonly number[] | null)[];
  /** What the logged entropy is of, as logged. */
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
  /** Entropy from listed alternatives: the lower bound, which is certain. */
  readonly values: Float32Array;
  /** Only with listed alternatives and a vocabulary. */
  readonly upper?: Float32Array;
  /** Only with listed alternatives: probability of all that is not listed. */
  readonly tail?: Float32Array;
}

/**
 * @param name absent: the best there is, in the order of shared/domain/DOMAIN.md#order-of-preference (entropy as logged, its bounds from
 *   listed alternatives, surprisal)
 * @returns undefined where nothing of the kind was logged
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

/** Names of the signals there is something of. */
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
      // It may be of the head only: whoever logs it knows, and did not say.
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

/** Through 32 bits and back: the column is narrower than the list. */
const isSame = (a: number, b: number): boolean => Math.abs(a - b) <= 1e-5 * Math.max(1, Math.abs(a));

function negative(values: Float32Array | undefined): Float32Array | undefined {
  // 0 − x, so that certainty is 0 and not −0.
  return values?.map((value) => 0 - value);
}

/** Trainer minus rollout log-probability of the sampled token: how far the two policies have parted. */
function gapOf({ logprob, trainerLogprob }: TokenColumns): Float32Array | undefined {
  if (logprob === undefined || trainerLogprob === undefined) return undefined;
  return trainerLogprob.map((value, i) => value - (logprob[i] ?? Number.NaN));
}
