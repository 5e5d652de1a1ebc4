/**
 * Statistics of signals over many rollouts: by segment kind, step, distance from a tool response, or token.
 * Only policy tokens with a known value count. Different sources are never added up: an entropy, its lower
 * bound and a surprisal are different quantities.
 */
import type { SignalSource } from './entropy.ts';
import {
  type Agreement,
  agreementOf,
  agreementTogether,
  lexiconHits,
  lexiconPattern,
  tokensIn,
} from './lexicon.ts';
import type { SegmentKind, TextRange } from './model.ts';
import {
  assignTokens,
  classifyTokens,
  DEFAULT_WINDOW,
  TOKEN_CLASSES,
  type TokenClass,
  type TokenSegments,
} from './reflection.ts';
import { afterOf, type Cut, type CutRow, nameOf, newCut, Sum } from './statisticsCuts.ts';
import { policyValues, quantileThreshold } from './thresholds.ts';
import { isSigned, type SignalName } from './tokenSignal.ts';
import { type Histogram, ValueHistogram } from './valueHistogram.ts';

export const STATISTICS_BY = ['segment', 'step', 'token', 'position'] as const;
export type StatisticsBy = (typeof STATISTICS_BY)[number];

/** The parts of a rollout that the statistics use. */
export interface MeasuredRollout {
  readonly step: number;
  readonly isCorrect: boolean | undefined;
  readonly signal: SignalName;
  readonly source: SignalSource;
  readonly values: Float32Array;
  readonly mask: Uint8Array | undefined;
  /** Absent: tokens have no offsets, and the rollout counts by step only. */
  readonly ends: Uint32Array | undefined;
  /** Segments of the response, which tile it. `failed`: whether the call of a tool response failed. */
  readonly segments: readonly {
    readonly kind: SegmentKind;
    readonly outer: TextRange;
    /** Range without tags. Required only with lexicon words. */
    readonly inner?: TextRange;
    readonly failed?: boolean;
  }[];
  /** Required only by token and with lexicon words. */
  readonly response?: string;
  /** Ids to count by, for tokens without text. */
  readonly ids?: Int32Array | undefined;
}

export interface Mean {
  readonly tokens: number;
  readonly mean: number;
  /** Standard deviation of the values (not of the mean). */
  readonly deviation: number;
}

export type Correctness = 'right' | 'wrong' | 'unknown';
/** Result of the preceding tool response. */
export const AFTER = ['success', 'error'] as const;
export type After = (typeof AFTER)[number];

export interface StatisticsRow extends Mean {
  /** Index into `sources`. */
  readonly source: number;
  readonly segment?: SegmentKind;
  readonly step?: number;
  readonly token?: string;
  /** Replaces `token` if the log has ids without text. */
  readonly id?: number;
  /** Policy tokens since the tool response, from 0. */
  readonly position?: number;
  readonly after?: After;
  readonly correctness?: Correctness;
}

export interface SourceStatistics extends Mean {
  readonly signal: SignalName;
  readonly source: SignalSource;
  readonly rollouts: number;
  readonly histogram: Histogram;
  /** 80th percentile of the values, to a thousandth. Absent if it lies outside the histogram. */
  readonly percentile80?: number;
  /** Tokens of each class among the highest 20 % of their rollout. */
  readonly classes: Readonly<Record<Exclude<TokenClass, 'none'>, number>>;
  /**
   * Overlap of lexicon words with the highest 20 % of their rollout. Absent without words, and if no token
   * has an offset. A text heuristic beside a signal; neither defines the other.
   */
  readonly lexicon?: Agreement;
  /** Reflections per policy token within the window after a response, by the result of the response. */
  readonly reflections: Readonly<Record<After, { readonly tokens: number; readonly reflections: number }>>;
}

/** Rows of each requested cut. */
export type CutRows = Readonly<Partial<Record<StatisticsBy, readonly StatisticsRow[]>>>;

/** Share of a rollout’s policy tokens that is high. */
export const HIGH_SHARE = 0.2;
/** Segment kinds of the policy, in which lexicon words are searched. */
const POLICY_KINDS: ReadonlySet<SegmentKind> = new Set(['reasoning', 'text', 'tool-call', 'answer']);

/** Processes every rollout once, for any number of cuts. */
export class SignalStatistics {
  private readonly by: readonly StatisticsBy[];
  private readonly window: number;
  private readonly words: RegExp | undefined;
  private readonly sources = new Map<string, SourceSums>();

  /** @param words of the lexicon, to measure their overlap with high tokens */
  constructor(by: readonly StatisticsBy[], window: number = DEFAULT_WINDOW, words: readonly string[] = []) {
    this.by = [...new Set(by)];
    this.window = window;
    this.words = lexiconPattern(words);
  }

  add(rollout: MeasuredRollout): void {
    const { signal, source } = rollout;
    const key = JSON.stringify([signal, source]);
    let sums = this.sources.get(key);
    if (sums === undefined) {
      sums = new SourceSums(signal, source, this.by, this.window, this.words);
      this.sources.set(key, sums);
    }
    sums.add(rollout);
  }

  /** @param leastTokens drops token rows with fewer tokens, whose mean is unreliable */
  finish(leastTokens = 1): { readonly sources: readonly SourceStatistics[]; readonly rows: CutRows } {
    const all = [...this.sources.values()];
    const rowsBy = (by: StatisticsBy): StatisticsRow[] =>
      all.flatMap((sums, source) => sums.rows(by, leastTokens).map((row) => ({ source, ...row })));
    return {
      sources: all.map((sums) => sums.finish()),
      rows: Object.fromEntries(this.by.map((by) => [by, rowsBy(by)])),
    };
  }
}

class SourceSums {
  private readonly signal: SignalName;
  private readonly source: SignalSource;
  private readonly window: number;
  private readonly whole = new Sum();
  private readonly histogram: ValueHistogram;
  private readonly cuts: ReadonlyMap<StatisticsBy, Cut>;
  private readonly classes = { forking: 0, reflection: 0, code: 0, answer: 0 };
  private readonly reflections = {
    success: { tokens: 0, reflections: 0 },
    error: { tokens: 0, reflections: 0 },
  };
  private readonly words: RegExp | undefined;
  private lexicon: Agreement | undefined;
  private rollouts = 0;

  constructor(
    signal: SignalName,
    source: SignalSource,
    by: readonly StatisticsBy[],
    window: number,
    words: RegExp | undefined,
  ) {
    this.words = words;
    this.signal = signal;
    this.source = source;
    this.window = window;
    this.histogram = new ValueHistogram(isSigned(signal));
    this.cuts = new Map(by.map((one) => [one, newCut(one)]));
  }

  add(rollout: MeasuredRollout): void {
    const { values, mask, ends, segments } = rollout;
    this.rollouts++;
    const places = ends === undefined ? undefined : assignTokens({ segments, ends, mask });
    const sumsOf = [...this.cuts.values()].map((cut) => cut.of(rollout, places));
    for (let i = 0; i < values.length; i++) {
      const value = values[i] ?? Number.NaN;
      if (mask?.[i] === 0 || !Number.isFinite(value)) continue;
      this.whole.add(value);
      this.histogram.add(value);
      for (const sumOf of sumsOf) sumOf(i)?.add(value);
    }
    if (ends !== undefined && places !== undefined) this.classify(rollout, ends, places);
  }

  finish(): SourceStatistics {
    const { signal, source, rollouts, histogram, classes, reflections, whole } = this;
    const percentile80 = histogram.quantile(0.8);
    return {
      signal,
      source,
      rollouts,
      ...whole.finish(),
      histogram: histogram.finish(),
      ...(percentile80 === undefined ? {} : { percentile80 }),
      classes,
      reflections,
      ...(this.lexicon === undefined ? {} : { lexicon: this.lexicon }),
    };
  }

  rows(by: StatisticsBy, leastTokens: number): readonly CutRow[] {
    const rows = this.cuts.get(by)?.rows() ?? [];
    if (by === 'token') {
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

  private agree(
    { segments, mask, values, response }: MeasuredRollout,
    ends: Uint32Array,
    threshold: number | undefined,
  ): void {
    const { words } = this;
    if (words === undefined || response === undefined || threshold === undefined) return;
    const hits = segments
      .filter(({ kind }) => POLICY_KINDS.has(kind))
      .flatMap(({ outer, inner = outer }) => lexiconHits(response, words, inner));
    const isHigh = Uint8Array.from(values, (value) => (value > 0 && value >= threshold ? 1 : 0));
    const own = agreementOf(tokensIn(ends, hits), isHigh, mask);
    this.lexicon = agreementTogether(this.lexicon === undefined ? [own] : [this.lexicon, own]);
  }

  private classify(rollout: MeasuredRollout, ends: Uint32Array, places: TokenSegments): void {
    const { segments, mask, values } = rollout;
    const threshold = quantileThreshold(policyValues(values, mask), HIGH_SHARE);
    this.agree(rollout, ends, threshold);
    const codes = classifyTokens({ segments, ends, mask, values, threshold, window: this.window, places });
    for (let i = 0; i < codes.length; i++) {
      const name = TOKEN_CLASSES[codes[i] ?? 0] ?? 'none';
      if (name !== 'none') this.classes[name]++;
      const distance = places.afterResponse[i] ?? -1;
      if (distance < 0 || (this.window > 0 && distance >= this.window)) continue;
      const count = this.reflections[afterOf(segments, places.segment[i] ?? -1)];
      count.tokens++;
      if (name === 'reflection') count.reflections++;
    }
  }
}
