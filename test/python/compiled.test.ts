import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PythonRunner } from '../../electron/host/pythonRunner.ts';
import { zip } from '../../fixtures/generate/zip.ts';
import type { PythonAnswer } from '../../shared/domain/pythonAnswer.ts';
import { scratch } from '../support/library.ts';
import { PLATFORM, writeCompiledWheels } from './compiledWheels.ts';
import { LIBRARY_ESCAPES } from './escapes.ts';

const files = scratch();
let runner: PythonRunner;

beforeAll(() => {
  const wheels = join(files.directory, 'wheels');
  mkdirSync(wheels);
  writeCompiledWheels(wheels);
  const write = (name: string, members: Readonly<Record<string, string>>): void =>
    writeFileSync(join(wheels, `${name}.whl`), zip(members, 'deflated'));
  write('plain-1.0-py3-none-any', { 'plain/__init__.py': 'three = 3' });
  // Under the names of packages that Pyodide's list knows: scipy needs numpy.
  write(`numpy-1.0-cp314-cp314-${PLATFORM}`, { 'numpy/__init__.py': 'two = 2' });
  write('scipy-1.0-py3-none-any', { 'scipy/__init__.py': 'import numpy\nfour = 2 * numpy.two' });
  write('regex-1.0-cp313-cp313-pyodide_2025_0_wasm32', {});
  write('lxml-1.0-cp314-cp314-manylinux_2_28_x86_64', {});
  write('pillow-1.0-cp314-cp314-pyemscripten_2027_0_wasm32', {});
  writeFileSync(join(wheels, `pandas-1.0-cp314-cp314-${PLATFORM}.whl`), 'damaged');
  runner = new PythonRunner({ packages: wheels });
});

afterAll(() => {
  runner.close();
  files.remove();
});

const run = (code: string, limitMs = 30_000, isTraced = false): Promise<PythonAnswer> =>
  runner.run({ cells: [{ code }], seed: 1, isTraced }, limitMs);

test('imports compiled packages, and their state is new in each run', async () => {
  const code = 'import tallied\nprint(tallied.add(5), tallied.add(1))';
  for (let i = 0; i < 3; i++) expect(await run(code)).toMatchObject({ stdout: '105 106\n' });
  expect(await run('from tallied import add\nadd(-1)')).toMatchObject({
    error: { type: 'ValueError', message: 'below 0', line: 2 },
  });
  expect(await run('import sys\nprint("tallied" in sys.modules)')).toMatchObject({ stdout: 'False\n' });
});

test('links what a library needs, beside other packages', async () => {
  const code = `import squared, tallied, plain
from importlib.metadata import version
print(squared.square(12), tallied.add(0), plain.three, version("tallied"))`;
  expect(await run(code)).toMatchObject({ stdout: '144 100 3 1.0\n' });
  expect(await run('import scipy, plain\nprint(scipy.four + plain.three)')).toMatchObject({ stdout: '7\n' });
});

test('throws and catches exceptions of C++', async () => {
  const code = 'from tallied.halves import halve\nprint(halve(8))\nhalve(7)';
  for (let i = 0; i < 2; i++)
    expect(await run(code)).toMatchObject({ stdout: '4\n', error: { type: 'ValueError', message: 'odd' } });
});

test('imports submodules before the code runs, and compiles them once', async () => {
  const code = `from tallied import more
import tallied, os
print(tallied.loads, os.path.getmtime(more.__cached__))`;
  await run(code);
  expect(await run(code)).toMatchObject({ stdout: '1 0.0\n' });
  const traced = await run(
    'before = "tallied.more" in __import__("sys").modules\nimport tallied.more',
    30_000,
    true,
  );
  expect(traced).toMatchObject({ kind: 'done', variables: [{ name: 'before', value: 'True' }] });
  if (traced.kind === 'done') expect(traced.trace?.steps.map(({ line }) => line)).toEqual([1, 2]);
});

test('has the packages in the process that follows a killed one', async () => {
  const code = 'import tallied\nprint(tallied.add(1))\nwhile True: pass';
  expect(await run(code, 500)).toEqual({ kind: 'timed_out', limitMs: 500 });
  expect(await run('import tallied\nprint(tallied.add(1))')).toMatchObject({ stdout: '101\n' });
});

test.each([
  [
    'regex',
    'regex-1.0-cp313-cp313-pyodide_2025_0_wasm32.whl is for Python 3.13, and Pyodide has Python 3.14',
  ],
  [
    'lxml',
    `lxml-1.0-cp314-cp314-manylinux_2_28_x86_64.whl is for manylinux_2_28_x86_64, and must be for ${PLATFORM}`,
  ],
  [
    'PIL',
    `pillow-1.0-cp314-cp314-pyemscripten_2027_0_wasm32.whl is for pyemscripten_2027_0_wasm32, and must be for ${PLATFORM}`,
  ],
  ['pandas', /^pandas-1\.0-cp314-cp314-\w+\.whl cannot be read: .*not a zip file/],
  ['sympy', /^Pyodide's distribution has it in sympy-[\d.]+-py3-none-any\.whl$/],
  ['numpy', undefined],
  ['no_such_module', undefined],
])('says why %s is missing', async (module, hint) => {
  const answer = await run(`import ${module}.more`);
  expect(answer).toMatchObject({ kind: 'done', error: { type: 'ModuleNotFoundError' } });
  if (answer.kind !== 'done') return;
  if (typeof hint === 'object') expect(answer.error?.hint).toMatch(hint);
  else expect(answer.error?.hint).toBe(hint);
});

describe('links nothing but the libraries of the packages', () => {
  test.each(LIBRARY_ESCAPES)('$name', async ({ code }) => {
    const answer = await run(code);
    expect(answer).toMatchObject({ kind: 'done' });
    if (answer.kind === 'done') expect(answer.stdout).not.toContain('ESCAPED');
    // What code does to its files reaches no other run.
    const next = 'import tallied, ctypes\nprint(ctypes.CDLL(tallied.__path__[0] + "/spare.so").power(2, 10))';
    expect(await run(next)).toMatchObject({ stdout: '1024\n' });
  });

  test('a library that brings JavaScript', async () => {
    expect(await run('import tallied.scripted')).toMatchObject({
      error: {
        type: 'ImportError',
        hint: expect.stringMatching(/scripted\.so\s+Error: not available here$/),
      },
    });
    // The hint belongs to the request.
    const answer = await run('from json import missing');
    expect(answer).toMatchObject({ error: { type: 'ImportError' } });
    expect(answer).not.toHaveProperty('error.hint');
  });

  test('a library of a package that the code does not import', async () => {
    const link =
      'import ctypes\nopen("/tmp/power.so", "wb").write(bytes.fromhex(HEX))\nprint(ctypes.CDLL("/tmp/power.so").power(2, 10))';
    const read = await run(
      'import squared\nprint(open(squared.__path__[0] + ".libs/libpower.so", "rb").read().hex())',
    );
    const hex = read.kind === 'done' ? `HEX = '${read.stdout.trim()}'` : '';
    expect(await run(`import squared\n${hex}\n${link}`)).toMatchObject({ stdout: '1024\n' });
    for (const code of [`${hex}\n${link}`, `import tallied\n${hex}\n${link}`])
      expect(await run(code)).toMatchObject({ error: { type: 'OSError' }, stdout: '' });
  });
});

// Pyodide's distribution has 500 MB, so it is tested where a folder is given (electron/python/WHEELS.md).
const distribution = process.env['TURNWISE_WHEELS'];

describe.runIf(distribution !== undefined)('runs wheels of the distribution', () => {
  const real = new PythonRunner({ packages: distribution });
  afterAll(() => real.close());

  test.each([
    [
      'numpy',
      'import numpy as np\nprint(np.arange(6).reshape(2, 3).sum(axis=0), round(np.linalg.det(2 * np.eye(3))))',
      '[3 5 7] 8\n',
    ],
    [
      'C++ exceptions',
      `import kiwisolver
solver, limit = kiwisolver.Solver(), kiwisolver.Variable('x') >= 1
solver.addConstraint(limit)
try:
    solver.addConstraint(limit)
except kiwisolver.DuplicateConstraint:
    print('caught')`,
      'caught\n',
    ],
    [
      'many large libraries',
      `import numpy as np, pandas as pd, matplotlib.pyplot
from scipy import optimize, stats
print(pd.DataFrame({'a': [1, 2]})['a'].sum(), round(optimize.brentq(lambda x: x - 2, 0, 5)), stats.norm.cdf(0))`,
      '3 2 0.5\n',
    ],
  ])(
    '%s',
    async (_name, code, stdout) => {
      for (let i = 0; i < 2; i++)
        expect(await real.run({ cells: [{ code }], seed: 1 }, 30_000)).toMatchObject({ stdout });
    },
    120_000,
  );
});
