/** Saved SQL statements. */
import type { SavedQuery } from '../../shared/api/sqlRows.ts';
import type { ReadableLibrary, WritableLibrary } from './open.ts';
import { number, query, queryValue, text } from './rows.ts';

const LIST = `SELECT name, sql, created_at AS createdAt FROM saved_query_row
  ORDER BY name COLLATE NOCASE, name`;
const SAVE = `INSERT INTO saved_query_row (name, sql, created_at) VALUES (?, ?, ?)
  ON CONFLICT (name) DO UPDATE SET sql = excluded.sql`;

export interface QueryToSave {
  readonly name: string;
  readonly sql: string;
  readonly formerName?: string | undefined;
  readonly createdAt?: number | undefined;
}

export function listQueries(db: ReadableLibrary): readonly SavedQuery[] {
  return query(db, LIST, { name: text, sql: text, createdAt: number }).all();
}

/**
 * Saves a query. An existing query of the same name is replaced and keeps its date. Refuses to rename to the
 * name of another query.
 *
 * @param now milliseconds since 1970
 */
export function saveQuery(
  db: WritableLibrary,
  { name, sql, formerName, createdAt }: QueryToSave,
  now: number,
): SavedQuery | { readonly refusal: string } {
  return db.transaction(() => {
    const createdAtOf = queryValue(db, 'SELECT created_at FROM saved_query_row WHERE name = ?', number);
    const isRenamed = formerName !== undefined && formerName !== name;
    if (isRenamed && createdAtOf.get(name) !== undefined)
      return { refusal: `there is already a query named ${JSON.stringify(name)}` };
    const former = formerName === undefined ? undefined : createdAtOf.get(formerName);
    if (isRenamed) removeQuery(db, formerName);
    db.prepare(SAVE).run(name, sql, createdAt ?? former ?? now);
    return { name, sql, createdAt: createdAtOf.get(name) ?? now };
  })();
}

export function removeQuery(db: WritableLibrary, name: string): boolean {
  return db.prepare('DELETE FROM saved_query_row WHERE name = ?').run(name).changes > 0;
}
