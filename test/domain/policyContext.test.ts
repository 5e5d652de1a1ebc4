/** The context of a turn: its parts, their order, their sum, and what is marked as logged or derived. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SegmentKind, ToolCall } from '../../shared/domain/model.ts';
import {
  type ContextInput,
  type ContextPart,
  PolicyContexts,
  type TurnRequest,
} from '../../shared/domain/policyContext.ts';

type Drawn = readonly [kind: SegmentKind, turn: number, text: string];

function drawn(parts: readonly Drawn[], more: Partial<ContextInput> = {}): ContextInput {
  const texts = { prompt: '', response: '' };
  const segments = parts.map(([kind, turn, text]) => {
    const source = turn === 0 ? 'prompt' : 'response';
    const start = texts[source].length;
    texts[source] += `${text}\n`;
    const end = start + text.length;
    return { kind, turn, outer: { start, end: end + 1 }, inner: { start, end } };
  });
  return { ...texts, segments, toolCalls: [], requests: new Map(), truncated: [], redacted: [], ...more };
}

const textOf = (input: ContextInput, { from, range }: ContextPart): string =>
  (typeof from === 'object' ? from.text : input[from]).slice(range.start, range.end);
const marksOf = (parts: readonly ContextPart[]): readonly (readonly string[])[] =>
  parts.map(({ marks }) => marks.map(({ what, source }) => `${what} ${source}`));
const requests = (...given: readonly (Partial<TurnRequest> | undefined)[]) =>
  new Map(
    given.flatMap((one, i) => (one === undefined ? [] : [[i + 1, { field: 'usage', ...one }] as const])),
  );

const TWO_TURNS: readonly Drawn[] = [
  ['system', 0, 'Be kind.'],
  ['user', 0, '6·7?'],
  ['reasoning', 1, 'Let me see.'],
  ['tool-call', 1, '{"name": "f"}'],
  ['tool-response', 1, '42'],
  ['answer', 2, '42'],
];

const kinds: readonly SegmentKind[] = ['reasoning', 'text', 'tool-call', 'tool-response', 'user'];
const rollout = fc
  .record({
    prompt: fc.array(fc.tuple(fc.constantFrom<SegmentKind>('system', 'user'), fc.string()), { maxLength: 4 }),
    turns: fc.array(
      fc.array(fc.tuple(fc.constantFrom(...kinds), fc.string()), { minLength: 1, maxLength: 4 }),
      {
        minLength: 1,
        maxLength: 6,
      },
    ),
  })
  .map(({ prompt, turns }) => [
    ...prompt.map(([kind, text]): Drawn => [kind, 0, text]),
    ...turns.flatMap((parts, i) => parts.map(([kind, text]): Drawn => [kind, i + 1, text])),
  ]);

describe('the parts of a context', () => {
  it('tile the prompt and the response before the turn, in order, and add up', () => {
    fc.assert(
      fc.property(rollout, fc.nat(7), (parts, turn) => {
        const input = drawn(parts);
        const context = new PolicyContexts(input).at(turn);
        const before = parts.filter(([, of]) => of < turn);
        expect(context.parts.map((part) => textOf(input, part)).join('')).toBe(
          before.map(([, , text]) => `${text}\n`).join(''),
        );
        expect(
          context.parts.every((part, i) => i === 0 || (context.parts[i - 1]?.turn ?? 0) <= part.turn),
        ).toBe(true);
        expect(context.characters).toBe(context.parts.reduce((sum, part) => sum + part.characters, 0));
      }),
    );
  });

  it('have the whole prompt where its template is unknown', () => {
    const input = { ...drawn([['text', 1, 'Hm.']]), prompt: 'What?' };
    const { parts, characters } = new PolicyContexts(input).at(1);
    expect(parts.map((part) => textOf(input, part))).toEqual(['What?']);
    expect(characters).toBe(5);
  });

  it('count each token once, in the segment of its last character', () => {
    fc.assert(
      fc.property(rollout, fc.array(fc.tuple(fc.nat(1000), fc.boolean())), (parts, drawnTokens) => {
        const { response } = drawn(parts);
        const tokens = drawnTokens
          .map(([end, isPolicy]) => [(end % response.length) + 1, Number(isPolicy)] as const)
          .sort(([a], [b]) => a - b);
        const input = drawn(parts, {
          ends: Uint32Array.from(tokens.map(([end]) => end)),
          mask: Uint8Array.from(tokens.map(([, mask]) => mask)),
        });
        const all = new PolicyContexts(input).at(100).parts.filter(({ from }) => from === 'response');
        expect(all.reduce((sum, part) => sum + (part.tokens ?? 0), 0)).toBe(tokens.length);
        for (const { range, tokens: found } of all)
          expect(found).toBe(tokens.filter(([end]) => end > range.start && end <= range.end).length);
      }),
    );
  });

  it('include the block of tool definitions of a Hermes prompt, and not the same from a field', () => {
    const system = 'Be kind.\n<tools>\n{"name": "f"}\n</tools>\nCall one.';
    const input = drawn([['system', 0, system], ...TWO_TURNS.slice(1)], {
      tools: { field: 'tools', text: '[]' },
    });
    const { parts } = new PolicyContexts(input).at(1);
    expect(parts.map(({ kind }) => kind)).toEqual(['system', 'tools', 'system', 'user']);
    expect(textOf(input, parts[1] as ContextPart)).toBe('<tools>\n{"name": "f"}\n</tools>');
  });

  it('put logged definitions after the system message, and withheld reasoning first in its turn', () => {
    const input = drawn(TWO_TURNS, {
      tools: { field: 'request.tools', text: '[{}]' },
      redacted: [{ turn: 1, summary: 'I thought of sevens.' }],
    });
    const { parts, characters } = new PolicyContexts(input).at(2);
    expect(parts.map(({ kind }) => kind)).toEqual([
      ...['system', 'tools', 'user', 'redacted', 'reasoning', 'tool-call', 'tool-response'],
    ]);
    expect(parts[3]?.marks).toEqual([{ what: 'redacted', source: 'logged', by: 'logged_context.redacted' }]);
    const before = input.segments.at(-1)?.outer.start ?? 0;
    expect(characters).toBe(input.prompt.length + before + '[{}]'.length);
  });

  it('do not grow quadratically: 2,000 turns are stepped through at once', () => {
    const parts = Array.from({ length: 8_000 }, (_, i): Drawn => ['text', (i >> 2) + 1, 'word '.repeat(20)]);
    const contexts = new PolicyContexts(drawn(parts));
    const before = process.cpuUsage();
    for (let turn = 1; turn <= 2_000; turn += 20) contexts.at(turn);
    // Time of the processor, which other programs do not add to.
    expect(process.cpuUsage(before).user / 1_000).toBeLessThan(1_000);
    expect(contexts.at(2_000).parts).toHaveLength(1_999 * 4);
  });
});

describe('truncated tool responses', () => {
  const call: ToolCall = { turn: 1, outcome: 'ok', callSegment: 3, responseSegment: 4 };
  const cut = (text: string, more: Partial<ContextInput> = {}) => {
    const parts = TWO_TURNS.map(
      (part): Drawn => (part[0] === 'tool-response' ? ['tool-response', 1, text] : part),
    );
    const found = new PolicyContexts(drawn(parts, { toolCalls: [call], ...more })).at(2).parts.at(-1)?.marks;
    return found?.filter(({ what }) => what === 'truncated').map(({ source }) => source);
  };

  it.each([
    ['aaa...(truncated)...bbb', ['derived']],
    ['aaa...(truncated)', ['derived']],
    ['(truncated)...bbb', ['derived']],
    [
      'The output of your call to bash was too long to be displayed.\nHere is a truncated version:',
      ['derived'],
    ],
    ['the list is truncated ...', []],
  ])('are derived from the words of a producer: %j', (text, sources) => {
    expect(cut(text)).toEqual(sources);
  });

  it('are logged where an event says so, whatever the text', () => {
    expect(cut('aaa', { truncated: [{ call: 0, field: 'events[].truncated' }] })).toEqual(['logged']);
  });
});

describe('compacted history', () => {
  it('is replaced by the prompt that the log has, which counts instead', () => {
    const prompt = 'So far: 42.';
    const input = drawn(TWO_TURNS, {
      requests: requests(undefined, { compactedBy: 'parts[0].prompt', prompt }),
    });
    const contexts = new PolicyContexts(input);
    expect(contexts.at(1).parts.every(({ isReplaced }) => isReplaced === undefined)).toBe(true);
    const { parts, characters } = contexts.at(2);
    expect(parts.at(-1)).toMatchObject({ kind: 'replacement', turn: 2, characters: prompt.length });
    expect(parts.slice(0, -1).every(({ isReplaced }) => isReplaced)).toBe(true);
    expect(characters).toBe(prompt.length);
  });

  it('is derived from a request with fewer tokens, or without earlier messages', () => {
    const compactions = (given: ReadonlyMap<number, TurnRequest>) =>
      marksOf(new PolicyContexts(drawn(TWO_TURNS, { requests: given })).at(2).parts).flatMap((marks) =>
        marks.filter((mark) => mark.startsWith('compacted')),
      );
    expect(compactions(requests({ tokens: 10 }, { tokens: 20 }))).toEqual([]);
    expect(compactions(requests({ tokens: 20 }, { tokens: 10 }))).toEqual(Array(3).fill('compacted derived'));
    expect(compactions(requests({}, { droppedMessages: 2 }))).toEqual(Array(3).fill('compacted derived'));
    expect(compactions(requests({}, { compactedBy: 'an event' }))).toEqual(Array(3).fill('compacted logged'));
  });
});

describe('masked text', () => {
  it('is logged where the loss mask covers it, else derived for what the policy did not write', () => {
    const ends = Uint32Array.from([12, 26, 29, 32]);
    const masked = (more: Partial<ContextInput>) =>
      marksOf(new PolicyContexts(drawn(TWO_TURNS, more)).at(3).parts).map(([mark]) => mark?.split(' ')[1]);
    expect(masked({})).toEqual(['derived', 'derived', undefined, undefined, 'derived', undefined]);
    expect(masked({ ends, mask: Uint8Array.from([1, 0, 0, 1]) })).toEqual([
      ...['derived', 'derived', undefined, 'logged', 'logged', undefined],
    ]);
  });
});
