import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { extractAnswer, lastBoxed } from '../../shared/domain/answer.ts';
import { readPrompt } from '../../shared/domain/prompt.ts';
import { segmentResponse } from '../../shared/domain/segment.ts';
import { policyTokensBySegment } from '../../shared/domain/segmentTokens.ts';
import { readCallPayload } from '../../shared/domain/toolCallPayload.ts';
import { readToolResponse } from '../../shared/domain/toolOutcome.ts';

describe('readToolResponse', () => {
  it.each([
    ['Tool call success\nstdout: 42\n\nexecution time: 0.03s', 'ok_stdout', 30],
    ['Tool call success\nexecution time: 0.00s', 'ok_empty', 0],
    [
      "Tool call failure\nreason: \nstderr: NameError at line 2: name 'N'\nexecution time: 0.02s",
      'exception',
      20,
    ],
    [
      'tool call failed\n\nreason: error message: Traceback (most recent call last):\n  …',
      'exception',
      undefined,
    ],
    [
      'Tool call failure\nreason: worker_timeout\nstdout: Suicide from timeout.\nexecution time: 4.10s',
      'timeout',
      4100,
    ],
    ['Tool call failure\nreason: queue_timeout\nexecution time: 12s', 'infra', 12000],
    ['Tool call failure\nreason: internal_error', 'infra', undefined],
    ['Tool call failure\nreason: invalid_input', 'infra', undefined],
    ['Failed to decode tool call: Expecting value', 'parse_error', undefined],
    ["Error when executing tool: unknown tool 'python'", 'dispatch_error', undefined],
    ["Current parsed answer='3' reward=1.0", 'ok', undefined],
    ['mean squared error 0.0', 'ok', undefined],
    ['Error: no such order', 'error', undefined],
    ['{"error": "not found"}', 'error', undefined],
    ['{"error": null, "result": 3}', 'ok', undefined],
    ['ValueError: bad', 'error', undefined],
    ['\u001b[1;31mTraceback (most recent call last):\u001b[0m\n  …', 'error', undefined],
    ['', 'ok', undefined],
  ] as const)('%j is %s', (text, outcome, latencyMs) => {
    expect(readToolResponse(text)).toEqual(latencyMs === undefined ? { outcome } : { outcome, latencyMs });
  });
});

describe('extractAnswer', () => {
  const read = (text: string): string | undefined =>
    extractAnswer(text, segmentResponse(text, { startsInReasoning: false }).segments);
  it.each([
    ['<answer>\\boxed{42}</answer>', '42'],
    ['<answer>about \\frac{1}{2}</answer>', 'about \\frac{1}{2}'],
    ['first \\boxed{1}, no, \\boxed{\\frac{3}{4}}.', '\\frac{3}{4}'],
    ['#### $1,080.', '1080'],
    ['`#### 50`.', '50'],
    ['#### -$15', '-15'],
    ['#### .5', '.5'],
    ['Now run <tool_call>\nNo need.\n#### 12', '12'],
    ['#### none', undefined],
    ['nothing', undefined],
    ['open \\boxed{1', undefined],
    ['a\nuser\n<tool_response>\n\\boxed{9}\n</tool_response>\nassistant\nb', undefined],
  ])('%j → %j', (text, expected) => expect(read(text)).toBe(expected));

  it('finds the last balanced box', () => {
    expect(lastBoxed('\\boxed{a} \\boxed {b{c}} \\boxed{')).toBe('b{c}');
  });
});

describe('readPrompt', () => {
  it('finds system and user, and that the response begins inside reasoning', () => {
    const { segments, startsInReasoning } = readPrompt('system\nBe brief.\nuser\nWhat?\nassistant\n<reason>');
    expect(startsInReasoning).toBe(true);
    expect(segments.map((segment) => segment.kind)).toEqual(['system', 'user']);
  });

  it('covers every prompt exactly once', () => {
    const prompt = fc
      .array(
        fc.constantFrom(
          'system\n',
          'user\n',
          'assistant\n',
          '<|im_start|>user\n',
          '<|im_end|>',
          '\n',
          'x',
          '<reason>',
        ),
        {
          maxLength: 30,
        },
      )
      .map((pieces) => pieces.join(''));
    fc.assert(
      fc.property(prompt, (text) => {
        let position = 0;
        for (const { outer, inner } of readPrompt(text).segments) {
          expect(outer.start).toBe(position);
          expect(inner.start >= outer.start && inner.end <= outer.end).toBe(true);
          position = outer.end;
        }
        expect(position).toBe(text.length);
      }),
      { seed: 3, numRuns: 1000 },
    );
  });
});

describe('readCallPayload', () => {
  it.each([
    [
      '{"name": "p", "arguments": {"code": "1"}}',
      { isWellFormed: true, name: 'p', arguments: '{"code":"1"}', code: '1' },
    ],
    [
      '{"name": "p", "arguments": "{\\"code\\": \\"1\\"}"}',
      { isWellFormed: true, name: 'p', arguments: '{"code": "1"}', code: '1' },
    ],
    ['{"name": "p"}', { isWellFormed: false, name: 'p' }],
    ['{"name": "p", "arguments": {', { isWellFormed: false, name: 'p' }],
    ['[]', { isWellFormed: false }],
    ['', { isWellFormed: false }],
  ])('%j', (payload, expected) => expect(readCallPayload(payload)).toEqual(expected));
});

describe('policyTokensBySegment', () => {
  it('counts each policy token once, in the segment its last character is in', () => {
    const range = (start: number, end: number) => ({ start, end });
    const segments = [
      { kind: 'text', turn: 1, outer: range(0, 4), inner: range(0, 4) },
      { kind: 'tool-response', turn: 1, outer: range(4, 8), inner: range(4, 8) },
    ] as const;
    const ends = Uint32Array.from([2, 5, 7, 8]);
    expect(policyTokensBySegment(segments, ends, Uint8Array.from([1, 1, 0, 1]))).toEqual([1, 2]);
  });
});
