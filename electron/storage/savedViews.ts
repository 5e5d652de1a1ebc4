/** Saved filters. */
import type { SavedView } from '../../shared/api/contract.ts';
import type { ReadableLibrary, WritableLibrary } from './open.ts';
import { query, text } from './rows.ts';

export function listViews(db: ReadableLibrary): readonly SavedView[] {
  const sql = 'SELECT name, filter FROM saved_view_row ORDER BY name COLLATE NOCASE';
  return query(db, sql, { name: text, filter: text }).all();
}

/** Saves a view and replaces one of the same name. */
export function saveView(db: WritableLibrary, { name, filter }: SavedView): void {
  db.prepare('INSERT OR REPLACE INTO saved_view_row (name, filter) VALUES (?, ?)').run(name, filter);
}

export function removeView(db: WritableLibrary, name: string): boolean {
  return db.prepare('DELETE FROM saved_view_row WHERE name = ?').run(name).changes > 0;
}
