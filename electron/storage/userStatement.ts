/**
 * The statement rule: one statement that reads. A read-only connection is not enough, since it
 * still permits ATTACH and VACUUM INTO.
 */
import type { ReadableLibrary } from './open.ts';

export interface UserStatement {
  readonly columns: readonly string[];
  rows(): IterableIterator<unknown[]>;
}

/** First keyword, behind white space and comments. */
const OPENING = /^(?:\s|--[^\n]*(?:\n|$)|\/\*[\s\S]*?\*\/|;)*([A-Za-z]+)/;
const ALLOWED = new Set(['SELECT', 'WITH', 'VALUES', 'EXPLAIN']);

/** @throws Error that says what is not accepted, or SQLite's own message */
export function prepareUserStatement(db: ReadableLibrary, sql: string): UserStatement {
  const keyword = OPENING.exec(sql)?.[1]?.toUpperCase();
  if (keyword === undefined) throw new Error('no statement given');
  if (!ALLOWED.has(keyword)) {
    throw new Error(
      `only SELECT, WITH, VALUES and EXPLAIN are accepted; this statement begins with ${keyword}`,
    );
  }
  const statement = db.prepare<unknown[], unknown[]>(sql);
  if (!statement.reader || !statement.readonly) throw new Error('only statements that read are accepted');
  statement.raw(true);
  return { columns: statement.columns().map((column) => column.name), rows: () => statement.iterate() };
}
