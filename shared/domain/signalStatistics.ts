/**
 * Signals of many rollouts summed up: by kind of segment, by step, by distance from a tool response,
 * by token. Only tokens of the policy with a known value count. Numbers of different sources are
 * never added up: an entropy, its lower bound and a surprisal are three things.
 */
import type { SignalSource } from './entropy.ts';
import type { SegmentKind, TextRange } from './model.ts';
import { classifyTokens, DEFAULT_WINDOW, placeTokens, TOKEN_CLASSES, type TokenClass } from './reflection.ts';
import { policyValues, quantileThreshold } from './thresholds.ts';
import type { SignalName } from './tokenSignal.ts';

export const STATISTICS_BY = ['segment', 'step', 'token', 'position'] as const;
export type StatisticsBy = (typeof STATISTICS_BY)[number];

/** One rollout as the statistics need it. */
export interface MeasuredRollout {
  readonly step: number;
  readonly isCorrect: boolean | undefined;
  readonly signal: SignalName;
  readonly source: SignalSource;
  readonly values: Float32Array;
  readonly mask: Uint8Array | undefined;
  /** Absent: tokens have no place on the text; such a rollout counts by step only. */
  readonly ends: Uint32Array | undefined;
  /** Of the response, tiling it; `failed`: of a tool response, whether its call failed. */
  readonly segments: readonly {
    readonly kind: SegmentKind;
    readonly outer: TextRange;
    readonly failed?: boolean;
  }[];
  /** Needed by token only. */
  readonly response?: string;
}

export interface Mean {
  readonly tokens: number;
  readonly mean: number;
  /** Standard deviation of the values (not of the mean). */
  readonly deviation: number;
}

export type Correctness = 'right' | 'wrong' | 'unknown';
/** What the tool response said that stands before a position. */
export type After = 'success' | 'error';

export interface StatisticsRow extends Mean {
  /** Index into `sources`. */
  readonly source: number;
  readonly segment?: SegmentKind;
  readonly step?: number;
  readonly token?: string;
  /** Policy tokens since the tool response, from 0. */
  readonly position?: number;
  readonly after?: After;
  readonly correctness?: Correctness;
}

export interface SourceStatistics extends Mean {
  readonly signal: SignalName;
  readonly source: SignalSource;
  readonly rollouts: number;
  /** Values per bin of `BIN_WIDTH`, the last bin holds all that are larger. */
  readonly histogram: readonly number[];
  /** To a bin's width. */
  readonly percentile80: number;
  /** Tokens of each class among the highest 20 % of their rollout. */
  readonly classes: Readonly<Record<Exclude<TokenClass, 'none'>, number>>;
  /** Reflections per policy token within the window after a response, by what the response said. */
  readonly reflections: Readonly<Record<After, { readonly tokens: number; readonly reflections: number }>>;
}

export const BIN_WIDTH = 0.02;
const BINS = 500;
/** As far as the curve after a tool response goes. */
export const MOST_POSITIONS = 200;
const HIGH_SHARE = 0.2;

export class SignalStatistics {
  private readonly by: StatisticsBy;
  private readonly window: number;
  private readonly sources = new Map<string, SourceSums>();

  constructor(by: StatisticsBy, window: number = DEFAULT_WINDOW) {
    this.by = by;
    this.window = window;
  }

  add(rollout: MeasuredRollout): void {
    const { signal, source } = rollout;
    const key = JSON.stringify([signal, source]);
    let sums = this.sources.get(key);
    if (sums === undefined) {
      sums = new SourceSums(signal, source, this.by, this.window);
      this.sources.set(key, sums);
    }
    sums.add(rollout);
  }

  /** @param leastTokens rows by token that are rarer are left out: the mean of a few says nothing */
  finish(leastTokens = 1): {
    readonly sources: readonly SourceStatistics[];
    readonly rows: readonly StatisticsRow[];
  } {
    const all = [...this.sources.values()];
    return {
      sources: all.map((sums) => sums.finish()),
      rows: all.flatMap((sums, source) => sums.rows(leastTokens).map((row) => ({ source, ...row }))),
    };
  }
}

class Sum {
  tokens = 0;
  private mean = 0;
  private squares = 0;

  /** Welford's way: exact for long sums of small numbers. */
  add(value: number): void {
    this.tokens++;
    const before = value - this.mean;
    this.mean += before / this.tokens;
    this.squares += before * (value - this.mean);
  }

  finish(): Mean {
    const { tokens, mean, squares } = this;
    return { tokens, mean, deviation: tokens > 1 ? Math.sqrt(squares / (tokens - 1)) : 0 };
  }
}

type Labels = Omit<StatisticsRow, keyof Mean | 'source'>;

class SourceSums {
  private readonly signal: SignalName;
  private readonly source: SignalSource;
  private readonly by: StatisticsBy;
  private readonly window: number;
  private readonly whole = new Sum();
  private readonly histogram = new Array<number>(BINS + 1).fill(0);
  private readonly sums = new Map<string, { readonly labels: Labels; readonly sum: Sum }>();
  private readonly classes = { forking: 0, reflection: 0, code: 0, answer: 0 };
  private readonly reflections = {
    success: { tokens: 0, reflections: 0 },
    error: { tokens: 0, reflections: 0 },
  };
  private rollouts = 0;

  constructor(signal: SignalName, source: SignalSource, by: StatisticsBy, window: number) {
    this.signal = signal;
    this.source = source;
    this.by = by;
    this.window = window;
  }

  add(rollout: MeasuredRollout): void {
    const { values, mask, ends, segments } = rollout;
    this.rollouts++;
    const places = ends === undefined ? undefined : placeTokens({ segments, ends, mask });
    for (let i = 0; i < values.length; i++) {
      const value = values[i] ?? Number.NaN;
      if (mask?.[i] === 0 || !Number.isFinite(value)) continue;
      this.whole.add(value);
      const bin = Math.min(BINS, Math.max(0, Math.floor(value / BIN_WIDTH)));
      this.histogram[bin] = (this.histogram[bin] ?? 0) + 1;
      const labels = this.labelsOf(rollout, i, places);
      if (labels !== undefined) this.sumOf(labels).add(value);
    }
    if (ends !== undefined && places !== undefined)
      this.classify(rollout, ends, places.afterResponse, places.segment);
  }

  finish(): SourceStatistics {
    const { signal, source, rollouts, histogram, classes, reflections, whole } = this;
    let below = 0;
    let bin = 0;
    while (bin < BINS && below + (histogram[bin] ?? 0) < 0.8 * whole.tokens) below += histogram[bin++] ?? 0;
    return {
      signal,
      source,
      rollouts,
      ...whole.finish(),
      histogram,
      percentile80: (bin + 1) * BIN_WIDTH,
      classes,
      reflections,
    };
  }

  rows(leastTokens: number): readonly Omit<StatisticsRow, 'source'>[] {
    const rows = [...this.sums.values()].map(({ labels, sum }) => ({ ...labels, ...sum.finish() }));
    if (this.by === 'token') {
      return rows
        .filter(({ tokens }) => tokens >= leastTokens)
        .sort((a, b) => b.mean - a.mean || b.tokens - a.tokens);
    }
    return rows.sort(
      (a, b) =>
        (a.step ?? 0) - (b.step ?? 0) ||
        (a.position ?? 0) - (b.position ?? 0) ||
        nameOf(a).localeCompare(nameOf(b)),
    );
  }

  private labelsOf(
    { step, isCorrect, segments, ends, response }: MeasuredRollout,
    i: number,
    places: ReturnType<typeof placeTokens> | undefined,
  ): Labels | undefined {
    const correctness: Correctness = isCorrect === undefined ? 'unknown' : isCorrect ? 'right' : 'wrong';
    const at = places?.segment[i] ?? -1;
    switch (this.by) {
      case 'step':
        return { step, correctness };
      case 'segment': {
        const segment = segments[at]?.kind;
        return segment === undefined ? undefined : { segment, correctness };
      }
      case 'position': {
        const position = places?.afterResponse[i] ?? -1;
        if (position < 0 || position >= MOST_POSITIONS) return undefined;
        return { position, after: afterOf(segments, at) };
      }
      case 'token': {
        const end = ends?.[i];
        const token = end === undefined ? '' : (response?.slice(ends?.[i - 1] ?? 0, end) ?? '');
        return token === '' ? undefined : { token };
      }
    }
  }

  private sumOf(labels: Labels): Sum {
    const key = nameOf(labels);
    let found = this.sums.get(key);
    if (found === undefined) {
      found = { labels, sum: new Sum() };
      this.sums.set(key, found);
    }
    return found.sum;
  }

  private classify(
    { segments, mask, values }: MeasuredRollout,
    ends: Uint32Array,
    afterResponse: Int32Array,
    segment: Int32Array,
  ): void {
    const threshold = quantileThreshold(policyValues(values, mask), HIGH_SHARE);
    const codes = classifyTokens({ segments, ends, mask, values, threshold, window: this.window });
    for (let i = 0; i < codes.length; i++) {
      const name = TOKEN_CLASSES[codes[i] ?? 0] ?? 'none';
      if (name !== 'none') this.classes[name]++;
      const distance = afterResponse[i] ?? -1;
      if (distance < 0 || (this.window > 0 && distance >= this.window)) continue;
      const count = this.reflections[afterOf(segments, segment[i] ?? -1)];
      count.tokens++;
      if (name === 'reflection') count.reflections++;
    }
  }
}

const afterOf = (segments: MeasuredRollout['segments'], at: number): After =>
  segments[at - 1]?.failed === true ? 'error' : 'success';

function nameOf({ segment, step, token, position, after, correctness }: Labels): string {
  return [segment, step, token, position, after, correctness].join('\u0000');
}
