/** Positions of events on a time axis. */
import type { LoggedEvent } from '../../../shared/format/inspectEvents.ts';

/** Seconds after the first event. */
export interface TimeRange {
  readonly from: number;
  readonly to: number;
}

const endOf = ({ start, seconds = 0 }: LoggedEvent): number => start + seconds;

export function wholeRange(events: readonly LoggedEvent[]): TimeRange {
  return { from: 0, to: events.reduce((last, event) => Math.max(last, endOf(event)), 0) };
}

/** Events that overlap the range, ends included. */
export function eventsWithin(
  events: readonly LoggedEvent[],
  { from, to }: TimeRange,
): readonly LoggedEvent[] {
  return events.filter((event) => event.start <= to && endOf(event) >= from);
}

/** Position and width in percent of the range, cut at its ends. An instant has width 0. */
export function barOf(
  event: LoggedEvent,
  { from, to }: TimeRange,
): { readonly left: number; readonly width: number } {
  const length = to - from;
  if (length <= 0) return { left: 0, width: 0 };
  const left = Math.min(1, Math.max(0, (event.start - from) / length));
  const right = Math.min(1, Math.max(left, (endOf(event) - from) / length));
  return { left: left * 100, width: (right - left) * 100 };
}
