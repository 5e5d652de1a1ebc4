/**
 * One method of the contract: params, result, and where it runs. The tables in `*Methods.ts` define each
 * method once. Transports, host, threads and tests derive their types from them.
 */
import type { z } from 'zod';

/**
 * The process or thread that runs a method.
 *
 * - `libraries`: in the manager of all open libraries
 * - `host`: in the host of one library, without a thread
 * - `reader`: SQL over stored rows, short
 * - `lists`, `charts`: over columns; a thread each, because a list must not wait for a chart, and a third for filters with a
 *   regular expression, which may read all texts
 * - `analysis`: long-running, over steps and runs
 * - `comparison`: over a few rollouts
 * - `exporting`: writes files
 * - `search`: reads texts
 * - `writer`: changes the library
 * - `inspector`: reads files that may be damaged
 */
export type RunsOn =
  | 'libraries'
  | 'host'
  | 'reader'
  | 'lists'
  | 'charts'
  | 'analysis'
  | 'comparison'
  | 'exporting'
  | 'search'
  | 'writer'
  | 'inspector';

/** Carries a type but no value. */
export interface ResultType<R> {
  readonly type?: R;
}

export interface MethodDefinition<P extends z.ZodType, R, On extends RunsOn> {
  /** Validated once, in `dispatch`. */
  readonly params: P;
  readonly result: ResultType<R>;
  readonly runsOn: On;
  /** Runs even while its thread works on another request. */
  readonly isAtOnce?: boolean;
}

export function defineMethod<P extends z.ZodType, R, On extends RunsOn>(
  definition: MethodDefinition<P, R, On>,
): MethodDefinition<P, R, On> {
  return definition;
}

export function resultOf<R>(): ResultType<R> {
  return {};
}
