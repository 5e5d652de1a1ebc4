/**
 * Events of an Inspect sample in short: spans, calls of models and tools, commands in the sandbox, changes of the state.
 * Their inputs and outputs repeat the messages and stay in the raw record.
 *
 * UKGovernmentBEIS/inspect_ai, `src/inspect_ai/event/`, 0.3.95 to 0.3.208: a span is `span_begin` (`id`, `parent_id`,
 * `type`, `name`) and `span_end` (`id`). Every event has `timestamp` and `span_id`; one that takes time has `completed`.
 */
import { isObject, type JsonObject, numberOf, textField } from './fields.ts';
import { secondsOfDate } from './timing.ts';

export interface LoggedEvent {
  /** `span`, `model`, `tool`, `state`, … as logged */
  readonly kind: string;
  /** Empty if the event has no name. */
  readonly name: string;
  /** Number of spans around it. */
  readonly depth: number;
  /** Seconds after the first event. */
  readonly start: number;
  /** Absent for an instant, and for a span without an end. */
  readonly seconds?: number;
  readonly input_tokens?: number;
  readonly output_tokens?: number;
  /** Failed attempts of this call of a model. */
  readonly retries?: number;
  readonly error?: string;
}

/** The list is cut after this number. */
export const MOST_EVENTS = 2_000;
const LONGEST_NAME = 120;
const LONGEST_ERROR = 500;

/** @returns in the order of the log; undefined if no event has a time */
export function shortEvents(events: unknown): readonly LoggedEvent[] | undefined {
  const logged = (Array.isArray(events) ? events : []).filter(isObject);
  const ends = new Map<string, number>();
  let first: number | undefined;
  for (const event of logged) {
    const at = secondsOfDate(event['timestamp']);
    if (at === undefined) continue;
    first = Math.min(first ?? at, at);
    if (event['event'] === 'span_end') ends.set(textField(event, 'id') ?? '', at);
  }
  if (first === undefined) return undefined;
  const depths = new Map<string, number>();
  const short: LoggedEvent[] = [];
  for (const event of logged) {
    const at = secondsOfDate(event['timestamp']);
    const kind = textField(event, 'event');
    if (at === undefined || kind === undefined || kind === 'span_end') continue;
    if (short.length === MOST_EVENTS) break;
    const id = textField(event, 'id') ?? '';
    const isSpan = kind === 'span_begin';
    // A parent begins before its children, so a cycle of parents is impossible.
    const around = textField(event, isSpan ? 'parent_id' : 'span_id');
    const depth = (around === undefined ? undefined : depths.get(around)) ?? 0;
    if (isSpan) depths.set(id, depth + 1);
    const end = isSpan ? ends.get(id) : secondsOfDate(event['completed']);
    short.push({
      kind: isSpan ? 'span' : kind,
      name: nameOf(event, kind).slice(0, LONGEST_NAME),
      depth,
      start: milliseconds(at - first),
      ...(end === undefined || end < at ? {} : { seconds: milliseconds(end - at) }),
      ...usageOf(event),
      ...failureOf(event),
    });
  }
  return short;
}

/** Without the noise of subtracting dates. */
const milliseconds = (seconds: number): number => Math.round(seconds * 1000) / 1000;

function nameOf(event: JsonObject, kind: string): string {
  const named = (...keys: readonly string[]): string =>
    [...new Set(keys.flatMap((key) => textField(event, key) ?? []))].join(' ');
  switch (kind) {
    case 'span_begin':
    case 'step':
      return named('type', 'name');
    case 'model':
      return named('model');
    case 'tool':
      return named('function');
    case 'sandbox':
      return named('action', 'cmd', 'file');
    case 'state':
    case 'store': {
      const { changes } = event;
      const changed = Array.isArray(changes) ? changes.length : 0;
      return changed === 1 ? '1 change' : `${changed} changes`;
    }
    default:
      return named('type', 'name', 'source', 'message');
  }
}

function usageOf(event: JsonObject): Pick<LoggedEvent, 'input_tokens' | 'output_tokens'> {
  const { output } = event;
  const usage = isObject(output) && isObject(output['usage']) ? output['usage'] : {};
  const input = numberOf(usage['input_tokens']);
  const sampled = numberOf(usage['output_tokens']);
  return {
    ...(input === undefined ? {} : { input_tokens: input }),
    ...(sampled === undefined ? {} : { output_tokens: sampled }),
  };
}

function failureOf(event: JsonObject): Pick<LoggedEvent, 'retries' | 'error'> {
  const retries = numberOf(event['retries']);
  const { error } = event;
  const message = isObject(error) ? textField(error, 'message') : textField(event, 'error');
  return {
    ...(retries === undefined ? {} : { retries }),
    ...(message === undefined ? {} : { error: message.slice(0, LONGEST_ERROR) }),
  };
}

/** Reads what `shortEvents` stored in the extra fields. Anything else is left out. */
export function eventsIn(extra: JsonObject): readonly LoggedEvent[] {
  const { events } = extra;
  return (Array.isArray(events) ? events : []).filter(isLoggedEvent).slice(0, MOST_EVENTS);
}

function isLoggedEvent(event: unknown): event is LoggedEvent {
  if (!isObject(event)) return false;
  const isText = (value: unknown): boolean => value === undefined || typeof value === 'string';
  const isNumber = (value: unknown): boolean => value === undefined || numberOf(value) !== undefined;
  return (
    typeof event['kind'] === 'string' &&
    typeof event['name'] === 'string' &&
    [event['depth'], event['start']].every((value) => numberOf(value) !== undefined) &&
    [event['seconds'], event['input_tokens'], event['output_tokens'], event['retries']].every(isNumber) &&
    isText(event['error'])
  );
}
