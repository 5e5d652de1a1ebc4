/**
 * The only guard against runaway regular expressions of users, such as (a+)+. V8 can only interrupt one
 * from the watchdog that `vm` sets up around a call. A linear-time engine (RE2JS 2.10) was 3 to 67 times
 * slower than V8 on 20,000 texts of 2 kB. Expressions that cannot run away need no limit (`mayRunAway`).
 */
import { type Context, createContext, Script } from 'node:vm';

/** Only a runaway expression takes this long on one text. */
const REGEX_LIMIT_MS = 1_000;

/** V8's message. */
const STACK_OVERFLOW = 'Maximum call stack size exceeded';

const CALL = new Script('work()');
const sandbox: { work: () => void } = { work: () => undefined };
let context: Context | undefined;

/**
 * Starting the watchdog takes 0.2 to 0.4 ms, on a busy machine over 1 ms, so search many texts in one call.
 *
 * @param work must not use SQLite or hold resources: a time-out skips its `finally` blocks
 * @returns undefined on a time-out, or when an expression overflows V8's stack, as (.|\n)* does on some
 * texts of several MB
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
    // A time-out's error is from the other context, so it is not an instance of this context's Error.
    if ((error as { code?: unknown } | null)?.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return undefined;
    if (error instanceof RangeError && error.message === STACK_OVERFLOW) return undefined;
    throw error;
  } finally {
    sandbox.work = () => undefined;
  }
}

/**
 * Runs `work` on all items under one time limit; if it is stopped, on each under its own.
 *
 * @param work as for `withTimeLimit`
 * @param onRunaway called for each item on which `work` is stopped; may throw
 * @returns one result per item, undefined for those on which it was stopped
 */
export function eachWithTimeLimit<T, R extends object>(
  items: readonly T[],
  work: (item: T) => R,
  onRunaway: () => void,
): readonly (R | undefined)[] {
  const all = withTimeLimit(() => items.map(work));
  if (all !== undefined) return all;
  return items.map((item) => {
    const result = withTimeLimit(() => work(item));
    if (result === undefined) onRunaway();
    return result;
  });
}
