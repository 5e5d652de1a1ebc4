import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createHost } from '../../electron/host/createHost.ts';
import type { Host } from '../../electron/host/host.ts';
import { PythonRunner } from '../../electron/host/pythonRunner.ts';
import type { PythonReceived, PythonSent } from '../../electron/python/messages.ts';
import type { StartProcess } from '../../electron/threads/childProcess.ts';
import { zip } from '../../fixtures/generate/zip.ts';
import type { PythonAnswer } from '../../shared/api/contract.ts';
import type { PythonStep, PythonTrace } from '../../shared/domain/pythonAnswer.ts';
import { scratch } from '../support/library.ts';

const files = scratch();
let host: Host;

beforeAll(async () => {
  host = await createHost({ libraryPath: files.library, shell: 'browser', version: 'test' });
});

afterAll(async () => {
  await host.close();
  files.remove();
});

async function run(
  cells: string | readonly string[],
  input?: string,
  limitMs = 30_000,
  isTraced = false,
): Promise<PythonAnswer> {
  const codes = typeof cells === 'string' ? [cells] : cells;
  const result = await host.dispatch('python.run', {
    cells: codes.map((code) => ({ code, ...(input === undefined ? {} : { input }) })),
    limitMs,
    isTraced,
  });
  if (!result.ok) throw new Error(result.failure.message);
  return result.value as PythonAnswer;
}

test('reports stdout, stderr, the last value and the variables', async () => {
  const code = `import math, sys
x = [1, 2, 3]
name = input()
def f(): pass
_hidden = 1
class Table:
    shape = (3, 4)
    def __repr__(self): return 'a table'
table = Table()
print('hello', name)
print('careful', file=sys.stderr)
math.floor(6.5) * 7`;
  expect(await run(code, 'Ada\n')).toMatchObject({
    kind: 'done',
    stdout: 'hello Ada\n',
    stderr: 'careful\n',
    lastValue: '42',
    isCut: false,
    variables: [
      { name: 'x', type: 'list', value: '[1, 2, 3]', size: '3' },
      { name: 'name', type: 'str', value: "'Ada'" },
      { name: 'table', type: 'Table', value: 'a table', size: '3 × 4' },
    ],
  });
});

test('names the error with its line and the frames of the code only', async () => {
  const answer = await run('def half(x):\n    return x / 0\n\nprint("before")\nhalf(1)');
  expect(answer).toMatchObject({
    kind: 'done',
    stdout: 'before\n',
    error: { type: 'ZeroDivisionError', message: 'division by zero', line: 2 },
  });
  if (answer.kind !== 'done') return;
  expect(answer.error?.traceback.match(/File/g)).toHaveLength(2);
  expect(answer.error?.traceback).not.toContain('zip');
  expect(await run('x = (')).toMatchObject({ error: { type: 'SyntaxError', line: 1 } });
  expect(await run('import sys\nsys.exit(0)')).not.toHaveProperty('error');
  expect(await run('import sys\nsys.exit("bye")')).toMatchObject({
    error: { type: 'SystemExit' },
    stderr: 'bye\n',
  });
});

test('reports on values and errors whose methods raise', async () => {
  const code = `class Odd:
    def __getattr__(self, name): raise KeyError(name)
    def __repr__(self): raise SystemExit(1)
class Kind(type):
    @property
    def __name__(cls): return 5
class Error(Exception):
    def __str__(self): raise ValueError
odd, kind, last = Odd(), Kind('A', (), {})(), 1
globals()[5] = 5
raise Error`;
  expect(await run(code)).toMatchObject({
    kind: 'done',
    error: { type: 'Error', message: '', line: 11 },
    variables: [
      { name: 'odd', type: 'Odd', value: '<SystemExit in its repr>' },
      { name: 'kind', type: '5' },
      { name: 'last', value: '1' },
    ],
  });
});

test('reports on code that used up the memory in small pieces', async () => {
  expect(await run('x = []\nwhile True: x.append([len(x)])')).toMatchObject({
    // Python may have no memory left to note the line.
    error: { type: 'MemoryError' },
  });
});

test('cuts the texts of a report, whatever the code has made of the program that reports', async () => {
  const size = async (code: string) => JSON.stringify(await run(code)).length;
  expect(await size("raise type('A' * 10**7, (Exception,), {})('x')")).toBeLessThan(50_000);
  expect(await size("globals()['v' * 10**7] = 1")).toBeLessThan(5_000);
  expect(await size('class A: shape = tuple(range(10**6))\na = A()')).toBeLessThan(5_000);
  const report = (fields: string) =>
    `import json\njson.dumps = lambda value: '{"milliseconds": 1, "variables": []' + ${fields} + '}'`;
  expect(await size(report(`', "lastValue": "' + 'x' * 10**7 + '"'`))).toBeLessThan(1_100_000);
  const variable = '{"name": "a", "type": "b", "value": "c"}';
  expect(await size(report(`', "variables": [' + ','.join(['${variable}'] * 10**5) + ']'`))).toBeLessThan(
    10_000,
  );
  expect(await run(report(`', "milliseconds": 1e999'`))).toMatchObject({ kind: 'crashed' });
});

test('gives cells of one request one interpreter, and reports on the last', async () => {
  expect(await run(['x = 6\nprint("first")', 'print(x * 7)'])).toMatchObject({
    stdout: '42\n',
    variables: [{ name: 'x', value: '6' }],
  });
  expect(await run('print(x)')).toMatchObject({ error: { type: 'NameError' } });
  // An error of an earlier cell does not end a session.
  expect(await run(['x = 1\n1 / 0', 'print(x)'])).toMatchObject({ stdout: '1\n' });
});

test('draws the same random numbers in every run', async () => {
  const code = 'import random\nprint(random.random())';
  const [first, second] = [await run(code), await run(code)];
  expect(first).toMatchObject({ kind: 'done' });
  expect({ ...second, milliseconds: 0 }).toEqual({ ...first, milliseconds: 0 });
});

test('runs coroutines without an event loop of JavaScript', async () => {
  const code = `import asyncio
async def double(x):
    await asyncio.sleep(0.001)
    return 2 * x
async def main():
    print(await asyncio.gather(*(double(x) for x in range(3))))
asyncio.run(main())`;
  expect(await run(code)).toMatchObject({ stdout: '[0, 2, 4]\n' });
});

test('ends code at its limit of time, and runs the next in a new process', async () => {
  expect(await run('while True: pass', undefined, 200)).toEqual({ kind: 'timed_out', limitMs: 200 });
  expect(await run('print(1)')).toMatchObject({ stdout: '1\n' });
});

test('drops output beyond 1 MB and says so', async () => {
  const answer = await run('for _ in range(30): print("x" * 99_999)');
  expect(answer).toMatchObject({ kind: 'done', isCut: true });
  expect(answer.kind === 'done' && answer.stdout.length).toBe(1_000_000);
});

test('cuts the output of a process that does not keep to the limit', async () => {
  const long = 'x'.repeat(3_000_000);
  const { runner } = scripted([{ kind: 'done', stdout: long, stderr: 'x', isCut: false, ...NOTHING }]);
  const answer = await runner.run({ cells: [{ code: '1' }], seed: 1 }, 1_000);
  expect(answer).toMatchObject({
    stdout: long.slice(0, 1_000_000),
    stderr: '',
    isCut: true,
  });
  runner.close();
});

test('runs a request again when its process ends that has run others, and blames it only then', async () => {
  const done = { kind: 'done', stdout: '', stderr: '', isCut: false, ...NOTHING } as const;
  const later = scripted([done], ['exit'], [done]);
  const run = (runner: PythonRunner) => runner.run({ cells: [{ code: '1' }], seed: 1 }, 1_000);
  await run(later.runner);
  expect(await run(later.runner)).toEqual(done);
  expect(later.given()).toHaveLength(2);
  later.runner.close();
  const first = scripted(['exit'], [done]);
  expect(await run(first.runner)).toMatchObject({ kind: 'crashed' });
  first.runner.close();
});

test('gives processes no memory from one that has run code, and asks a new one for it', async () => {
  const done = { kind: 'done', stdout: '', stderr: '', isCut: false, ...NOTHING } as const;
  const snapshot = (of: string) =>
    ({ kind: 'snapshot', snapshot: { of, memory: new Uint8Array() } }) as const;
  const { runner, given } = scripted([done, snapshot('forged')], [{ kind: 'unprepared' }], [done]);
  const run = () => runner.run({ cells: [{ code: '1' }], seed: 1 }, 1_000);
  await run();
  expect(await run()).toEqual(done);
  expect(given().map((of) => of.includes('forged'))).toEqual([false, false]);
  runner.close();
});

test('says what ended the interpreter', async () => {
  expect(await run('import sys\nsys.stdout.flush = lambda: sys.exit(7)')).toEqual({
    kind: 'crashed',
    message: expect.stringContaining('Program terminated'),
  });
});

test('is a MemoryError beyond 512 MB', async () => {
  expect(await run('x = bytearray(400_000_000)\nprint(len(x))')).toMatchObject({ stdout: '400000000\n' });
  expect(await run('x = bytearray(600_000_000)')).toMatchObject({ error: { type: 'MemoryError' } });
});

test('stops at once when the request is cancelled, and answers those that wait', async () => {
  const runner = new PythonRunner();
  const request = (code: string) => ({ cells: [{ code }], seed: 1 });
  await runner.run(request('1'), 30_000);
  const stop = new AbortController();
  const endless = runner.run(request('while True: pass'), 600_000, stop.signal);
  const waiting = runner.run(request('print(2)'), 30_000);
  stop.abort();
  await expect(endless).rejects.toMatchObject({ code: 'cancelled' });
  expect(await waiting).toMatchObject({ stdout: '2\n' });
  runner.close();
  await expect(runner.run(request('1'), 30_000)).rejects.toMatchObject({ code: 'closed' });
});

test('says why when no process can be started', async () => {
  const failing = new PythonRunner({
    start: () => {
      throw new Error('no more processes');
    },
  });
  await expect(failing.run({ cells: [{ code: '1' }], seed: 1 }, 1_000)).rejects.toThrow(
    'Python could not be started: no more processes',
  );
  failing.close();
});

test('imports pure wheels of a folder, and those that they need, in every run anew', async () => {
  const wheels = join(files.directory, 'wheels');
  mkdirSync(wheels);
  const wheel = (name: string, members: Record<string, string>) =>
    writeFileSync(join(wheels, `${name}-1.0-py3-none-any.whl`), zip(members, 'deflated'));
  // Under the names of packages that Pyodide's list knows, because it says what they need.
  wheel('sympy', {
    'sympy/__init__.py': 'import mpmath\nsix = 2 * mpmath.three\nfrom . import later as _',
    'sympy/later.py': '',
  });
  wheel('mpmath', { 'mpmath/__init__.py': 'three = 3' });
  wheel('my_tool', { 'my_tool/__init__.py': 'name = "tool"', 'my_tool/other.py': 'name = "other"' });
  wheel('leaves', { 'leaves/__init__.py': 'raise SystemExit(3)' });
  writeFileSync(join(wheels, 'numpy-1.0-cp314-cp314-wasm32.whl'), 'compiled');
  const runner = new PythonRunner({ packages: wheels });
  const printed = async (code: string) => runner.run({ cells: [{ code }], seed: 1 }, 30_000);
  expect(await printed('from sympy import six\nprint(six)')).toMatchObject({ stdout: '6\n', variables: [] });
  await printed('import sympy, mpmath\nsympy.six = 7\nmpmath.three = 4');
  expect(await printed('import sympy\nprint(sympy.six)')).toMatchObject({ stdout: '6\n' });
  expect(await printed('import my_tool, sys\nprint(my_tool.name, "sympy" in sys.modules)')).toMatchObject({
    stdout: 'tool False\n',
  });
  // What code does to its copy of a wheel reaches no other run.
  const wipe = `import my_tool, os
with open('/lib/my-tool.whl', 'r+b') as file:
    file.write(bytes(os.path.getsize('/lib/my-tool.whl')))
import my_tool.other`;
  expect(await printed(wipe)).toMatchObject({ error: { type: 'ZipImportError' } });
  expect(await printed('import my_tool.other\nprint(my_tool.other.name)')).toMatchObject({
    stdout: 'other\n',
  });
  expect(await printed('import leaves')).toMatchObject({ error: { type: 'SystemExit', message: '3' } });
  expect(await printed('import numpy')).toMatchObject({ error: { type: 'ModuleNotFoundError' } });
  runner.close();
});

test.skipIf(process.platform === 'win32')('reads no wheel outside of the folder, and no pipe', async () => {
  const wheels = join(files.directory, 'linked');
  mkdirSync(join(wheels, 'inside'), { recursive: true });
  const make = (name: string, at = wheels) => {
    const path = join(at, `${name}-1.0-py3-none-any.whl`);
    writeFileSync(path, zip({ [`${name}/__init__.py`]: 'text = "imported"' }, 'deflated'));
    return path;
  };
  const link = (name: string, to: string) => symlinkSync(to, join(wheels, `${name}-1.0-py3-none-any.whl`));
  make('near');
  link('alias', 'near-1.0-py3-none-any.whl');
  link('out', make('out', files.directory));
  link('gone', 'nothing');
  execFileSync('mkfifo', [join(wheels, 'pipe-1.0-py3-none-any.whl')]);
  const runner = new PythonRunner({ packages: wheels });
  const imported = (name: string) => runner.run({ cells: [{ code: `import ${name}` }], seed: 1 }, 30_000);
  const reasons = {
    out: 'leads out of the folder of wheels',
    gone: 'or to nothing',
    pipe: 'is not a regular file',
  };
  for (const [name, reason] of Object.entries(reasons))
    expect(await imported(name)).toMatchObject({
      error: { type: 'ModuleNotFoundError', hint: expect.stringContaining(reason) },
    });
  expect(await imported('near')).not.toHaveProperty('error');
  // Under another name it is read, and has no such module.
  expect(await imported('alias')).not.toHaveProperty('error.hint');
  runner.close();
});

test('stores no result of a call that cannot be', async () => {
  const save = (of: object) =>
    host.dispatch('rerun.save', {
      rolloutId: 1,
      calls: [{ ordinal: 0, class: 'same', mode: 'alone', ...of }],
    });
  expect(await save({})).toMatchObject({ ok: true });
  for (const of of [{ ordinal: -1 }, { ordinal: 2 ** 52 }, { milliseconds: -1 }, { milliseconds: 1e300 }])
    expect(await save(of)).toMatchObject({ ok: false, failure: { code: 'bad_request' } });
  const forged = `import json
dumps = json.dumps
json.dumps = lambda value: dumps({**value, 'milliseconds': 1e15})`;
  expect(await run(forged)).toMatchObject({ kind: 'crashed' });
});

const NOTHING = { variables: [], milliseconds: 1 } as const;

/** A runner whose processes answer each request so, and the packages whose memory each process was given. */
function scripted(...answers: readonly (readonly (PythonReceived | 'exit')[])[]) {
  const left = [...answers];
  const started: (readonly string[])[] = [];
  const runner = new PythonRunner({
    packages: files.directory,
    start: (() => {
      let tell: (message: unknown) => void = () => undefined;
      let exit: (code: number | null) => void = () => undefined;
      return {
        onMessage: (listener: typeof tell) => {
          tell = listener;
        },
        onExit: (listener: typeof exit) => {
          exit = listener;
        },
        send: (sent: PythonSent) => {
          if (sent.kind === 'start') {
            started.push((sent.snapshots ?? []).map(({ of }) => of));
            return tell({ kind: 'ready' });
          }
          tell({ kind: 'taken' });
          tell({ kind: 'running' });
          for (const answer of left.shift() ?? []) {
            if (answer === 'exit') exit(null);
            else tell(answer);
          }
        },
        kill: () => undefined,
      };
    }) as StartProcess,
  });
  return { runner, given: () => started };
}

async function traced(...cells: readonly string[]): Promise<PythonTrace> {
  const answer = await run(cells, undefined, 60_000, true);
  if (answer.kind !== 'done' || answer.trace === undefined) throw new Error(JSON.stringify(answer));
  return answer.trace;
}

/** `3 line x=1` */
const briefly = ({ line, event, function: name, changed, gone, value }: PythonStep): string =>
  [
    line,
    event,
    ...(name === undefined ? [] : [name]),
    ...changed.map((one) => `${one.name}=${one.value}`),
    ...gone.map((one) => `-${one}`),
    ...(value === undefined ? [] : [`→ ${value}`]),
  ].join(' ');

test('records each line before it runs, with what changed', async () => {
  const { steps, isCut } = await traced(
    'before = [1]',
    `def half(x):
    y = x / 2
    return y
total = 0
for n in (2, 0):
    total += half(n)
before.append(total)
del n
total`,
  );
  expect(steps.map(briefly)).toEqual([
    '1 line before=[1]',
    '4 line',
    '5 line total=0',
    '6 line n=2',
    '2 line half x=2',
    '3 line half y=1.0',
    '3 return half → 1.0',
    '5 line total=1.0',
    '6 line n=0',
    '2 line half x=0',
    '3 line half y=0.0',
    '3 return half → 0.0',
    '5 line',
    '7 line',
    '8 line before=[1, 1.0]',
    '9 line -n',
  ]);
  expect(isCut).toBe(false);
  expect(new Set(steps.map(({ frame }) => frame))).toEqual(new Set([0, 1, 2]));
});

test('records exceptions on their way up, and generators', async () => {
  const { steps } = await traced(`def each():
    yield 1
    raise ValueError('no')
try:
    for x in each(): pass
except ValueError: pass`);
  expect(steps.map(briefly)).toEqual([
    '1 line',
    '4 line',
    '5 line',
    '2 line each',
    '2 return each → 1',
    '5 line x=1',
    '3 line each',
    '3 exception each → ValueError: no',
    '3 return each → None',
    '5 exception → ValueError: no',
    '6 line',
  ]);
});

test('records no more than the limit, and then runs at full speed', async () => {
  const code = 'x = 0\nwhile x < 300000:\n    x += 1\nprint(x)';
  const answer = await run(code, undefined, 60_000, true);
  expect(answer).toMatchObject({ stdout: '300000\n', trace: { isCut: true } });
  expect(answer.kind === 'done' && answer.trace?.steps.length).toBe(2000);
  expect(await run('x = 1')).not.toHaveProperty('trace');
});

test('lets no value act while it is recorded', async () => {
  const code = `class Loud:
    def __repr__(self):
        print('seen')
        raise KeyError
import weakref
loud = Loud()
gone = weakref.ref(loud)
def f():
    own = Loud()
    return weakref.ref(own)
alive = f()() is not None
loud = None
print(alive, gone() is None)`;
  expect(await run(code, undefined, 60_000, true)).toMatchObject({ stdout: 'False True\n' });
  // The code has the program that records in its reach.
  const forged = await run(
    `import sys
recorder = sys.gettrace().__self__
recorder.steps.append({'event': 'line', 'line': 'x', 'frame': 0, 'changed': [], 'gone': []})`,
    undefined,
    60_000,
    true,
  );
  expect(forged).toMatchObject({ kind: 'crashed' });
  const beyond = await traced(`import sys
recorder = sys.gettrace().__self__
for line in (0, 10 ** 9, *([1] * 3000)):
    recorder.steps.append({'event': 'line', 'line': line, 'frame': 0, 'changed': [], 'gone': []})`);
  expect(beyond.isCut).toBe(true);
  expect(beyond.steps.length).toBeLessThanOrEqual(2_000);
  expect(beyond.steps.filter(({ line }) => line < 1 || line > 5)).toEqual([]);
  expect(await run('print(1)')).toMatchObject({ stdout: '1\n' });
});
