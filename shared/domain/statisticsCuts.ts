/** Cuts of token statistics: each assigns a token's value to one sum. */
import type { TokenSegments } from './reflection.ts';
import type {
  After,
  Correctness,
  Mean,
  MeasuredRollout,
  StatisticsBy,
  StatisticsRow,
} from './signalStatistics.ts';

/** Maximum position on the curve after a tool response. */
const MOST_POSITIONS = 200;

export class Sum {
  tokens = 0;
  private mean = 0;
  private squares = 0;

  /** Welford's algorithm: accurate for long sums of small numbers. */
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

export type CutRow = Omit<StatisticsRow, 'source'>;
type Labels = Omit<CutRow, keyof Mean>;

export interface Cut {
  /** @returns a function from a token of this rollout to its sum; undefined: no sum */
  of(rollout: MeasuredRollout, places: TokenSegments | undefined): (token: number) => Sum | undefined;
  rows(): CutRow[];
}

export function newCut(by: StatisticsBy): Cut {
  switch (by) {
    case 'segment':
      return new SegmentCut();
    case 'step':
      return new StepCut();
    case 'position':
      return new PositionCut();
    case 'token':
      return new TokenCut();
  }
}

export const afterOf = (segments: MeasuredRollout['segments'], at: number): After =>
  segments[at - 1]?.failed === true ? 'error' : 'success';

export function nameOf({ segment, step, token, id, position, after, correctness }: Labels): string {
  return [segment, step, token, id, position, after, correctness].join('\u0000');
}

const correctnessOf = ({ isCorrect }: MeasuredRollout): Correctness =>
  isCorrect === undefined ? 'unknown' : isCorrect ? 'right' : 'wrong';

/** Sums by label. */
class Labelled {
  private readonly sums = new Map<string, { readonly labels: Labels; readonly sum: Sum }>();

  of(labels: Labels): Sum {
    const key = nameOf(labels);
    let found = this.sums.get(key);
    if (found === undefined) {
      found = { labels, sum: new Sum() };
      this.sums.set(key, found);
    }
    return found.sum;
  }

  /** Skips sums without tokens. */
  rows(): CutRow[] {
    return [...this.sums.values()]
      .filter(({ sum }) => sum.tokens > 0)
      .map(({ labels, sum }) => ({ ...labels, ...sum.finish() }));
  }
}

class StepCut implements Cut {
  private readonly sums = new Labelled();

  of(rollout: MeasuredRollout) {
    const sum = this.sums.of({ step: rollout.step, correctness: correctnessOf(rollout) });
    return () => sum;
  }

  rows(): CutRow[] {
    return this.sums.rows();
  }
}

class SegmentCut implements Cut {
  private readonly sums = new Labelled();

  of(rollout: MeasuredRollout, places: TokenSegments | undefined) {
    const correctness = correctnessOf(rollout);
    const ofSegment = rollout.segments.map(({ kind }) => this.sums.of({ segment: kind, correctness }));
    return (i: number) => ofSegment[places?.segment[i] ?? -1];
  }

  rows(): CutRow[] {
    return this.sums.rows();
  }
}

class PositionCut implements Cut {
  private readonly sums: Readonly<Record<After, Sum[]>> = { success: [], error: [] };

  of({ segments }: MeasuredRollout, places: TokenSegments | undefined) {
    const ofSegment = segments.map((_, at) => this.sums[afterOf(segments, at)]);
    return (i: number) => {
      const position = places?.afterResponse[i] ?? -1;
      if (position < 0 || position >= MOST_POSITIONS) return undefined;
      const sums = ofSegment[places?.segment[i] ?? -1] ?? this.sums.success;
      let sum = sums[position];
      if (sum === undefined) {
        sum = new Sum();
        sums[position] = sum;
      }
      return sum;
    };
  }

  rows(): CutRow[] {
    return (['success', 'error'] as const).flatMap((after) =>
      // Skips positions without a known value, which are holes in the array.
      this.sums[after].flatMap((sum, position) => [{ position, after, ...sum.finish() }]),
    );
  }
}

/** V8 copies shorter slices. A longer one would keep the whole response in memory. */
const COPIED_LENGTH = 13;

class TokenCut implements Cut {
  private readonly sums = new Map<string, Sum>();
  private readonly byId = new Map<number, Sum>();

  of({ ends, response, ids }: MeasuredRollout) {
    return (i: number) => {
      const end = ends?.[i];
      if (ends === undefined) return this.ofId(ids?.[i]);
      if (end === undefined || response === undefined) return undefined;
      const token = response.slice(ends?.[i - 1] ?? 0, end);
      if (token === '') return undefined;
      let sum = this.sums.get(token);
      if (sum === undefined) {
        sum = new Sum();
        this.sums.set(token.length < COPIED_LENGTH ? token : copyOf(token), sum);
      }
      return sum;
    };
  }

  rows(): CutRow[] {
    return [
      ...[...this.sums].map(([token, sum]) => ({ token, ...sum.finish() })),
      ...[...this.byId].map(([id, sum]) => ({ id, ...sum.finish() })),
    ];
  }

  private ofId(id: number | undefined): Sum | undefined {
    if (id === undefined) return undefined;
    let sum = this.byId.get(id);
    if (sum === undefined) {
      sum = new Sum();
      this.byId.set(id, sum);
    }
    return sum;
  }
}

const copyOf = (text: string): string => [...text].join('');
