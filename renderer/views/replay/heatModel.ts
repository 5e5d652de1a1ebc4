/** Token heat: which tokens are marked, and how strongly. */
import type { EntropyOf, RolloutTokens, TokenInfo } from '../../../shared/api/contract.ts';
import type { TextRange, Utf16Offset } from '../../../shared/domain/model.ts';

export interface Signal {
  /** Surprisal is what one log-probability gives; it is never called entropy. */
  readonly kind: 'entropy' | 'surprisal';
  readonly values: Float32Array;
  /** As logged; empty when the log does not say. */
  readonly unit: string;
  /** What the numbers mean, for the legend. */
  readonly meaning: string;
}

export function entropyMeaning(of: EntropyOf | undefined): string {
  if (of === undefined) return 'entropy, its distribution was not logged';
  const parts = [
    'entropy',
    of.kind === 'full' ? 'full distribution' : `of the top ${of.k ?? 'k'} only`,
    of.unit ?? 'unit not logged',
    of.temperature === undefined ? undefined : `T = ${of.temperature}`,
    of.policy === undefined ? undefined : `${of.policy} policy`,
  ];
  return parts.filter((part) => part !== undefined).join(', ');
}

export function signalOf(info: TokenInfo | undefined, tokens: RolloutTokens | undefined): Signal | undefined {
  if (info === undefined || tokens === undefined) return undefined;
  if (tokens.entropy !== undefined) {
    return {
      kind: 'entropy',
      values: tokens.entropy,
      unit: info.entropyOf?.unit ?? '',
      meaning: entropyMeaning(info.entropyOf),
    };
  }
  if (tokens.logprob === undefined) return undefined;
  return {
    kind: 'surprisal',
    values: tokens.logprob.map((logprob) => -logprob),
    unit: 'nats',
    meaning: 'surprisal of the sampled token, nats (log-probabilities only; not entropy)',
  };
}

/** Upper quantiles at which a mark grows stronger: the top 20 %, 10 %, 4 % and 1 %. */
const QUANTILES = [0.8, 0.9, 0.96, 0.99] as const;

export const HEAT_LEVELS = QUANTILES.length;

/** The known values of the policy tokens, ascending. */
export function policyValues(values: Float32Array, mask: Uint8Array | undefined): Float32Array {
  return values.filter((value, i) => Number.isFinite(value) && mask?.[i] !== 0).sort();
}

/** Smallest value of each level, of ascending policy values. */
export function heatThresholds(known: Float32Array): readonly number[] {
  if (known.length === 0) return [];
  return QUANTILES.map(
    (quantile) => known[Math.min(known.length - 1, Math.floor(quantile * known.length))] ?? 0,
  );
}

/** 0: not marked; 1…4: top 20 %, 10 %, 4 %, 1 %. A value of 0 is certain and never marked. */
export function heatLevel(value: number, thresholds: readonly number[]): number {
  if (!Number.isFinite(value) || value <= 0) return 0;
  let level = 0;
  for (const threshold of thresholds) if (value >= threshold) level += 1;
  return level;
}

export function heatLevels(
  values: Float32Array,
  mask: Uint8Array | undefined,
  thresholds: readonly number[],
): Uint8Array {
  return Uint8Array.from(values, (value, i) => (mask?.[i] === 0 ? 0 : heatLevel(value, thresholds)));
}

/** The first token that ends after `offset`. */
export function tokenAt(ends: Uint32Array, offset: Utf16Offset): number {
  let low = 0;
  let high = ends.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ends[middle] ?? 0) <= offset) low = middle + 1;
    else high = middle;
  }
  return low;
}

export interface MarkedRange extends TextRange {
  readonly level: number;
}

/** Marked tokens inside `range`, cut to it. White space at the start of a token stays unmarked. */
export function markedTokens(
  range: TextRange,
  text: string,
  ends: Uint32Array,
  levels: Uint8Array,
): readonly MarkedRange[] {
  const marked: MarkedRange[] = [];
  for (let token = tokenAt(ends, range.start); token < ends.length; token += 1) {
    let start = ends[token - 1] ?? 0;
    if (start >= range.end) break;
    const level = levels[token] ?? 0;
    if (level === 0) continue;
    const end = Math.min(ends[token] ?? 0, range.end);
    start = Math.max(start, range.start);
    while (start < end && /\s/.test(text.charAt(start))) start += 1;
    if (start < end) marked.push({ start, end, level });
  }
  return marked;
}

/** Share of ascending `known` values below `value`, 0…1. */
export function shareBelow(known: Float32Array, value: number): number {
  let low = 0;
  let high = known.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((known[middle] ?? 0) < value) low = middle + 1;
    else high = middle;
  }
  return known.length === 0 ? 0 : low / known.length;
}
