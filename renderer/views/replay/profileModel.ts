/** The scrubber's profile: a whole rollout in the width of a window. */
import type { Segment, SegmentKind, ToolCall, Utf16Offset } from '../../../shared/domain/model.ts';
import { TOOL_ERROR_OUTCOMES } from '../../../shared/domain/model.ts';

/** Largest value per pixel column; NaN where the column holds no known value. */
export function columnMaxima(
  values: Float32Array,
  ends: Uint32Array,
  length: Utf16Offset,
  columns: number,
): Float32Array {
  const maxima = new Float32Array(columns).fill(Number.NaN);
  if (length === 0) return maxima;
  values.forEach((value, token) => {
    if (!Number.isFinite(value)) return;
    const scale = columns / length;
    const first = Math.min(columns - 1, Math.floor((ends[token - 1] ?? 0) * scale));
    // A short rollout has fewer tokens than columns: a token fills all that it covers.
    const last = Math.max(first, Math.ceil((ends[token] ?? 0) * scale) - 1);
    for (let column = first; column <= last && column < columns; column += 1) {
      const before = maxima[column];
      if (before === undefined || Number.isNaN(before) || value > before) maxima[column] = value;
    }
  });
  return maxima;
}

/** Who wrote it: the policy stands above the base line, the environment hangs below it. */
export function isPolicyKind(kind: SegmentKind): boolean {
  return kind === 'reasoning' || kind === 'text' || kind === 'tool-call' || kind === 'answer';
}

export interface ProfileBand {
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

export interface ProfileTurn {
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
