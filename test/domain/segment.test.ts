import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import type { Segment } from '../../shared/domain/model.ts';
import { segmentMessage, segmentResponse } from '../../shared/domain/segment.ts';
import { callsOf } from '../support/callsOf.ts';

/** Parts of hostile transcripts: every tag, role word and half tag. */
const piece = fc.constantFrom(
  '<tool_call>',
  '</tool_call>',
  '<tool_response>',
  '</tool_response>',
  '<reason>',
  '</reason>',
  '<think>',
  '</think>',
  '<answer>',
  '</answer>',
  'user\n',
  'assistant\n',
  'system\n',
  '\n',
  '\n\n',
  ' ',
  'so',
  '\\boxed{1}',
  '<',
  '{',
  '"',
  '{"name": "python", "arguments": {"code": "1"}}',
  '<|im_start|>',
  '<|im_end|>',
  '<|im_start|>user\n',
  '<|im_start|>assistant\n',
  '<|im_start|>tool\n',
  '#### 3',
  '🧮',
  '\ud800',
);
const transcript = fc.array(piece, { maxLength: 60 }).map((pieces) => pieces.join(''));

function expectTiling(segments: readonly Segment[], text: string): void {
  let position = 0;
  for (const { outer, inner } of segments) {
    expect(outer.start).toBe(position);
    expect(inner.start).toBeGreaterThanOrEqual(outer.start);
    expect(inner.end).toBeLessThanOrEqual(outer.end);
    expect(inner.start).toBeLessThanOrEqual(inner.end);
    position = outer.end;
  }
  expect(position).toBe(segments.length === 0 && text === '' ? 0 : text.length);
}

describe('segmentResponse', () => {
  it('covers every text exactly once, inner within outer', () => {
    fc.assert(
      fc.property(transcript, fc.boolean(), (text, startsInReasoning) => {
        expectTiling(segmentResponse(text, { startsInReasoning }).segments, text);
        expectTiling(segmentMessage(text, 1, startsInReasoning).segments, text);
      }),
      { seed: 1, numRuns: 2000 },
    );
  });

  it('numbers turns from 1 in order, and calls belong to their turn', () => {
    fc.assert(
      fc.property(transcript, (text) => {
        const { segments, toolCalls, turns } = segmentResponse(text, { startsInReasoning: false });
        let turn = 1;
        for (const segment of segments) {
          expect(segment.turn).toBeGreaterThanOrEqual(turn);
          turn = segment.turn;
        }
        expect(turns).toBeGreaterThanOrEqual(turn);
        for (const call of toolCalls) {
          expect(segments[call.callSegment]).toMatchObject({ kind: 'tool-call', turn: call.turn });
          if (call.responseSegment !== undefined) {
            expect(segments[call.responseSegment]).toMatchObject({ kind: 'tool-response', turn: call.turn });
          }
        }
      }),
      { seed: 2, numRuns: 1000 },
    );
  });

  it('makes every opened call outside responses and whole payloads a tool call', () => {
    const text = '<tool_call>a<tool_call>b</tool_call>c<tool_call>';
    const { toolCalls } = segmentResponse(text, { startsInReasoning: false });
    expect(toolCalls.map((call) => call.outcome)).toEqual(['malformed', 'malformed', 'malformed']);
  });

  it('leaves what follows a tag without an object to the policy', () => {
    const text = '<tool_call>\nNo need, it is 12.';
    const { segments, toolCalls } = segmentResponse(text, { startsInReasoning: false });
    expect(segments.map(({ kind, inner }) => [kind, text.slice(inner.start, inner.end)])).toEqual([
      ['tool-call', ''],
      ['text', 'No need, it is 12.'],
    ]);
    expect(toolCalls.map((call) => call.outcome)).toEqual(['malformed']);
  });

  it.each([
    ['{"name": "python", "arguments": {"code": "1"}}', 'ok_stdout'],
    ['{"name": "python", "arguments": {"code": 1', 'parse_error'],
  ])('an answered call that is never closed, %s, is %s', (payload, outcome) => {
    const text = `<tool_call>\n${payload}\nuser\n<tool_response>\nTool call success\nstdout: 1\n</tool_response>\nassistant\nOne.`;
    const { toolCalls } = segmentResponse(text, { startsInReasoning: false });
    expect(toolCalls.map((call) => call.outcome)).toEqual([outcome]);
  });

  it('an answer that is never closed is no answer', () => {
    const text = 'So <answer>4';
    const { segments } = segmentResponse(text, { startsInReasoning: false });
    expect(segments.map(({ kind, inner }) => [kind, text.slice(inner.start, inner.end)])).toEqual([
      ['text', text],
    ]);
  });

  it('reads the same turns from both dialects', () => {
    const special =
      'a</reason>\n<tool_call>\n{"name": "python", "arguments": {"code": "1"}}\n</tool_call><|im_end|>\n<|im_start|>user\n' +
      '<tool_response>\nTool call success\nstdout: 1\n</tool_response><|im_end|>\n<|im_start|>assistant\n<reason>b</reason>' +
      '<answer>1</answer><|im_end|>';
    const bare = special.replaceAll(/<\|im_(?:start|end)\|>/g, '');
    const read = (text: string) =>
      segmentResponse(text, { startsInReasoning: true }).segments.map(({ kind, turn, inner }) => [
        kind,
        turn,
        text.slice(inner.start, inner.end),
      ]);
    expect(read(bare)).toEqual(read(special));
    expect(read(bare).map(([kind]) => kind)).toEqual([
      'reasoning',
      'tool-call',
      'tool-response',
      'reasoning',
      'answer',
    ]);
  });

  it('leaves prose about tags alone', () => {
    const text = 'I must use <answer> tags at the end.</reason><answer>4</answer>';
    const { segments } = segmentResponse(text, { startsInReasoning: true });
    expect(segments.map(({ kind, inner }) => [kind, text.slice(inner.start, inner.end)])).toEqual([
      ['reasoning', 'I must use <answer> tags at the end.'],
      ['answer', '4'],
    ]);
  });

  it('ends a response at its real closing tag, even if the tool printed one', () => {
    const text = 'x\nuser\n<tool_response>\nprinted </tool_response> here\n</tool_response>\nassistant\nok';
    const { segments } = segmentResponse(text, { startsInReasoning: false });
    const [, response] = segments;
    expect(response?.kind).toBe('tool-response');
    expect(text.slice(response?.inner.start, response?.inner.end)).toBe('printed </tool_response> here');
  });

  it('stays linear on hostile text', () => {
    // A quadratic scan of these would exceed the time limit of a test.
    for (const unit of [
      '<tool_call>',
      '<tool_call>{"a":"',
      '<answer>',
      'user\n',
      '<reason><answer>',
      '<tool_response>',
      '</tool_response>x',
      '.user\nassistant',
      '<|im_start|> ',
      '\\boxed{',
      '\n',
    ]) {
      const text = unit.repeat(40_000);
      expectTiling(segmentResponse(text, { startsInReasoning: true }).segments, text);
    }
  });

  it('does not copy the rest of the text for each line that begins a message', () => {
    const text = `${'user\n<>'.repeat(2_000)}<tool_call>\nassistant\n`;
    const slice = vi.spyOn(String.prototype, 'slice');
    try {
      expectTiling(segmentResponse(text, { startsInReasoning: true }).segments, text);
      const copied = slice.mock.results.reduce((sum, { value }) => sum + String(value).length, 0);
      expect(copied).toBeLessThan(3 * text.length);
    } finally {
      slice.mockRestore();
    }
  });

  // With few responses, malformed calls wait apart.
  it.each([0, 1])('pairs calls with responses in one pass when %i responses are missing', (missing) => {
    const workFor = (count: number): number => {
      const calls = '<tool_call>{}</tool_call>'.repeat(count);
      const responses = '<tool_response>1</tool_response>'.repeat(count - missing);
      let answered = 0;
      const work = callsOf(() => {
        const text = `${calls}\nuser\n${responses}assistant\n`;
        const { toolCalls } = segmentResponse(text, { startsInReasoning: true });
        answered = toolCalls.filter(({ responseSegment }) => responseSegment !== undefined).length;
      });
      expect(answered).toBe(missing === 0 ? count : 0);
      return work;
    };
    expect(workFor(2_000) / workFor(1_000)).toBeLessThan(3);
  });
});
