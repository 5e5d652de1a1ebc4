import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { endingOf } from '../../shared/domain/ending.ts';
import { isSameAnswer } from '../../shared/domain/sameAnswer.ts';
import { outcomeOfOutput, segmentToolIntegrated } from '../../shared/domain/toolIntegrated.ts';

const code = (source: string): string => `\`\`\`python\n${source}\n\`\`\`\n`;
const output = (text: string): string => `\`\`\`output\n${text}\n\`\`\`\n`;

/** `turn kind: inner`, one per segment. */
function drawn(text: string): readonly string[] {
  return segmentToolIntegrated(text).segments.map(
    ({ turn, kind, inner }) => `${turn} ${kind}: ${text.slice(inner.start, inner.end)}`,
  );
}

const endsUnanswered = (text: string): boolean => {
  const { segments, toolCalls } = segmentToolIntegrated(text);
  return endingOf(text, segments, toolCalls, undefined) === 'turn-limit';
};

describe('segmentToolIntegrated', () => {
  it('refuses a text of more than 800,000 segments', () => {
    const text = (code('1') + output('1')).repeat(400_001);
    expect(() => segmentToolIntegrated(text)).toThrow('more than 800000 messages and tool calls');
  });

  it('ends a turn with the output of its code', () => {
    const text = `First.\n\n${code('print(1)')}${output('1')}\nThen.\n${code('print(2)')}${output('2')}Done.`;
    expect(drawn(text)).toEqual([
      '1 text: First.',
      '1 tool-call: print(1)',
      '1 tool-response: 1',
      '2 text: Then.',
      '2 tool-call: print(2)',
      '2 tool-response: 2',
      '3 text: Done.',
    ]);
    const read = segmentToolIntegrated(text);
    expect(read.turns).toBe(3);
    expect(endsUnanswered(text)).toBe(false);
    expect(read.toolCalls).toEqual([
      { turn: 1, name: 'python', code: 'print(1)', outcome: 'ok_stdout', callSegment: 1, responseSegment: 2 },
      { turn: 2, name: 'python', code: 'print(2)', outcome: 'ok_stdout', callSegment: 4, responseSegment: 5 },
    ]);
  });

  it('has no turn after the last output if nothing follows', () => {
    expect(segmentToolIntegrated(`${code('print(1)')}${output('1')}\n`).turns).toBe(1);
  });

  it.each([
    ['code that was cut off', '```python\nprint(1)', ['1 tool-call: print(1)'], true],
    ['code without output at the end', code('print(1)'), ['1 tool-call: print(1)'], true],
    [
      'code that prose follows',
      `${code('print(1)')}So 1.`,
      ['1 tool-call: print(1)', '1 text: So 1.'],
      false,
    ],
    [
      'a code block that is not closed before its output',
      `\`\`\`python\nprint(1)\n${output('1')}`,
      ['1 tool-call: print(1)', '1 tool-response: 1'],
      false,
    ],
    [
      'output that was cut off',
      `${code('f()')}\`\`\`output\n1`,
      ['1 tool-call: f()', '1 tool-response: 1'],
      false,
    ],
    [
      'backticks inside a line of code',
      code('s = "```"\nprint(s)'),
      ['1 tool-call: s = "```"\nprint(s)'],
      true,
    ],
    ['another language, which nothing ran', '```json\n{}\n```', ['1 text: ```json\n{}\n```'], false],
    ['output nobody asked for', output('1'), ['1 tool-response: 1'], false],
    ['nothing', '', [], false],
  ])('reads %s', (_, text, segments, isUnanswered) => {
    expect(drawn(text)).toEqual(segments);
    expect(endsUnanswered(text)).toBe(isUnanswered);
  });

  it('marks code without output as missing', () => {
    const text = `${code('a')}${code('b')}${output('2')}`;
    expect(segmentToolIntegrated(text).toolCalls.map((call) => call.outcome)).toEqual([
      'missing',
      'ok_stdout',
    ]);
  });

  it('tiles any text', () => {
    const piece = fc.constantFrom(
      '```python\n',
      '```output\n',
      '```',
      '\n',
      ' ',
      'x',
      '```py',
      'Error: y',
      '1',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
        const text = pieces.join('');
        const { segments, toolCalls, turns } = segmentToolIntegrated(text);
        let at = 0;
        for (const { outer, inner, turn } of segments) {
          expect(outer.start).toBe(at);
          expect(inner.start).toBeGreaterThanOrEqual(outer.start);
          expect(inner.end).toBeGreaterThanOrEqual(inner.start);
          expect(inner.end).toBeLessThanOrEqual(outer.end);
          expect(turn).toBeLessThanOrEqual(turns);
          at = outer.end;
        }
        expect(at).toBe(text.length);
        for (const call of toolCalls) {
          expect(segments[call.callSegment]?.kind).toBe('tool-call');
          if (call.responseSegment !== undefined) {
            expect(segments[call.responseSegment]?.kind).toBe('tool-response');
          }
        }
      }),
      { seed: 11, numRuns: 500 },
    );
  });
});

describe('outcomeOfOutput', () => {
  it.each([
    ['42', 'ok_stdout'],
    ['', 'ok_empty'],
    [' \n', 'ok_empty'],
    ["NameError: name 'x' is not defined", 'exception'],
    ['Traceback (most recent call last):\n  File "<stdin>"\nValueError', 'exception'],
    ['12\nZeroDivisionError: division by zero', 'exception'],
    ['Runtime errors: invalid syntax', 'exception'],
    ['timeout error', 'timeout'],
    ['TimeoutError', 'timeout'],
    ['Execution timed out', 'timeout'],
    ['The error is 0.02', 'ok_stdout'],
    ['Errors found in 3 rows', 'ok_stdout'],
  ])('reads %j as %s', (text, outcome) => {
    expect(outcomeOfOutput(text)).toBe(outcome);
  });
});

describe('isSameAnswer', () => {
  it.each([
    ['42', '42.0'],
    ['2,125', '2125'],
    ['\\frac{1}{2}', '0.5'],
    ['\\dfrac12', '1/2'],
    ['$\\boxed{7}$', ' 7. '],
    ['50\\%', '50'],
    ['$1,080', '1080.00'],
    ['\\text{yes}', 'yes'],
    ['90^\\circ', '90'],
    ['(1, 2)', '(1,2)'],
    ['\\left(1,2\\right)', '(1,2)'],
    ['1e3', '1000'],
    ['1\\frac{1}{2}', '1.5'],
    ['-2 1/4', '-9/4'],
    ['3\\frac14', '13/4'],
    ['2\\frac{x}{y}', '2x/y'],
    ['\\dfrac{3}{4}\\text{ cups}', '3/4 cups'],
  ])('%s is %s', (a, b) => {
    expect(isSameAnswer(a, b)).toBe(true);
    expect(isSameAnswer(b, a)).toBe(true);
  });

  it.each([
    ['36.55', '31'],
    ['14.666666666666666', '15'],
    ['0.333', '1/3'],
    ['1000000000001', '1000000000002'],
    ['9007199254740993', '9007199254740992'],
    ['9007199254740993.0', '9007199254740992'],
    ['1e999', '42'],
    ['-1e999', '42'],
    ['1e308/1e-308', '42'],
    [`${'9'.repeat(400)}.0`, '42'],
    ['1e-10', '2e-10'],
    ['1e-10', '0'],
    ['1e-999', '0'],
    ['1\\frac{1}{2}', '5.5'],
    ['1 1/2', '11/2'],
    ['\\frac{1}{2}3', '1/23'],
    ['\\frac{1}{2}x', '1/2x'],
    ['1,2', '12'],
    ['x', 'y'],
    ['', '0'],
    ['1/0', '2/0'],
    ['-3', '3'],
  ])('%s is not %s', (a, b) => {
    expect(isSameAnswer(a, b)).toBe(false);
    expect(isSameAnswer(b, a)).toBe(false);
  });
});
