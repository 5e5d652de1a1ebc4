/**
 * Runs a user's statement in a process that is killed when the time is up or the user has had
 * enough. The caller may replace the way the process is started (Electron's utilityProcess).
 */
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { ApiFailure } from '../../shared/api/errors.ts';
import type { SqlRefusal } from '../../shared/api/sqlRows.ts';
import type { AbortSignal } from '../../shared/api/transport.ts';
import { entryOf } from '../worker/entry.ts';
import type { SqlMessage, SqlRequest, SqlTaken } from '../worker/sqlMessages.ts';

interface SqlProcess {
  send(request: SqlRequest | SqlTaken): void;
  onMessage(listener: (message: SqlMessage) => void): void;
  onExit(listener: (code: number | null) => void): void;
  kill(): void;
}

/** @param entry path of the code of the process */
export type StartSqlProcess = (entry: string) => SqlProcess;

export interface SqlOptions {
  readonly libraryPath: string;
  readonly sql: string;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
  readonly values?: SqlRequest['values'];
  readonly onColumns: (columns: readonly string[]) => void;
  /** The next page is asked for when this resolves. `STOP_ROWS`: no more are wanted. */
  readonly onRows: (rows: readonly (readonly unknown[])[]) => Promise<unknown> | unknown;
  readonly start?: StartSqlProcess | undefined;
}

/** Timers count in 31 bits: 24 days. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** What is returned by `onRows` to have no more of them. */
export const STOP_ROWS: unique symbol = Symbol('no more rows');

export interface SqlFailure extends ApiFailure {
  readonly at?: SqlRefusal['at'];
}

/** @returns the failure, or undefined when every row that was wanted has been delivered */
export function runSql(options: SqlOptions): Promise<SqlFailure | undefined> {
  if (options.signal?.aborted === true) return Promise.resolve(CANCELLED_STATEMENT);
  const child = (options.start ?? startChild)(fileURLToPath(entryOf('sql')));
  return new Promise((resolve) => {
    let isSettled = false;
    const settle = (failure: SqlFailure | undefined): void => {
      if (isSettled) return;
      isSettled = true;
      clearTimeout(timer);
      options.signal?.removeEventListener('abort', onAbort);
      process.off('exit', child.kill);
      child.kill();
      resolve(failure);
    };
    // However this process ends, its statement does not outlive it.
    process.once('exit', child.kill);
    const onAbort = (): void => settle(CANCELLED_STATEMENT);
    const timer = setTimeout(
      () => {
        settle({
          code: 'timed_out',
          message: `the statement ran longer than ${options.timeoutMs / 1000} s and was stopped`,
        });
      },
      Math.min(options.timeoutMs, LONGEST_TIMER_MS),
    );
    options.signal?.addEventListener('abort', onAbort);
    child.onMessage((message) => {
      if (isSettled) return;
      switch (message.kind) {
        case 'columns':
          options.onColumns(message.columns);
          break;
        case 'rows':
          void Promise.resolve(options.onRows(message.rows)).then((answer) => {
            if (answer === STOP_ROWS) settle(undefined);
            else if (!isSettled) child.send({ kind: 'taken' });
          });
          break;
        case 'done':
          settle(undefined);
          break;
        case 'refused': {
          const { at } = message;
          settle({ code: 'refused', message: message.message, ...(at === undefined ? {} : { at }) });
          break;
        }
      }
    });
    child.onExit((code) =>
      settle({
        code: 'internal',
        message: `the SQL process ended by itself (${code === null ? 'killed' : `code ${code}`}); it is ended when it needs more than 1.5 GiB of memory`,
      }),
    );
    const { libraryPath, sql, values } = options;
    child.send({ libraryPath, sql, ...(values === undefined ? {} : { values }) });
  });
}

const CANCELLED_STATEMENT: SqlFailure = { code: 'cancelled', message: 'the statement was cancelled' };

function startChild(entry: string): SqlProcess {
  const child = fork(entry, [], {
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    execArgv: [],
  });
  return {
    // A child that has already ended is told nothing; its exit says the rest.
    send: (request) => void (child.connected && child.send(request)),
    onMessage: (listener) => void child.on('message', (message) => listener(message as SqlMessage)),
    onExit: (listener) => void child.on('exit', listener),
    kill: () => void child.kill('SIGKILL'),
  };
}
