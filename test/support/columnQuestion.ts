/** A request over columns as one value, answered like the thread does. */
import { ColumnQueryEngine } from '../../electron/columns/queryEngine.ts';
import type { ReadableLibrary } from '../../electron/storage/open.ts';
import { FREE_TASK, type Task } from '../../electron/threads/task.ts';
import type { MethodsOn, ParsedParams } from '../../shared/api/contract.ts';
import { ApiError, failureOf, type Result } from '../../shared/api/errors.ts';
import { CANCELLED } from '../../shared/api/transport.ts';

type ColumnMethod = MethodsOn<'lists' | 'charts'>;
export type ColumnQuestion = {
  [M in ColumnMethod]: { readonly method: M } & Omit<ParsedParams<M>, 'progressKey'>;
}[ColumnMethod];

export const CANCELLED_TASK: Task = {
  ...FREE_TASK,
  isCancelled: () => true,
  checkpoint: () => {
    throw new ApiError(CANCELLED);
  },
};

/** @param engine an engine with cached columns, or a library */
export function askColumns(
  engine: ColumnQueryEngine | ReadableLibrary,
  { method, ...params }: ColumnQuestion,
  task: Task = FREE_TASK,
): Result<unknown> {
  const asked = engine instanceof ColumnQueryEngine ? engine : new ColumnQueryEngine(engine);
  return attempt(() => asked.answer(method, params as never, task));
}

/** The result a thread would send: a value, or a failure for an error with a failure code. */
export function attempt<T>(work: () => T): Result<T> {
  try {
    return { ok: true, value: work() };
  } catch (error) {
    const failure = failureOf(error);
    if (failure === undefined) throw error;
    return { ok: false, failure };
  }
}
