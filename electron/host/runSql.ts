/** Runs a user's statement in a process, which is killed on a time-out or on cancellation. */
import { fileURLToPath } from 'node:url';
import type { ApiFailure } from '../../shared/api/errors.ts';
import type { SqlRefusal } from '../../shared/api/sqlRows.ts';
import type { AbortSignal } from '../../shared/api/transport.ts';
import { type ChildProcess, forkProcess, type StartProcess } from '../threads/childProcess.ts';
import type { NamedWarehouse } from '../warehouse/namedWarehouse.ts';
import { entryOf } from '../worker/entry.ts';
import type { SqlMessage, SqlPageTaken, SqlRequest } from '../worker/sqlMessages.ts';

export interface SqlOptions {
  readonly libraryPath: string;
  readonly sql: string;
  readonly isCheck?: SqlRequest['isCheck'];
  /** Default: the library. */
  readonly warehouse?: NamedWarehouse | undefined;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
  readonly values?: SqlRequest['values'];
  readonly onColumns: (columns: readonly string[]) => void;
  /** The next page is requested when this resolves. Return `STOP_ROWS` to stop. */
  readonly onRows: (rows: readonly (readonly unknown[])[]) => Promise<unknown> | unknown;
  /** Default: Node's fork. */
  readonly start?: StartProcess | undefined;
}

/** Longest delay of a timer: 31 bits, about 24 days. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Returned by `onRows` to stop. */
export const STOP_ROWS: unique symbol = Symbol('no more rows');

export interface SqlFailure extends ApiFailure {
  readonly at?: SqlRefusal['at'];
}

/** @returns the failure, or undefined when all requested rows have been delivered */
export function runSql(options: SqlOptions): Promise<SqlFailure | undefined> {
  if (options.signal?.aborted === true) return Promise.resolve(CANCELLED_STATEMENT);
  let child: ChildProcess<SqlRequest | SqlPageTaken, SqlMessage>;
  try {
    child = (options.start ?? forkProcess)(fileURLToPath(entryOf('sql')), { name: 'Turnwise SQL' });
  } catch (error) {
    return Promise.resolve(notStarted(error));
  }
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
    // Kills the statement when this process exits.
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
    child.onExit((code) => {
      if (code instanceof Error) return settle(notStarted(code));
      settle({
        code: 'internal',
        message: `the SQL process exited unexpectedly (${code === null ? 'killed' : `code ${code}`}); it is stopped when it uses more than 1.5 GiB of memory`,
      });
    });
    const { libraryPath, sql, warehouse: named, timeoutMs, values, isCheck } = options;
    const inWarehouse = named && { inWarehouse: { named, timeoutMs } };
    child.send({ libraryPath, sql, ...inWarehouse, ...(values && { values }), ...(isCheck && { isCheck }) });
  });
}

const CANCELLED_STATEMENT: SqlFailure = { code: 'cancelled', message: 'the statement was cancelled' };

/** The system has no more processes, descriptors or memory. */
function notStarted(error: unknown): SqlFailure {
  const reason = error instanceof Error ? error.message : String(error);
  return { code: 'internal', message: `the SQL process could not be started: ${reason}` };
}
