/** The scrubber's profile: a whole rollout at the width of a window. */
import type { Segment, SegmentKind, ToolCall, Utf16Offset } from '../../../../shared/domain/model.ts';
import { TOOL_ERROR_OUTCOMES } from '../../../../shared/domain/model.ts';
import { REFLECTION, TOKEN_CLASSES } from '../../../../shared/domain/reflection.ts';

/** One entry per column of pixels. NaN if the column contains no known value of the policy. */
export interface ColumnStatistics {
  readonly min: Float32Array;
  readonly mean: Float32Array;
  readonly max: Float32Array;
  /** 1 if the column contains a token of the class. */
  readonly forking: Uint8Array;
  readonly reflection: Uint8Array;
}

interface ColumnTokens {
  readonly heights: Float32Array;
  readonly ends?: Uint32Array;
  readonly mask?: Uint8Array;
  readonly classes: Uint8Array;
}

/** Keeps the extremes of each column, so that a single spike stays visible among many tokens. */
export function columnStatistics(
  { heights, ends, mask, classes }: ColumnTokens,
  length: Utf16Offset,
  columns: number,
): ColumnStatistics {
  const unknown = () => new Float32Array(columns).fill(Number.NaN);
  const statistics = {
    min: unknown(),
    mean: unknown(),
    max: unknown(),
    forking: new Uint8Array(columns),
    reflection: new Uint8Array(columns),
  };
  if (length === 0 || ends === undefined) return statistics;
  const { min, mean, max } = statistics;
  const tokens = new Uint32Array(columns);
  const scale = columns / length;
  heights.forEach((value, token) => {
    if (!Number.isFinite(value) || mask?.[token] === 0) return;
    const first = Math.min(columns - 1, Math.floor((ends[token - 1] ?? 0) * scale));
    // A short rollout has fewer tokens than columns, so a token fills every column that it covers.
    const last = Math.max(first, Math.ceil((ends[token] ?? 0) * scale) - 1);
    for (let column = first; column <= last && column < columns; column += 1) {
      const seen = tokens[column] ?? 0;
      tokens[column] = seen + 1;
      const before = mean[column] ?? 0;
      mean[column] = seen === 0 ? value : before + (value - before) / (seen + 1);
      if (seen === 0 || value > (max[column] ?? 0)) max[column] = value;
      if (seen === 0 || value < (min[column] ?? 0)) min[column] = value;
    }
    if (classes[token] === FORKING) statistics.forking[first] = 1;
    else if (classes[token] === REFLECTION) statistics.reflection[first] = 1;
  });
  return statistics;
}

const FORKING = TOKEN_CLASSES.indexOf('forking');

/** Who wrote the segment. The policy is drawn above the base line, the environment below it. */
export function isPolicyKind(kind: SegmentKind): boolean {
  return kind === 'reasoning' || kind === 'text' || kind === 'tool-call' || kind === 'answer';
}

interface ProfileBand {
  readonly kind: SegmentKind;
  /** Fractions of the response, 0…1. */
  readonly from: number;
  readonly to: number;
}

export interface ProfileMark {
  readonly what: 'call' | 'failed-call' | 'user';
  readonly at: number;
  readonly turn: number;
}

/** Marks at the same position, drawn as one. A failed call takes precedence, since users look for failures. */
export interface MarkCluster extends ProfileMark {
  /** Marks of any kind, including this one. */
  readonly marks: number;
  readonly failed: number;
}

/**
 * Merges marks so that at most `places` of them fit side by side. A merged mark counts its members.
 * @param places at least 1
 */
export function markClusters(marks: readonly ProfileMark[], places: number): readonly MarkCluster[] {
  const clusters = new Map<number, MarkCluster>();
  for (const mark of marks) {
    const place = Math.min(places - 1, Math.floor(mark.at * places));
    const known = clusters.get(place);
    const failed = (known?.failed ?? 0) + (mark.what === 'failed-call' ? 1 : 0);
    const shown =
      known === undefined || (known.what !== 'failed-call' && mark.what === 'failed-call') ? mark : known;
    clusters.set(place, { ...shown, marks: (known?.marks ?? 0) + 1, failed });
  }
  return [...clusters.values()];
}

interface ProfileTurn {
  readonly turn: number;
  readonly from: number;
  readonly to: number;
}

export interface Profile {
  readonly bands: readonly ProfileBand[];
  readonly marks: readonly ProfileMark[];
  readonly turns: readonly ProfileTurn[];
}

export function profileOf(
  segments: readonly Segment[],
  calls: readonly ToolCall[],
  length: Utf16Offset,
): Profile {
  const fraction = (offset: Utf16Offset) => (length === 0 ? 0 : offset / length);
  const written = segments.filter((segment) => segment.turn > 0);
  const bands = written.map((segment) => ({
    kind: segment.kind,
    from: fraction(segment.outer.start),
    to: fraction(segment.outer.end),
  }));
  const turns = new Map<number, ProfileTurn>();
  for (const segment of written) {
    const from = turns.get(segment.turn)?.from ?? fraction(segment.outer.start);
    turns.set(segment.turn, { turn: segment.turn, from, to: fraction(segment.outer.end) });
  }
  const marks: ProfileMark[] = [];
  for (const call of calls) {
    const segment = segments[call.callSegment];
    if (segment === undefined) continue;
    const what = TOOL_ERROR_OUTCOMES.has(call.outcome) ? 'failed-call' : 'call';
    marks.push({ what, at: fraction(segment.outer.start), turn: call.turn });
  }
  for (const segment of written) {
    if (segment.kind === 'user')
      marks.push({ what: 'user', at: fraction(segment.outer.start), turn: segment.turn });
  }
  return { bands, marks: marks.sort((a, b) => a.at - b.at), turns: [...turns.values()] };
}
