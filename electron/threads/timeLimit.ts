/**
 * The only guard against runaway regular expressions of users, such as (a+)+. V8 can only interrupt one
 * from the watchdog that `vm` sets up around a call. A linear-time engine (RE2JS 2.10) was 3 to 67 times
 * slower than V8 on 20,000 texts of 2 kB.
 */
import { type Context, createContext, Script } from 'node:vm';

/** Only a runaway expression takes this long on one text. */
const REGEX_LIMIT_MS = 2_000;

const CALL = new Script('work()');
const sandbox: { work: () => void } = { work: () => undefined };
let context: Context | undefined;

/**
 * Starting the watchdog takes 0.2 to 0.4 ms, so search many texts in one call.
 *
 * @param work must not use SQLite or hold resources: a time-out skips its `finally` blocks
 * @returns undefined on a time-out
 */
export function withTimeLimit<T extends object>(work: () => T, limitMs = REGEX_LIMIT_MS): T | undefined {
  let result: T | undefined;
  sandbox.work = () => {
    result = work();
  };
  context ??= createContext(sandbox);
  try {
    CALL.runInContext(context, { timeout: limitMs });
    return result;
  } catch (error) {
    // The error is from the other context, so it is not an instance of this context's Error.
    if ((error as { code?: unknown } | null)?.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return undefined;
    throw error;
  } finally {
    sandbox.work = () => undefined;
  }
}

/**
 * Runs `work` on all items under one time limit; after a time-out, on each under its own.
 *
 * @param work as for `withTimeLimit`
 * @param onTimeOut called for each item that times out; may throw
 * @returns one result per item, undefined for those that timed out
 */
export function eachWithTimeLimit<T, R extends object>(
  items: readonly T[],
  work: (item: T) => R,
  onTimeOut: () => void,
): readonly (R | undefined)[] {
  const all = withTimeLimit(() => items.map(work));
  if (all !== undefined) return all;
  return items.map((item) => {
    const result = withTimeLimit(() => work(item));
    if (result === undefined) onTimeOut();
    return result;
  });
}
