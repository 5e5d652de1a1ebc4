/** Moving a run to its own library: complete, nothing else, and never lost. */
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LibraryWriter } from '../../electron/storage/libraryWriter.ts';
import { openReader, openWriter } from '../../electron/storage/open.ts';
import { indexState } from '../../electron/storage/queries/search.ts';
import { librarySizes } from '../../electron/storage/queries/sizes.ts';
import { COPIED_TABLES, LEFT_TABLES, type MoveCallbacks } from '../../electron/storage/runMove.ts';
import { indexPiece } from '../../electron/storage/searchIndex.ts';
import { ingestHere, rows, type Scratch, scratch } from '../support/library.ts';
import { copyLibraryOf } from '../support/preparedLibrary.ts';

const FIXTURES = fileURLToPath(new URL('../../fixtures', import.meta.url));
const GIVEN = ['demo/demo.jsonl', 'turnwise', 'verl', 'prime-rl'].map((name) => join(FIXTURES, name));
const DEMO = 'synthetic-grpo-roc-demo';
const BELOW_ROLLOUT = [
  'segment_row',
  'turn_row',
  'tool_call_row',
  'flag_row',
  'timing_row',
  'token_row',
  'join_key_row',
  'join_row',
];
const QUIET: MoveCallbacks = { isCancelled: () => false, onProgress: () => undefined };

let place: Scratch;
let target: string;
beforeEach(async () => {
  place = scratch();
  target = join(place.directory, 'own.sqlite');
  await copyLibraryOf(place.library, GIVEN);
});
afterEach(() => place.remove());

/** Every row a run owns, without regenerated columns: by table, in order. */
function rowsOf(library: string, runKey: string): Record<string, readonly unknown[]> {
  const of = `run_id = (SELECT run_id FROM run_row WHERE run_key = '${runKey}')`;
  const byRollout = `rollout_id IN (SELECT rollout_id FROM rollout_row WHERE ${of})`;
  const found: Record<string, readonly unknown[]> = {};
  for (const table of [
    'run_row',
    'run_file_row',
    'group_row',
    'step_row',
    'step_revision_row',
    'rollout_row',
  ])
    found[table] = rows(library, `SELECT * FROM ${table} WHERE ${of} ORDER BY 1, 2`);
  for (const table of BELOW_ROLLOUT)
    found[table] = rows(library, `SELECT * FROM ${table} WHERE ${byRollout} ORDER BY 1, 2, 3`);
  found['texts'] = rows(
    library,
    `SELECT rollout_id, ordinal, turn, kind, text FROM segment WHERE ${byRollout} ORDER BY 1, 2`,
  );
  found['problems'] = rows(
    library,
    `SELECT g.group_id, p.problem_id, p.ground_truth, p.source, q.prompt_hash, q.preview FROM group_row g
      JOIN problem_row p USING (problem_no) JOIN prompt_row q USING (prompt_id) WHERE ${of} ORDER BY 1`,
  );
  found['about'] = rows(
    library,
    `SELECT m.step, m.name, m.value FROM metric_row m JOIN run_row n ON n.scope = m.logged_id WHERE ${of} ORDER BY 1, 2`,
  );
  found['stages'] = rows(
    library,
    `SELECT from_step, s.name, changes FROM stage_row s JOIN run_row n ON n.scope = s.logged_id WHERE ${of} ORDER BY 1`,
  );
  return found;
}

const runKeys = (library: string): readonly unknown[] =>
  rows(library, 'SELECT run_key FROM run_row ORDER BY run_key').map((row) => row['run_key']);

function move(runKey: string, watch = QUIET) {
  const db = openWriter(place.library);
  try {
    return new LibraryWriter(db).removal.move(runKey, target, watch);
  } finally {
    db.close();
  }
}

describe('moving a run', () => {
  it('covers every table of a library', () => {
    const tables = rows(
      place.library,
      `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'
        AND name NOT LIKE 'search\\_text%' ESCAPE '\\' AND name NOT LIKE 'search\\_prompt%' ESCAPE '\\'`,
    ).map(({ name }) => String(name));
    expect([...COPIED_TABLES, ...LEFT_TABLES].sort()).toEqual(tables.sort());
  });

  it('moves all its own rows, and leaves none', () => {
    const others = runKeys(place.library).filter((key) => key !== DEMO);
    expect(others.length).toBeGreaterThan(3);
    const before = rowsOf(place.library, DEMO);
    const beforeOthers = others.map((key) => rowsOf(place.library, String(key)));
    for (const table of ['rollout_row', 'segment_row', 'tool_call_row', 'token_row', 'texts', 'about'])
      expect([table, before[table]?.length]).not.toEqual([table, 0]);
    const done = move(DEMO);
    expect(readdirSync(place.directory).filter((name) => name.startsWith('own'))).toEqual(['own.sqlite']);
    expect(done).toMatchObject({ moved: { path: target, rollouts: before['rollout_row']?.length } });
    expect(rowsOf(target, DEMO)).toEqual(before);
    expect(runKeys(target)).toEqual([DEMO]);
    expect(runKeys(place.library)).toEqual(others);
    expect(others.map((key) => rowsOf(place.library, String(key)))).toEqual(beforeOthers);
    expect(rows(place.library, 'SELECT count(*) AS n FROM rollout_row')).toEqual(
      rows(place.library, 'SELECT sum(rollouts) AS n FROM step_row'),
    );
    expect(rows(target, 'SELECT integrity_check AS found FROM pragma_integrity_check')).toEqual([
      { found: 'ok' },
    ]);
  });

  it('every run can be moved, one after the other', () => {
    for (const [i, key] of runKeys(place.library).entries()) {
      target = join(place.directory, `own-${i}.sqlite`);
      const before = rowsOf(place.library, String(key));
      expect(move(String(key))).toHaveProperty('moved');
      expect([key, rowsOf(target, String(key))]).toEqual([key, before]);
    }
    expect(runKeys(place.library)).toEqual([]);
    for (const table of ['rollout_row', 'text_block', 'group_row', 'prompt_row', 'segment_row'])
      expect(rows(place.library, `SELECT count(*) AS n FROM ${table}`)).toEqual([{ n: 0 }]);
  });

  it('the new library continues: ingest and indexing', async () => {
    move(DEMO);
    const again = await ingestHere(target, [join(FIXTURES, 'demo/demo.jsonl')]);
    expect(again.added).toBe(0);
    const db = openWriter(target);
    while (indexPiece(db));
    expect(indexState(db).indexed).toBe(indexState(db).rollouts);
    expect(indexState(db).rollouts).toBeGreaterThan(0);
    db.close();
  });

  it('cancelled at any checkpoint, nothing happens', () => {
    const before = rowsOf(place.library, DEMO);
    for (let at = 0; ; at += 1) {
      let looks = 0;
      const done = move(DEMO, { ...QUIET, isCancelled: () => looks++ >= at });
      if (done !== 'cancelled') {
        expect(at).toBeGreaterThan(1);
        expect(done).toHaveProperty('moved');
        break;
      }
      expect(readdirSync(place.directory).filter((name) => name.startsWith('own'))).toEqual([]);
      expect(rowsOf(place.library, DEMO)).toEqual(before);
    }
  });

  it('a failure midway keeps the run, and leaves no partial file', () => {
    const before = rowsOf(place.library, DEMO);
    let told = 0;
    const full = () => {
      told += 1;
      if (told === 3) throw new Error('the disk is full');
    };
    expect(() => move(DEMO, { ...QUIET, onProgress: full })).toThrow('the disk is full');
    expect(rowsOf(place.library, DEMO)).toEqual(before);
    expect(existsSync(target)).toBe(false);
    expect(existsSync(`${target}.partial`)).toBe(false);
    expect(move(DEMO)).toHaveProperty('moved');
  });

  it('replaces no file: another move may be writing it', () => {
    const partial = `${target}.partial`;
    for (const existing of [partial, `${partial}-wal`]) {
      writeFileSync(existing, 'of somebody');
      expect(() => move(DEMO)).toThrow(`${existing} already exists`);
      expect(readFileSync(existing, 'utf8')).toBe('of somebody');
      rmSync(existing);
    }
    expect(move(DEMO)).toHaveProperty('moved');
    const [other = ''] = runKeys(place.library).map(String);
    target = place.library;
    expect(move(other)).toEqual({ refusal: `${target} already exists` });
    expect(move('no such run')).toBe('missing');
  });

  it('a joined run stays until the join is undone', () => {
    const db = openWriter(place.library);
    db.prepare('INSERT INTO pool_join_row VALUES (?, ?)').run('another', DEMO);
    db.close();
    expect(move(DEMO)).toHaveProperty('refusal', expect.stringContaining('remove the join first'));
  });
});

describe('the size of a library', () => {
  const sizes = (library: string) => {
    const db = openReader(library);
    try {
      return librarySizes(db, QUIET);
    } finally {
      db.close();
    }
  };

  it('adds up to the file, to the byte, per run', () => {
    const found = sizes(place.library);
    if (found === undefined) throw new Error('it was not cancelled');
    const ofRuns = found.runs.reduce((sum, run) => sum + run.bytes, 0);
    expect(found.method).toBe('pages');
    expect(ofRuns + found.shared + found.free).toBe(found.file);
    expect(found.shared).toBeGreaterThan(0);
    for (const { bytes, parts } of found.runs)
      expect(Object.values(parts).reduce((sum, one) => sum + one, 0)).toBe(bytes);
    const [tables] = rows(place.library, 'SELECT sum(pgsize) AS bytes FROM dbstat');
    expect(found.file).toBe(Number(tables?.['bytes']) + found.free);
    const demo = found.runs.find(({ runKey }) => runKey === DEMO);
    expect(demo?.parts.tokens).toBeGreaterThan(0);
    expect(demo?.rollouts).toBe(
      rows(place.library, 'SELECT rollout_id FROM rollout r JOIN run USING (run_id)').length -
        found.runs.reduce((sum, run) => sum + (run.runKey === DEMO ? 0 : run.rollouts), 0),
    );
  });

  it('stops when cancelled', () => {
    const db = openReader(place.library);
    expect(librarySizes(db, { ...QUIET, isCancelled: () => true })).toBeUndefined();
    db.close();
  });

  it('shrinks by the free pages when compacted', () => {
    const db = openWriter(place.library);
    const writer = new LibraryWriter(db);
    db.exec('CREATE TABLE filler (bytes BLOB) STRICT');
    db.prepare('INSERT INTO filler VALUES (zeroblob(8000000))').run();
    db.exec('DROP TABLE filler');
    writer.checkpoint();
    const free = sizes(place.library)?.free ?? 0;
    expect(free).toBeGreaterThan(8_000_000);
    const compacted = writer.whole.compact();
    if ('refusal' in compacted) throw new Error(compacted.refusal);
    expect(compacted.before - compacted.after).toBeGreaterThanOrEqual(free);
    expect(sizes(place.library)?.free).toBe(0);
    db.close();
  });
});
