/** A server that lies, fails in the middle, or never ends: a sentence, and nothing half shown as whole. */

import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { partitionName } from '../../electron/export/dataSet.ts';
import { createHost } from '../../electron/host/createHost.ts';
import { Warehouse } from '../../electron/warehouse/connection.ts';
import { replacedSteps } from '../../electron/warehouse/copiedLoads.ts';
import { namedWarehouse, readAddress } from '../../electron/warehouse/namedWarehouse.ts';
import { pull, warehouseRuns } from '../../electron/warehouse/pull.ts';
import { warehouseResult } from '../../electron/warehouse/statement.ts';
import { warehouseSteps } from '../../electron/warehouse/steps.ts';
import { tableStatements, WAREHOUSE_VERSION } from '../../electron/warehouse/tables.ts';
import { DATA_SET_COLUMNS } from '../../shared/format/dataSetColumns.ts';
import { runHere } from '../support/commandLine.ts';
import { type Scratch, scratch } from '../support/library.ts';

type Answer = (response: ServerResponse, request: IncomingMessage) => void;

const RUN = {
  ...{ run: 'a', split: 'train', steps: 1, first_step: 1, last_step: 1, rollouts: 2, sources: 1 },
  loaded_at: '2026-01-01 00:00:00',
};
const LOAD = { step: 1, source: 'a.jsonl', load: 'l', run_id: 'a', split: 'train', rollouts: 2 };
const ROLLOUT = {
  ...Object.fromEntries(DATA_SET_COLUMNS.map(({ name }) => [name, null])),
  ...{ v: 1, rollout: 0, split: 'train', group: 'g', group_rule: 'logged', index: 0, problem: 'p' },
  ...{ prompt: 'q', response: 'r', prompt_segments: [], segments: [], calls: [] },
};
const SUMMARY = JSON.stringify({
  ...{ step: 1, groups: 1, rollouts: 2, correct: 0, correctKnown: 0, withText: 2, withoutToolCalls: 2 },
  ...{ toolCalls: 0, toolErrors: 0, stopsLogged: 0, decided: 0, kept: 0 },
  ...{ groupsAllWrong: 0, groupsMixed: 0, groupsAllRight: 0 },
});
const sent = (more: object): string =>
  JSON.stringify({
    ...{ step: 1, rollouts: 2, groups: 1, values: {}, outcomes: {} },
    ...{ retries: { calls: 0, succeeded: 0 }, recovery: { rollouts: 0, correct: 0 }, ...more },
  });
const EXCEPTION = 'Code: 241. DB::Exception: Memory limit exceeded: would use 9 GiB. (MEMORY_LIMIT_EXCEEDED)';

let place: Scratch;
let server: Server;
let warehouse: Warehouse;
/** By a word of the statement; the first that is in it answers. */
let answers: Readonly<Record<string, Answer>>;

const lines = (...rows: readonly object[]) => rows.map((row) => `${JSON.stringify(row)}\n`).join('');
const says =
  (body: string): Answer =>
  (response) =>
    response.end(body);
const USUAL: Readonly<Record<string, Answer>> = {
  'SELECT version': says(lines({ version: WAREHOUSE_VERSION })),
  'FROM run_line': says(lines({ line: '{"v":1,"type":"run","run":"a"}' })),
  'FROM load WHERE': says(lines(LOAD)),
  'FROM run ': says(lines(RUN)),
  'ORDER BY rollout': says(lines(ROLLOUT, { ...ROLLOUT, index: 1 })),
};

beforeEach(async () => {
  place = scratch();
  answers = {};
  server = createServer(async (request, response) => {
    const sql = await text(request);
    const [, answer] = Object.entries({ ...USUAL, ...answers }).find(([word]) => sql.includes(word)) ?? [];
    (answer ?? says(''))(response, request);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  warehouse = new Warehouse(readAddress(url()), {
    credentials: { user: 'me', password: 'hunter2' },
    isReadOnly: true,
  });
});
afterEach(async () => {
  await warehouse.close();
  server.closeAllConnections();
  server.close();
  place.remove();
});

const url = (): string => {
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/team`;
};
const messageOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'no failure',
    (error: Error) => error.message,
  );
const endless =
  (part: string, status = 200): Answer =>
  (response) => {
    response.statusCode = status;
    const more = (): void => {
      while (response.write(part));
      response.once('drain', more);
    };
    more();
  };

describe('a statement of the user', () => {
  const run = async (sql: string, ...answer: readonly (readonly unknown[])[]) => {
    answers = { 'SELECT 1': says(answer.map((line) => `${JSON.stringify(line)}\n`).join('')) };
    const named = { address: readAddress(url()), credentials: { user: 'me', password: 'hunter2' } };
    const rows: unknown[] = [];
    for await (const part of warehouseResult(named, sql, 1_000)) rows.push(...part.rows);
    return rows;
  };

  it('may sort by a column with the name of a clause', async () => {
    expect(await run('SELECT 1 ORDER BY format DESC', ['a'], ['Int64'], ['1'])).toEqual([[1]]);
    await expect(run('SELECT 1 FORMAT CSV')).rejects.toThrow('leave out FORMAT');
  });

  it('shows a value that is no number as it is', async () => {
    expect(await run('SELECT 1', ['a', 'b'], ['Int64', 'Int128'], ['x', `${2n ** 70n}`])).toEqual([
      ['x', 2n ** 70n],
    ]);
  });

  it('is refused if its result has more columns than a page can show', async () => {
    const columns = Array.from({ length: 60_000 }, (_, i) => `c${i}`);
    await expect(run('SELECT 1', columns)).rejects.toThrow(
      'the result has 60,000 columns; the limit is 2,000',
    );
  });
});

describe('a list from a server that lies', () => {
  it.each<readonly [string, Answer, string | RegExp]>([
    ['HTML', says('<html>\n'), 'does not answer as ClickHouse does; check the address (<html>)'],
    ['a row of another form', says(lines({ ...RUN, first_step: {} })), 'another form than a warehouse'],
    ['a row without a column', says(lines({ run: 'a' })), 'another form than a warehouse'],
    ['a list', says('[1]\n'), 'does not answer as ClickHouse does'],
    ['half a row', says(`${lines(RUN)}{"run":"b"`), 'ended its answer in the middle of a row'],
    ['a row without its end', says(lines(RUN).trimEnd()), 'ended its answer in the middle of a row'],
    ['a failure after rows', says(`${lines(RUN)}${EXCEPTION}\n`), 'ended the query: Memory limit exceeded'],
    [
      'a failure without its end',
      says(`${lines(RUN)}${EXCEPTION}`),
      'ended the query: Memory limit exceeded',
    ],
    ['a failure after half a row', says(`{"run":"b${EXCEPTION}`), 'ended the query: Memory limit exceeded'],
    [
      'a failure as a row',
      says(lines(RUN, { exception: EXCEPTION })),
      'ended the query: Memory limit exceeded',
    ],
    [
      'a failure between marks',
      says(`${lines(RUN)}\r\n__exception__\r\nabcdefgh\r\n${EXCEPTION}\n79 abcdefgh\r\n__exception__\r\n`),
      'ended the query: Memory limit exceeded',
    ],
    [
      'a redirect',
      (response) => response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end(),
      'answered with status 302',
    ],
    ['an endless row', endless('x'.repeat(1 << 20)), 'longer than 256 MiB'],
    ['rows of many values', endless(lines({ ...RUN, x: Array(99_999).fill([]) })), 'more than 512 MiB'],
    ['endless rows', endless(lines({ ...RUN, run: 'a'.repeat(4096) }).repeat(250)), 'more than 512 MiB'],
    ['an endless failure', endless('Code: 1 '.repeat(1000), 500), 'answered with status 500'],
    [
      'a failure that takes a regular expression long',
      (response) => {
        response.statusCode = 500;
        response.end(`Code: 1. ${'a::'.repeat(300_000)}${'Exception: '.repeat(300_000)}`);
      },
      'answered with status 500',
    ],
  ])('%s', async (_, answer, message) => {
    answers = { 'FROM run ': answer };
    expect(await messageOf(warehouseRuns(warehouse))).toMatch(message);
  });

  it('hides the password if the server returns it', async () => {
    answers = {
      'FROM run ': (response, { headers }) => {
        response.statusCode = 500;
        response.end(`Code: 1. DB::Exception: ${headers.authorization} me:hunter2 (NO)`);
      },
    };
    expect(await messageOf(warehouseRuns(warehouse))).toMatch(/: Basic \*\*\* me:\*\*\* \(NO\)$/);
  });

  it.each([
    ['no JSON', { one_facts: '{' }],
    ['another step', { one_facts: sent({ step: 2 }) }],
    ['text', { one_facts: sent({ values: { meanReward: 'high' } }) }],
    ['lists', { one_facts: sent({ reward: { known: [[[]]] } }) }],
    ['no numbers', { one_summary: '{"step":1}' }],
  ])('has sums of a step that are %s', async (_, lie) => {
    const row = { at: 1, logs: 1, sent: 2, one_summary: SUMMARY, one_facts: sent({}), ...lie };
    answers = { 'FROM load WHERE': says(lines(row)) };
    const steps = warehouseSteps(warehouse, 'a', { kind: 'all' });
    expect(await messageOf(steps)).toMatch('the sums of step 1 have another form');
  });

  it('with progress: shares are in 0 … 1, and every line is a row, a share or beside the rows', async () => {
    const ask = async (...answer: readonly object[]) => {
      answers = { 'SELECT rows': says(lines(...answer)) };
      const shares: number[] = [];
      const rows = await warehouse.rows('SELECT rows', {}, undefined, (share) => shares.push(share));
      return { rows, shares };
    };
    const read = (read_rows: unknown, total_rows_to_read: unknown) => ({
      progress: { read_rows, total_rows_to_read },
    });
    const beside = [{ meta: [] }, { rows_before_limit_at_least: 1 }];
    expect(await ask(read('5', '20'), ...beside, { row: { a: 1 } }, read('20', '20'))).toEqual({
      rows: [{ a: 1 }],
      shares: [0.25, 1],
    });
    expect(
      (await ask(read('9', '3'), read('x', '3'), read(1, 0), read(-1, 2), { progress: {} })).shares,
    ).toEqual([1, 1]);
    expect(await messageOf(ask(read('5', '20'), { a: 1 }))).toMatch('does not answer as ClickHouse does');
    expect(await messageOf(ask({ row: null }))).toMatch('does not answer as ClickHouse does');
    expect(await messageOf(ask({ row: { a: 1 } }, { exception: EXCEPTION }))).toMatch('a limit of');
  });

  it('is refused if its version is not a number', async () => {
    answers = { 'SELECT version': says(lines({ version: 'none' })) };
    expect(await messageOf(warehouseRuns(warehouse))).toMatch('another form');
  });
});

describe('a copy from a server that lies', () => {
  const copy = (more: object = {}) =>
    pull(warehouse, { run: 'a', directory: join(place.directory, 'copy'), ...more });

  it('is written when everything is there', async () => {
    expect(await copy()).toMatchObject({ rollouts: 2, steps: 1 });
  });

  it.each<readonly [string, Readonly<Record<string, Answer>>, string]>([
    ['fewer rollouts', { 'ORDER BY rollout': says(lines(ROLLOUT)) }, 'gave 1 of 2 rollouts of a.jsonl'],
    ['more rollouts', { 'ORDER BY rollout': endless(lines(ROLLOUT)) }, 'gave more than 2 rollouts'],
    [
      'a load that was removed meanwhile',
      { 'ORDER BY rollout': says('') },
      'gave 0 of 2 rollouts of a.jsonl; nothing is kept',
    ],
    ...Object.entries({
      ...{ prompt: 3, index: 'one', reward: 'high', is_correct: 1, tokens: 1e12, entropy: [0.5, 'x'] },
      ...{ token_ids: [1.5], segments: [null, 3], calls: [{ name: 'x' }], extra: {}, response: ['r'] },
    }).map(([name, value]): readonly [string, Readonly<Record<string, Answer>>, string] => [
      `a column ${name} of another type`,
      { 'ORDER BY rollout': says(lines(ROLLOUT, { ...ROLLOUT, [name]: value })) },
      `the column ${name} has a value that is no`,
    ]),
  ])('%s', async (_, given, message) => {
    answers = given;
    expect(await messageOf(copy())).toMatch(message);
    expect(readdirSync(place.directory)).toEqual([]);
  });

  it('ends its query when it is stopped while rows arrive', async () => {
    const ended = Promise.withResolvers<void>();
    const controller = new AbortController();
    answers = {
      'ORDER BY rollout': (response) => {
        response.on('close', ended.resolve);
        response.write(lines(ROLLOUT));
        setTimeout(() => controller.abort(), 50);
      },
    };
    expect(await messageOf(copy({ signal: controller.signal }))).toMatch('aborted');
    await ended.promise;
    expect(readdirSync(place.directory)).toEqual([]);
  });

  it('asks nothing when it was stopped before', async () => {
    expect(await messageOf(copy({ signal: AbortSignal.abort() }))).toMatch('aborted');
    expect(readdirSync(place.directory)).toEqual([]);
  });

  it('refuses a second copy into the same directory, and never deletes what it has not made', async () => {
    const other = join(place.directory, 'copy.unfinished');
    mkdirSync(other);
    writeFileSync(join(other, 'mine.txt'), '');
    expect(await messageOf(copy())).toMatch('copy.unfinished already exists');
    expect(existsSync(join(other, 'mine.txt'))).toBe(true);
  });

  it.each([{}, { isAdded: true, steps: [1] }])(
    'keeps what somebody else writes into its directory meanwhile: %j',
    async (more) => {
      const notes = join(place.directory, 'copy', 'notes.txt');
      answers = {
        'ORDER BY rollout': (response) => {
          mkdirSync(join(place.directory, 'copy'));
          writeFileSync(notes, '');
          response.end(lines(ROLLOUT, { ...ROLLOUT, index: 1 }));
        },
      };
      const message = await messageOf(copy(more));
      expect(message).toMatch('isAdded' in more ? 'no failure' : 'copy is not empty; choose an empty');
      expect(existsSync(notes)).toBe(true);
      expect(readdirSync(place.directory)).toEqual(['copy']);
    },
  );

  it('names a directory that cannot be made', async () => {
    writeFileSync(join(place.directory, 'file'), '');
    const directory = join(place.directory, 'file', 'copy');
    expect(await messageOf(copy({ directory }))).toMatch(/^not written: .*file cannot be made \(EEXIST/);
  });

  it('moves the file of the run before its rollouts', async () => {
    await copy();
    const rollouts = join(place.directory, 'copy', 'rollouts');
    const runs = join(place.directory, 'copy', 'runs');
    rmSync(rollouts, { recursive: true });
    writeFileSync(rollouts, '');
    rmSync(join(runs, 'a.jsonl'));
    await expect(copy({ isAdded: true, steps: [1] })).rejects.toThrow();
    expect(readdirSync(runs)).toEqual(['a.jsonl']);
    expect(readdirSync(place.directory)).toEqual(['copy']);
  });

  it('leaves nothing of a former copy if every step is asked for', async () => {
    await copy();
    const stale = join(place.directory, 'copy', 'rollouts', 'stale');
    writeFileSync(stale, '');
    await copy({ isAdded: true, steps: [1] });
    expect(existsSync(stale)).toBe(true);
    await copy({ isAdded: true });
    expect(existsSync(stale)).toBe(false);
  });

  it.each([
    ['a rollout', { type: 'rollout', run: 'a', group: 'g', index: 0, response: 'r' }],
    ['a decision', { type: 'decision', run: 'a', group: 'g', index: 0, kept: false }],
    ['another run', { type: 'run', run: 'mine', name: 'renamed' }],
    ['a stage of another run', { type: 'stage', run: 'mine', from_step: 0, name: 's' }],
    ['no run', { type: 'run', name: 'renamed' }],
  ])('is refused if a line of the run is of %s', async (_, line) => {
    answers = { 'FROM run_line': says(lines({ line: JSON.stringify({ v: 1, ...line }) })) };
    expect(await messageOf(copy())).toMatch('of another kind, or of another run');
    expect(readdirSync(place.directory)).toEqual([]);
  });

  it('is refused if a line of the run contains another', async () => {
    const line = '{"v":1,"type":"run","run":"a"\n}';
    answers = { 'FROM run_line': says(lines({ line })) };
    expect(await messageOf(copy())).toMatch('a line of the run is no JSON');
  });

  it('is refused if a line of the run is not JSON, under a filter', async () => {
    answers = {
      'FROM run_line': says(lines({ line: 'x' })),
    };
    const filter = { kind: 'number', field: 'reward', from: { value: 0, isExclusive: false } } as const;
    expect(await messageOf(copy({ filter }))).toMatch('a line of the run is no JSON');
  });
});

it('names a directory for a run below the one it is in', () => {
  for (const run of ['.', '..', '...', '../../etc', 'a/../..', '\0', '..\\..', '/etc'])
    expect(join('/kept', partitionName(run))).toMatch(/^\/kept\/[^/\\]+$/);
  expect(partitionName('a.b')).toBe('a.b');
});

it('never repeats an invalid address, because it could contain a password', () => {
  for (const address of [
    'http://me:hunter2@host:8123/team',
    'http://me:hunter2@host/a-b',
    'http://me:hun/hunter2@host/team',
    'me:hunter2@host',
    'http://host/team?user=me&password=hunter2',
    'http://host/team#hunter2',
    'http://host/%',
  ])
    expect(() => readAddress(address)).toThrow(/^(?!.*hunter2)the address/);
});

it('quotes the name of a cluster', () => {
  expect(tableStatements('team', 'a` SYNC')[0]).toBe(
    'CREATE DATABASE IF NOT EXISTS `team` ON CLUSTER `a\\` SYNC`',
  );
});

it.each(['5..1', '1..99999999999999999', '-1', '1.5', 'x'])('refuses the steps %s', async (steps) => {
  const { code, err } = await runHere(place.directory, [
    ...['warehouse', 'pull', 'http://127.0.0.1:1/team', '--run', 'a', '--out', 'copy', `--steps=${steps}`],
  ]);
  expect([code, err]).toEqual([2, expect.stringContaining('--steps')]);
});

it('names the command and the view that list the issues of pushed logs', async () => {
  const { code, err } = await runHere(place.directory, [
    ...['warehouse', 'push', place.file('note.txt', 'no log'), '--to', url()],
  ]);
  expect([code, err]).toEqual([3, expect.stringContaining('1 issue in the logs; turnwise ingest')]);
});

it('names a certificate authority that cannot be read', () => {
  expect(() =>
    namedWarehouse({ TURNWISE_WAREHOUSE: 'https://host/team', TURNWISE_WAREHOUSE_CA: '/none.pem' }),
  ).toThrow('TURNWISE_WAREHOUSE_CA cannot be read');
});

describe.skipIf(process.platform === 'win32')('a copy beside a library from somebody else', () => {
  const asked = { run: 'a', filter: '' };
  it.each([
    ['the directory of copies', 'from-warehouse'],
    ['the directory of the warehouse', 'from-warehouse/HOST'],
    ['the directory of the run', 'from-warehouse/HOST/a'],
    ['a directory within', 'from-warehouse/HOST/a/rollouts'],
  ])('is refused if %s is a link, and nothing of its target is touched', async (_, name) => {
    const target = join(place.directory, 'target');
    mkdirSync(join(target, 'deep'), { recursive: true });
    writeFileSync(join(target, 'README.md'), 'mine');
    const link = join(place.directory, name.replace('HOST', partitionName(`${new URL(url()).host}/team`)));
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(target, link);
    process.env['TURNWISE_WAREHOUSE'] = url();
    const host = await createHost({ libraryPath: place.library, shell: 'browser', version: '0' });
    try {
      for (const steps of [undefined, [1]])
        expect(
          await host.dispatch('warehouse.keep', steps === undefined ? asked : { ...asked, steps }),
        ).toMatchObject({ ok: false, failure: { message: expect.stringContaining(`${link} is a link`) } });
      expect(readdirSync(target, { recursive: true }).sort()).toEqual(['README.md', 'deep']);
      expect(readFileSync(join(target, 'README.md'), 'utf8')).toBe('mine');
    } finally {
      delete process.env['TURNWISE_WAREHOUSE'];
      await host.close();
    }
  });

  it('is not identified by a pipe, which would be waited for', async () => {
    const directory = join(place.directory, 'copy');
    const step = join(directory, 'rollouts', 'run=a', 'step=1');
    mkdirSync(step, { recursive: true });
    execFileSync('mkfifo', [join(step, '.loads')]);
    answers = { 'FROM load WHERE': says(lines({ step: 1, loads: 'x' })) };
    expect(await replacedSteps(warehouse, 'a', directory)).toEqual(new Map());
  });
});

it('answers the page while a copy waits for the server, and stops the copy', async () => {
  const waits = Promise.withResolvers<void>();
  answers = { 'ORDER BY rollout': () => waits.resolve() };
  process.env['TURNWISE_WAREHOUSE'] = url();
  const host = await createHost({ libraryPath: place.library, shell: 'browser', version: '0' });
  try {
    const controller = new AbortController();
    const params = { run: '..', filter: '', progressKey: 'copy' };
    const kept = host.dispatch('warehouse.keep', params, controller.signal);
    await waits.promise;
    expect(await host.dispatch('warehouse.runs', {})).toMatchObject({ ok: true, value: { runs: [RUN] } });
    controller.abort();
    expect(await kept).toMatchObject({ ok: false, failure: { code: 'cancelled' } });
    // The caller is answered before the thread has ended its work.
    const left = () =>
      readdirSync(join(place.directory, 'from-warehouse'), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile() || entry.name.endsWith('.unfinished'))
        .map(({ name }) => name);
    await expect.poll(left).toEqual([]);
  } finally {
    delete process.env['TURNWISE_WAREHOUSE'];
    await host.close();
  }
});
