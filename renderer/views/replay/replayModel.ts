/** A rollout arranged for reading: turns, their segments, and which call each response answers. */
import type { RolloutDetail } from '../../../shared/api/contract.ts';
import {
  type Segment,
  TOOL_ERROR_OUTCOMES,
  type ToolCall,
  type ToolOutcome,
  type Turn,
  type TurnNumber,
  type Utf16Offset,
} from '../../../shared/domain/model.ts';

export type TextSource = 'prompt' | 'response';

export interface SegmentView {
  /** Position in the rollout's segments, prompt included. */
  readonly index: number;
  readonly segment: Segment;
  readonly source: TextSource;
  /** What a reader wants to see, without tags. */
  readonly inner: string;
  /** The exact text, tags and all. */
  readonly outer: string;
  readonly call?: ToolCall;
  readonly answeredCall?: ToolCall;
}

export interface TurnView {
  readonly turn: TurnNumber;
  readonly segments: readonly SegmentView[];
  /** What the host counted; the prompt, turn 0, has no counts. */
  readonly counts?: Turn;
}

export function turnsOf(detail: RolloutDetail): readonly TurnView[] {
  const callBySegment = new Map<number, ToolCall>();
  const answeredBySegment = new Map<number, ToolCall>();
  for (const call of detail.toolCalls) {
    callBySegment.set(call.callSegment, call);
    if (call.responseSegment !== undefined) answeredBySegment.set(call.responseSegment, call);
  }
  const counts = new Map(detail.turns.map((turn) => [turn.turn, turn]));
  const turns = new Map<TurnNumber, SegmentView[]>();
  detail.segments.forEach((segment, index) => {
    const source: TextSource = segment.turn === 0 ? 'prompt' : 'response';
    const text = detail[source];
    const view: SegmentView = {
      index,
      segment,
      source,
      inner: text.slice(segment.inner.start, segment.inner.end),
      outer: text.slice(segment.outer.start, segment.outer.end),
      call: callBySegment.get(index),
      answeredCall: answeredBySegment.get(index),
    };
    const views = turns.get(segment.turn);
    if (views === undefined) turns.set(segment.turn, [view]);
    else views.push(view);
  });
  return [...turns]
    .sort(([a], [b]) => a - b)
    .map(([turn, segments]) => ({ turn, segments, counts: counts.get(turn) }));
}

export interface OutcomeMark {
  readonly glyph: string;
  readonly label: string;
  readonly isError: boolean;
}

const OUTCOME_LABELS: Readonly<Record<ToolOutcome, string>> = {
  ok_stdout: 'success',
  ok_empty: 'success, no output',
  exception: 'exception',
  timeout: 'timed out',
  infra: 'sandbox failure',
  parse_error: 'parse error',
  dispatch_error: 'no such tool',
  missing: 'no response',
  ok: 'success',
  error: 'error',
};

export function outcomeMark(outcome: ToolOutcome): OutcomeMark {
  const isError = TOOL_ERROR_OUTCOMES.has(outcome);
  return {
    glyph: isError ? '✕' : outcome === 'missing' ? '○' : '✓',
    label: OUTCOME_LABELS[outcome],
    isError,
  };
}

/** `NameError` reads better than `exception` where the response names it. */
export function exceptionName(response: string): string | undefined {
  // Without the colour codes: the `m` that ends one would join the name.
  const plain = response.replaceAll(/\u001b\[[0-9;]*m/g, '');
  return /\b([A-Z][A-Za-z]*(?:Error|Exception|Interrupt|Warning))\b/.exec(plain)?.[1];
}

/** The segment of the response that holds `offset`; the last one for the very end. */
export function segmentAt(segments: readonly Segment[], offset: Utf16Offset): number | undefined {
  let found: number | undefined;
  segments.forEach((segment, index) => {
    if (segment.turn > 0 && segment.outer.start <= offset) found = index;
  });
  return found;
}

export function nextTurn(turns: readonly TurnView[], turn: TurnNumber, by: number): TurnNumber {
  const at = turns.findIndex((view) => view.turn === turn);
  const next = turns[Math.max(0, Math.min(turns.length - 1, (at < 0 ? 0 : at) + by))];
  return next?.turn ?? turn;
}

/** The segment of the next (or previous) tool call, seen from segment `from`. */
export function nextCallSegment(
  calls: readonly ToolCall[],
  from: number,
  direction: 1 | -1,
): number | undefined {
  const at = calls.map((call) => call.callSegment).sort((a, b) => a - b);
  return direction === 1 ? at.find((index) => index > from) : at.findLast((index) => index < from);
}

const SHORTEST_DWELL = 1_200;
const LONGEST_DWELL = 7_000;
/** Skimming pace: a turn of 1,500 characters stays for 3 s. */
const MS_PER_CHARACTER = 2;

/** How long playing rests on a turn. */
export function dwellMs(turn: TurnView | undefined, speed: number): number {
  const characters = turn?.segments.reduce((sum, view) => sum + view.inner.length, 0) ?? 0;
  return Math.min(LONGEST_DWELL, Math.max(SHORTEST_DWELL, characters * MS_PER_CHARACTER)) / speed;
}
