/**
 * The debugger's watch: state of a rollout at the end of each turn, read from the log without running
 * anything. Variables are the names a code cell assigns, as written.
 */
import { lastBoxed } from './answer.ts';
import { type AssignedName, assignedNames } from './assignedNames.ts';
import { type Segment, TOOL_ERROR_OUTCOMES, type ToolCall, type TurnNumber } from './model.ts';
import { printedBy } from './toolOutput.ts';

export interface WatchedRollout {
  readonly response: string;
  readonly segments: readonly Segment[];
  readonly toolCalls: readonly ToolCall[];
  /** Number of assistant turns, at least 1. */
  readonly turns: number;
  /** UTF-16 end of each token in the response. Absent: not aligned. */
  readonly tokenEnds?: Uint32Array;
  /** Configured token limit of the response. */
  readonly maxResponseTokens?: number;
}

export interface WatchRow {
  readonly turn: TurnNumber;
  /** The policy's last `\boxed{…}` so far. */
  readonly answer?: string;
  /** It differs from the previous turn's, or is the first. */
  readonly isAnswerNew: boolean;
  /** The last output of a tool. */
  readonly printed?: string;
  /** It was printed in this turn. */
  readonly isPrintedNew: boolean;
  /** Responses to the failed calls of this turn. */
  readonly errors: readonly string[];
  /** Names that code cells of this turn assign. */
  readonly assigned: readonly AssignedName[];
  /** Number of calls by the end of this turn. */
  readonly toolCalls: number;
  readonly toolErrors: number;
  /**
   * Tokens of the response by the end of this turn, tool responses included. Absent if tokens have no
   * offsets.
   */
  readonly tokensSpent?: number;
  /** UTF-16 units of the response by the end of this turn. */
  readonly charsSpent: number;
}

export interface Watch {
  /** One per turn, from turn 1 on. */
  readonly rows: readonly WatchRow[];
  readonly maxResponseTokens?: number;
}

const POLICY: ReadonlySet<Segment['kind']> = new Set(['reasoning', 'text', 'answer']);

/** One pass over the response. */
export function watchOf(rollout: WatchedRollout): Watch {
  const { response, segments, toolCalls, tokenEnds, maxResponseTokens } = rollout;
  const byTurn = new Map<TurnNumber, Segment[]>();
  for (const segment of segments) {
    if (segment.turn < 1) continue;
    const own = byTurn.get(segment.turn) ?? [];
    own.push(segment);
    byTurn.set(segment.turn, own);
  }
  const callsOf = new Map<TurnNumber, ToolCall[]>();
  for (const call of toolCalls) callsOf.set(call.turn, [...(callsOf.get(call.turn) ?? []), call]);

  const rows: WatchRow[] = [];
  let [calls, errors, token, charsSpent] = [0, 0, 0, 0];
  let answer: string | undefined;
  let printed: string | undefined;
  const turns = Math.max(rollout.turns, ...byTurn.keys(), 0);
  for (let turn = 1; turn <= turns; turn++) {
    const former = answer;
    let isPrintedNew = false;
    for (const { kind, inner, outer } of byTurn.get(turn) ?? []) {
      charsSpent = Math.max(charsSpent, outer.end);
      if (POLICY.has(kind)) answer = lastBoxed(response.slice(inner.start, inner.end)) ?? answer;
      if (kind !== 'tool-response') continue;
      const now = printedBy(response.slice(inner.start, inner.end));
      isPrintedNew ||= now !== undefined;
      printed = now ?? printed;
    }
    const own = callsOf.get(turn) ?? [];
    calls += own.length;
    errors += own.filter(({ outcome }) => TOOL_ERROR_OUTCOMES.has(outcome)).length;
    while (tokenEnds !== undefined && token < tokenEnds.length && (tokenEnds[token] ?? 0) <= charsSpent)
      token++;
    rows.push({
      turn,
      ...(answer === undefined ? {} : { answer }),
      isAnswerNew: answer !== former,
      ...(printed === undefined ? {} : { printed }),
      isPrintedNew,
      errors: own.flatMap(({ outcome, responseSegment }) => {
        const inner = responseSegment === undefined ? undefined : segments[responseSegment]?.inner;
        if (inner === undefined || !TOOL_ERROR_OUTCOMES.has(outcome)) return [];
        return [response.slice(inner.start, inner.end).trim()];
      }),
      assigned: own.flatMap(({ code }) => (code === undefined ? [] : assignedNames(code))),
      toolCalls: calls,
      toolErrors: errors,
      ...(tokenEnds === undefined ? {} : { tokensSpent: token }),
      charsSpent,
    });
  }
  return { rows, ...(maxResponseTokens === undefined ? {} : { maxResponseTokens }) };
}
