/** Occurrences of a token with its highest (or lowest) values in many rollouts, separately per source. */
import { type SignalSource, type SourceParts, sourceKey } from './entropy.ts';
import type { MeasuredRollout } from './signalStatistics.ts';

export interface FoundToken {
  readonly rolloutId: number;
  readonly token: number;
  readonly value: number;
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
  private readonly token: string;
  private readonly limit: number;
  /** 1: highest first; −1: lowest first. */
  private readonly sign: 1 | -1;
  private readonly sources = new Map<string, Found>();

  constructor(token: string, limit: number, order: 'ascending' | 'descending') {
    this.token = token;
    this.limit = limit;
    this.sign = order === 'descending' ? 1 : -1;
  }

  add({ source, values, mask, ends, response }: MeasuredRollout, rolloutId: number): void {
    if (ends === undefined || response === undefined || !response.includes(this.token)) return;
    const found = this.of(source);
    const { length } = this.token;
    for (let i = 0; i < values.length; i++) {
      const end = ends[i] ?? 0;
      const start = ends[i - 1] ?? 0;
      if (end - start !== length || mask?.[i] === 0 || !response.startsWith(this.token, start)) continue;
      const value = values[i] ?? Number.NaN;
      if (!Number.isFinite(value)) continue;
      found.total++;
      this.keep(found.best, { rolloutId, token: i, value }, response, start, end);
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
    best.splice(low, 0, { ...place, before, after });
    if (best.length > this.limit) best.pop();
  }
}

/** A copy, because a slice would keep the whole response in memory. */
const copied = (text: string): string => [...text].join('');
