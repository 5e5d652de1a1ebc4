/** The public tables and columns, and the links from result rows to pages. */
import type { SqlSource, SqlTarget } from '../../../shared/api/sqlRows.ts';
import { rolloutFieldNamed } from '../../../shared/domain/rolloutFieldRecord.ts';
import type { ReadableLibrary } from '../open.ts';
import { number, query, queryValue, text } from '../rows.ts';
import { COLUMN_NOTES, FUNCTION_NOTES, VIEW_NOTES } from '../viewNotes.ts';
import { PUBLIC_VIEWS } from '../views.sql.ts';

const COLUMNS = 'SELECT name FROM pragma_table_xinfo(?) WHERE hidden = 0 ORDER BY cid';

export function sqlSchema(db: ReadableLibrary): readonly SqlSource[] {
  const columnsOf = (view: string) =>
    queryValue(db, COLUMNS, text)
      .all(view)
      .map((name) => ({ name, about: noteOf(view, name) }));
  return [
    ...PUBLIC_VIEWS.map(
      (view): SqlSource => ({
        name: view,
        kind: 'view',
        form: view,
        about: VIEW_NOTES[view],
        columns: columnsOf(view),
      }),
    ),
    {
      name: 'tokens',
      kind: 'table',
      form: 'tokens(rollout_id)',
      about: 'The tokens of one rollout as rows; joined: FROM rollout r, tokens(r.rollout_id) t',
      columns: columnsOf('tokens'),
    },
    ...FUNCTION_NOTES.map(
      ({ name, form, about }): SqlSource => ({ name, kind: 'function', form, about, columns: [] }),
    ),
  ];
}

function noteOf(view: string, column: string): string {
  return COLUMN_NOTES[`${view}.${column}`] ?? COLUMN_NOTES[column] ?? fieldNote(column);
}

function fieldNote(column: string): string {
  const field = rolloutFieldNamed(column);
  if (field === undefined) return '';
  return field.unit === undefined ? field.describe : `${field.describe}, in ${field.unit}`;
}

const ROLLOUT = `SELECT n.run_key AS runKey, r.step, g.group_key AS groupKey, r.ordinal
  FROM rollout_row r JOIN group_row g USING (group_id) JOIN run_row n ON n.run_id = r.run_id
  WHERE r.rollout_id = ?`;
const GROUP = `SELECT n.run_key AS runKey, g.step, g.group_key AS groupKey
  FROM group_row g JOIN run_row n ON n.run_id = g.run_id WHERE g.group_id = ?`;
const RUN = 'SELECT run_key AS runKey FROM run_row WHERE run_id = ?';

export function sqlTarget(
  db: ReadableLibrary,
  of: 'rollout' | 'group' | 'run',
  id: number,
): SqlTarget | undefined {
  switch (of) {
    case 'rollout':
      return query(db, ROLLOUT, { runKey: text, step: number, groupKey: text, ordinal: number }).get(id);
    case 'group':
      return query(db, GROUP, { runKey: text, step: number, groupKey: text }).get(id);
    case 'run':
      return query(db, RUN, { runKey: text }).get(id);
  }
}
