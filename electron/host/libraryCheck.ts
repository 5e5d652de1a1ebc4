/** Looks for damage in a library file, in a process that can be killed. */
import type { ApiFailure } from '../../shared/api/errors.ts';
import type { AbortSignal } from '../../shared/api/transport.ts';
import type { StartProcess } from '../threads/childProcess.ts';
import { runSql } from './runSql.ts';

/** A damaged table, with the first problem that SQLite found in it. */
export interface DamagedTable {
  readonly table: string;
  readonly problem: string;
}

/** Names the first damaged tables, as part of a sentence. */
export function damageText(tables: readonly DamagedTable[]): string {
  const names = tables.map(({ table }) => table);
  const more = names.length > MOST_NAMED ? ` and ${names.length - MOST_NAMED} more` : '';
  return `parts of ${names.slice(0, MOST_NAMED).join(', ')}${more} cannot be read`;
}

const MOST_NAMED = 4;

export interface CheckOptions {
  readonly libraryPath: string;
  readonly start?: StartProcess | undefined;
  readonly signal?: AbortSignal;
}

/** Reads every page. @returns damaged tables, or why the file cannot be checked */
export async function checkLibrary(
  options: CheckOptions,
): Promise<{ readonly tables: readonly DamagedTable[] } | { readonly failure: ApiFailure }> {
  const tables: DamagedTable[] = [];
  const failure = await runSql({
    ...options,
    sql: '',
    isCheck: true,
    timeoutMs: Number.POSITIVE_INFINITY,
    onColumns: () => undefined,
    onRows: (rows) => {
      for (const [table, problem] of rows) tables.push({ table: String(table), problem: String(problem) });
    },
  });
  return failure === undefined ? { tables } : { failure };
}
