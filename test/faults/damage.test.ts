/** Damaged pages: they are found in the background, and `turnwise doctor` saves everything that can be read. */
import {
  closeSync,
  copyFileSync,
  existsSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { zstdCompressSync } from 'node:zlib';
import Database from 'better-sqlite3';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createHost } from '../../electron/host/createHost.ts';
import { createLibraryManager } from '../../electron/host/libraryManager.ts';
import { openWriter } from '../../electron/storage/open.ts';
import { sharedPages } from '../../electron/storage/pageTrees.ts';
import { RESCUED_TABLES, rescue, withOwnTables } from '../../electron/storage/rescue.ts';
import { number, queryValue, text } from '../../electron/storage/rows.ts';
import { saveQuery } from '../../electron/storage/savedQueries.ts';
import { saveView } from '../../electron/storage/savedViews.ts';
import { nameRun, saveMapping } from '../../electron/storage/userRules.ts';
import { repeatRows } from '../../fixtures/generate/hostileFiles.ts';
import type { LibraryWarning, Method } from '../../shared/api/contract.ts';
import { seededRandom } from '../../shared/domain/seededRandom.ts';
import { runHere } from '../support/commandLine.ts';
import { Labelled } from '../support/labelled.ts';
import { rows, type Scratch, scratch } from '../support/library.ts';
import { beginningOfDemo, copyLibraryOf } from '../support/preparedLibrary.ts';

const PAGE = 8192;
const ANNOTATIONS = 300;

let made: Scratch;
let log: string;
beforeAll(async () => {
  made = scratch();
  log = beginningOfDemo();
  await copyLibraryOf(made.library, [log]);
  work(made.library);
});
afterAll(() => made.remove());

let place: Scratch;
beforeEach(() => {
  place = scratch();
  copyFileSync(made.library, place.library);
});
afterEach(() => place.remove());

/** Labels, marks, views, queries, mappings and a taxonomy of the user. */
function work(library: string): void {
  const on = new Labelled(library);
  const ids = on.rollouts().slice(0, ANNOTATIONS);
  for (const [i, rolloutId] of ids.entries())
    on.apply('ann', {
      put: { rolloutId, target: { kind: 'rollout' }, label: 'loops', note: `${i} ${'why '.repeat(20)}` },
    });
  on.apply('bob', { read: ids[0] ?? 0, verdict: 'read' });
  saveView(on.db, { name: 'wrong', filter: 'reward:0' });
  saveQuery(on.db, { name: 'all', sql: 'SELECT * FROM rollout' }, 1000);
  saveMapping(on.db, { version: 1, name: 'mine', shape: ['q'], fields: { prompt: 'q', response: 'q' } });
  nameRun(on.db, '/none', 'a name');
  on.close();
}

/** Pages of a table or index, leaves first. */
function pagesOf(table: string): readonly { readonly page: number; readonly cells: number }[] {
  const db = new Database(place.library, { readonly: true });
  try {
    const sql = `SELECT pageno AS page, ncell AS cells FROM dbstat WHERE name = ? ORDER BY pagetype = 'leaf' DESC, path`;
    return db.prepare<[string], { page: number; cells: number }>(sql).all(table);
  } finally {
    db.close();
  }
}

/** Overwrites a page with seeded noise. */
function damage(page: number, seed: number): void {
  const random = seededRandom(seed);
  const noise = Uint8Array.from({ length: PAGE }, () => Math.floor(random() * 256));
  const file = openSync(place.library, 'r+');
  writeSync(file, noise, 0, PAGE, (page - 1) * PAGE);
  closeSync(file);
}

/** Exchanges the first leaves of two tables or indexes. Each page stays whole. */
function swap(a: string, b: string): void {
  const file = openSync(place.library, 'r+');
  const [from, to] = [a, b].map((name) => ((pagesOf(name)[0]?.page ?? 0) - 1) * PAGE) as [number, number];
  const [first, second] = [Buffer.alloc(PAGE), Buffer.alloc(PAGE)];
  readSync(file, first, 0, PAGE, from);
  readSync(file, second, 0, PAGE, to);
  writeSync(file, first, 0, PAGE, to);
  writeSync(file, second, 0, PAGE, from);
  closeSync(file);
}

const into = (): string => join(place.directory, 'new.sqlite');
/** The library is a copy, for which the user has opened nothing: the logs are named. */
const doctor = (...argv: readonly string[]) => {
  const logs = argv.includes('--into') ? [dirname(log), place.directory] : [];
  return runHere(place.directory, ['doctor', place.library, ...logs, ...argv]);
};

/** Returns the rows that a user made, in an order that does not depend on row numbers. */
const ofUser = (library: string): unknown =>
  [
    'SELECT annotation_id, run_key, step, group_key, ordinal, label, note, author, state FROM annotation ORDER BY 1',
    "SELECT run_key, step, group_key, ordinal, author FROM reading WHERE verdict = 'read' ORDER BY 1, 2, 3, 4",
    'SELECT * FROM saved_view_row',
    'SELECT * FROM saved_query_row',
    'SELECT * FROM mapping_row',
    'SELECT * FROM run_name_row',
    'SELECT words, changes, is_undone FROM annotation_history_row ORDER BY history_no',
  ].map((sql) => rows(library, sql));

describe('two damaged sectors of the labels', () => {
  const noise = (page: number, seed: number): void => {
    const random = seededRandom(seed);
    const file = openSync(place.library, 'r+');
    const bytes = Uint8Array.from({ length: 512 }, () => Math.floor(random() * 256));
    writeSync(file, bytes, 0, bytes.length, (page - 1) * PAGE + PAGE / 2);
    closeSync(file);
  };
  /** Labels that SQLite returns when it is asked for one after the other. */
  const readable = (): number => {
    const db = new Database(place.library, { readonly: true });
    const one = db.prepare('SELECT * FROM annotation_row WHERE annotation_no = ?');
    const found = Array.from({ length: ANNOTATIONS + 1 }, (_, no) => {
      try {
        return one.get(no) !== undefined;
      } catch {
        return false;
      }
    });
    db.close();
    return found.filter(Boolean).length;
  };

  it('lose no label between them, also if one claims a row without end', async () => {
    const db = new Database(place.library);
    // The doctor would restore labels from their history.
    db.exec('DELETE FROM annotation_history_row');
    db.pragma('wal_checkpoint(TRUNCATE)');
    db.close();
    const leaves = pagesOf('annotation_row').map(({ page }) => page);
    const damaged = [leaves[1], leaves.at(-3)].map((page) => page ?? 0);
    let seed = 0;
    do for (const page of damaged) noise(page, ++seed);
    while (sharedPages(place.library).length === 0);
    expect(readable()).toBeGreaterThan(0.8 * ANNOTATIONS);
    await doctor('--into', into());
    const [saved] = rows(into(), 'SELECT count(*) AS n FROM annotation_row');
    expect(saved?.['n']).toBeGreaterThanOrEqual(readable());
  });
});

describe('pages that changed places', () => {
  it.each([
    ['rollout_by_step', 'rollout_by_group'],
    ['rollout_by_step', 'rollout_by_file'],
    ['step_row', 'run_by_scope'],
    ['step_revision_row', 'sqlite_autoindex_annotation_row_1'],
    ['group_row', 'text_block'],
    ['run_row', 'group_rule_row'],
  ])('of %s and %s are damage, not other numbers', async (a, b) => {
    swap(a, b);
    for (const command of [['rollouts', '--count'], ['check']]) {
      const { code, out, err } = await runHere(place.directory, [...command, '--library', place.library]);
      expect([command, code, out]).toEqual([command, 1, '']);
      expect(err).toContain(`is damaged`);
      expect(err).toContain(`turnwise doctor ${place.library} --into NEW.turnwise`);
    }
    expect(await doctor()).toMatchObject({ code: 3 });
  });
});

describe('pages that have several places, so that a table has rows without end', () => {
  it.each(['run_row', 'label_row', 'annotation_row'])('of %s are damage', async (table) => {
    repeatRows(place.library, table, 4);
    for (const command of [
      ['rollouts', '--count'],
      ['libraries'],
      ['query', 'SELECT count(*) FROM run_row'],
    ]) {
      const { code, out, err } = await runHere(place.directory, [...command, '--library', place.library]);
      expect([command, code, out]).toEqual([command, 1, '']);
      expect(err).toMatch(/is damaged: page \d+ has several places in its trees, one of them in /);
      expect(err).toContain(`turnwise doctor ${place.library} --into NEW.turnwise`);
    }
    const { code, out } = await doctor('--into', into());
    // Runs are read from the logs again.
    expect(code).toBe(table === 'run_row' ? 0 : 3);
    expect(out).toContain(`\n  ${table}: page`);
    expect(out).toContain(`\n  ${ANNOTATIONS} labels and notes`);
    expect(out).toContain('\n  318 rollouts, read from the logs again\n');
  });

  it('of the list of tables leave nothing to read', async () => {
    repeatRows(place.library, 'sqlite_schema', 4);
    const { code, err } = await doctor('--into', into());
    expect(code).toBe(1);
    expect(err).toContain('nothing can be read');
    expect(existsSync(into())).toBe(false);
  });

  it('in a further library are named, and the first is served', async () => {
    const bad = join(place.directory, 'bad.sqlite');
    copyFileSync(place.library, bad);
    repeatRows(bad, 'run_row', 4);
    const manager = await createLibraryManager({
      libraryPath: place.library,
      shell: 'browser',
      version: 'test',
    });
    try {
      await manager.grant(bad);
      const opened = await manager.dispatch('library.open', { path: bad });
      expect(opened).toMatchObject({
        ok: false,
        failure: { message: expect.stringContaining('is damaged') },
      });
      expect(await manager.dispatch('run.list', {})).toMatchObject({ ok: true });
    } finally {
      await manager.close();
    }
  });
});

describe('turnwise doctor', () => {
  it('says that a whole library is not damaged, and makes nothing', async () => {
    expect(await doctor('--into', into())).toMatchObject({
      code: 0,
      out: `${place.library} is not damaged\n`,
    });
    expect(await doctor('--json')).toMatchObject({
      code: 0,
      out: `${JSON.stringify({ path: place.library, damaged: [] })}\n`,
    });
  });

  it.each(['rollout_row', 'text_block', 'file_row', 'search_text_data'])(
    'saves everything when %s is damaged',
    async (table) => {
      const before = ofUser(place.library);
      damage(pagesOf(table)[0]?.page ?? 0, 1);
      const bytes = readFileSync(place.library);
      const found = await doctor();
      expect(found.code).toBe(3);
      expect(found.out).toContain(`\n  ${table}`);
      expect(found.out).toContain(`turnwise doctor ${place.library} --into NEW.turnwise`);
      const saved = await doctor('--into', into());
      expect(saved).toMatchObject({ code: 0, err: '' });
      expect(saved.out).toContain(`\n  ${ANNOTATIONS} labels and notes\n`);
      expect(saved.out).toContain('\n  318 rollouts, read from the logs again\n');
      expect(ofUser(into())).toEqual(before);
      // Its logs are read from the damaged library, which stays as it was.
      expect(readFileSync(place.library).equals(bytes)).toBe(true);
    },
  );

  it.each([
    ['with the undo history, all labels', true],
    ['without it, all labels but those of the page', false],
  ])('saves %s when a page of labels is damaged', async (_, hasHistory) => {
    const db = openWriter(place.library);
    if (!hasHistory) db.exec('DELETE FROM annotation_history_row');
    db.close();
    const leaves = pagesOf('annotation_row');
    const { page = 0, cells = 0 } = leaves[Math.floor(leaves.length / 2)] ?? {};
    expect(cells).toBeGreaterThan(1);
    damage(page, 2);
    const { code, out } = await doctor('--into', into());
    expect(code).toBe(3);
    expect(out).toContain(`\n  ${ANNOTATIONS - cells} labels and notes; some could not be read\n`);
    if (hasHistory)
      expect(out).toContain(`\n  ${cells} labels, notes and review marks more, from the undo history\n`);
    const [kept] = rows(into(), "SELECT count(*) AS n FROM annotation WHERE state = 'exact'");
    expect(kept).toEqual({ n: hasHistory ? ANNOTATIONS : ANNOTATIONS - cells });
  });

  it('says that labels are missing when a page of their rollouts is damaged', async () => {
    const db = openWriter(place.library);
    db.exec('DELETE FROM annotation_history_row');
    db.close();
    const leaves = pagesOf('annotated_row').filter(({ cells }) => cells > 0);
    damage(leaves[0]?.page ?? 0, 3);
    const { code, out } = await doctor('--into', into());
    expect(code).toBe(3);
    const [kept] = rows(into(), 'SELECT count(*) AS n FROM annotation');
    expect(Number(kept?.['n'])).toBeLessThan(ANNOTATIONS);
    expect(out).toContain(`\n  ${kept?.['n']} labels and notes; some could not be read\n`);
  });

  it('saves what is left of a file that was cut off', async () => {
    truncateSync(place.library, Math.floor(0.7 * statSync(place.library).size));
    const { code, out, err } = await doctor('--into', into());
    expect({ code, err }).toEqual({ code: 3, err: '' });
    expect(out).toContain('\n  1 saved views\n');
    expect(out).toContain('\n  318 rollouts, read from the logs again\n');
    truncateSync(place.library, 2 * PAGE);
    const none = join(place.directory, 'none.sqlite');
    expect(await doctor('--into', none)).toMatchObject({
      code: 1,
      err: expect.stringContaining('nothing can be read'),
    });
    expect(existsSync(none)).toBe(false);
  });

  it('saves the labels when a page of the list of tables is damaged', async () => {
    const before = ofUser(place.library);
    const pages = pagesOf('sqlite_schema').filter(({ page }) => page !== 1);
    expect(pages.length).toBeGreaterThan(2);
    let whole = 0;
    for (const [seed, { page }] of pages.slice(-2).entries()) {
      const bytes = readFileSync(place.library);
      damage(page, seed);
      const { out, err } = await doctor('--into', into());
      // The first of these pages lists all tables that were made first.
      if (err !== '') expect(err).toContain('nothing can be read');
      else expect(out).toContain('\n  sqlite_schema: ');
      expect(existsSync(into())).toBe(err === '');
      if (err === '' && JSON.stringify(ofUser(into())) === JSON.stringify(before)) whole += 1;
      for (const suffix of ['', '-wal', '-shm']) rmSync(into() + suffix, { force: true });
      writeFileSync(place.library, bytes);
    }
    // The others list tables of the user.
    expect(whole).toBeGreaterThan(0);
  });

  it('takes the last state of review marks from the undo history', async () => {
    const on = new Labelled(place.library);
    const [, skipped = 0, taken = 0] = on.rollouts();
    on.apply('bob', { read: skipped, verdict: 'read' });
    on.apply('bob', { read: skipped, verdict: 'skipped' });
    on.apply('bob', { read: taken, verdict: 'read' });
    on.apply('bob', { read: taken, verdict: null });
    on.close();
    const marks = (library: string) =>
      rows(library, "SELECT ordinal, author, verdict FROM reading WHERE author = 'bob' ORDER BY 1, 2");
    const before = marks(place.library);
    for (const { page } of pagesOf('reading_row')) damage(page, 6);
    await doctor('--into', into());
    expect(marks(into())).toEqual(before);
  });

  it('is not content with a log that has no rollouts any more', async () => {
    const changed = place.file('changed.jsonl', readFileSync(log));
    const db = openWriter(place.library);
    db.prepare('UPDATE file_row SET path = ?').run(changed);
    db.close();
    writeFileSync(changed, 'nothing of the kind\n');
    damage(pagesOf('segment_row')[0]?.page ?? 0, 7);
    const { code, out } = await doctor('--into', into());
    expect(code).toBe(3);
    expect(out).toContain(`logs that could not be read, or have no rollouts now:\n  ${changed}`);
  });

  it('names logs that are gone', async () => {
    const gone = place.file('gone.jsonl', readFileSync(log));
    const db = openWriter(place.library);
    db.prepare('UPDATE file_row SET path = ?').run(gone);
    db.close();
    rmSync(gone);
    damage(pagesOf('segment_row')[0]?.page ?? 0, 3);
    const { code, out } = await doctor('--into', into());
    expect(code).toBe(3);
    expect(out).toContain(`logs that are gone; their rollouts are only in the damaged library:\n  ${gone}\n`);
  });

  it.each([
    ['magic', [3]],
    ['page size', [16]],
    ['write and read version', [18, 19]],
    ['reserved bytes', [20]],
    ['number of pages and free pages', [29, 33, 38, 20]],
    ['schema format', [45]],
    ['text encoding', [57]],
    ['application id', [69]],
    ['six fields', [2, 17, 21, 46, 58, 62]],
    ['whole header', Array.from({ length: 100 }, (_, at) => at)],
  ])('saves everything when the header is damaged: %s', async (_what, offsets) => {
    const all = ofUser(place.library);
    const bytes = readFileSync(place.library);
    for (const at of offsets) bytes[at] = (bytes[at] ?? 0) ^ 0xa7;
    writeFileSync(place.library, bytes);
    const { out } = await doctor('--into', into());
    expect(out).toContain('header: the first 100 bytes are damaged');
    expect(out).toContain('labels and notes');
    expect(ofUser(into())).toEqual(all);
    expect(readFileSync(place.library)).toEqual(bytes);
  });

  it('refuses a file that is there, and one that is no library', async () => {
    const other = place.file('other.sqlite', 'no database '.repeat(1000));
    expect(await doctor('--into', other)).toMatchObject({
      code: 1,
      err: `turnwise: ${other} already exists\n`,
    });
    const { code, err } = await runHere(place.directory, ['doctor', other]);
    expect(code).toBe(1);
    expect(err).toContain(`${other} is not a Turnwise library.`);
  });

  it('does not check a library whose tables compute something, and saves their rows without computing it', async () => {
    const before = ofUser(place.library);
    const db = new Database(place.library);
    db.exec('ALTER TABLE label_row ADD COLUMN more TEXT AS (hex(zeroblob(400000000))) VIRTUAL');
    db.close();
    const checked = await doctor();
    expect(checked.code).toBe(3);
    expect(checked.out).toContain('its table label_row is not the one that Turnwise creates');
    const queried = await runHere(place.directory, ['query', '--library', place.library, 'SELECT 1']);
    expect(queried.err).toContain('its table label_row is not the one that Turnwise creates');
    await doctor('--into', into());
    expect(ofUser(into())).toEqual(before);
  });

  it('does not save a view in place of a table, whatever the case of its name', async () => {
    const db = new Database(place.library);
    db.exec(`DROP TABLE saved_query_row;
      CREATE VIEW SAVED_QUERY_ROW AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)
        SELECT i AS name, i AS sql, i AS created_at FROM n`);
    db.close();
    const { code, out } = await doctor('--into', into());
    expect(code).toBe(3);
    expect(out).toContain('0 saved queries; some could not be read');
    expect(rows(into(), 'SELECT * FROM saved_query_row')).toEqual([]);
    expect(rows(into(), 'SELECT * FROM saved_view_row')).toHaveLength(1);
  });

  it('saves all that the user made, whichever bit of the definition of a table is flipped', async () => {
    const own = (library: string): unknown =>
      Object.keys(RESCUED_TABLES).map((table) => rows(library, `SELECT * FROM ${table} ORDER BY 1`));
    const before = own(place.library);
    const random = seededRandom(31);
    const whole = readFileSync(place.library);
    const tables = [...Object.keys(RESCUED_TABLES), 'file_row', 'unread_row'];
    for (const [i, table] of tables.entries()) {
      const bytes = Buffer.from(whole);
      const isName = i % 3 === 0;
      // A row of the list begins with type, name and name of the table.
      const [start, from, to] = isName
        ? [`table${table}${table}`, 'table'.length, 'table'.length + table.length]
        : [`CREATE TABLE ${table} (`, 0, 50];
      const at = from + Math.floor(random() * (to - from));
      const bit = 1 << Math.floor(random() * 8);
      let found = 0;
      // Pages have former rows in their free space.
      for (let row = bytes.indexOf(start); row >= 0; row = bytes.indexOf(start, row + 1), found++)
        bytes[row + at] = (bytes[row + at] ?? 0) ^ bit;
      expect(found).toBeGreaterThan(0);
      writeFileSync(place.library, bytes);
      const db = openWriter(into());
      const { logs } = await withOwnTables(db, place.library, (path) =>
        db.transaction(() => rescue(db, path, place.library)).immediate(),
      );
      db.close();
      expect([table, isName, at, bit, own(into())]).toEqual([table, isName, at, bit, before]);
      expect(logs.map(({ path }) => path)).toEqual([log]);
      for (const suffix of ['', '-wal', '-shm']) rmSync(into() + suffix, { force: true });
    }
    // The command reads the logs again as well.
    expect(await doctor('--into', into())).toMatchObject({ err: '' });
    expect(own(into())).toEqual(before);
  });

  it('saves every table of the user', () => {
    const made = readFileSync(
      join(import.meta.dirname, '../../electron/storage/migrations/initial/userOwn.ts'),
      'utf8',
    );
    const tables = [...made.matchAll(/CREATE TABLE (\w+)/g)].map(([, name]) => name);
    const derived = ['annotated_place_row', 'annotation_place_row', 'annotation_state_row'];
    expect([...Object.keys(RESCUED_TABLES), ...derived].sort()).toEqual(tables.sort());
  });
});

describe('a size that a library claims', () => {
  /** Failures of requests about a rollout with tokens, after a change of the library. */
  async function failures(sql: string, ...values: readonly Uint8Array[]): Promise<readonly unknown[]> {
    const db = openWriter(place.library);
    db.prepare(sql).run(...values);
    const rolloutId = queryValue(db, 'SELECT min(rollout_id) FROM token_row', number).get();
    db.close();
    const host = await createHost({ libraryPath: place.library, shell: 'browser', version: '0.0.0' });
    try {
      const asked = ['rollout.get', 'rollout.tokens', 'rollout.signal'].map((method) =>
        host.dispatch(method, { rolloutId }),
      );
      return (await Promise.all(asked)).map((each) => (each.ok ? undefined : each.failure));
    } finally {
      await host.close();
    }
  }
  const damagedBy = (what: string) => ({
    code: 'refused',
    message: expect.stringContaining(`the library ${place.library} is damaged: ${what}`),
  });

  it('ends no thread: a text of 8 kB that unpacks to 256 MB', async () => {
    const bytes = zstdCompressSync(Buffer.alloc(256 << 20));
    const [rollout] = await failures('UPDATE text_block SET codec = 1, bytes = ?', bytes);
    expect(rollout).toEqual(damagedBy('a text cannot be unpacked'));
  });

  it.each([10_000_000, -1])('ends no thread: %d tokens in columns of a few hundred', async (count) => {
    const failed = damagedBy(`a rollout names ${count} tokens and does not have them`);
    expect(await failures(`UPDATE token_row SET count = ${count}`)).toEqual([failed, failed, failed]);
  });

  it('is named when texts are missing', async () => {
    expect((await failures('DELETE FROM text_block'))[0]).toEqual(damagedBy('a block of texts is missing'));
  });

  it('is named when sums of it overflow', async () => {
    const db = openWriter(place.library);
    db.exec(
      'UPDATE step_row SET rollouts = 9223372036854775807; UPDATE group_row SET rollouts = 9223372036854775807',
    );
    const runKey = queryValue(db, 'SELECT run_key FROM run_row', text).get();
    db.close();
    const host = await createHost({ libraryPath: place.library, shell: 'browser', version: '0.0.0' });
    try {
      const sources = await host.dispatch('run.sources', { runKey });
      expect(sources.ok ? undefined : sources.failure).toEqual(damagedBy('integer overflow'));
    } finally {
      await host.close();
    }
  });
});

describe('malformed JSON', () => {
  it.each(['{"name":', '[1]', 'null', '{a: 1}'])('is left out, and named: %s', async (json) => {
    const db = openWriter(place.library);
    db.prepare('UPDATE run_config_row SET config = ?').run(json);
    db.prepare('UPDATE annotation_row SET target = ? WHERE annotation_no = 1').run(json);
    db.prepare("INSERT INTO stage_row SELECT logged_id, 1, 'second', ?, 1 FROM run_config_row").run(json);
    db.close();
    const sql = `SELECT r.config, s.changes, (SELECT target FROM annotation WHERE note LIKE '0 %') AS target
      FROM run r JOIN stage s USING (run_id) WHERE s.name = 'second'`;
    const { out, err } = await runHere(place.directory, ['query', '--library', place.library, sql]);
    expect([out, err]).toEqual(['{"config":"{}","changes":"{}","target":null}\n', '']);
    const host = await createHost({ libraryPath: place.library, shell: 'browser', version: '0.0.0' });
    try {
      const asked = { filter: '', runId: 1 };
      for (const [method, params] of [
        ['run.list', {}],
        ['rollout.get', { rolloutId: 1 }],
        ['problem.occurrences', { groupId: 1, limit: 10 }],
        ['library.sizes', {}],
        ['roc.report', asked],
      ] as const)
        expect([method, await host.dispatch(method, params)]).toMatchObject([method, { ok: true }]);
      const written = await host.ingest([log]);
      expect(written.files).toMatchObject([{ status: 'unchanged' }]);
    } finally {
      await host.close();
    }
    const { code, out: said } = await doctor();
    expect(code).toBe(3);
    expect(said).toContain('run_config_row: 1 row has no JSON object in config');
    expect(said).toContain('stage_row: 1 row has no JSON object in changes');
    expect(said).toContain('annotation_row: the target of 1 annotation cannot be read: ');
  });
});

describe.each(['{"name":', '{}', '[{}]', 'null'])('JSON that Turnwise does not write: %s', (json) => {
  async function ask(sql: string, method: Method, params: object, before?: string): Promise<unknown> {
    const db = openWriter(place.library);
    if (before !== undefined) db.exec(before);
    db.prepare(sql).run(json);
    db.close();
    const host = await createHost({ libraryPath: place.library, shell: 'browser', version: '0.0.0' });
    try {
      return await host.dispatch(method, params);
    } finally {
      await host.close();
    }
  }

  it('is no mapping', async () => {
    const answer = await ask('UPDATE mapping_row SET mapping = ?', 'mapping.list', {});
    expect(answer).toEqual({ ok: true, value: [] });
  });

  it('is no version of an annotation to decide about', async () => {
    const offered = `INSERT INTO annotation_conflict_row (annotation_id, theirs, origin, at)
      SELECT annotation_id, '{}', 'pack.jsonl', 1 FROM annotation_row WHERE annotation_no = 1`;
    const theirs = 'UPDATE annotation_conflict_row SET theirs = ?';
    expect(await ask(theirs, 'annotation.conflicts', {}, offered)).toEqual({ ok: true, value: [] });
    const taken = await ask(theirs, 'annotation.resolve', { conflictId: 1, take: 'theirs' });
    expect(taken).toMatchObject({ ok: false, failure: { code: 'refused' } });
    expect((await doctor()).out).toContain(
      'annotation_conflict_row: 1 row has a value in theirs that cannot be read',
    );
  });

  it('is no step to undo, and the annotations beside it are saved', async () => {
    const answer = await ask('UPDATE annotation_history_row SET changes = ?', 'annotation.undo', {});
    const message = expect.stringContaining('a step of the undo history cannot be read');
    expect(answer).toMatchObject({ ok: false, failure: { code: 'refused', message } });
    const db = openWriter(into());
    expect(rescue(db, place.library)).toMatchObject({ restored: 0 });
    expect(queryValue(db, 'SELECT count(*) FROM annotation_row', number).get()).toBe(ANNOTATIONS);
    db.close();
    expect((await doctor()).out).toMatch(
      /annotation_history_row: \d+ rows have a value in changes that cannot be read/,
    );
  });

  it('tells nothing about the entropy of tokens', async () => {
    const [first] = rows(place.library, 'SELECT min(rollout_id) AS id FROM token_row');
    const answer = await ask('UPDATE token_row SET entropy_of = ?', 'rollout.get', {
      rolloutId: first?.['id'],
    });
    expect(answer).toMatchObject({ ok: true, value: { tokens: { entropyOf: {} } } });
  });
});

describe('an annotation whose target cannot be read', () => {
  it.each(['{"kind":', '[]', '{"kind":"span"}', '{"kind":"turn","turn":"1","anchor":{"text":"prompt"}}'])(
    'is left out, and named: %s',
    async (target) => {
      const db = openWriter(place.library);
      const broken = db
        .prepare<[], { annotation_id: string; annotated_no: number }>(
          'SELECT annotation_id, annotated_no FROM annotation_row WHERE annotation_no = 1',
        )
        .get();
      db.prepare('UPDATE annotation_row SET target = ? WHERE annotation_no = 1').run(target);
      const rolloutId = queryValue(
        db,
        'SELECT rollout_id FROM annotated_place_row WHERE annotated_no = ?',
        number,
      ).get(broken?.annotated_no ?? 0);
      db.close();
      const host = await createHost({ libraryPath: place.library, shell: 'browser', version: '0.0.0' });
      const ask = async (method: string, params: unknown): Promise<unknown> => {
        const result = await host.dispatch(method, params);
        if (!result.ok) throw new Error(`${method}: ${result.failure.message}`);
        return result.value;
      };
      try {
        expect(await ask('annotation.list', { rolloutId })).toMatchObject({ annotations: [] });
        expect(await ask('annotation.rows', { annotationNos: [1, 2] })).toMatchObject([{ annotationNo: 2 }]);
        for (const [method, params] of [
          ['annotation.order', { filter: '' }],
          ['annotation.report', { filter: '' }],
          ['annotation.conflicts', {}],
          ['rollout.get', { rolloutId }],
          ['pack.export', { path: 'pack.jsonl', format: 'jsonl', isAll: true }],
        ] as const)
          await ask(method, params);
        const again = join(place.directory, 'pack.jsonl');
        expect(readFileSync(again, 'utf8').match(/"type":"annotation"/g)).toHaveLength(ANNOTATIONS - 1);
        // Annotations are placed on the new rollouts too.
        const copy = place.file('copy.jsonl', readFileSync(log));
        expect((await host.ingest([copy])).files).toMatchObject([{ status: 'read' }]);
        const put = { rolloutId, target: { kind: 'rollout' }, label: 'loops' };
        await ask('annotation.apply', { author: 'ann', changes: [{ put }] });
      } finally {
        await host.close();
      }
      const { code, out } = await doctor();
      expect(code).toBe(3);
      expect(out).toContain(`the target of 1 annotation cannot be read: ${broken?.annotation_id}\n`);
    },
  );
});

it('saves what can be read, wherever one page is damaged', async () => {
  const whole = join(place.directory, 'whole.sqlite');
  copyFileSync(place.library, whole);
  const random = seededRandom(4);
  const pages = readFileSync(whole).length / PAGE;
  for (let seed = 0; seed < 12; seed += 1) {
    copyFileSync(whole, place.library);
    // The first page has the list of tables.
    damage(2 + Math.floor(random() * (pages - 1)), seed);
    const db = openWriter(into());
    try {
      const { tables } = db.transaction(() => rescue(db, place.library)).immediate();
      const damaged = tables.filter(({ isDamaged }) => isDamaged).length;
      const of = (name: string) => tables.find((table) => table.name === name)?.saved;
      expect(damaged).toBeLessThanOrEqual(1);
      if (damaged > 0) continue;
      expect([of('labels and notes'), of('saved views'), of('mappings')]).toEqual([ANNOTATIONS, 1, 1]);
    } finally {
      db.close();
      for (const suffix of ['', '-wal', '-shm']) rmSync(into() + suffix, { force: true });
    }
  }
});

describe('the check in the background', () => {
  const open = (libraryPath: string) =>
    createHost({ libraryPath, shell: 'browser', version: 'test', isForPages: true, checkAfterMs: 0 });

  it('warns the pages, and names tables and command', async () => {
    damage(pagesOf('segment_row')[0]?.page ?? 0, 5);
    const host = await open(place.library);
    try {
      const warned = await new Promise<readonly LibraryWarning[]>((resolve) =>
        host.subscribe(({ event, payload }) => {
          if (event === 'library.warned') resolve(payload.warnings);
        }),
      );
      expect(warned).toEqual([
        {
          message:
            'This library is damaged: parts of segment_row cannot be read. To save your labels, notes, views and mappings into a new library, and to read the logs again, run:',
          command: `turnwise doctor ${place.library} --into NEW.turnwise`,
        },
      ]);
      expect(await host.dispatch('host.info', {})).toMatchObject({ value: { warnings: warned } });
    } finally {
      await host.close();
    }
  });

  it('ends with the host', async () => {
    const host = await open(place.library);
    await host.close();
    expect(await host.dispatch('host.info', {})).toMatchObject({ ok: false });
  });
});
