/** `--adapter` of `turnwise ingest` and `turnwise inspect`, and the printed example. */
import { spawnSync } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readAdapter } from '../../electron/cli/adapter.ts';
import { type CommandRun, runHere } from '../support/commandLine.ts';
import { rows, type Scratch, scratch } from '../support/library.ts';

const python = ['python3', 'python'].find((name) => spawnSync(name, ['--version']).status === 0);

let place: Scratch;
beforeEach(() => {
  place = scratch();
});
afterEach(() => place.remove());

const turnwise = (...args: readonly string[]): Promise<CommandRun> =>
  runHere(place.directory, args, { TURNWISE_HOME: join(place.directory, '.data') });
const ingest = (...args: readonly string[]): Promise<CommandRun> =>
  turnwise('ingest', ...args, '--library', 'a.sqlite');
const rollouts = (): unknown =>
  rows(place.library.replace('library', 'a'), 'SELECT count(*) AS n FROM rollout')[0]?.['n'];

const line = (i: number): string =>
  `${JSON.stringify({ v: 1, type: 'rollout', run: 'r', step: 1, group: 'g', index: i, problem: { prompt: 'q' }, text: 'a' })}\n`;

/** Writes an adapter that a command names, as a user would. */
const script = (name: string, code: string): string => {
  place.file(name, code);
  return `'${process.execPath}' ${name}`;
};

describe('the command', () => {
  const wordsOf = async (text: string) => (await readAdapter(`'${process.execPath}' ${text}`)).words.slice(1);

  it.each<[string, readonly string[]]>([
    ['a.py  b', ['a.py', 'b']],
    [`'a b.py' "it's" c\\ d`, ['a b.py', "it's", 'c d']],
    [`--x="a \\"b\\" c" ''`, ['--x=a "b" c', '']],
    ['C:\\tools\\a.py *.py ~', ['C:\\tools\\a.py', '*.py', '~']],
    ["-c 'a | b && $C'", ['-c', 'a | b && $C']],
  ])('%s is split into %j', async (text, words) => {
    expect(await wordsOf(text)).toEqual(words);
  });

  it.each([
    ['a.py | head', '| needs a shell'],
    ['a.py && b', '& needs a shell'],
    ['$ADAPTER', '$ needs a shell'],
    ["a.py 'b", 'a quote is not closed'],
  ])('%s is refused', async (text, why) => {
    place.file('log', 'x');
    const { code, err } = await ingest('log', '--adapter', `'${process.execPath}' ${text}`);
    expect([code, err]).toEqual([2, expect.stringContaining(why)]);
  });

  it('that does not exist is refused once, before any file is touched', async () => {
    place.file('log', 'x');
    const { code, err } = await ingest('log', '--adapter', 'no-such-command');
    expect([code, err]).toEqual([1, 'turnwise: --adapter: there is no command no-such-command\n']);
  });

  it('is another one when a file that it names has changed', async () => {
    const adapter = script('a.cjs', 'process.stdin.pipe(process.stdout)');
    place.file('log', line(0) + line(1));
    await ingest('log', '--adapter', adapter);
    expect((await ingest('log', '--adapter', adapter, '--json')).out).toContain('"status":"unchanged"');
    script('a.cjs', `process.stdout.write(${JSON.stringify(line(5))})`);
    expect((await ingest('log', '--adapter', adapter)).code).toBe(0);
    expect(rollouts()).toBe(1);
  });
});

describe('ingest --adapter', () => {
  it('names the line of the output, not of the file', async () => {
    const path = place.file('log', `${line(0)}{"v":1}\n`);
    const { code, out } = await ingest(
      'log',
      '--adapter',
      script('a.cjs', 'process.stdin.pipe(process.stdout)'),
    );
    expect([code, out]).toEqual([
      3,
      expect.stringContaining(`${path}, line 2 of the adapter's output: refused:`),
    ]);
  });

  it('is named again to continue, because the library keeps no command', async () => {
    const adapter = script(
      'a.cjs',
      `process.stdout.write(${JSON.stringify(line(0))}); if (require('node:fs').existsSync('fixed')) process.stdout.write(${JSON.stringify(line(1))}); else process.exitCode = 1;`,
    );
    place.file('log', 'x');
    const first = await ingest('log', '--adapter', adapter);
    expect([first.code, first.err]).toEqual([
      3,
      'turnwise: 1 file was not read to the end with an adapter; turnwise ingest --continue --library a.sqlite --adapter COMMAND reads on\n',
    ]);
    const bare = await ingest('--continue');
    expect([bare.code, bare.err]).toEqual([1, first.err]);
    expect(rollouts()).toBe(1);
    place.file('fixed', '');
    const rest = await ingest('--continue', '--adapter', adapter);
    expect([rest.code, rest.err, rollouts()]).toEqual([0, '', 2]);
    expect((await ingest('--continue', '--adapter', adapter)).out).toBe('nothing is left to read\n');
  });

  it('excludes a mapping', async () => {
    const { code, err } = await ingest('log', '--adapter', 'cat', '--mapping', 'm.json');
    expect([code, err]).toEqual([2, expect.stringContaining('needs no mapping')]);
  });
});

describe('inspect --adapter', () => {
  it('prints what is written and what is missing, and exits 0', async () => {
    place.file('log', line(0) + line(1));
    const { code, out } = await turnwise(
      'inspect',
      'log',
      '--adapter',
      script('a.cjs', 'process.stdin.pipe(process.stdout)'),
    );
    expect(code).toBe(0);
    for (const part of [
      '2 lines: 2 rollout',
      '2 in 1 group of 1 run',
      'exit      status 0',
      'both runs wrote the same lines',
      'reward: reward charts',
    ])
      expect(out).toContain(part);
  });

  it.each([
    ['fails', 'process.exitCode = 4', 'it exited with status 4 after 0 lines of output'],
    ['writes nothing', '', 'nothing that is read'],
    ['writes no JSON', 'console.log("x")', "line 1 of the adapter's output: refused: not JSON"],
    ['differs', 'console.log(process.pid)', 'two runs over the same file wrote different lines'],
  ])('exits 1 when it %s', async (_, code, why) => {
    place.file('log', 'x');
    const checked = await turnwise('inspect', 'log', '--adapter', script('a.cjs', code));
    expect([checked.code, checked.out]).toEqual([1, expect.stringContaining(why)]);
  });
});

describe.runIf(python !== undefined)('the example that turnwise recorder adapter prints', () => {
  it('is short, checks well, reads, and continues a log that grew', async () => {
    const { out } = await turnwise('recorder', 'adapter');
    expect(out.split('\n').length).toBeLessThanOrEqual(26);
    place.file('my_adapter.py', out);
    const record = (sample: number): string =>
      `${JSON.stringify({
        ...{
          iteration: 3,
          task_id: 't1',
          sample,
          question: 'What is 6·7?',
          expected: '42',
          score: sample % 2,
        },
        chat: [
          { role: 'user', content: 'What is 6·7?' },
          { role: 'assistant', content: `It is ${sample}.` },
        ],
      })}\n`;
    const log = place.file('log.txt', record(0) + record(1));
    const adapter = `${python} my_adapter.py`;
    const checked = await turnwise('inspect', 'log.txt', '--adapter', adapter);
    expect([checked.code, checked.out]).toEqual([0, expect.stringContaining('3 lines: 1 run, 2 rollout')]);
    expect((await ingest('log.txt', '--adapter', adapter)).code).toBe(0);
    appendFileSync(log, record(2));
    expect((await ingest('log.txt', '--adapter', adapter)).code).toBe(0);
    expect(
      rows(
        join(place.directory, 'a.sqlite'),
        'SELECT step, ordinal, reward, ground_truth FROM rollout ORDER BY ordinal',
      ),
    ).toEqual([0, 1, 2].map((ordinal) => ({ step: 3, ordinal, reward: ordinal % 2, ground_truth: '42' })));
  });
});
