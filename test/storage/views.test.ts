/** The documentation of the public views matches the views. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openReader, openWriter } from '../../electron/storage/open.ts';
import { sqlSchema } from '../../electron/storage/queries/sqlSchema.ts';
import { ROLLOUT_FIELDS } from '../../shared/domain/rolloutFields.ts';
import { scratch } from '../support/library.ts';

const PAGE = join(import.meta.dirname, '../../electron/storage/VIEWS.md');
const place = scratch();
openWriter(place.library).close();
const db = openReader(place.library);
const views = sqlSchema(db).filter(({ kind }) => kind === 'view');
db.close();
place.remove();

it.each(views.map((view) => [view.name, view] as const))('%s has the documented columns', (name, view) => {
  const columns = view.columns.map((column) => column.name);
  if (name === 'rollout') {
    const documented = Object.entries(ROLLOUT_FIELDS).filter(([, field]) => 'sql' in field);
    expect(columns).toEqual(documented.map(([field]) => field));
    return;
  }
  const row = readFileSync(PAGE, 'utf8')
    .split('\n')
    .find((line) => line.startsWith(`| \`${name}\` |`));
  const cell = row?.split(' | ')[2]?.replace(/\s*\|$/, '') ?? '';
  expect(cell.replaceAll(/ \([^)]*\)/g, '').split(', ')).toEqual(columns);
});

it('documents every column in the console', () => {
  const silent = views.flatMap(({ name, columns }) =>
    columns.filter(({ about }) => about === '').map((column) => `${name}.${column.name}`),
  );
  expect(silent).toEqual([]);
});
