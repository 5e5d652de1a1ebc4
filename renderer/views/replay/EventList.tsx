/**
 * Events of a sample on a time axis, nested by span. The event that was clicked or focused last is written out below the
 * list, with its error and its times. A double click on one that took time zooms to it, as a button of the chosen one does.
 */
import { useLayoutEffect, useMemo, useRef, useState } from 'react';
import type { LoggedEvent } from '../../../shared/format/inspectEvents.ts';
import { useCommands } from '../../shell/keys/commands.ts';
import { keyed } from '../../shell/keys/keysInForce.ts';
import { Button } from '../../ui/Controls.tsx';
import { LogText, plainLogText } from '../../ui/LogText.tsx';
import { count, counted, duration, figure } from '../../ui/numbers.ts';
import { useVirtualRows } from '../../ui/useVirtualRows.ts';
import { ErrorText } from '../../widgets/ErrorText.tsx';
import './eventList.css';

const ROW_HEIGHT = 34;
/** With a line of tokens and cost, or of an error. */
const ROW_HEIGHT_OF_TWO = 50;
const OVERSCAN = 6;
const INDENT = 10;
/** As long as a stored error may be. */
const LONGEST_ERROR = 500;
/** Deeper spans are not indented further. */
const DEEPEST_INDENT = 8;

interface EventListProps {
  readonly events: readonly LoggedEvent[];
  /** Events of the sample, also those that are not listed. Absent: unknown. */
  readonly total?: number | undefined;
}

export function EventList({ events, total = events.length }: EventListProps) {
  const whole = useMemo(() => wholeRange(events), [events]);
  const [zoomed, setZoomed] = useState<TimeRange>();
  const [chosen, setChosen] = useState<LoggedEvent>();
  const range = zoomed ?? whole;
  const shown = useMemo(
    () => (zoomed === undefined ? events : eventsWithin(events, zoomed)),
    [events, zoomed],
  );
  // Events have no id. A zoom must not make the focused row another event.
  const keys = useMemo(() => new Map(events.map((event, i) => [event, i])), [events]);
  const rowHeight = useMemo(
    () =>
      events.some((event) => event.error !== undefined || usageOf(event) !== '')
        ? ROW_HEIGHT_OF_TWO
        : ROW_HEIGHT,
    [events],
  );
  const list = useVirtualRows({ count: shown.length, rowHeight, overscan: OVERSCAN });
  const wasZoomed = useRef(zoomed);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only a zoom scrolls to the chosen event
  useLayoutEffect(() => {
    if (wasZoomed.current === zoomed) return;
    wasZoomed.current = zoomed;
    if (chosen === undefined) return;
    list.show(shown.indexOf(chosen));
    // The row is rendered after the scroll event.
    requestAnimationFrame(() => setTimeout(() => focusChosen(list.scroller.current)));
  }, [zoomed]);
  // The key undoes the zoom before it leaves the page.
  useCommands({ 'place.up': zoomed === undefined ? undefined : () => setZoomed(undefined) });
  return (
    <section className="event-list" aria-label="Events">
      <div className="event-list-head">
        <span className="dim">
          {duration(range.from * 1000)} to {duration(range.to * 1000)}
          <br />
          {counted(shown.length, 'event')}
          {events.length < total && `, of the first ${count(events.length)} of ${count(total)}`}
        </span>
        <Button
          title={keyed('Back to the whole sample', 'place.up')}
          disabled={zoomed === undefined}
          onClick={() => setZoomed(undefined)}
        >
          Zoom out
        </Button>
      </div>
      <div ref={list.scroller} className="event-list-rows" onScroll={list.onScroll}>
        <div style={{ height: list.space.spacer, position: 'relative' }}>
          <ol style={{ transform: `translateY(${list.shown.top}px)` }}>
            {shown.slice(list.shown.first, list.shown.end).map((event) => (
              <li key={keys.get(event)}>
                <EventRow
                  event={event}
                  range={range}
                  height={rowHeight}
                  isChosen={event === chosen}
                  onChoose={setChosen}
                  onZoom={setZoomed}
                />
              </li>
            ))}
          </ol>
        </div>
      </div>
      {chosen !== undefined && <ChosenEvent event={chosen} onZoom={setZoomed} />}
    </section>
  );
}

function focusChosen(list: HTMLElement | null): void {
  list?.querySelector<HTMLElement>('.is-chosen')?.focus({ preventScroll: true });
}

interface EventRowProps {
  readonly event: LoggedEvent;
  readonly range: TimeRange;
  /** Pixels. */
  readonly height: number;
  readonly isChosen: boolean;
  readonly onChoose: (event: LoggedEvent) => void;
  readonly onZoom: (range: TimeRange) => void;
}

function EventRow({ event, range, height, isChosen, onChoose, onZoom }: EventRowProps) {
  const { kind, name, depth, error } = event;
  const bar = barOf(event, range);
  const usage = usageOf(event);
  const indent = { paddingInlineStart: Math.min(depth, DEEPEST_INDENT) * INDENT };
  const zoom = zoomOf(event);
  return (
    <button
      type="button"
      className={isChosen ? 'event-row is-chosen' : 'event-row'}
      style={{ height }}
      title={[plainLogText(`${kind} ${name}`), startText(event), factsOf(event)].join('\n').trim()}
      onFocus={() => onChoose(event)}
      onClick={() => onChoose(event)}
      onDoubleClick={() => {
        if (zoom !== undefined) onZoom(zoom);
      }}
    >
      <span className="event-row-text" style={indent}>
        <span className="event-row-name">
          {error !== undefined && <span className="is-wrong">✕ </span>}
          <b>{plainLogText(kind)}</b> <LogText text={name} />
        </span>
        <span className="event-row-facts dim">{timeOf(event)}</span>
      </span>
      {(usage !== '' || error !== undefined) && (
        <span className="event-row-facts dim" style={indent}>
          {error !== undefined && (
            <span className="is-wrong">
              <LogText text={error} longest={LONGEST_ERROR} />{' '}
            </span>
          )}
          {usage}
        </span>
      )}
      <span className="event-row-axis">
        {bar !== undefined && (
          <span
            className={`event-bar is-${error === undefined ? (BARS.find((known) => known === kind) ?? 'other') : 'failed'}`}
            style={{ left: `${bar.left}%`, width: `${bar.width}%` }}
          />
        )}
      </span>
    </button>
  );
}

interface ChosenEventProps {
  readonly event: LoggedEvent;
  readonly onZoom: (range: TimeRange) => void;
}

function ChosenEvent({ event, onZoom }: ChosenEventProps) {
  const { kind, name, error, traceback, attempt } = event;
  const zoom = zoomOf(event);
  const facts = [
    ...(attempt === undefined ? [] : [`attempt ${count(attempt)}`]),
    startText(event),
    clockText(event),
    usageOf(event),
  ];
  return (
    <section className="event-chosen" aria-label="Chosen event">
      <b>{plainLogText(kind)}</b> <LogText text={name} />
      {zoom !== undefined && (
        <Button title="Or double-click the event" onClick={() => onZoom(zoom)}>
          Zoom to it
        </Button>
      )}
      {error !== undefined && (
        <ErrorText error={{ message: error, ...(traceback === undefined ? {} : { traceback }) }} />
      )}
      <p className="dim">{facts.filter((part) => part !== '').join(' · ')}</p>
    </section>
  );
}

function zoomOf({ start, seconds = 0 }: LoggedEvent): TimeRange | undefined {
  return start === undefined || seconds === 0 ? undefined : { from: start, to: start + seconds };
}

/** The time of an event by its two clocks: begin to end, and the working time of the log where it differs. */
function clockText({ kind, seconds, working_seconds: working }: LoggedEvent): string {
  const taken = seconds === undefined ? undefined : duration(seconds * 1000);
  const worked = working === undefined ? undefined : duration(working * 1000);
  const ends = kind === 'span' ? 'from its begin to its end' : 'from timestamp to completed';
  return [
    ...(taken === undefined ? [] : [`${taken} ${ends}`]),
    ...(worked === undefined || worked === taken ? [] : [`working time ${worked}`]),
  ].join(' · ');
}

function startText({ start }: LoggedEvent): string {
  return start === undefined
    ? 'No time logged, or one far outside the sample’s own'
    : `${duration(start * 1000)} after the first event`;
}

const BARS = ['span', 'model', 'tool'] as const;

const factsOf = (event: LoggedEvent): string =>
  [timeOf(event), usageOf(event)].filter((part) => part !== '').join(' · ');

function timeOf({ start, seconds }: LoggedEvent): string {
  return [
    ...(start === undefined ? ['no usable time'] : []),
    ...(seconds === undefined ? [] : [duration(seconds * 1000)]),
  ].join(' · ');
}

function usageOf({ input_tokens, output_tokens, reasoning_tokens = 0, cost, retries }: LoggedEvent): string {
  return [
    ...(input_tokens === undefined ? [] : [`${count(input_tokens)} in`]),
    ...(output_tokens === undefined ? [] : [`${count(output_tokens)} out`]),
    // Logs of models that do not reason have 0.
    ...(reasoning_tokens === 0 ? [] : [`${count(reasoning_tokens)} reasoning`]),
    ...(cost === undefined ? [] : [`$${figure(cost)}`]),
    ...(retries === undefined ? [] : [counted(retries, 'retry', 'retries')]),
  ].join(' · ');
}

/** Seconds after the first event. */
interface TimeRange {
  readonly from: number;
  readonly to: number;
}

export function wholeRange(events: readonly LoggedEvent[]): TimeRange {
  return { from: 0, to: events.reduce((last, event) => Math.max(last, placeOf(event)?.to ?? 0), 0) };
}

/** @returns undefined for an event without a time */
function placeOf({ start, seconds = 0 }: LoggedEvent): TimeRange | undefined {
  return start === undefined ? undefined : { from: start, to: start + seconds };
}

/** Events that overlap the range, ends included. */
export function eventsWithin(
  events: readonly LoggedEvent[],
  { from, to }: TimeRange,
): readonly LoggedEvent[] {
  return events.filter((event) => {
    const place = placeOf(event);
    return place !== undefined && place.from <= to && place.to >= from;
  });
}

/**
 * Position and width in percent of the range, cut at its ends. An instant has width 0.
 *
 * @returns undefined for an event without a time
 */
export function barOf(
  event: LoggedEvent,
  { from, to }: TimeRange,
): { readonly left: number; readonly width: number } | undefined {
  const place = placeOf(event);
  if (place === undefined) return undefined;
  const length = to - from;
  if (length <= 0) return { left: 0, width: 0 };
  const left = Math.min(1, Math.max(0, (place.from - from) / length));
  const right = Math.min(1, Math.max(left, (place.to - from) / length));
  return { left: left * 100, width: (right - left) * 100 };
}
