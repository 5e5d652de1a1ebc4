/** Events of Inspect samples in short, and their positions on a time axis. */
import { describe, expect, it } from 'vitest';
import { duration } from '../../renderer/ui/numbers.ts';
import { barOf, eventsWithin, wholeRange } from '../../renderer/views/replay/EventList.tsx';
import { eventsIn, eventTotalsIn, MOST_EVENTS, shortEvents } from '../../shared/format/inspectEvents.ts';
import { loggedSample } from '../../shared/format/loggedSample.ts';

const at = (second: number) => `2026-05-06T18:00:${String(second).padStart(2, '0')}.250+00:00`;
const span = (id: string, second: number, parent?: string) => ({
  ...{ event: 'span_begin', id, span_id: id, timestamp: at(second), type: 'solver', name: id },
  ...(parent === undefined ? {} : { parent_id: parent }),
});
const end = (id: string, second: number) => ({ event: 'span_end', id, span_id: id, timestamp: at(second) });

describe('events of a sample', () => {
  it('are nested by span, with duration, tokens and retries', () => {
    const usage = { input_tokens: 30, output_tokens: 12, reasoning_tokens: 9 };
    const model = { event: 'model', span_id: 'b', timestamp: at(2), completed: at(5), model: 'm' };
    const events = [
      span('a', 1),
      span('b', 2, 'a'),
      { ...model, output: { usage }, retries: 2 },
      { event: 'state', span_id: 'b', timestamp: at(5), changes: [{}] },
      end('b', 6),
      { event: 'model', span_id: 'a', timestamp: at(7), completed: at(8), model: 'm', error: 'overloaded' },
      end('a', 9),
    ];
    expect(shortEvents(events)?.events).toEqual([
      { kind: 'span', name: 'solver a', depth: 0, start: 0, seconds: 8 },
      { kind: 'span', name: 'solver b', depth: 1, start: 1, seconds: 4 },
      { kind: 'model', name: 'm', depth: 2, start: 1, seconds: 3, ...usage, retries: 2 },
      { kind: 'state', name: '1 change', depth: 2, start: 4 },
      { kind: 'model', name: 'm', depth: 1, start: 6, seconds: 1, error: 'overloaded' },
    ]);
  });

  it('have the attempt, the working time and the end of the traceback of a failed call', () => {
    const call = { event: 'model', model: 'm', timestamp: at(1), completed: at(3) };
    const failed = {
      ...call,
      attempt: 2,
      working_time: 0.4567,
      error: 'E',
      traceback: `${'x'.repeat(3000)}E: last`,
    };
    const [event] = shortEvents([failed])?.events ?? [];
    expect(event).toMatchObject({ seconds: 2, working_seconds: 0.4567, attempt: 2, error: 'E' });
    expect(event?.traceback).toMatch(/^…x+E: last$/);
    expect(event?.traceback).toHaveLength(2001);
    expect(eventsIn({ events: [event] })).toEqual([event]);
    expect(eventsIn({ events: [{ ...event, traceback: 3 }] })).toEqual([]);
    expect(eventsIn({ events: [{ ...event, reasoning_tokens: -1 }] })).toEqual([]);
  });

  it('name a score by its value', () => {
    const scores = ['C', 0.5, 0, false, { a: 1 }].map((value) => ({
      ...{ event: 'score', timestamp: at(1) },
      score: { value, explanation: 'long' },
    }));
    expect(shortEvents(scores)?.events.map(({ name }) => name)).toEqual(['C', '0.5', '0', 'false', '']);
  });

  it('keep microseconds, so that a duration is rounded once, when it is shown', () => {
    const timestamp = '2025-09-15T15:04:34.524205-04:00';
    const call = { event: 'model', timestamp, completed: '2025-09-15T15:04:44.359070-04:00' };
    const [event] = shortEvents([{ ...call, working_time: 1.23498 }])?.events ?? [];
    expect(event).toMatchObject({ seconds: 9.834865, working_seconds: 1.23498 });
    expect(duration((event?.seconds ?? 0) * 1000)).toBe('9.83 s');
    expect(duration((event?.working_seconds ?? 0) * 1000)).toBe('1.23 s');
  });

  it('may be cut short: a span without an end has no duration', () => {
    expect(shortEvents([span('a', 1)])?.events).toEqual([
      { kind: 'span', name: 'solver a', depth: 0, start: 0 },
    ]);
  });

  it('ignore parents that begin later, so a cycle ends', () => {
    const events = [span('a', 1, 'b'), span('b', 2, 'a'), span('c', 3, 'c')];
    expect(shortEvents(events)?.events.map(({ depth }) => depth)).toEqual([0, 1, 0]);
  });

  it('are left out without a time, and cut after MOST_EVENTS', () => {
    for (const events of [undefined, {}, [], [{ event: 'state' }], [{ event: 'state', timestamp: 'soon' }]])
      expect(shortEvents(events)).toBeUndefined();
    const many = Array.from({ length: MOST_EVENTS + 5 }, () => span('a', 1));
    expect(shortEvents(many)?.events).toHaveLength(MOST_EVENTS);
  });

  it('are counted with their retries also beyond MOST_EVENTS', () => {
    const model = { event: 'model', model: 'm', timestamp: at(1), retries: 1 };
    const many = Array.from({ length: MOST_EVENTS + 5 }, () => model);
    const extra = { ...shortEvents([...many, { ...model, retries: -3 }, end('a', 2)]) };
    expect(eventTotalsIn(extra)).toEqual({ events: MOST_EVENTS + 6, retries: MOST_EVENTS + 5 });
    const sample = { epoch: 1, scores: {}, model_usage: {} };
    expect(loggedSample({ ...sample, ...extra })?.callRetries).toBe(MOST_EVENTS + 5);
    expect(loggedSample(sample)?.callRetries).toBeUndefined();
    expect(eventTotalsIn({ event_totals: { events: 3, retries: 'x' } })).toBeUndefined();
  });

  it('have no count that is negative, not whole or too large', () => {
    const usage = { input_tokens: -7, output_tokens: 1e300 };
    const events = [{ event: 'model', timestamp: at(1), retries: -3, output: { usage } }];
    expect(shortEvents(events)?.events).toEqual([{ kind: 'model', name: '', depth: 0, start: 0 }]);
  });

  it('have no number of changes if the log has no list of them', () => {
    const events = ['x', undefined].map((changes) => ({ event: 'state', timestamp: at(1), changes }));
    expect(shortEvents(events)?.events.map(({ name }) => name)).toEqual(['', '']);
    expect(shortEvents([{ event: 'store', timestamp: at(1), changes: [] }])?.events[0]?.name).toBe(
      '0 changes',
    );
  });

  it('have no place on the axis with a time that is missing, no date, or far outside the sample', () => {
    const sample = { startedAt: Date.parse(at(0)) / 1000, endedAt: Date.parse(at(50)) / 1000 };
    const tool = (timestamp: unknown, completed?: unknown) => ({ event: 'tool', timestamp, completed });
    const late = '2026-05-07T18:00:00+00:00';
    const events = [tool(late), tool(at(10), late), tool(at(20), at(30)), tool(1e300, 1.7e308), tool(null)];
    expect(shortEvents(events, sample)?.events.map(({ start, seconds }) => [start, seconds])).toEqual([
      [undefined, undefined],
      [0, undefined],
      [10, 10],
      [undefined, undefined],
      [undefined, undefined],
    ]);
    // The time of the sample is wrong if no event is near.
    expect(shortEvents([tool(late)], sample)?.events[0]?.start).toBe(0);
  });

  it('are cut only after credentials are masked in the whole text', () => {
    const key = 'ghp_aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xYz012';
    for (const before of [86, 100, 113]) {
      const cmd = `${'x'.repeat(before)} ${key}`;
      const read = shortEvents([
        { event: 'sandbox', cmd, timestamp: at(1), error: `${'x'.repeat(480)} ${key}` },
      ]);
      const { name = '', error = '' } = read?.events[0] ?? {};
      expect(`${name} ${error}`).not.toContain('ghp_');
      expect([name.length, error.length]).toEqual([Math.min(120, before + 7), 487]);
      expect(read?.masked).toBe(2);
    }
  });

  it('are read back from the extra fields, without what is no event', () => {
    const events = shortEvents([span('a', 1), end('a', 2)])?.events;
    expect(eventsIn({ events })).toEqual(events);
    const foreign = [
      ...[3, null, { kind: 'x' }, { kind: 'x', name: 'y', depth: 0, start: -1 }],
      { kind: 'x', name: 'y', depth: 0, start: 0, seconds: 'long' },
    ];
    expect(eventsIn({ events: foreign })).toEqual([]);
    expect(eventsIn({ events: 'none' })).toEqual([]);
  });
});

describe('a time axis', () => {
  const event = (start: number, seconds?: number) => ({
    ...{ kind: 'tool', name: '', depth: 0, start },
    ...(seconds === undefined ? {} : { seconds }),
  });

  it('covers all events and cuts bars at its ends', () => {
    expect(wholeRange([event(0, 4), event(6, 2), event(7)])).toEqual({ from: 0, to: 8 });
    expect(barOf(event(2, 4), { from: 0, to: 8 })).toEqual({ left: 25, width: 50 });
    expect(barOf(event(0, 8), { from: 2, to: 4 })).toEqual({ left: 0, width: 100 });
    expect(barOf(event(0), { from: 0, to: 0 })).toEqual({ left: 0, width: 0 });
  });

  it('has no bar for an event without a time', () => {
    const untimed = { kind: 'tool', name: '', depth: 0 };
    expect(wholeRange([untimed, event(1)])).toEqual({ from: 0, to: 1 });
    expect(barOf(untimed, { from: 0, to: 1 })).toBeUndefined();
    expect(eventsWithin([untimed], { from: 0, to: 1 })).toEqual([]);
  });

  it('shows what overlaps the range it is zoomed to', () => {
    const events = [event(0, 8), event(1, 1), event(3), event(5, 1)];
    expect(eventsWithin(events, { from: 2, to: 4 })).toEqual([events[0], events[1], events[2]]);
  });
});
