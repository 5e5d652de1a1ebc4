/**
 * Runs a user's statement in a process that is killed when the time is up or the user has had
 * enough. The caller may replace the way the process is started (Electron's utilityProcess).
 */
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { ApiFailure } from '../../shared/api/errors.ts';
import type { AbortSignal } from '../../shared/api/transport.ts';
import { entryOf } from '../worker/entry.ts';
import type { SqlMessage, SqlRequest, SqlTaken } from '../worker/sqlMessages.ts';

export interface SqlProcess {
  send(request: SqlRequest | SqlTaken): void;
  onMessage(listener: (message: SqlMessage) => void): void;
  onExit(listener: (code: number | null) => void): void;
  kill(): void;
}

export interface SqlOptions {
  readonly libraryPath: string;
  readonly sql: string;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
  readonly onColumns: (columns: readonly string[]) => void;
  /** The next page is asked for when this resolves. */
  readonly onRows: (rows: readonly (readonly unknown[])[]) => Promise<void> | void;
  readonly start?: () => SqlProcess;
}

/** Timers count in 31 bits: 24 days. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** @returns the failure, or undefined when every row has been delivered */
export function runSql(options: SqlOptions): Promise<ApiFailure | undefined> {
  const child = (options.start ?? startChild)();
  return new Promise((resolve) => {
    let isSettled = false;
    const settle = (failure: ApiFailure | undefined): void => {
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
    const onAbort = (): void => settle({ code: 'cancelled', message: 'the statement was cancelled' });
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
          void Promise.resolve(options.onRows(message.rows)).then(() => {
            if (!isSettled) child.send({ kind: 'taken' });
          });
          break;
        case 'done':
          settle(undefined);
          break;
        case 'refused':
          settle({ code: 'refused', message: message.message });
          break;
      }
    });
    child.onExit((code) =>
      settle({ code: 'internal', message: `the SQL process ended with code ${code ?? 'unknown'}` }),
    );
    child.send({ libraryPath: options.libraryPath, sql: options.sql });
  });
}

function startChild(): SqlProcess {
  const child = fork(fileURLToPath(entryOf('sql')), [], {
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
