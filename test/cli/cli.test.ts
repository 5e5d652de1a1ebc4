/** The command line from outside: output, streams and exit codes. */
import { type ChildProcess, type StdioOptions, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  closeSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { allCommands } from '../../electron/cli/runCommand.ts';
import { writeVerlDump } from '../../fixtures/generate/verlDump.ts';
import { FORMATS } from '../../shared/format/index.ts';
import { CLI, type CommandRun, runHere } from '../support/commandLine.ts';
import { contents, ingestHere, rows, type Scratch, scratch } from '../support/library.ts';
import { copyDemoLibrary } from '../support/preparedLibrary.ts';

const DEMO = join(import.meta.dirname, '..', '..', 'fixtures', 'demo', 'demo.jsonl');

let place: Scratch;
beforeEach(() => {
  place = scratch();
});
afterEach(() => place.remove());

// With its own home directory, because the default is the user's library.
const turnwise = (...args: readonly string[]): Promise<CommandRun> =>
  runHere(place.directory, args, { TURNWISE_HOME: join(place.directory, '.data') });

describe('ids with line breaks and controls', () => {
  const EVIL = 'a\nFORGED line\u009b2J\u202e\u2028\u007f';
  const COMMANDS = ['check', 'failures', 'rollouts', 'schedule', 'entropy', 'roc', 'taxonomy', 'annotations'];

  it.each(
    COMMANDS.flatMap((command) => [
      [command],
      [command, '--json'],
      [command, '--sarif'],
      [command, '--format', 'table'],
    ]),
  )('%s %s %s print no line that a log wrote, and no character that a terminal obeys', async (...argv) => {
    const rollout = (index: number) => ({
      ...{
        v: 1,
        type: 'rollout',
        run: EVIL,
        step: 1,
        group: EVIL,
        index,
        reward: index,
        is_correct: index === 1,
      },
      ...{
        problem: { id: EVIL, prompt: 'q', ground_truth: EVIL },
        text: EVIL,
        answer: EVIL,
        stop_reason: EVIL,
      },
      ...{ started_at: 1, ended_at: 3 },
    });
    const log = place.file(
      'log.jsonl',
      [0, 1, 2].map((index) => `${JSON.stringify(rollout(index))}\n`).join(''),
    );
    await ingestHere(join(place.directory, 'a.sqlite'), [log]);
    const { code, out, err } = await turnwise(...argv, '--library', 'a.sqlite');
    // Not every command has every form.
    if (code === 2) return;
    expect(`${out}${err}`).not.toMatch(/^FORGED/m);
    expect(`${out}${err}`).not.toMatch(/(?!\n|\t)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
  });
});

describe('options with line breaks and controls', () => {
  const RECORD = '{"v":1,"type":"rollout","run":"r","step":1,"group":"g","text":"t"}\n';
  const EVIL = 'nope\nFORGED line\u009b2J\u202e\u2028\u007f';

  it.each([
    ['rollouts', '--library', `/${EVIL}/x.sqlite`],
    ['ingest', `/${EVIL}`],
    ['rollouts', '--run', EVIL],
    ['rollouts', '--sort', EVIL],
    ['rollouts', '--filter', EVIL],
    ['rollouts', EVIL],
    ['rollouts', `--${EVIL}`],
    ['label', EVIL, 'x'],
    ['label', '1', EVIL],
    ['label', '1', 'x', '--severity', EVIL],
    ['changes', '--from', EVIL],
    ['check', EVIL],
    ['doctor', `/${EVIL}`],
    ['remove', EVIL],
    ['query', EVIL],
    [EVIL],
  ])('%j prints them as escapes, on the line of the message', async (...argv) => {
    await ingestHere(join(place.directory, 'a.sqlite'), [place.file('log.jsonl', RECORD)]);
    const library = argv.includes('--library') || argv[0] === 'doctor' ? [] : ['--library', 'a.sqlite'];
    const { code, out, err } = await turnwise(...argv, ...library);
    expect(code).toBeOneOf([1, 2]);
    expect(err).toMatch(/^turnwise: /);
    expect(`${out}${err}`).not.toMatch(/^FORGED/m);
    expect(`${out}${err}`).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
  });

  it('reports of a library and of a log show them as escapes', async () => {
    const log = place.file('a\nFORGED.jsonl', '{"a": 1}\n');
    const library = 'b\nFORGED.sqlite';
    await ingestHere(join(place.directory, library), [place.file('log.jsonl', RECORD)]);
    for (const argv of [
      ['ingest', log, DEMO, '--library', library],
      ['doctor', library],
      ['export', '--out', 'c\nFORGED', '--library', library],
      ['inspect', log, '--adapter', 'cat'],
    ]) {
      const { out, err } = await turnwise(...argv);
      expect(`${argv[0]}: ${out}${err}`).toContain('\\u{a}FORGED');
      expect(`${out}${err}`).not.toMatch(/^FORGED/m);
    }
  });
});

it.skipIf(!existsSync('/dev/full'))('says why the output could not be written', () => {
  const full = openSync('/dev/full', 'w');
  try {
    const stdio: StdioOptions = ['ignore', full, 'pipe'];
    for (const argv of [['formats'], ['--help'], ['tokens', '--help']]) {
      const { status, stderr } = spawnSync(process.execPath, [CLI, ...argv], { stdio, encoding: 'utf8' });
      expect([status, stderr]).toEqual([1, 'turnwise: cannot write the output: the disk is full\n']);
    }
  } finally {
    closeSync(full);
  }
});

describe('ingest', () => {
  it('prints one JSON object and exits 0', async () => {
    const { code, out, err } = await turnwise('ingest', DEMO, '--library', 'a.sqlite', '--json');
    const report = JSON.parse(out) as Record<string, unknown>;
    expect(Object.keys(report)).toEqual([
      'library',
      'seconds',
      'bytes',
      'rollouts',
      'groups',
      'issues',
      'unread',
      'files',
    ]);
    expect(report).toMatchObject({
      library: join(place.directory, 'a.sqlite'),
      rollouts: 1981,
      groups: 77,
      issues: 0,
    });
    expect(report['files']).toMatchObject([
      { format: 'turnwise', status: 'read', rollouts: 1981, issues: [] },
    ]);
    expect([code, err]).toEqual([0, '']);
    const rest = await turnwise('ingest', '--continue', '--library', 'a.sqlite');
    expect([rest.code, rest.out]).toEqual([0, 'nothing is left to read\n']);
    const again = await turnwise('ingest', DEMO, '--library', 'a.sqlite', '--json');
    expect(JSON.parse(again.out)).toMatchObject({
      rollouts: 1981,
      groups: 77,
      files: [{ status: 'unchanged' }],
    });
    const whole = await turnwise('ingest', DEMO, '--again', '--library', 'a.sqlite', '--json');
    expect(JSON.parse(whole.out)).toMatchObject({ rollouts: 1981, files: [{ status: 'read' }] });
    const refused = await turnwise('ingest', '--continue', '--again', '--library', 'a.sqlite');
    expect([refused.code, refused.err]).toEqual([
      2,
      'turnwise: ingest: --again needs PATHs; --continue reads on what it left\n',
    ]);
  });

  it('exits 3 with issues, and tells file and line', async () => {
    place.file('1.jsonl', '{"input": "a", "output": "b", "score": 1, "step": 1}\n{"input": ');
    const { code, out } = await turnwise('ingest', '.', '--library', 'sub/lib.sqlite', '--json');
    expect(code).toBe(3);
    expect(JSON.parse(out)).toMatchObject({
      issues: 1,
      files: [{ status: 'read', issues: [{ line: 2, severity: 'refused', code: 'incomplete_line' }] }],
    });
  });

  it('exits 1 with one message when nothing could be read', async () => {
    const missing = await turnwise('ingest', 'nowhere', '--library', 'a.sqlite', '--json');
    expect(missing.code).toBe(1);
    expect(missing.err).toBe(`turnwise: ${join(place.directory, 'nowhere')}: no such file or directory\n`);
    expect(JSON.parse(missing.out)).toMatchObject({
      rollouts: 0,
      files: [{ format: null, status: 'refused' }],
    });
    place.file('notes.txt', 'hello\n');
    expect((await turnwise('ingest', 'notes.txt', '--library', 'a.sqlite')).code).toBe(1);
  });

  it('exits 1 without a stack trace when the library file is not a library', async () => {
    const path = place.file(
      'lib.sqlite',
      'this is text, not a database, and long enough to be looked at as one ....',
    );
    const { code, err } = await turnwise('ingest', DEMO, '--library', path);
    expect(code).toBe(1);
    expect(err).toMatch(/^turnwise: .* is not a Turnwise library\..*\n$/);
  });
});

describe('ingest of numbers of a trainer', () => {
  it('names the file without a run, and the reason', async () => {
    writeFileSync(join(place.directory, 'train.log'), 'step:1 - critic/score/mean:0.25\n');
    const { code, out } = await turnwise('ingest', 'train.log', '--library', 'a.sqlite');
    expect(code).toBe(3);
    expect(out).toContain(
      `${join(place.directory, 'train.log')}: warning: trainer metrics without a run: no run was read from this directory`,
    );
  });
});

describe('query', () => {
  const ask = (...args: string[]) => turnwise('query', '--library', 'a.sqlite', ...args);
  beforeEach(() => copyDemoLibrary(join(place.directory, 'a.sqlite')));

  it('keeps both of two columns of one name', async () => {
    const { code, out } = await ask('SELECT 1 AS a, 2 AS a, 3 AS "a (2)"');
    expect([code, JSON.parse(out)]).toEqual([0, { a: 1, 'a (2)': 2, 'a (2) (2)': 3 }]);
  });

  it('answers as JSON Lines, CSV and table', async () => {
    const sql = 'SELECT kind, steps, NULL AS none, \'a,"b"\' AS odd FROM run ORDER BY kind';
    expect((await ask(sql)).out).toBe(
      '{"kind":"eval","steps":4,"none":null,"odd":"a,\\"b\\""}\n{"kind":"train","steps":12,"none":null,"odd":"a,\\"b\\""}\n',
    );
    expect((await ask('--format', 'csv', sql)).out).toBe(
      'kind,steps,none,odd\neval,4,,"a,""b"""\ntrain,12,,"a,""b"""\n',
    );
    expect((await ask('--format', 'table', 'SELECT kind, steps FROM run ORDER BY kind')).out).toBe(
      'kind   steps\n-----  -----\neval       4\ntrain     12\n',
    );
  });

  it('prints control characters of file names and run names as escapes', async () => {
    const esc = '\u001b]0;title\u0007';
    const name = JSON.stringify(`demo${esc}`);
    const log = place.file(
      `a${esc}.jsonl`,
      readFileSync(DEMO, 'utf8').replace('"demo (synthetic)"', () => name),
    );
    const library = ['--library', join(place.directory, 'escapes.sqlite')];
    await runHere(place.directory, ['ingest', log, ...library]);
    const printed = [
      await runHere(place.directory, ['inspect', log]),
      await runHere(place.directory, ['inspect', `${log}.none`]),
      await runHere(place.directory, ['roc', ...library]),
      await runHere(place.directory, [
        'export',
        '--all',
        '--format',
        'md',
        '--out',
        `pack${esc}.md`,
        ...library,
      ]),
    ];
    for (const { out, err } of printed) {
      expect(out + err).not.toContain('\u001b');
      expect(out + err).toContain('\\u{1b}');
    }
  });

  it('keeps a file name with a line break on its line', async () => {
    const log = place.file(
      'a\nb.jsonl',
      '{"input": "a", "output": "b", "score": 1, "step": 1}\n{"input": 1}\n',
    );
    const none = place.file('c\nd.jsonl', 'no log\n');
    const { out } = await turnwise('ingest', log, none, '--library', 'a.sqlite');
    expect(out).toMatch(/^ {2}\S+a\\u\{a\}b\.jsonl:2: /m);
    expect(out).toMatch(/^ {2}\S+c\\u\{a\}d\.jsonl(?::1)?: /m);
    expect((await turnwise('ingest', none, '--library', 'b.sqlite')).err).toMatch(
      /^turnwise: \S+c\\u\{a\}d.*\n$/,
    );
    expect((await turnwise('inspect', log)).out).toMatch(/^\S+a\\u\{a\}b\.jsonl\n/);
  });

  it('prints control characters of a table and a message as escapes', async () => {
    const sql = "SELECT char(27) || ']0;x' || char(7) AS told, char(8238) || 'abc' AS turned";
    expect((await ask('--format', 'table', sql)).out).toContain('\\u{1b}]0;x\\u{7}  \\u{202e}abc\n');
    const refused = await ask(`SELECT "${'\u001b'}[2J"`);
    expect(refused.code).toBe(1);
    expect(refused.err).toContain('\\u{1b}[2J');
    expect(refused.err).not.toContain('\u001b');
  });

  it('writes integers beyond 2^53 whole, and marks values that JSON lacks', async () => {
    const sql =
      "SELECT 9007199254740993 AS big, -9223372036854775808 AS least, 1e400 AS inf, -1e400 AS neg, x'00ff' AS bytes, 7 AS n";
    expect((await ask(sql)).out).toBe(
      '{"big":9007199254740993,"least":-9223372036854775808,"inf":1e999,"neg":-1e999,"bytes":{"base64":"AP8="},"n":7}\n',
    );
    const [, cells] = (await ask('--format', 'csv', sql)).out.split('\n');
    expect(cells).toBe('9007199254740993,-9223372036854775808,Infinity,-Infinity,base64:AP8=,7');
    const [, , row] = (await ask('--format', 'table', 'SELECT 9007199254740993 AS big')).out.split('\n');
    expect(row).toBe('9007199254740993');
  });

  it('stops at the time limit', async () => {
    const endless = 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n';
    const { code, out, err } = await ask('--timeout', '0.5', endless);
    expect([code, out]).toEqual([1, '']);
    expect(err).toBe('turnwise: the statement ran longer than 0.5 s and was stopped\n');
  });

  it('refuses arguments it cannot parse', async () => {
    const { code, err } = await ask('DELETE FROM run_row');
    expect(code).toBe(1);
    expect(err).toMatch(/^turnwise: only SELECT, WITH, VALUES and EXPLAIN are allowed/);
    expect((await turnwise('query', '--library', 'none.sqlite', 'SELECT 1')).err).toMatch(
      /there is no library at/,
    );
  });
});

describe('two processes at once', () => {
  const start = (...args: readonly string[]): Promise<number | null> => {
    const child = spawn(process.execPath, [CLI, ...args], { stdio: 'ignore' });
    return new Promise((resolve) => child.once('exit', resolve));
  };

  it('make one library of different files', async () => {
    const a = join(place.directory, 'a');
    const b = join(place.directory, 'b');
    writeVerlDump(a, 1 << 20, { seed: 1 });
    writeVerlDump(b, 1 << 20, { seed: 2 });
    for (let round = 0; round < 4; round++) {
      const library = join(place.directory, `both-${round}.sqlite`);
      const codes = await Promise.all([a, b].map((logs) => start('ingest', logs, '--library', library)));
      expect(codes).toEqual([0, 0]);
      expect(rows(library, 'SELECT count(*) AS n FROM run')).toEqual([{ n: 2 }]);
    }
  });

  it('read the same growing files without doubling a rollout, and both end', async () => {
    const logs = join(place.directory, 'logs');
    writeVerlDump(logs, 6 << 20, { seed: 5, rolloutsPerStep: 120 });
    const files = readdirSync(logs);
    const grown = new Map(files.map((name) => [name, readFileSync(join(logs, name), 'utf8')]));
    for (const [name, text] of grown) writeFileSync(join(logs, name), text.slice(0, text.indexOf('\n') + 1));
    const library = join(place.directory, 'same.sqlite');
    await ingestHere(library, [logs]);
    for (const [name, text] of grown) writeFileSync(join(logs, name), text);
    const codes = await Promise.all([1, 2].map(() => start('ingest', logs, '--library', library)));
    expect(codes.filter((code) => code !== 0 && code !== 3)).toEqual([]);
    // A process that met a file the other was reading skipped it. A last call finds nothing missing.
    await ingestHere(library, [logs]);
    const lines = [...grown.values()].reduce((sum, text) => sum + text.split('\n').length - 1, 0);
    expect(
      rows(library, 'SELECT count(*) AS n, count(DISTINCT content_hash || path || line) AS d FROM rollout'),
    ).toEqual([{ n: lines, d: lines }]);
  });
});

describe('a statement', () => {
  it.runIf(existsSync('/proc/self/stat'))('ends when the reader of its output ends', async () => {
    await copyDemoLibrary(join(place.directory, 'a.sqlite'));
    const endless = 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n';
    const child = spawn(process.execPath, [
      CLI,
      'query',
      '--library',
      join(place.directory, 'a.sqlite'),
      endless,
    ]);
    const pids = await new Promise<readonly number[]>((resolve) => {
      child.stdout.once('data', () => resolve(childrenOf(child.pid ?? 0)));
    });
    expect(pids.length).toBeGreaterThan(0);
    child.stdout.destroy();
    await new Promise((resolve) => child.once('exit', resolve));
    await expect.poll(() => pids.filter(isRunning)).toEqual([]);
  });
});

/** State and parent of a process, from Linux's /proc; undefined when it is gone. */
function statusOf(pid: number | string): { readonly state: string; readonly parent: number } | undefined {
  try {
    // The name in parentheses may contain anything; the fields follow it.
    const [state = '', parent] =
      readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
    return { state, parent: Number(parent) };
  } catch {
    return undefined;
  }
}

function childrenOf(pid: number): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && statusOf(name)?.parent === pid)
    .map(Number);
}

function isRunning(pid: number): boolean {
  const state = statusOf(pid)?.state;
  return state !== undefined && state !== 'Z';
}

describe('usage', () => {
  it('--help prints to stdout for every command', async () => {
    for (const args of [
      ['--help'],
      ['ingest', '--help'],
      ['query', '--help'],
      ['serve', '--help'],
      ['recorder', '--help'],
    ]) {
      const { code, out } = await turnwise(...args);
      expect([code, out.startsWith('usage: turnwise')]).toEqual([0, true]);
    }
    expect((await turnwise('--version')).out).toMatch(/^\d+\.\d+\.\d+\n$/);
    expect((await turnwise('ingest', '--version')).out).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  it.each([
    [[]],
    [['dance']],
    [['ingest']],
    [['ingest', '--loud', 'x']],
    [['query']],
    [['query', 'a', 'b']],
    [['query', '--format', 'xml', 'SELECT 1']],
    [['recorder', 'x']],
    [['serve', '--allow', '/no/such/directory']],
  ])('%j exits 2 with a message on stderr', async (args) => {
    const { code, out, err } = await turnwise(...args);
    expect([code, out]).toEqual([2, '']);
    expect(err).toMatch(/^turnwise: |^usage/);
    expect(err).not.toMatch(/^\s+at /m);
  });

  it('behaves the same in a separate process: exit code, stdout and stderr', () => {
    const started = (...args: readonly string[]) =>
      spawnSync(process.execPath, [CLI, ...args], { encoding: 'utf8', cwd: place.directory });
    expect(started('--version')).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/^\d/),
      stderr: '',
    });
    expect(started('dance')).toMatchObject({
      status: 2,
      stdout: '',
      stderr: expect.stringMatching(/^turnwise: /),
    });
    // An unset variable. The process must end, too.
    expect(started('ingest', '')).toMatchObject({ status: 2, stderr: 'turnwise: a path is empty\n' });
    expect(started('query', '--library', 'none.sqlite', 'SELECT 1')).toMatchObject({
      status: 1,
      stdout: '',
      stderr: expect.stringMatching(/^turnwise: there is no library at .*\n$/),
    });
  });

  it('prints the recorder of the repository', async () => {
    const file = join(import.meta.dirname, '..', '..', 'shared', 'recorder', 'turnwise_recorder.py');
    expect((await turnwise('recorder')).out).toBe(readFileSync(file, 'utf8'));
  });
});

describe('kill -9 during ingest', () => {
  it('killed at any moment and repeated, gives the same library', async () => {
    const logs = join(place.directory, 'logs');
    writeVerlDump(logs, 24 << 20, { seed: 9, rolloutsPerStep: 700 });
    const whole = join(place.directory, 'whole.sqlite');
    await ingestHere(whole, [logs]);
    const expected = contents(whole);
    const library = join(place.directory, 'killed.sqlite');
    const sizes: number[] = [];
    // Kills each attempt later: after this many committed rollouts.
    for (const rolloutsSeen of [1, 600, 1200]) {
      const child = spawn(process.execPath, [CLI, 'ingest', logs, '--library', library], {
        stdio: 'ignore',
      });
      await killedAt(child, library, rolloutsSeen);
      sizes.push(Number(rows(library, 'SELECT count(*) AS n FROM rollout_row')[0]?.['n']));
    }
    expect(sizes[0]).toBeGreaterThan(0);
    expect(sizes[0]).toBeLessThan(expected['rollouts']?.length ?? 0);
    expect((await turnwise('ingest', logs, '--library', library)).code).toBe(0);
    expect(contents(library)).toEqual(expected);
  }, 120_000);
});

function killedAt(child: ChildProcess, library: string, rollouts: number): Promise<void> {
  return new Promise((resolve) => {
    child.once('exit', () => {
      clearInterval(timer);
      resolve();
    });
    const timer = setInterval(() => {
      if (!existsSync(library)) return;
      try {
        const [{ n } = { n: 0 }] = rows(library, 'SELECT count(*) AS n FROM rollout_row');
        if (Number(n) >= rollouts) child.kill('SIGKILL');
      } catch {
        // The library is being created: not yet a database, or without tables.
      }
    }, 2);
  });
}

describe('formats', () => {
  it('lists every format with its detection rule', async () => {
    const { code, out } = await turnwise('formats');
    expect(code).toBe(0);
    for (const { name, title, rule, source } of FORMATS) {
      expect(out).toContain(`${name} `);
      expect(out).toContain(title);
      expect(out).toContain(`recognized by ${rule}`);
      expect(out).toContain(`from ${source}`);
    }
    const rows = JSON.parse((await turnwise('formats', '--json')).out) as { name: string }[];
    expect(rows.map((row) => row.name)).toEqual(FORMATS.map((format) => format.name));
  });

  it('dates every format of another producer', () => {
    const ours = ['turnwise-pack', 'turnwise', 'turnwise-parquet', 'messages'];
    const undated = FORMATS.filter(({ name, source }) => !ours.includes(name) && !/\(.*20\d\d/.test(source));
    expect(undated.map(({ name }) => name)).toEqual([]);
  });

  it('matches the table of FORMATS.md', () => {
    const page = readFileSync(join(ROOT, 'shared/format/FORMATS.md'), 'utf8');
    const rows = FORMATS.map(
      ({ name, title, source, reads, ignores }) =>
        `| \`${name}\` | ${title} | ${source} | ${reads} | ${ignores} |`,
    );
    for (const row of rows) expect(page).toContain(row);
  });
});

describe('the pages', () => {
  const page = (path: string) => readFileSync(join(ROOT, path), 'utf8');
  /** Command lines of `turnwise` in code, without the program. */
  const shown = [
    'README.md',
    'electron/cli/COMMANDS.md',
    'electron/warehouse/WAREHOUSE.md',
    'renderer/GUIDE.md',
    'test/bench/FIGURES.md',
  ].flatMap((path) =>
    [...page(path).matchAll(/(?:npm run -s turnwise -- |`turnwise |^turnwise )([a-z]+)([^`\n]*)/gm)].map(
      ([line, command = '', rest = '']) => ({ line: `${path}: ${line}`, command, rest }),
    ),
  );

  it('show commands and options that exist', async () => {
    const helpOf = new Map((await allCommands()).map(({ name, help }) => [name, help]));
    expect(shown.length).toBeGreaterThan(30);
    const wrong = shown.flatMap(({ line, command, rest }) => {
      const help = helpOf.get(command);
      if (help === undefined) return [`${line}: no such command`];
      const options = rest.match(/(?<![\w-])--[a-z-]+/g) ?? [];
      return options.filter((option) => !help.includes(option)).map((option) => `${line}: no ${option}`);
    });
    expect(wrong).toEqual([]);
  });

  it('show every command', async () => {
    const page = new Set(
      shown.filter(({ line }) => line.startsWith('electron/cli/COMMANDS.md')).map(({ command }) => command),
    );
    expect((await allCommands()).map(({ name }) => name).filter((name) => !page.has(name))).toEqual([]);
  });

  it('show npm scripts that exist', () => {
    const { scripts } = JSON.parse(page('package.json')) as { scripts: Record<string, string> };
    const named = [...page('README.md').matchAll(/npm run (?:-s )?([a-z:]+)/g)].map(([, name = '']) => name);
    expect(named.filter((name) => scripts[name] === undefined)).toEqual([]);
  });

  it('keep the README short, with pictures of at most 150 kB', () => {
    const readme = page('README.md');
    expect(readme.split('\n').length).toBeLessThanOrEqual(130);
    const pictures = [...readme.matchAll(/fixtures\/pictures\/[\w-]+\.png/g)].map(([path]) => path);
    expect(pictures).toHaveLength(14);
    expect(pictures.filter((path) => statSync(join(ROOT, path)).size > 150_000)).toEqual([]);
  });
});

describe('inspect', () => {
  it('states the format of a file and why, and creates no library', async () => {
    const { code, out } = await turnwise('inspect', DEMO);
    expect(code).toBe(0);
    expect(out).toMatch(/^ {2}format +turnwise: Turnwise rollout log \(JSON Lines\)$/m);
    expect(out).toMatch(/^ {2}because +it has a record with "v", "run" and a "type" of/m);
    expect(out).toMatch(/reads as {2}1 record about the run, .*rollouts in the first 20 records/);
    expect(readdirSync(place.directory)).toEqual([]);
  });

  it('lists the fields of an unknown file, and proposes a mapping', async () => {
    const path = place.file('ours.jsonl', UNKNOWN);
    const { code, out } = await turnwise('inspect', path, '--json');
    expect(code).toBe(1);
    expect(JSON.parse(out)).toMatchObject({
      container: 'plain',
      unit: 'line',
      issue: { code: 'unknown_format' },
      keys: ['q', 'sampled', 'meta'],
    });
    const proposed = await turnwise('inspect', path, '--propose-mapping');
    expect(JSON.parse(proposed.out)).toMatchObject({
      version: 1,
      name: 'ours',
      fields: { response: 'sampled.text', reward: 'meta.score', step: 'meta.step' },
    });
  });

  it('names the file it cannot open, and exits 1', async () => {
    const { code, err } = await turnwise('inspect', 'nothing.jsonl', '.');
    expect(code).toBe(1);
    expect(err).toContain('nothing.jsonl: no such file or directory');
    expect(err).toContain('is a directory');
  });
});

/** No format has these fields. */
const ROOT = join(import.meta.dirname, '../..');
const UNKNOWN = [0, 1, 2]
  .map((i) =>
    JSON.stringify({
      q: `What is ${i} + 1?`,
      sampled: { text: `It is \\boxed{${i + 1}}.` },
      meta: { score: i % 2, step: 4, openai_api_key: 'not-a-real-key' },
    }),
  )
  .join('\n')
  .concat('\n');

describe('remove', () => {
  it('removes a run and reports its size', async () => {
    const library = join(place.directory, 'a.sqlite');
    await copyDemoLibrary(library);
    const [run] = rows(library, "SELECT run_key FROM run WHERE kind = 'train'");
    const { code, out } = await turnwise('remove', String(run?.['run_key']), '--library', 'a.sqlite');
    expect(code).toBe(0);
    expect(out).toMatch(
      /^removed [\d,]+ rollouts; the library is [\d.]+ MiB smaller; the logs were not changed$/m,
    );
    expect(rows(library, "SELECT count(*) AS n FROM run WHERE kind = 'train'")).toEqual([{ n: 0 }]);
    expect(await turnwise('remove', 'nobody', '--library', 'a.sqlite')).toMatchObject({ code: 1 });
  });
});

describe('a mapping', () => {
  const mapping = {
    version: 1,
    name: 'ours',
    shape: ['q', 'sampled', 'meta'],
    fields: { prompt: 'q', response: 'sampled.text', reward: 'meta.score', step: 'meta.step' },
  };

  it('reads a file of an unknown format by a mapping', async () => {
    place.file('ours.jsonl', UNKNOWN);
    place.file('mapping.json', JSON.stringify(mapping));
    expect((await turnwise('ingest', 'ours.jsonl', '--library', 'a.sqlite')).code).toBe(1);
    const { code, out } = await turnwise(
      'ingest',
      'ours.jsonl',
      '--library',
      'a.sqlite',
      '--mapping',
      'mapping.json',
      '--json',
    );
    // Two mapped fields cover all of "meta", so nothing remains to be masked.
    expect([code, JSON.parse(out)]).toMatchObject([0, { rollouts: 3, files: [{ format: 'mapping:ours' }] }]);
    expect(
      rows(join(place.directory, 'a.sqlite'), 'SELECT step, reward, answer FROM rollout ORDER BY rollout_id'),
    ).toEqual([
      { step: 4, reward: 0, answer: '1' },
      { step: 4, reward: 1, answer: '2' },
      { step: 4, reward: 0, answer: '3' },
    ]);
  });

  it('refuses an invalid mapping with the reason', async () => {
    place.file('ours.jsonl', UNKNOWN);
    place.file('mapping.json', JSON.stringify({ ...mapping, fields: { nonsense: 'q' } }));
    const { code, err } = await turnwise(
      'ingest',
      'ours.jsonl',
      '--library',
      'a.sqlite',
      '--mapping',
      'mapping.json',
    );
    expect([code, err]).toEqual([
      1,
      expect.stringContaining('"fields.nonsense" is not a field of a rollout'),
    ]);
  });
});

describe('ingest --follow', () => {
  it('follows until it is interrupted', async () => {
    const path = place.file('1.jsonl', verlLine(1));
    const child = spawnTurnwise('ingest', path, '--library', 'a.sqlite', '--follow');
    await said(child, 'following');
    appendFileSync(path, verlLine(1) + verlLine(1).slice(0, -20));
    await said(child, '1 new rollouts');
    appendFileSync(path, verlLine(1).slice(-20));
    await said(child, '1 new rollouts');
    child.kill('SIGINT');
    const [code] = (await once(child, 'exit')) as [number | null];
    expect(code).toBe(0);
    expect(rows(join(place.directory, 'a.sqlite'), 'SELECT count(*) AS n FROM rollout')).toEqual([{ n: 3 }]);
  });
});

const verlLine = (step: number): string =>
  `${JSON.stringify({ input: 'user\nWhat is 6·7?\nassistant\n', output: 'It is \\boxed{42}.', score: 1, step })}\n`;

function spawnTurnwise(...args: readonly string[]): ChildProcess {
  const env = { ...process.env, INIT_CWD: place.directory, HOME: place.directory };
  return spawn(process.execPath, [CLI, ...args], { env, cwd: place.directory });
}

/** Waits until the process has printed the words, on either stream. */
async function said(child: ChildProcess, words: string): Promise<void> {
  await new Promise<void>((resolve) => {
    let text = '';
    const listen = (chunk: Buffer): void => {
      text += chunk.toString();
      if (!text.includes(words)) return;
      child.stdout?.off('data', listen);
      child.stderr?.off('data', listen);
      resolve();
    };
    child.stdout?.on('data', listen);
    child.stderr?.on('data', listen);
  });
}
