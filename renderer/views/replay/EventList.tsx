/** Events of a sample on a time axis, nested by span. A click on one that took time zooms to it. */
import { useMemo, useState } from 'react';
import { type LoggedEvent, MOST_EVENTS } from '../../../shared/format/inspectEvents.ts';
import { Button } from '../../ui/Controls.tsx';
import { LogText } from '../../ui/LogText.tsx';
import { count, counted, duration } from '../../ui/numbers.ts';
import { useVirtualRows } from '../../ui/useVirtualRows.ts';
import './eventList.css';

const ROW_HEIGHT = 40;
const OVERSCAN = 6;
const INDENT = 10;
/** Deeper spans are not indented further. */
const DEEPEST_INDENT = 8;

export function EventList({ events }: { readonly events: readonly LoggedEvent[] }) {
  const whole = useMemo(() => wholeRange(events), [events]);
  const [zoomed, setZoomed] = useState<TimeRange>();
  const range = zoomed ?? whole;
  const shown = useMemo(() => eventsWithin(events, range), [events, range]);
  const list = useVirtualRows({ count: shown.length, rowHeight: ROW_HEIGHT, overscan: OVERSCAN });
  return (
    <section className="event-list" aria-label="Events">
      <div className="event-list-head">
        <span className="dim">
          {duration(range.from * 1000)} to {duration(range.to * 1000)}
          <br />
          {counted(shown.length, 'event')}
          {events.length === MOST_EVENTS && `, of the first ${count(MOST_EVENTS)}`}
        </span>
        <Button disabled={zoomed === undefined} onClick={() => setZoomed(undefined)}>
          Whole sample
        </Button>
      </div>
      <div ref={list.scroller} className="event-list-rows" onScroll={list.onScroll}>
        <div style={{ height: list.space.spacer, position: 'relative' }}>
          <ol style={{ transform: `translateY(${list.shown.top}px)` }}>
            {shown.slice(list.shown.first, list.shown.end).map((event, i) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: events have no id, and the list never reorders
              <li key={list.shown.first + i}>
                <EventRow event={event} range={range} onZoom={setZoomed} />
              </li>
            ))}
          </ol>
        </div>
      </div>
    </section>
  );
}

interface EventRowProps {
  readonly event: LoggedEvent;
  readonly range: TimeRange;
  readonly onZoom: (range: TimeRange) => void;
}

function EventRow({ event, range, onZoom }: EventRowProps) {
  const { kind, name, depth, start, seconds, error } = event;
  const { left, width } = barOf(event, range);
  const facts = factsOf(event);
  return (
    <button
      type="button"
      className="event-row"
      disabled={seconds === undefined || seconds === 0}
      title={[error ?? `${kind} ${name}`, `${duration(start * 1000)} after the first event`, facts]
        .join('\n')
        .trim()}
      onClick={() => onZoom({ from: start, to: start + (seconds ?? 0) })}
    >
      <span
        className="event-row-text"
        style={{ paddingInlineStart: Math.min(depth, DEEPEST_INDENT) * INDENT }}
      >
        <span className="event-row-name">
          {error !== undefined && <span className="is-wrong">✕ </span>}
          <b>{kind}</b> <LogText text={name} />
        </span>
        <span className="event-row-facts dim">{facts}</span>
      </span>
      <span className="event-row-axis">
        <span
          className={`event-bar is-${BARS.find((known) => known === kind) ?? 'other'}`}
          style={{ left: `${left}%`, width: `${width}%` }}
        />
      </span>
    </button>
  );
}

const BARS = ['span', 'model', 'tool'] as const;

function factsOf({ seconds, input_tokens, output_tokens, retries }: LoggedEvent): string {
  return [
    ...(seconds === undefined ? [] : [duration(seconds * 1000)]),
    ...(input_tokens === undefined ? [] : [`${count(input_tokens)} in`]),
    ...(output_tokens === undefined ? [] : [`${count(output_tokens)} out`]),
    ...(retries === undefined ? [] : [counted(retries, 'retry', 'retries')]),
  ].join(' · ');
}

/** Seconds after the first event. */
interface TimeRange {
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
