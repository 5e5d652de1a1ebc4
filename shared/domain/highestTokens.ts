/** Tokens of many rollouts with the highest (or lowest) values, separately per source. */
import { type SignalSource, type SourceParts, sourceKey } from './entropy.ts';
import { indexIn } from './linearSearch.ts';
import { assignTokens, classifyTokens, REFLECTION } from './reflection.ts';
import { type After, HIGH_SHARE, type MeasuredRollout } from './signalStatistics.ts';
import { afterOf } from './statisticsCuts.ts';
import { policyValues, quantileThreshold } from './thresholds.ts';

/**
 * Which tokens: those with this text, or the reflection tokens after a tool response with this result, as
 * `signalStatistics.ts` counts them.
 */
export type WantedTokens =
  | { readonly token: string }
  | { readonly reflection: After /** Policy tokens. */; readonly window: number };

export interface FoundToken {
  readonly rolloutId: number;
  readonly token: number;
  readonly value: number;
  readonly text: string;
  readonly before: string;
  readonly after: string;
}

export interface Found {
  readonly source: SignalSource;
  total: number;
  /** Best first, at most as many as requested. */
  readonly best: FoundToken[];
}

/** UTF-16 code units on either side. */
const CONTEXT = 48;

export class HighestTokens {
  private readonly wanted: WantedTokens;
  private readonly limit: number;
  /** 1: highest first; −1: lowest first. */
  private readonly sign: 1 | -1;
  private readonly sources = new Map<string, Found>();

  constructor(wanted: WantedTokens, limit: number, order: 'ascending' | 'descending') {
    this.wanted = wanted;
    this.limit = limit;
    this.sign = order === 'descending' ? 1 : -1;
  }

  add(rollout: MeasuredRollout, rolloutId: number): void {
    const { source, values, mask, ends, response } = rollout;
    if (ends === undefined || response === undefined) return;
    const isWanted = matcherOf(this.wanted, rollout, ends, response);
    if (isWanted === undefined) return;
    const found = this.of(source);
    for (let i = 0; i < values.length; i++) {
      if (mask?.[i] === 0 || !isWanted(i)) continue;
      const value = values[i] ?? Number.NaN;
      if (!Number.isFinite(value)) continue;
      found.total++;
      this.keep(found.best, { rolloutId, token: i, value }, response, ends[i - 1] ?? 0, ends[i] ?? 0);
    }
  }

  /** @param wanted absent: the source with most occurrences */
  finish(wanted?: Partial<SourceParts>): Found | undefined {
    if (wanted !== undefined) return this.sources.get(sourceKey(wanted));
    return [...this.sources.values()].sort((a, b) => b.total - a.total)[0];
  }

  private of(source: SignalSource): Found {
    const key = sourceKey(source);
    let found = this.sources.get(key);
    if (found === undefined) {
      found = { source, total: 0, best: [] };
      this.sources.set(key, found);
    }
    return found;
  }

  private keep(
    best: FoundToken[],
    place: Pick<FoundToken, 'rolloutId' | 'token' | 'value'>,
    response: string,
    start: number,
    end: number,
  ): void {
    const beats = (other: FoundToken | undefined): boolean =>
      other === undefined || (place.value - other.value) * this.sign > 0;
    if (best.length >= this.limit && !beats(best[best.length - 1])) return;
    let low = 0;
    let high = best.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (beats(best[middle])) high = middle;
      else low = middle + 1;
    }
    const before = copied(
      response.slice(Math.max(0, start - CONTEXT), start).replace(/^[\udc00-\udfff]/, ''),
    );
    const after = copied(response.slice(end, end + CONTEXT).replace(/[\ud800-\udbff]$/, ''));
    best.splice(low, 0, { ...place, text: copied(response.slice(start, end)), before, after });
    if (best.length > this.limit) best.pop();
  }
}

/** @returns undefined if the rollout has no such token */
function matcherOf(
  wanted: WantedTokens,
  { segments, mask, values }: MeasuredRollout,
  ends: Uint32Array,
  response: string,
): ((i: number) => boolean) | undefined {
  if ('token' in wanted) {
    const { token } = wanted;
    if (indexIn(response, token) < 0) return undefined;
    return (i) => {
      const start = ends[i - 1] ?? 0;
      return (ends[i] ?? 0) - start === token.length && response.startsWith(token, start);
    };
  }
  const { reflection, window } = wanted;
  const places = assignTokens({ segments, ends, mask });
  const threshold = quantileThreshold(policyValues(values, mask), HIGH_SHARE);
  const classes = classifyTokens({ segments, ends, mask, values, threshold, window, places });
  return (i) => classes[i] === REFLECTION && afterOf(segments, places.segment[i] ?? -1) === reflection;
}

/** A copy, because a slice would keep the whole response in memory. */
const copied = (text: string): string => [...text].join('');
