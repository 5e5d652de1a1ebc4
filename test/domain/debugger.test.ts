import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { assignedNames } from '../../shared/domain/assignedNames.ts';
import { type Breakpoint, type Condition, hitsOf, TEXT_SCOPES } from '../../shared/domain/breakpoints.ts';
import { breakpointIn, breakpointText } from '../../shared/domain/breakpointText.ts';
import { FLAGS } from '../../shared/domain/flags.ts';
import { TOOL_OUTCOMES } from '../../shared/domain/model.ts';
import { segmentResponse } from '../../shared/domain/segment.ts';
import { printedBy } from '../../shared/domain/toolOutput.ts';
import { watchOf } from '../../shared/domain/watch.ts';

const call = (code: string, input = ''): string =>
  `<tool_call>\n${JSON.stringify({ name: 'python_code_with_standard_io', arguments: { code, input } })}\n</tool_call><|im_end|>\n`;
const answered = (text: string): string =>
  `<|im_start|>user\n<tool_response>\n${text}\n</tool_response><|im_end|>\n<|im_start|>assistant\n<reason>`;

const RESPONSE = [
  'It may be \\boxed{3}. I compute.</reason>\n',
  call('n = 6\nprint(n * 7)'),
  answered('Tool call success\nstdout: 42\n\nexecution time: 0.02s'),
  'So \\boxed{42}; again.</reason>\n',
  call('print(1/0)'),
  answered('Tool call failure\nreason: \nstdout: \nstderr: ZeroDivisionError at line 1: division by zero\n'),
  'I stay with it. Double check: yes.</reason>\n<answer>\\boxed{42}</answer><|im_end|>',
].join('');

function rollout() {
  const { segments, toolCalls, turns } = segmentResponse(RESPONSE, { startsInReasoning: true });
  return { response: RESPONSE, segments, toolCalls, turns };
}

const stops = (text: string, extra: Partial<Parameters<typeof hitsOf>[1]> = {}): readonly string[] => {
  const breakpoint = breakpointIn(text);
  if ('message' in breakpoint) throw new Error(breakpoint.message);
  return hitsOf([breakpoint], { ...rollout(), ...extra }).map(
    ({ turn, found }) => `${turn}${found === undefined ? '' : ` ${found}`}`,
  );
};

describe('breakpoints', () => {
  it.each([
    ['error', ['2 exception']],
    ['first error', ['2 exception']],
    ['outcome:ok_stdout', ['1 ok_stdout']],
    ['outcome:timeout', []],
    [
      'tool:python_code_with_standard_io',
      ['1 python_code_with_standard_io', '2 python_code_with_standard_io'],
    ],
    ['tool:python', []],
    ['tool:python_code_with_standard_io & error', ['2 exception']],
    ['args:"n * 7"', ['1 n * 7']],
    ['args:1/0', ['2 1/0']],
    ['args:PRINT', []],
    ['args:print & error', ['2 exception']],
    ['args:stdout', []],
    // As written, where a newline is `\\n`.
    ['args:"6\\\\nprint"', ['1 6\\nprint']],
    ['regex:"^n = \\d\\n" in:args', ['1 n = 6\n']],
    ['answer', ['2 3 → 42']],
    ['turn:3', ['3']],
    ['turn:9', []],
    ['text:"double check"', ['3 Double check']],
    ['text:"double Check"', []],
    ['text:"print"', ['1 print', '2 print']],
    ['text:"print" in:reasoning', []],
    ['text:"print" in:code & error', ['2 exception']],
    // Code is searched unescaped, so `\n` is a newline.
    ['regex:"^print\\(n" in:code', ['1 print(n']],
    ['error & turn:1', []],
    ['error & turn:2', ['2 exception']],
    ['fork', []],
  ])('%s', (text, expected) => {
    expect(stops(text)).toEqual(expected);
  });

  it('stops at the fork, if any', () => {
    expect(stops('fork', { fork: { turn: 2, offset: 10 } })).toEqual(['2']);
  });

  it('takes values of policy tokens alone, and needs them', () => {
    const { segments } = rollout();
    const ends = Uint32Array.from([10, 20, segments[1]?.outer.end ?? 0, (segments[1]?.outer.end ?? 0) + 70]);
    const tokens = {
      ends,
      values: Float32Array.from([0.1, 0.5, 9, 0.9]),
      mask: Uint8Array.from([1, 1, 0, 1]),
    };
    expect(stops('value:50', { tokens })).toEqual(['1 0.900']);
    expect(stops('value:50')).toEqual([]);
    const unknown = { ends, values: new Float32Array(4).fill(Number.NaN) };
    expect(stops('value:50', { tokens: unknown })).toEqual([]);
  });

  it.each([
    ['', 'expected a condition', 0],
    ['eror', 'expected a condition', 0],
    ['error turn:2', 'expected & between', 6],
    ['error &', 'expected a condition', 7],
    ['& error', 'expected a condition before &', 0],
    ['outcome:fine', 'expected an outcome', 0],
    ['value:100', 'expected a percentile', 0],
    ['turn:0', 'expected a turn', 0],
    ['turn:1.5', 'expected a turn', 0],
    ['error in:code', 'in: must follow', 6],
    ['text:"x" in:prose', 'expected in: with', 9],
    ['regex:"("', 'invalid regular expression', 0],
    ['text:""', 'expected text', 0],
    ['args:""', 'expected text', 0],
    ['args:', 'expected a condition', 0],
    ['flag:loops', 'expected a flag (equals_truth, ', 0],
    ['label:', 'expected a condition', 0],
    ['answer_changed', 'expected a condition', 0],
    ['regex:"(" in:args', 'invalid regular expression', 0],
    ['text:"open', 'expected a condition', 0],
  ])('locates the syntax error: %s', (text, message, start) => {
    const fault = breakpointIn(text);
    expect('message' in fault && fault.message).toContain(message);
    expect('message' in fault && fault.start).toBe(start);
  });

  const condition: fc.Arbitrary<Condition> = fc.oneof(
    fc.record({
      kind: fc.constantFrom('error' as const, 'first error' as const, 'answer' as const, 'fork' as const),
    }),
    fc.record({ kind: fc.constant('outcome' as const), outcome: fc.constantFrom(...TOOL_OUTCOMES) }),
    fc.record({ kind: fc.constant('tool' as const), tool: fc.stringMatching(/^[^\s&"]+$/) }),
    fc.record({ kind: fc.constant('label' as const), label: fc.stringMatching(/^[^\s&"]+$/) }),
    fc.record({ kind: fc.constant('flag' as const), flag: fc.constantFrom(...FLAGS) }),
    fc.record({ kind: fc.constant('value' as const), percentile: fc.integer({ min: 1, max: 99 }) }),
    fc.record({ kind: fc.constant('turn' as const), turn: fc.integer({ min: 1, max: 10_000 }) }),
    fc.record({
      kind: fc.constant('text' as const),
      text: fc.string({ minLength: 1, unit: 'binary' }),
      scope: fc.constantFrom(...TEXT_SCOPES),
    }),
  );

  it('parses what it writes', () => {
    fc.assert(
      fc.property(fc.array(condition, { minLength: 1, maxLength: 4 }), (breakpoint: Breakpoint) => {
        expect(breakpointIn(breakpointText(breakpoint))).toEqual(breakpoint);
      }),
    );
  });

  it('answers any text with conditions or a fault inside it', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const read = breakpointIn(text);
        if ('message' in read) {
          expect(read.start).toBeLessThanOrEqual(read.end);
          expect(read.end).toBeLessThanOrEqual(text.length);
        } else expect(read.length).toBeGreaterThan(0);
      }),
    );
  });
});

describe('watch', () => {
  it('lists state at the end of each turn', () => {
    const ends = Uint32Array.from({ length: Math.ceil(RESPONSE.length / 10) }, (_, i) =>
      Math.min(RESPONSE.length, (i + 1) * 10),
    );
    const { rows, maxResponseTokens } = watchOf({ ...rollout(), tokenEnds: ends, maxResponseTokens: 8192 });
    expect(maxResponseTokens).toBe(8192);
    expect(
      rows.map(({ turn, answer, isAnswerNew, printed, isPrintedNew, assigned, toolCalls, toolErrors }) => ({
        turn,
        answer,
        isAnswerNew,
        printed,
        isPrintedNew,
        assigned: assigned.map(({ name, source }) => `${name}=${source}`),
        toolCalls,
        toolErrors,
      })),
    ).toEqual([
      {
        turn: 1,
        answer: '3',
        isAnswerNew: true,
        printed: '42',
        isPrintedNew: true,
        assigned: ['n=6'],
        toolCalls: 1,
        toolErrors: 0,
      },
      {
        turn: 2,
        answer: '42',
        isAnswerNew: true,
        printed: '42',
        isPrintedNew: false,
        assigned: [],
        toolCalls: 2,
        toolErrors: 1,
      },
      {
        turn: 3,
        answer: '42',
        isAnswerNew: false,
        printed: '42',
        isPrintedNew: false,
        assigned: [],
        toolCalls: 2,
        toolErrors: 1,
      },
    ]);
    expect(rows.at(-1)?.tokensSpent).toBe(ends.length);
    expect(rows.at(-1)?.charsSpent).toBe(RESPONSE.length);
    expect(rows.map(({ tokensSpent = 0 }) => tokensSpent)).toEqual(
      [...rows.map(({ tokensSpent = 0 }) => tokensSpent)].sort((a, b) => a - b),
    );
  });

  it('lists what failed calls answered, whole', () => {
    expect(watchOf(rollout()).rows.map(({ errors }) => errors)).toEqual([
      [],
      ['Tool call failure\nreason: \nstdout: \nstderr: ZeroDivisionError at line 1: division by zero'],
      [],
    ]);
  });

  it('counts no tokens without offsets', () => {
    expect(watchOf(rollout()).rows[0]?.tokensSpent).toBeUndefined();
    expect(watchOf({ response: '', segments: [], toolCalls: [], turns: 1 }).rows).toEqual([
      {
        turn: 1,
        isAnswerNew: false,
        isPrintedNew: false,
        errors: [],
        assigned: [],
        toolCalls: 0,
        toolErrors: 0,
        charsSpent: 0,
      },
    ]);
  });
});

describe('printed output', () => {
  it.each([
    ['Tool call success\nstdout: 42\n\nexecution time: 0.02s', '42'],
    ['Tool call success\nstdout: a\nb\nstderr: w\nexecution time: 1s', 'a\nb'],
    ['Tool call success\nexecution time: 0.02s', undefined],
    ['Tool call failure\nreason: worker_timeout', undefined],
    ['{"stdout": "42\\n", "stderr": "", "result": null}', '42'],
    ['{"stdout": "", "stderr": "", "result": "7"}', '7'],
    ['{"stdout": "", "stderr": ""}', undefined],
    ['{not json "stdout"', '{not json "stdout"'],
    ['3 flights found', '3 flights found'],
    ['', undefined],
  ])('%j', (response, printed) => {
    expect(printedBy(response)).toBe(printed);
  });

  it('is found in linear time', () => {
    const blanks = `${' '.repeat(1_000_000)}x`;
    expect(printedBy(`${blanks}  `)).toBe(blanks);
  });
});

describe('assigned names', () => {
  it.each([
    ['x = 1', ['x=1']],
    ['a, b = 1, 2', ['a=1, 2', 'b=1, 2']],
    ['(a, *rest) = f(1,\n  2)', ['a=f(1, 2)', 'rest=f(1, 2)']],
    ['n: int = 5  # five', ['n=5']],
    ['x += 1', ['x']],
    ['if x == 1:\n    y = 2', ['y=2']],
    ['for i, p in enumerate(ps): pass', ['i', 'p']],
    ['import numpy as np, os.path\nfrom math import gcd, isqrt as root', ['np', 'os', 'gcd', 'root']],
    ['def f(x):\n  return x\nclass Tree: pass', ['f', 'Tree']],
    ['with open("a") as file: pass', ['file']],
    ['s = """x = 1\ny = 2"""', ['s="""x = 1 y = 2"""']],
    ['# x = 1\nprint("y = 2")', []],
    ['f(x=1)', []],
    ['x = 1\nx = 2', ['x=2']],
    ['π = 3.14', ['π=3.14']],
  ])('%j', (code, expected) => {
    expect(
      assignedNames(code).map(({ name, source }) => (source === undefined ? name : `${name}=${source}`)),
    ).toEqual(expected);
  });

  it('skips names local to a function or class, and text in brackets', () => {
    const code = [
      'import math',
      'def solve(n,',
      '          depth=3):',
      '    total = 0',
      '    for i in range(n):',
      '        total += i',
      '    global best',
      '    best = total',
      '',
      '    def inner():',
      '        hidden = 1',
      '        return hidden',
      '# at the left edge, and no statement',
      '    again = inner()',
      '    return total',
      'class Point:',
      '    x = 1',
      '    def move(self, by): self.x += by',
      '',
      'if True:',
      '',
      '\tseen = solve(4)',
      'pairs = dict(',
      '    left=1,',
      ')',
      'roots = [',
      '  r',
      '  for r in range(3)',
      ']',
    ].join('\n');
    const names = ['math', 'solve', 'best', 'Point', 'seen', 'pairs', 'roots'];
    expect(assignedNames(code).map(({ name }) => name)).toEqual(names);
    expect(assignedNames(code.replaceAll('\n', '\r\n')).map(({ name }) => name)).toEqual(names);
  });

  it('takes any text, quickly', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (code) => void assignedNames(code)));
    const hostile = [
      '('.repeat(20_000),
      `${'a, '.repeat(20_000)}`,
      '"'.repeat(20_001),
      '\\'.repeat(20_000),
      'x = ['.repeat(5_000),
    ];
    for (const code of hostile) expect(Array.isArray(assignedNames(code))).toBe(true);
  });
});
