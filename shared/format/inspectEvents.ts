/**
 * Events of an Inspect sample in short: spans, calls of models and tools, commands in the sandbox, changes of the state.
 * Their inputs and outputs repeat the messages and stay in the raw record.
 *
 * UKGovernmentBEIS/inspect_ai, `src/inspect_ai/event/`, 0.3.95 to 0.3.208: a span is `span_begin` (`id`, `parent_id`,
 * `type`, `name`) and `span_end` (`id`). Every event has `timestamp` and `span_id`; one that takes time has `completed`.
 */
import { maskSecrets } from '../domain/secrets.ts';
import { indexOf, isObject, type JsonObject, textField } from './fields.ts';
import { durationOf, secondsOfDate } from './timing.ts';

export interface LoggedEvent {
  /** `span`, `model`, `tool`, `state`, … as logged */
  readonly kind: string;
  /** Empty if the event has no name. */
  readonly name: string;
  /** Number of spans around it. */
  readonly depth: number;
  /** Seconds after the first event. Absent: no time is logged, or one far outside the sample's own time. */
  readonly start?: number;
  /** Absent for an instant, and for a span without an end. */
  readonly seconds?: number;
  readonly input_tokens?: number;
  readonly output_tokens?: number;
  /** As logged. `output_tokens` includes them at some providers. */
  readonly reasoning_tokens?: number;
  /** US dollars. */
  readonly cost?: number;
  /** Failed attempts of this call of a model. */
  readonly retries?: number;
  /** Number of this attempt at a call of a model, from 1. */
  readonly attempt?: number;
  /** Time without waits for a connection or a retry, as logged. */
  readonly working_seconds?: number;
  readonly error?: string;
  /** The end of the traceback of the error, where it says what failed. */
  readonly traceback?: string;
}

/** Counts over all events of a sample, also over those that are not listed. */
interface EventTotals {
  /** Without the ends of spans. */
  readonly events: number;
  readonly retries: number;
}

interface ShortEvents {
  /** In the order of the log. */
  readonly events: readonly LoggedEvent[];
  readonly event_totals: EventTotals;
}

/** The list is cut after this number. */
export const MOST_EVENTS = 2_000;
const LONGEST_NAME = 120;
const LONGEST_ERROR = 500;
const LONGEST_TRACEBACK = 2_000;
const LONGEST_KIND = 60;

/** Start and end of the sample, in seconds since 1970, as logged. */
interface SampleTimes {
  readonly startedAt?: number | undefined;
  readonly endedAt?: number | undefined;
}

/** @returns undefined if no event has a time; `masked`: the number of credentials that were masked before texts were cut */
export function shortEvents(
  events: unknown,
  times: SampleTimes = {},
): (ShortEvents & { readonly masked: number }) | undefined {
  const logged = (Array.isArray(events) ? events : []).filter(isObject);
  const timeOf = timeReader(logged, times);
  const ends = new Map<string, number>();
  let first: number | undefined;
  for (const event of logged) {
    const at = timeOf(event['timestamp']);
    if (at === undefined) continue;
    first = Math.min(first ?? at, at);
    if (event['event'] === 'span_end') ends.set(textField(event, 'id') ?? '', at);
  }
  if (first === undefined) return undefined;
  const depths = new Map<string, number>();
  const short: LoggedEvent[] = [];
  const cut = new TextCutter();
  let [total, retries] = [0, 0];
  for (const event of logged) {
    const kind = textField(event, 'event');
    if (kind === undefined || kind === 'span_end') continue;
    total += 1;
    retries += indexOf(event['retries']) ?? 0;
    if (short.length === MOST_EVENTS) continue;
    const id = textField(event, 'id') ?? '';
    const isSpan = kind === 'span_begin';
    // A parent begins before its children, so a cycle of parents is impossible.
    const around = textField(event, isSpan ? 'parent_id' : 'span_id');
    const depth = (around === undefined ? undefined : depths.get(around)) ?? 0;
    if (isSpan) depths.set(id, depth + 1);
    const at = timeOf(event['timestamp']);
    const end = isSpan ? ends.get(id) : timeOf(event['completed']);
    const isTimed = at !== undefined && end !== undefined && end >= at;
    short.push({
      kind: isSpan ? 'span' : cut.text(kind, LONGEST_KIND),
      name: cut.text(nameOf(event, kind), LONGEST_NAME),
      depth,
      ...(at === undefined ? {} : { start: microseconds(at - first) }),
      ...(isTimed ? { seconds: microseconds(end - at) } : {}),
      ...usageOf(event),
      ...attemptOf(event, cut),
    });
  }
  return { events: short, event_totals: { events: total, retries }, masked: cut.masked };
}

/** Clocks of a provider and of the sample may differ by this many seconds. */
const CLOCK_SECONDS = 60;

/**
 * Returns a reader of times that skips those which are further from the sample's logged time than its length, because
 * one wrong time would make every other event on the axis invisible. If no event is near, the logged time is wrong.
 */
function timeReader(
  events: readonly JsonObject[],
  { startedAt, endedAt }: SampleTimes,
): (value: unknown) => number | undefined {
  if (startedAt === undefined || endedAt === undefined || endedAt < startedAt) return secondsOfDate;
  const margin = endedAt - startedAt + CLOCK_SECONDS;
  const near = (value: unknown): number | undefined => {
    const at = secondsOfDate(value);
    return at !== undefined && at >= startedAt - margin && at <= endedAt + margin ? at : undefined;
  };
  return events.some(({ timestamp }) => near(timestamp) !== undefined) ? near : secondsOfDate;
}

/** Cuts texts. Masks their credentials first, because the beginning of a credential is not recognized as one. */
class TextCutter {
  masked = 0;

  text(whole: string, longest: number): string {
    // A short text is masked with the other extra fields.
    if (whole.length <= longest) return whole;
    const { value, masked } = maskSecrets(whole);
    this.masked += masked;
    return value.slice(0, longest).toWellFormed();
  }

  /** Keeps the end of a long text. */
  end(whole: string, longest: number): string {
    if (whole.length <= longest) return whole;
    const { value, masked } = maskSecrets(whole);
    this.masked += masked;
    return `…${value.slice(-longest)}`.toWellFormed();
  }
}

/** Microseconds, as logged, without the noise of subtracting dates. Coarser units would be rounded again for display. */
const microseconds = (seconds: number): number => Math.round(seconds * 1e6) / 1e6;

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
      if (!Array.isArray(changes)) return '';
      return changes.length === 1 ? '1 change' : `${changes.length} changes`;
    }
    case 'score': {
      const value = isObject(event['score']) ? event['score']['value'] : undefined;
      return typeof value === 'object' ? '' : String(value ?? '');
    }
    default:
      return named('type', 'name', 'source', 'message');
  }
}

function usageOf(
  event: JsonObject,
): Pick<LoggedEvent, 'input_tokens' | 'output_tokens' | 'reasoning_tokens' | 'cost'> {
  const { output } = event;
  const usage = isObject(output) && isObject(output['usage']) ? output['usage'] : {};
  const input = indexOf(usage['input_tokens']);
  const sampled = indexOf(usage['output_tokens']);
  const reasoning = indexOf(usage['reasoning_tokens']);
  const cost = durationOf(usage['total_cost']);
  return {
    ...(input === undefined ? {} : { input_tokens: input }),
    ...(sampled === undefined ? {} : { output_tokens: sampled }),
    ...(reasoning === undefined ? {} : { reasoning_tokens: reasoning }),
    ...(cost === undefined ? {} : { cost }),
  };
}

function attemptOf(
  event: JsonObject,
  cut: TextCutter,
): Pick<LoggedEvent, 'retries' | 'attempt' | 'working_seconds' | 'error' | 'traceback'> {
  const retries = indexOf(event['retries']);
  const attempt = indexOf(event['attempt']);
  const working = durationOf(event['working_time']);
  const traceback = textField(event, 'traceback');
  const { error } = event;
  const message = isObject(error) ? textField(error, 'message') : textField(event, 'error');
  return {
    ...(retries === undefined ? {} : { retries }),
    ...(attempt === undefined ? {} : { attempt }),
    ...(working === undefined ? {} : { working_seconds: working }),
    ...(message === undefined ? {} : { error: cut.text(message, LONGEST_ERROR) }),
    ...(traceback === undefined ? {} : { traceback: cut.end(traceback, LONGEST_TRACEBACK) }),
  };
}

/** Reads what `shortEvents` stored in the extra fields. Anything else is left out. */
export function eventsIn(extra: JsonObject): readonly LoggedEvent[] {
  const { events } = extra;
  return (Array.isArray(events) ? events : []).filter(isLoggedEvent).slice(0, MOST_EVENTS);
}

/** Reads the counts that `shortEvents` stored in the extra fields. undefined: unknown. */
export function eventTotalsIn(extra: JsonObject): EventTotals | undefined {
  const { event_totals: totals } = extra;
  if (!isObject(totals)) return undefined;
  const [events, retries] = [indexOf(totals['events']), indexOf(totals['retries'])];
  return events === undefined || retries === undefined ? undefined : { events, retries };
}

function isLoggedEvent(event: unknown): event is LoggedEvent {
  if (!isObject(event)) return false;
  const isKnown = (key: string, read: (value: unknown) => unknown): boolean =>
    event[key] === undefined || read(event[key]) !== undefined;
  return (
    typeof event['kind'] === 'string' &&
    typeof event['name'] === 'string' &&
    indexOf(event['depth']) !== undefined &&
    ['start', 'seconds', 'working_seconds', 'cost'].every((key) => isKnown(key, durationOf)) &&
    ['input_tokens', 'output_tokens', 'reasoning_tokens', 'retries', 'attempt'].every((key) =>
      isKnown(key, indexOf),
    ) &&
    ['error', 'traceback'].every((key) => event[key] === undefined || typeof event[key] === 'string')
  );
}
