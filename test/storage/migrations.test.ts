/** From every version there was: a library is brought up to date, whole, with every view readable. */
import Database from 'better-sqlite3';
import { expect, it } from 'vitest';
import { MIGRATIONS, migrate, NEWEST_VERSION, versionOf } from '../../electron/storage/migrate.ts';
import { openReader, openWriter } from '../../electron/storage/open.ts';
import { PUBLIC_VIEWS } from '../../electron/storage/views.sql.ts';
import { DEFAULT_TAXONOMY } from '../../shared/domain/annotate/taxonomy.ts';
import { ingestHere, rows, scratch } from '../support/library.ts';

it.each(MIGRATIONS.map(({ version }) => version))('from version %i', async (version) => {
  const place = scratch();
  try {
    const db = new Database(place.library);
    migrate(db, version);
    expect(versionOf(db)).toBe(version);
    db.close();
    const writer = openWriter(place.library);
    expect(versionOf(writer)).toBe(NEWEST_VERSION);
    expect(writer.pragma('integrity_check', { simple: true })).toBe('ok');
    writer.close();
    const reader = openReader(place.library);
    // The labels Turnwise comes with are there from the start.
    for (const view of PUBLIC_VIEWS.filter((each) => each !== 'label'))
      expect(reader.prepare(`SELECT * FROM ${view}`).all()).toEqual([]);
    expect(reader.prepare('SELECT label FROM label').all()).toHaveLength(DEFAULT_TAXONOMY.labels.length);
    reader.close();
    const record = { input: 'q', output: 'a', score: 1, step: 1 };
    await ingestHere(place.library, [place.file('1.jsonl', `${JSON.stringify(record)}\n`)]);
    expect(rows(place.library, 'SELECT count(*) AS n FROM rollout')).toEqual([{ n: 1 }]);
  } finally {
    place.remove();
  }
});
