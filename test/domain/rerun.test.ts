import { expect, test } from 'vitest';
import type { ToolOutcome } from '../../shared/domain/model.ts';
import type { PythonAnswer, PythonReport } from '../../shared/domain/pythonAnswer.ts';
import { judgeRerun, type LoggedCall, proposedMode } from '../../shared/domain/rerun.ts';
import { verifyCalls } from '../../shared/domain/verifyCalls.ts';

const here = (stdout: string, more: Partial<PythonReport> = {}): PythonReport => ({
  kind: 'done',
  stdout,
  stderr: '',
  isCut: false,
  variables: [],
  milliseconds: 1,
  ...more,
});
const failed = (type: string, message = '', stdout = ''): PythonReport =>
  here(stdout, { error: { type, message, traceback: '' } });
const call = (response: string, outcome: ToolOutcome = 'ok', code = 'print(1)'): LoggedCall => ({
  code,
  response,
  outcome,
});
const released = (printed: string): LoggedCall =>
  call(`Tool call success\nstdout: ${printed}\n\nexecution time: 0.02s`, 'ok_stdout');
const CUT = '...(truncated)...';

test.each<[name: string, logged: LoggedCall, answer: PythonAnswer]>([
  ['equal output', released('42'), here('42\n')],
  ['no output', call('Tool call success\nexecution time: 0.01s', 'ok_empty'), here('')],
  ['white space at line ends', call('a \nb\n\n'), here('a\nb\n')],
  ['a printed last value', call('[1, 2]'), here('', { lastValue: '[1, 2]' })],
  ['output and last value', call('hi\n7'), here('hi\n', { lastValue: '7' })],
  [
    'the JSON of a Python tool',
    call('{"stdout": "", "stderr": "", "result": "7"}', 'ok_stdout'),
    here('', { lastValue: '7' }),
  ],
  ['warnings of stderr', call('careful\n1'), here('1\n', { stderr: 'careful\n' })],
  ['an output cut in the middle', call(`abc${CUT}xyz`), here('abc, much more, xyz')],
  ['an output cut without a mark', released('x'.repeat(1000)), here('x'.repeat(2000))],
  [
    'the same error',
    call("Tool call failure\nreason: \nstderr: NameError at line 1: name 'x' is not defined", 'exception'),
    failed('NameError'),
  ],
  [
    'output before the same error',
    call('one\nTraceback (most recent call last):\n  File "<stdin>"\nValueError: no', 'error'),
    failed('ValueError', 'no', 'one\n'),
  ],
  [
    'a missing module in both',
    call("ModuleNotFoundError: No module named 'sympy'", 'error'),
    failed('ModuleNotFoundError', "No module named 'sympy'"),
  ],
  [
    'a time-out in both',
    call('Tool call failure\nreason: worker_timeout', 'timeout'),
    { kind: 'timed_out', limitMs: 10_000 },
  ],
  ['a time-out without wrapping', call('timeout error'), { kind: 'timed_out', limitMs: 10_000 }],
])('same: %s', (_name, logged, answer) => {
  expect(judgeRerun(logged, answer)).toEqual({ class: 'same' });
});

test.each<[reason: string, logged: LoggedCall, answer: PythonAnswer]>([
  ['memory addresses', call('<object object at 0x7f3a2c1d5e80>'), here('<object object at 0x11dcbb8>\n')],
  ['times', call('took 0.0312 s'), here('took 1.5 s')],
  ['times', call('Elapsed: 0.031'), here('Elapsed: 0.72')],
  ['times', call('2025-01-02 03:04:05.123'), here('2026-11-26 21:00:00')],
  ['order of a set', call("{'b', 'a'}"), here("{'a', 'b'}")],
  ['order of a set', { ...call("['b', 'a']"), code: "print(list(set('ab')))" }, here("['a', 'b']")],
  ['last digits of floats', call('x = 0.30000000000000004'), here('x = 0.3')],
  ['the log has a time-out', call('Tool call failure\nreason: worker_timeout', 'timeout'), here('1')],
])('noise: %s', (reason, logged, answer) => {
  expect(judgeRerun(logged, answer)).toEqual({ class: 'noise', reason });
});

test.each<[reason: string, logged: LoggedCall, answer: PythonAnswer]>([
  ['the output differs', released('42'), here('43\n')],
  ['the output differs', call('took 3 steps'), here('took 4 steps')],
  ['the output differs', call("['b', 'a']"), here("['a', 'b']")],
  ['the output differs', call('0.3'), here('0.31')],
  ['the output differs', call(`abc${CUT}xyz`), here('abxyz')],
  ['the output differs', call("{'a': 1}"), here("{'a': 2}")],
  [
    'the log has NameError, here there was no error',
    call("NameError: name 'x' is not defined", 'error'),
    here('1'),
  ],
  [
    'the log has no error, here ZeroDivisionError: division by zero',
    released('1'),
    failed('ZeroDivisionError', 'division by zero'),
  ],
  ['the log has NameError, here TypeError: no', call('NameError: x', 'error'), failed('TypeError', 'no')],
])('different: %s', (reason, logged, answer) => {
  expect(judgeRerun(logged, answer)).toEqual({ class: 'different', reason });
});

test.each<[reason: string, logged: LoggedCall, answer: PythonAnswer]>([
  [
    'the module sympy is missing',
    released('1'),
    failed('ModuleNotFoundError', "No module named 'sympy.abc'"),
  ],
  [
    'in an earlier call, the module numpy is missing: numpy.whl is for Python 3.13',
    released('1'),
    {
      ...failed('NameError', "name 'np' is not defined"),
      earlierErrors: [
        {
          type: 'ModuleNotFoundError',
          message: "No module named 'numpy'",
          hint: 'numpy.whl is for Python 3.13',
        },
      ],
    },
  ],
  [
    'in an earlier call, the module numpy is missing',
    released('1'),
    {
      ...failed('NameError', "name 'np' is not defined"),
      earlierErrors: [{ type: 'ModuleNotFoundError', message: "No module named 'numpy'" }],
    },
  ],
  [
    'a library was not linked: no such symbol',
    released('1'),
    {
      ...failed('ImportError', ''),
      error: { type: 'ImportError', message: '', traceback: '', hint: 'no such symbol' },
    },
  ],
  [
    'it needs a file',
    released('1'),
    failed('FileNotFoundError', "[Errno 44] No such file or directory: 'data.csv'"),
  ],
  [
    'it needs the network',
    released('1'),
    failed('URLError', '<urlopen error [Errno 23] Host is unreachable>'),
  ],
  ['it needs threads or processes', released('1'), failed('RuntimeError', "can't start new thread")],
  ['it needs more than 512 MB', released('1'), failed('MemoryError')],
  ['it ran longer than 10 s', released('1'), { kind: 'timed_out', limitMs: 10_000 }],
  ['bash does not run Python', { ...released('1'), tool: 'bash' }, here('1')],
  ['the log has a mark for a cut, and nothing of the output', released(CUT), here('1')],
  ['the code has commands of a notebook', { ...released('1'), code: '!pip install sympy' }, here('1')],
  ['the log has no output of this code', { code: 'print(1)', outcome: 'missing' }, here('1')],
  [
    'the log has a sandbox failure instead of the output of this code',
    call('Tool call failure\nreason: queue_timeout', 'infra'),
    here('1'),
  ],
])('not run: %s', (reason, logged, answer) => {
  expect(judgeRerun(logged, answer)).toEqual({ class: 'not_run', reason });
});

test('takes a remainder at the start of a line for no command', () => {
  expect(judgeRerun({ ...released('1'), code: 'x = (7\n     % 2)\nprint(x)' }, here('1')).class).toBe('same');
});

const coded = (...codes: readonly string[]): readonly LoggedCall[] =>
  codes.map((code) => call('1', 'ok', code));

test('proposes a session where the tool or the code shows one', () => {
  expect(proposedMode([{ ...call('1'), tool: 'jupyter_code' }])).toEqual({
    mode: 'session',
    because: 'The tool jupyter_code keeps variables.',
  });
  expect(proposedMode(coded('total = 3', 'print(total)'))).toEqual({
    mode: 'session',
    because: 'A call uses total, which only an earlier call defines.',
  });
  for (const alone of [
    coded('x = 1', 'x = 2\nprint(x)'),
    coded('x = 1', 'print([x for x in range(3)])'),
    coded('x = 1', 'print(sum(map(lambda x: x, [1])))'),
    coded('x = 1', 'def f(x):\n    return x\nprint(f(1))'),
    coded('x = 1', 'print("x", p.x)  # x'),
    coded('x = 1', 'f(x=3)'),
    // The log shows that the name was unknown.
    [...coded('x = 1'), call("NameError: name 'x' is not defined", 'error', 'print(x)')],
  ])
    expect(proposedMode(alone)).toMatchObject({ mode: 'alone' });
});

test('compares long outputs in linear time', () => {
  for (const long of [
    '1'.repeat(2_000_000),
    '{'.repeat(1_000_000),
    '0x'.repeat(500_000),
    'time '.repeat(300_000),
    '1.'.repeat(500_000),
  ])
    expect(judgeRerun(call(long), here(`${long}2`)).class).toBe('same');
  for (const long of [
    '1'.repeat(2_000_000),
    '{'.repeat(1_000_000),
    '1.5 '.repeat(300_000),
    'time '.repeat(300_000),
    `${' '.repeat(1_000_000)}x`,
  ])
    expect(judgeRerun(call(`${long}3`), here(`${long}2`)).class).toBe('different');
});

test('cuts the reason of a result that is stored', async () => {
  const message = `No module named '${'x'.repeat(5_000)}'`;
  const [result] = await verifyCalls({
    calls: [{ ...call('1'), ordinal: 0, turn: 1, segment: 0 }],
    mode: 'alone',
    run: async () => failed('ModuleNotFoundError', message),
  });
  expect(result).toMatchObject({ class: 'not_run', reason: expect.stringMatching(/^the module x+…$/) });
  expect(result?.reason).toHaveLength(500);
});
