/** Processes for what a user wrote, as the desktop starts them. */
import { spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { UtilityProcess } from 'electron';
import { expect, test } from 'vitest';
import { runSql } from '../../electron/host/runSql.ts';
import { childProcesses } from '../../electron/main/childProcesses.ts';
import { openWriter } from '../../electron/storage/open.ts';
import { scratch } from '../support/library.ts';

class Child extends EventEmitter {
  pid: number | undefined;
  readonly sent: unknown[] = [];
  readonly entry: string;
  constructor(entry: string) {
    super();
    this.entry = entry;
  }
  postMessage(message: unknown): void {
    this.sent.push(message);
  }
  kill(): boolean {
    return true;
  }
}

function desktop() {
  const children: Child[] = [];
  const ended: number[] = [];
  const start = childProcesses(
    {
      fork: (entry) => {
        const child = new Child(entry);
        children.push(child);
        return child as unknown as UtilityProcess;
      },
    },
    (pid) => void ended.push(pid),
  );
  const run = (signal?: AbortSignal) =>
    runSql({
      libraryPath: '/lib.sqlite',
      sql: 'SELECT 1',
      timeoutMs: 50_000,
      onColumns: () => undefined,
      onRows: () => undefined,
      start,
      ...(signal === undefined ? {} : { signal }),
    });
  return { children, ended, run };
}

test('receives the statement, is told when a page is read, and is ended when done', async () => {
  const { children, ended, run } = desktop();
  const answer = run();
  const [child] = children as [Child];
  expect(child.entry).toMatch(/sql\.js$/);
  child.pid = 12;
  child.emit('spawn');
  child.emit('message', { kind: 'columns', columns: ['1'] });
  child.emit('message', { kind: 'rows', rows: [[1]] });
  await expect
    .poll(() => child.sent)
    .toEqual([{ libraryPath: '/lib.sqlite', sql: 'SELECT 1' }, { kind: 'taken' }]);
  expect(ended).toEqual([]);
  child.emit('message', { kind: 'done' });
  expect(await answer).toBeUndefined();
  expect(ended).toEqual([12]);
});

test('cancelled before it has started, it is ended once it has', async () => {
  const { children, ended, run } = desktop();
  const controller = new AbortController();
  const answer = run(controller.signal);
  controller.abort();
  expect(await answer).toMatchObject({ code: 'cancelled' });
  const [child] = children as [Child];
  expect(ended).toEqual([]);
  child.pid = 13;
  child.emit('spawn');
  expect(ended).toEqual([13]);
});

test('an ended process gives a failure, and no other process with its id is ended', async () => {
  const { children, ended, run } = desktop();
  const answer = run();
  const [child] = children as [Child];
  child.pid = 14;
  child.emit('spawn');
  child.emit('exit', 5);
  expect(await answer).toMatchObject({ code: 'internal', message: expect.stringContaining('code 5') });
  expect(ended).toEqual([]);
});

test('answers when the system starts no process', async () => {
  const run = (start?: Parameters<typeof runSql>[0]['start']) =>
    runSql({
      ...{ libraryPath: '/lib.sqlite', sql: 'SELECT 1', timeoutMs: 50_000 },
      ...{ onColumns: () => undefined, onRows: () => undefined, start },
    });
  const { execPath } = process;
  process.execPath = '/nowhere/node';
  try {
    expect(await run()).toMatchObject({ code: 'internal', message: expect.stringContaining('ENOENT') });
  } finally {
    process.execPath = execPath;
  }
  const failing = (): never => {
    throw new Error('spawn EMFILE');
  };
  expect(await run(failing)).toMatchObject({
    code: 'internal',
    message: 'the SQL process could not be started: spawn EMFILE',
  });
});

test.skipIf(process.platform === 'win32')('ends with its parent, also while a statement runs', async () => {
  const place = scratch();
  openWriter(place.library).close();
  const entry = fileURLToPath(new URL('../../electron/worker/sql.ts', import.meta.url));
  const sql = 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n';
  const script = `
    import { fork } from 'node:child_process';
    const child = fork(${JSON.stringify(entry)}, [], { serialization: 'advanced', execArgv: [] });
    // The columns are sent before the rows are computed.
    child.on('message', () => process.stdout.write(String(child.pid)));
    child.send({ libraryPath: ${JSON.stringify(place.library)}, sql: ${JSON.stringify(sql)} });`;
  const parent = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [said] = (await once(parent.stdout, 'data')) as [Buffer];
  const pid = Number(said.toString());
  expect(isRunning(pid)).toBe(true);
  parent.kill('SIGKILL');
  await expect.poll(() => isRunning(pid)).toBe(false);
  place.remove();
});

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
