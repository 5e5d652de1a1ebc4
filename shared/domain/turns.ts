import { type Segment, TOOL_ERROR_OUTCOMES, type ToolCall, type Turn, type TurnNumber } from './model.ts';

/**
 * Counts per turn, 1 … `turns`. `policyTokens` (parallel to `segments`) is given only if tokens are aligned
 * to the text; otherwise token counts are unknown.
 */
export function summariseTurns(
  turns: TurnNumber,
  segments: readonly Segment[],
  toolCalls: readonly ToolCall[],
  policyTokens?: readonly number[],
): readonly Turn[] {
  const counts = Array.from({ length: turns }, () => ({
    segments: 0,
    toolCalls: 0,
    toolErrors: 0,
    tokens: 0,
  }));
  segments.forEach((segment, i) => {
    const count = counts[segment.turn - 1];
    if (count === undefined) return;
    count.segments++;
    count.tokens += policyTokens?.[i] ?? 0;
  });
  for (const call of toolCalls) {
    const count = counts[call.turn - 1];
    if (count === undefined || call.outcome === 'malformed') continue;
    count.toolCalls++;
    if (TOOL_ERROR_OUTCOMES.has(call.outcome)) count.toolErrors++;
  }
  return counts.map((count, i) => ({
    turn: i + 1,
    segments: count.segments,
    toolCalls: count.toolCalls,
    toolErrors: count.toolErrors,
    policyTokens: policyTokens === undefined ? undefined : count.tokens,
  }));
}
