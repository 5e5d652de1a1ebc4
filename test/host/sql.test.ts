/** The SQL console behind the contract: results, refusals, and processes left running. */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createHost } from '../../electron/host/createHost.ts';
import type { Host } from '../../electron/host/host.ts';
import { runSql, STOP_ROWS } from '../../electron/host/runSql.ts';
import { openReader } from '../../electron/storage/open.ts';
import { prepareUserStatement, RefusedStatementError } from '../../electron/storage/userStatement.ts';
import type { ParamsOf, ResultOf, SqlRow } from '../../shared/api/contract.ts';
import type { Result } from '../../shared/api/errors.ts';
import { type Scratch, scratch } from '../support/library.ts';
import { copyDemoLibrary } from '../support/preparedLibrary.ts';

const ENDLESS = 'WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT count(*) FROM c';
const ENDLESS_ROWS = 'WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT n FROM c';

let files: Scratch;
let host: Host;
const progress: number[] = [];

beforeAll(async () => {
  files = scratch();
  await copyDemoLibrary(files.library);
  host = await createHost({ libraryPath: files.library, shell: 'browser', version: '0' });
  host.subscribe(({ event, payload }) => {
    if (event === 'sql.progress') progress.push(payload.rows);
  });
});
afterAll(async () => {
  await host.close();
  files.remove();
});

const ask = <M extends 'sql.run' | 'sql.page' | 'sql.export' | 'sql.exportPart' | 'sql.exportStop'>(
  method: M,
  params: ParamsOf<M>,
  signal?: AbortSignal,
) => host.dispatch(method, params, signal) as Promise<Result<ResultOf<M>>>;

async function rowsOf(sql: string, limitRows = 10_000) {
  const result = await ask('sql.run', { sql, limitRows });
  if (!result.ok || result.value.kind !== 'rows') throw new Error(JSON.stringify(result));
  const page = await ask('sql.page', { resultId: result.value.resultId, from: 0, limit: 5_000 });
  if (!page.ok) throw new Error(page.failure.message);
  return { answer: result.value, rows: page.value.rows };
}

async function refusalOf(sql: string) {
  const result = await ask('sql.run', { sql });
  if (!result.ok) throw new Error(result.failure.message);
  if (result.value.kind !== 'refused') throw new Error(`accepted: ${sql.slice(0, 80)}`);
  const { message, at } = result.value;
  return { message, marked: at === undefined ? undefined : sql.slice(at.start, at.end) };
}

async function exported(sql: string, format: 'csv' | 'tsv' | 'jsonl') {
  const start = await ask('sql.export', { sql, format });
  if (!start.ok || start.value.kind !== 'started') throw new Error(JSON.stringify(start));
  let text = '';
  for (;;) {
    const part = await ask('sql.exportPart', { exportId: start.value.exportId });
    if (!part.ok) throw new Error(part.failure.message);
    text += part.value.text;
    if (part.value.isWhole) return { text, rows: part.value.rows };
  }
}

/** The library file and its write-ahead log. */
const digest = () =>
  ['', '-wal'].map((end) => {
    const path = files.library + end;
    return existsSync(path) ? createHash('sha256').update(readFileSync(path)).digest('hex') : 'none';
  });

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

/** Children of this process that run statements. */
function statementProcesses(): readonly number[] {
  const children = readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8').trim();
  return children
    .split(' ')
    .filter((pid) => pid !== '')
    .map(Number)
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('electron/sql.js');
      } catch {
        return false;
      }
    });
}

describe('an answer', () => {
  test('returns rows in order, with SQLite’s values', async () => {
    const { answer, rows } = await rowsOf(
      `SELECT 1 AS a, 9007199254740993 AS big, -9007199254740993 AS low, 1.5 AS real, 'ü' AS text, NULL AS none,
        x'0102ff' AS bytes, 9e999 AS infinite, replace(hex(zeroblob(20000)), '00', '𝄞') AS long`,
    );
    expect(answer.columns).toEqual(['a', 'big', 'low', 'real', 'text', 'none', 'bytes', 'infinite', 'long']);
    const [row] = rows as readonly [SqlRow];
    expect(row.slice(0, 8)).toEqual([
      1,
      { kind: 'integer', digits: '9007199254740993' },
      { kind: 'integer', digits: '-9007199254740993' },
      1.5,
      'ü',
      null,
      { kind: 'bytes', bytes: 3 },
      '∞',
    ]);
    expect(row[8]).toEqual({ kind: 'cut', text: '𝄞'.repeat(10_000), chars: 40_000 });
  });

  test('keeps as many rows as requested, reports the cut, and ends the process', async () => {
    const { answer, rows } = await rowsOf(ENDLESS_ROWS, 1_234);
    expect(answer).toMatchObject({ rows: 1_234, cut: 'rows' });
    expect(rows.at(-1)).toEqual([1_234]);
    await expect.poll(statementProcesses).toEqual([]);
    expect((await rowsOf('SELECT 1', 1)).answer.cut).toBeUndefined();
  });

  test('holds a bounded number of bytes', async () => {
    const { answer } = await rowsOf(
      `WITH RECURSIVE c(n, t) AS (SELECT 1, hex(zeroblob(9000)) UNION ALL SELECT n + 1, t FROM c) SELECT * FROM c`,
      50_000,
    );
    expect(answer.cut).toBe('bytes');
    expect(answer.rows).toBeGreaterThan(1_000);
    expect(answer.rows).toBeLessThan(2_000);
  });

  test('reports progress', async () => {
    progress.length = 0;
    await ask('sql.run', { sql: ENDLESS_ROWS, limitRows: 50_000, queryKey: 'far' });
    expect(progress.length).toBeGreaterThan(0);
    expect(progress).toEqual([...progress].sort((a, b) => a - b));
  });

  test('is evicted after a few others', async () => {
    const { answer } = await rowsOf('SELECT 1');
    for (let i = 0; i < 4; i += 1) await rowsOf('SELECT 2');
    const page = await ask('sql.page', { resultId: answer.resultId, from: 0 });
    expect(page).toMatchObject({ ok: false, failure: { code: 'not_found' } });
  });

  test('provides tokens() and the functions of the filter language', async () => {
    const { rows } = await rowsOf(
      `SELECT count(*) > 10, has_words('wait, what', 'wait', 0), has_pattern('abc', 'B', 'i')
        FROM tokens((SELECT rollout_id FROM rollout WHERE mean_entropy IS NOT NULL LIMIT 1))`,
    );
    expect(rows).toEqual([[1, 1, 1]]);
  });
});

describe('a statement that is not accepted', () => {
  test.each([
    ['SELECT * FRM run', 'near "FRM": syntax error', 'FRM'],
    ["SELECT 'FRM' FROM run r JOIN FRM FRM", 'no such table: FRM', 'FRM'],
    ['SELECT run_id FROM run WHERE name = = 3', 'near "=": syntax error', '='],
    ['SELECT rewrd FROM rollout', 'no such column: rewrd', 'rewrd'],
    ['SELECT r.rewrd FROM rollout r', 'no such column: r.rewrd', 'r.rewrd'],
    ['SELECT * FROM rollouts', 'no such table: rollouts', 'rollouts'],
    ['SELECT nosuch(1)', 'no such function: nosuch', 'nosuch'],
    ["SELECT 'open", `unrecognized token: "'open"`, "'open"],
    ['SELECT (', 'incomplete input', '('],
    ['SELECT 1; SELECT 2', 'The supplied SQL string contains more than one statement', 'SELECT 2'],
  ])('the error in %j has its position', async (sql, message, marked) => {
    expect(await refusalOf(sql)).toEqual({ message, marked });
  });

  test('locates the second =, not the first', async () => {
    const sql = 'SELECT run_id FROM run WHERE name = = 3';
    const result = await ask('sql.run', { sql });
    expect(result).toMatchObject({ value: { at: { start: sql.lastIndexOf('=') } } });
  });

  test.each([
    ["ATTACH '/tmp/x.sqlite' AS x", 'ATTACH'],
    ['DETACH main', 'DETACH'],
    ['PRAGMA journal_mode = DELETE', 'PRAGMA'],
    ['PRAGMA table_info(run)', 'PRAGMA'],
    ["VACUUM INTO '/tmp/stolen.sqlite'", 'VACUUM'],
    ['/* a */ -- b\n ; DELETE FROM run_row', 'DELETE'],
    ["EXPLAIN ATTACH '/tmp/x' AS x", 'ATTACH'],
    ['EXPLAIN PRAGMA query_only = 0', 'PRAGMA'],
    ['EXPLAIN QUERY PLAN DELETE FROM run_row', 'DELETE'],
    ['SELECT * FROM pragma_wal_checkpoint', 'pragma_wal_checkpoint'],
    ['SELECT * FROM "pragma_optimize"(3)', '"pragma_optimize"'],
    ['SELECT * FROM [pragma_user_version]', '[pragma_user_version]'],
    ['SELECT 1\0; DROP TABLE run_row', '\0'],
    ["SELECT load_extension('/tmp/x.so')", undefined],
    ["SELECT writefile('/tmp/x', 'y')", 'writefile'],
    ["SELECT readfile('/etc/passwd')", 'readfile'],
    ["SELECT edit('x')", 'edit'],
    ['WITH x AS (SELECT 1) DELETE FROM run_row', undefined],
    ['WITH x AS (SELECT 1) INSERT INTO run_row (run_id) SELECT * FROM x RETURNING run_id', undefined],
    ['', undefined],
    ['  -- nothing\n;;', undefined],
    ['EXPLAIN', 'EXPLAIN'],
  ])('%j', async (sql, marked) => {
    const before = digest();
    const refusal = await refusalOf(sql).catch(async () => {
      // A statement that SQLite rejects while running is still a result.
      const result = await ask('sql.run', { sql });
      return { message: JSON.stringify(result), marked: undefined };
    });
    expect(refusal.message).not.toBe('');
    expect(refusal.marked).toBe(marked);
    expect(digest()).toEqual(before);
  });

  test('accepts statements about the schema', async () => {
    const { rows } = await rowsOf("SELECT name FROM pragma_table_info('run') LIMIT 1");
    expect(rows).toEqual([['run_id']]);
    expect((await rowsOf("SELECT 'pragma_ what'")).rows).toEqual([['pragma_ what']]);
  });

  test('parses or refuses a megabyte quickly', async () => {
    const db = openReader(files.library);
    const statements = [
      `SELECT 1 ${' '.repeat(999_000)}`,
      `${';'.repeat(999_000)}SELECT 1`,
      `${'/* */'.repeat(190_000)}SELECT 1`,
      `SELECT ${'('.repeat(999_000)}`,
      `SELECT ${'a,'.repeat(400_000)}a frm x`,
      `SELECT '${'x'.repeat(999_000)}`,
      `${'/*'.repeat(490_000)}`,
      `SELECT 1${'x'.repeat(1_000_000)}`,
    ];
    const outcomes = statements.map((sql) => {
      const before = process.cpuUsage();
      let outcome = 'accepted';
      try {
        prepareUserStatement(db, sql);
      } catch (error) {
        expect(error).toBeInstanceOf(RefusedStatementError);
        outcome = 'refused';
      }
      // Time of the processor, which other programs do not add to.
      expect(process.cpuUsage(before).user / 1_000).toBeLessThan(5_000);
      return outcome;
    });
    db.close();
    expect(outcomes).toEqual([...Array(3).fill('accepted'), ...Array(5).fill('refused')]);
    const tooLong = await host.dispatch('sql.run', { sql: ' '.repeat(1_000_001) });
    expect(tooLong).toMatchObject({ ok: false, failure: { code: 'bad_request' } });
  });
});

describe('a statement without end', () => {
  test('is stopped at the time limit, and its process ends', async () => {
    const run = ask('sql.run', { sql: ENDLESS, timeoutMs: 2_000 });
    await expect.poll(() => statementProcesses().length).toBe(1);
    const [pid] = statementProcesses();
    expect(await run).toMatchObject({ ok: false, failure: { code: 'timed_out' } });
    await expect.poll(() => isAlive(pid ?? 0)).toBe(false);
  });

  test('is stopped when cancelled, and its process ends', async () => {
    const controller = new AbortController();
    const run = ask('sql.run', { sql: ENDLESS }, controller.signal);
    await expect.poll(() => statementProcesses().length).toBe(1);
    const [pid] = statementProcesses();
    controller.abort();
    expect(await run).toMatchObject({ ok: false, failure: { code: 'cancelled' } });
    await expect.poll(() => isAlive(pid ?? 0)).toBe(false);
  });

  test('is stopped with the host', async () => {
    const other = await createHost({ libraryPath: files.library, shell: 'browser', version: '0' });
    const run = other.dispatch('sql.run', { sql: ENDLESS });
    await expect.poll(() => statementProcesses().length).toBe(1);
    await other.close();
    expect(await run).toMatchObject({ ok: false });
    await expect.poll(statementProcesses).toEqual([]);
  });

  test('does not block others, up to a few at once', async () => {
    const controller = new AbortController();
    const runs = [1, 2, 3].map(() => ask('sql.run', { sql: ENDLESS }, controller.signal));
    expect((await rowsOf('SELECT 1')).rows).toEqual([[1]]);
    runs.push(ask('sql.run', { sql: ENDLESS }, controller.signal));
    expect(await ask('sql.run', { sql: 'SELECT 1' })).toMatchObject({ failure: { code: 'refused' } });
    controller.abort();
    for (const run of runs) expect(await run).toMatchObject({ failure: { code: 'cancelled' } });
    expect((await rowsOf('SELECT 1')).rows).toEqual([[1]]);
  });
});

describe('a statement that needs the whole machine', () => {
  test.each([
    ['zeroblob(1e9)', 'SELECT zeroblob(1000000000)'],
    ['printf', "SELECT printf('%*c', 1000000000, 'x')"],
    ['hex of half of it', 'SELECT hex(zeroblob(400000000)), hex(zeroblob(400000000))'],
    [
      'a concatenation',
      `WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 3000)
        SELECT group_concat(hex(zeroblob(500000))) FROM c`,
    ],
  ])('%s is answered or ended', async (_name, sql) => {
    const result = await ask('sql.run', { sql, timeoutMs: 15_000 });
    if (result.ok) expect(['rows', 'refused']).toContain(result.value.kind);
    else expect(['internal', 'timed_out']).toContain(result.failure.code);
    await expect.poll(statementProcesses).toEqual([]);
    expect((await rowsOf('SELECT 1')).rows).toEqual([[1]]);
  });

  test('a killed process gives a failure', async () => {
    const run = ask('sql.run', { sql: ENDLESS });
    await expect.poll(() => statementProcesses().length).toBe(1);
    process.kill(statementProcesses()[0] ?? 0, 'SIGKILL');
    expect(await run).toMatchObject({ ok: false, failure: { code: 'internal' } });
  });
});

describe('an export', () => {
  test('writes all rows, whole, in each format', async () => {
    const sql = `SELECT 1 AS n, 'a,"b"' || char(10) || char(9) AS t, NULL AS t, x'00ff' AS b, 9007199254740993 AS i`;
    expect((await exported(sql, 'csv')).text).toBe(
      'n,t,t (2),b,i\n1,"a,""b""\n\t",,base64:AP8=,9007199254740993\n',
    );
    expect((await exported(sql, 'tsv')).text).toBe(
      'n\tt\tt (2)\tb\ti\n1\t"a,""b""\n\t"\t\tbase64:AP8=\t9007199254740993\n',
    );
    expect((await exported(sql, 'jsonl')).text).toBe(
      '{"n":1,"t":"a,\\"b\\"\\n\\t","t (2)":null,"b":{"base64":"AP8="},"i":9007199254740993}\n',
    );
  });

  test('has more rows than are kept, and texts longer than are shown', async () => {
    const sql = `WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 60000) SELECT n FROM c`;
    const { text, rows } = await exported(sql, 'csv');
    expect(rows).toBe(60_000);
    expect(text.trimEnd().split('\n').at(-1)).toBe('60000');
    expect((await exported('SELECT hex(zeroblob(50000)) AS x', 'csv')).text.length).toBe(100_003);
  });

  test('waits for its reader, and ends with it', async () => {
    const start = await ask('sql.export', { sql: ENDLESS_ROWS, format: 'csv' });
    if (!start.ok || start.value.kind !== 'started') throw new Error('not started');
    const { exportId } = start.value;
    await ask('sql.exportPart', { exportId });
    const part = await ask('sql.exportPart', { exportId });
    expect(part).toMatchObject({ ok: true, value: { isWhole: false } });
    expect(statementProcesses()).toHaveLength(1);
    expect(await ask('sql.exportStop', { exportId })).toEqual({ ok: true, value: { stopped: true } });
    await expect.poll(statementProcesses).toEqual([]);
    expect(await ask('sql.exportPart', { exportId })).toMatchObject({ failure: { code: 'not_found' } });
  });

  test.each([
    ['stopped', (on: Host, exportId: number) => on.dispatch('sql.exportStop', { exportId })],
    ['closed with the host', (on: Host) => on.close()],
  ])('%s, it fails the fetch that waits for rows', async (_name, stop) => {
    const other = await createHost({ libraryPath: files.library, shell: 'browser', version: '0' });
    const start = await other.dispatch('sql.export', { sql: `${ENDLESS_ROWS} WHERE n < 0`, format: 'csv' });
    const { exportId } = (start as { value: { exportId: number } }).value;
    const head = await other.dispatch('sql.exportPart', { exportId });
    expect(head).toMatchObject({ ok: true, value: { text: 'n\n', isWhole: false } });
    const waiting = other.dispatch('sql.exportPart', { exportId });
    await stop(other, exportId);
    expect(await waiting).toEqual({
      ok: false,
      failure: { code: 'cancelled', message: 'the statement was cancelled' },
    });
    await other.close();
  });

  test('is refused like a statement', async () => {
    expect(await ask('sql.export', { sql: 'DROP TABLE run_row', format: 'csv' })).toMatchObject({
      ok: true,
      value: { kind: 'refused', at: { start: 0, end: 4 } },
    });
  });
});

test('any input is answered, and nothing is written', async () => {
  const before = digest();
  const piece = fc.constantFrom(
    ...['SELECT', 'FROM', 'run', 'rollout', '*', ',', '(', ')', 'WHERE', 'AND', '=', '1', "'x'", '"', "'"],
    ...['--', '/*', '*/', ';', 'DELETE', 'INSERT INTO', 'UPDATE', 'ATTACH', 'PRAGMA', 'WITH x AS', 'VALUES'],
    ...['EXPLAIN', 'QUERY PLAN', 'tokens(1)', 'pragma_optimize', 'load_extension', 'RETURNING', 'run_row'],
    ...[
      'DROP TABLE',
      'VACUUM INTO',
      'REPLACE INTO',
      'JOIN',
      'GROUP BY',
      'sqlite_schema',
      'NULL',
      '\0',
      '🙂',
      '[',
      '`',
      '?1',
      ':a',
    ],
  );
  const db = openReader(files.library);
  const law = fc.property(fc.array(piece, { maxLength: 12 }), fc.string({ maxLength: 6 }), (pieces, odd) => {
    for (const opening of ['', 'SELECT ', 'EXPLAIN ', 'WITH x AS (SELECT 1) ']) {
      const sql = `${opening}${pieces.join(' ')}${odd}`;
      try {
        let rows = 0;
        for (const _ of prepareUserStatement(db, sql, { isExact: true }).rows()) {
          rows += 1;
          if (rows > 20) break;
        }
      } catch (error) {
        expect(error).toBeInstanceOf(Error);
        const { at } = error as RefusedStatementError;
        if (at === undefined) continue;
        expect(at.start).toBeGreaterThanOrEqual(0);
        expect(at.end).toBeLessThanOrEqual(sql.length);
        expect(at.end).toBeGreaterThanOrEqual(at.start);
      }
    }
  });
  fc.assert(law, { seed: 7, numRuns: 1_500 });
  // A few through the host, each with its process.
  for (const pieces of fc.sample(fc.array(piece, { maxLength: 10 }), { seed: 11, numRuns: 12 })) {
    const result = await ask('sql.run', { sql: `SELECT ${pieces.join(' ')}`, timeoutMs: 30_000 });
    if (!result.ok) expect(['timed_out', 'cancelled', 'internal']).not.toContain(result.failure.code);
  }
  db.close();
  expect(digest()).toEqual(before);
});

test('accepts another kind of process, whose messages are validated', async () => {
  const sent: unknown[] = [];
  let kills = 0;
  const rows: unknown[] = [];
  const failure = await runSql({
    libraryPath: files.library,
    sql: 'SELECT 1',
    timeoutMs: 50_000,
    onColumns: () => undefined,
    onRows: (page) => {
      rows.push(...page);
      return STOP_ROWS;
    },
    start: (entry) => {
      expect(entry).toMatch(/sql\.js$/);
      return {
        send: (message) => void sent.push(message),
        onMessage: (listener) => queueMicrotask(() => listener({ kind: 'rows', rows: [[1]] } as never)),
        onExit: () => undefined,
        kill: () => {
          kills += 1;
        },
      };
    },
  });
  expect(failure).toBeUndefined();
  expect(rows).toEqual([[1]]);
  expect(sent).toEqual([{ libraryPath: files.library, sql: 'SELECT 1' }]);
  expect(kills).toBe(1);
});
