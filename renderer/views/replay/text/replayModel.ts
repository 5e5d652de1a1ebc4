/** Navigation within a rollout: by turn, by call, by position. */
import {
  type Segment,
  TOOL_ERROR_OUTCOMES,
  type ToolCall,
  type TurnNumber,
  type Utf16Offset,
} from '../../../../shared/domain/model.ts';
import { readingMs } from '../../../data/pace.ts';
import type { TurnView } from '../../../data/segmentViews.ts';

/** The segment of the response that contains `offset`. The end of the response belongs to the last segment. */
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

/** Whether a call failed, or reached no tool because it is malformed. */
export const isFailedCall = ({ outcome }: ToolCall): boolean =>
  outcome === 'malformed' || TOOL_ERROR_OUTCOMES.has(outcome);

/** The segment of the next (or previous) tool call, starting from segment `from`. */
export function nextCallSegment(
  calls: readonly ToolCall[],
  from: number,
  direction: 1 | -1,
): number | undefined {
  const at = calls.map((call) => call.callSegment).sort((a, b) => a - b);
  return direction === 1 ? at.find((index) => index > from) : at.findLast((index) => index < from);
}

/** How long playback shows a turn. */
export function dwellMs(turn: TurnView | undefined, speed: number): number {
  const characters = turn?.segments.reduce((sum, view) => sum + view.inner.length, 0) ?? 0;
  return readingMs(characters, speed);
}
