/** Token heat in a pack: the top fifth of the policy tokens in four levels, as in the replay. */
import type { SignalSource } from '../../../shared/domain/entropy.ts';
import {
  countHigh,
  DEFAULT_THRESHOLD,
  policyValues,
  quantileThreshold,
} from '../../../shared/domain/thresholds.ts';
import { type TokenSignal, tokenSignal } from '../../../shared/domain/tokenSignal.ts';
import { columnsOf } from '../../storage/queries/tokens.ts';
import { type TokenRecord, unpackEnds, unpackMask } from '../../storage/tokenColumns.ts';
import type { Mark } from './htmlText.ts';

/** Fractions of the high tokens that reach each level: the top 20, 10, 4 and 1 % of all tokens. */
const LEVEL_SHARES = [1, 0.5, 0.2, 0.05] as const;

export interface Heat {
  /** Marks on the response, in order. */
  readonly marks: readonly Mark[];
  /** Description of the signal: `entropy, full, nats, T=1.0, trainer policy`. */
  readonly words: string;
  /** Smallest marked value, in the unit of `words`. Absent: no token is high. */
  readonly threshold?: number;
}

/** @returns undefined when there is no signal, or the tokens are not aligned with the text */
export function heatOf(tokens: TokenRecord | undefined, response: string): Heat | undefined {
  if (tokens === undefined || tokens.ends === null) return undefined;
  const signal = tokenSignal(columnsOf(tokens));
  if (signal === undefined) return undefined;
  const words = signalText(signal);
  const ends = unpackEnds(tokens.ends, tokens.count);
  const mask = tokens.mask === null ? undefined : unpackMask(tokens.mask, tokens.count);
  const known = policyValues(signal.values, mask);
  const q = DEFAULT_THRESHOLD.kind === 'fixed' ? 0.2 : DEFAULT_THRESHOLD.q;
  const threshold = known[0] === known.at(-1) ? undefined : quantileThreshold(known, q);
  if (threshold === undefined) return { marks: [], words };
  const high = countHigh(known, threshold);
  const cuts = LEVEL_SHARES.map((share, level) =>
    level === 0
      ? threshold
      : (known[known.length - Math.max(1, Math.floor(high * share))] ?? Number.POSITIVE_INFINITY),
  );
  const marks: Mark[] = [];
  ends.forEach((end, token) => {
    const value = signal.values[token] ?? Number.NaN;
    if (mask?.[token] === 0 || !Number.isFinite(value) || value <= 0) return;
    const level = cuts.filter((cut) => value >= cut).length;
    let start = ends[token - 1] ?? 0;
    while (start < end && /\s/.test(response.charAt(start))) start++;
    if (level > 0 && start < end) marks.push({ start, end, open: `<i class="h${level}">`, close: '</i>' });
  });
  return { marks, words, threshold };
}

/** Keeps surprisal, bounds and partial distributions distinct from entropy. */
function signalText({ name, source, tail }: TokenSignal): string {
  const { kind, k, unit, temperature, policy }: SignalSource = source;
  const parts =
    name === 'entropy'
      ? [
          tail === undefined ? 'entropy' : 'entropy, at least',
          tail !== undefined
            ? `lower bound from the ${k ?? 'k'} alternatives listed`
            : kind === 'unsaid'
              ? 'as logged, distribution not stated'
              : kind === 'top-k'
                ? `of the top ${k ?? 'k'} only, as logged`
                : 'full',
          unit ?? 'unit not logged',
        ]
      : [name === 'surprisal' ? 'surprisal (not entropy)' : name, unit];
  const all = [
    ...parts,
    temperature === undefined
      ? 'T unknown'
      : `T=${Number.isInteger(temperature) ? temperature.toFixed(1) : temperature}`,
    policy === undefined ? undefined : `${policy} policy`,
  ];
  return all.filter((part) => part !== undefined).join(', ');
}
