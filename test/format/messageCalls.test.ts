/** Which response of a tool answers which call of a message list. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readMessage } from '../../shared/format/messageShape.ts';
import { ResponseOfMessages } from '../../shared/format/messages.ts';

type Id = string | undefined;
/** One assistant message with these calls, or a response. */
type Event = { readonly calls: readonly Id[] } | { readonly answer: Id };

const messageOf = (event: Event) =>
  'calls' in event
    ? {
        role: 'assistant',
        content: '',
        tool_calls: event.calls.map((id) => ({
          ...(id === undefined ? {} : { id }),
          function: { name: 'f' },
        })),
      }
    : {
        role: 'tool',
        content: 'done',
        ...(event.answer === undefined ? {} : { tool_call_id: event.answer }),
      };

/** For each response, in order, the number of the call that it answers. */
function read(events: readonly Event[]): (number | undefined)[] {
  const response = new ResponseOfMessages();
  for (const event of events) response.take(readMessage(messageOf(event)));
  const { segments, toolCalls } = response.finish();
  const callOf = new Map(toolCalls.map(({ responseSegment }, call) => [responseSegment, call]));
  return segments.flatMap(({ kind }, at) => (kind === 'tool-response' ? [callOf.get(at)] : []));
}

/** The same by the rule as it is written: searches all open calls for each response. */
function byRule(events: readonly Event[]): (number | undefined)[] {
  let [turn, calls] = [0, 0];
  const open: { readonly id: Id; readonly turn: number; readonly call: number }[] = [];
  const answers: (number | undefined)[] = [];
  for (const event of events) {
    if ('calls' in event) {
      turn++;
      for (const id of event.calls) open.push({ id, turn, call: calls++ });
      continue;
    }
    const id = event.answer;
    const isNow = (call: { readonly turn: number }) => call.turn === turn;
    const same = id === undefined ? [] : open.filter((call) => call.id === id);
    const found =
      same.length > 0
        ? (same.find(isNow) ?? same[0])
        : id === undefined
          ? (open.find(isNow) ?? open[0])
          : open.find((call) => call.id === undefined && isNow(call));
    answers.push(found?.call);
    if (found !== undefined) open.splice(open.indexOf(found), 1);
  }
  return answers;
}

const id = fc.constantFrom<Id>('a', 'b', 'c', undefined);
const event: fc.Arbitrary<Event> = fc.oneof(
  fc.record({ calls: fc.array(id, { minLength: 1, maxLength: 4 }) }),
  fc.record({ answer: id }),
);

describe('a response of a tool', () => {
  it('answers the call of its id, else the first open one, of this turn before earlier ones', () => {
    fc.assert(
      fc.property(fc.array(event, { maxLength: 24 }), (events) => {
        // A message list begins with the policy.
        const all = [{ calls: ['a'] }, ...events];
        expect(read(all)).toEqual(byRule(all));
      }),
      { seed: 31, numRuns: 500 },
    );
  });

  it.each<[string, (at: number) => Id, (at: number) => Id]>([
    ['of one id', () => 'a', () => 'a'],
    ['of ids in reverse', (at) => `c${at}`, (at) => `c${COUNT - 1 - at}`],
    ['without ids', () => undefined, () => undefined],
  ])('is found among 60,000 open calls of an earlier turn, %s', (_of, idOf, answerOf) => {
    const calls = Array.from({ length: COUNT }, (_, at) => idOf(at));
    const answers = calls.map((_, at): Event => ({ answer: answerOf(at) }));
    const found = read([{ calls }, { calls: ['other'] }, ...answers]);
    // Without ids, the first answer is of the open call of this turn.
    expect(new Set(found).size).toBe(COUNT);
    expect(found).not.toContain(undefined);
  });
});

const COUNT = 60_000;
