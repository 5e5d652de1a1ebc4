/**
 * One method of the contract: its parameters, its result and where it is answered. The tables in
 * `*Methods.ts` define each method once; transports, host, threads and tests derive their types from them.
 */
import type { z } from 'zod';

/**
 * Where a method is answered.
 *
 *  - `libraries`: by the manager of all open libraries
 *  - `host`: by the host of one library, without a thread
 *  - `reader`: SQL over stored rows, short
 *  - `lists`, `charts`: over columns. Two threads, so that a list does not wait behind a chart
 *  - `analysis`: long, over steps and runs
 *  - `comparison`: over a few rollouts
 *  - `exporting`: writes files
 *  - `search`: reads texts
 *  - `writer`: changes the library
 *  - `inspector`: reads files that may be damaged
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

/** Carries a type and no value. */
export interface ResultType<R> {
  readonly type?: R;
}

export interface MethodDefinition<P extends z.ZodType, R, On extends RunsOn> {
  /** Validated once, by `dispatch`. */
  readonly params: P;
  readonly result: ResultType<R>;
  readonly runsOn: On;
  /** Answered while the thread works on another request. */
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
