/** A library made by version 1, with rows in it, is brought up to date and read like any other. */
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { migrate, NEWEST_VERSION, versionOf } from '../../electron/storage/migrate.ts';
import { openWriter } from '../../electron/storage/open.ts';
import { contents, ingestHere, rows, type Scratch, scratch } from '../support/library.ts';

let place: Scratch;
beforeEach(() => {
  place = scratch();
  const db = new Database(place.library);
  migrate(db, 1);
  db.exec(ROWS);
  expect(versionOf(db)).toBe(1);
  db.close();
});
afterEach(() => place.remove());

/** Two runs, one with a logged id, as version 1 left them: one rollout each. */
const ROWS = `
INSERT INTO file_row (file_id, path, format, status, bytes, mtime_ms, inode, head_hash, head_bytes, offset_bytes, lines)
VALUES (1, '/logs/a/1.jsonl', 'verl', 'read', 10, 0, '1', 'h1', 10, 10, 1),
       (2, '/logs/b.jsonl', 'turnwise', 'read', 10, 0, '2', 'h2', 10, 10, 1);
INSERT INTO run_row (run_id, run_key, key_source, logged_id, name, kind, format, directory)
VALUES (1, 'verl-0123456789', 'derived', NULL, 'a', 'train', 'verl', '/logs/a'),
       (2, 'r1', 'logged', 'r1', 'r1', 'train', 'turnwise', '/logs');
INSERT INTO run_file_row VALUES (1, 1), (2, 2);
INSERT INTO run_config_row VALUES ('r1', '{"name": "named"}');
INSERT INTO stage_row VALUES ('r1', 3, 'RL-2', '{"lr": 1}', 2);
INSERT INTO metric_row VALUES ('r1', 1, 'loss', 0.5, 2);
INSERT INTO prompt_row VALUES (1, 'p1', 0, CAST('What is 6·7?' AS BLOB), 1, 'What is 6·7?');
INSERT INTO prompt_segment_row VALUES (1, 0, 5, 0, 12, 0, 12);
INSERT INTO problem_row VALUES (1, 'q1', 1, '42', NULL);
INSERT INTO group_row (group_id, run_id, step, group_key, problem_no, rollouts)
VALUES (1, 1, 1, 'g1', 1, 1), (2, 2, 1, 'g1', 1, 1);
INSERT INTO text_block VALUES (1, 1, 0, CAST('It is 42.' AS BLOB)), (2, 2, 0, CAST('It is 41.' AS BLOB));
INSERT INTO rollout_row (rollout_id, run_id, step, group_id, ordinal, reward, logged_correct, is_correct, turns, tool_calls,
  tool_errors, response_chars, content_hash, file_id, line, byte_offset, byte_length, block_id, text_start, text_end, extra_end)
VALUES (1, 1, 1, 1, 0, 1, 1, 1, 1, 0, 0, 9, 'c1', 1, 1, 0, 10, 1, 0, 9, 9),
       (2, 2, 1, 2, 0, 0, NULL, 0, 1, 0, 0, 9, 'c2', 2, 1, 0, 10, 2, 0, 9, 9);
INSERT INTO segment_row VALUES (1, 1, 1, 1, 0, 9, 0, 9), (2, 1, 1, 1, 0, 9, 0, 9);
INSERT INTO turn_row VALUES (1, 1, 1, 0, 0, NULL), (2, 1, 1, 0, 0, NULL);
INSERT INTO step_row (run_id, step, group_count, rollouts, correct, correct_known, reward_sum, reward_known, decided, kept,
  tool_calls, tool_errors, without_calls, stops_logged, truncated, turns, response_chars, tokens, tokens_known, entropy_sum,
  entropy_tokens, groups_all_wrong, groups_mixed, groups_all_right)
VALUES (1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 1, 0, 0, 1, 9, 0, 0, 0, 0, 0, 0, 1),
       (2, 1, 1, 1, 0, 1, 0, 1, 0, 0, 0, 0, 1, 0, 0, 1, 9, 0, 0, 0, 0, 1, 0, 0);
INSERT INTO pending_row VALUES (1, 'decision', 'r1', NULL, 1, 'g9', 0, x'ff0f', 2, 1);
`;

describe('a library of version 1', () => {
  it('has the newest version after it was opened to write', () => {
    const db = openWriter(place.library);
    expect(versionOf(db)).toBe(NEWEST_VERSION);
    expect(db.pragma('integrity_check', { simple: true })).toBe('ok');
    db.close();
  });

  it('says what version 1 did not know: scope, container, unit, rules, sources', () => {
    openWriter(place.library).close();
    expect(rows(place.library, 'SELECT run_key, scope, has_steps FROM run_row ORDER BY run_id')).toEqual([
      { run_key: 'verl-0123456789', scope: 'directory:/logs/a', has_steps: 1 },
      { run_key: 'r1', scope: 'r1', has_steps: 1 },
    ]);
    expect(rows(place.library, 'SELECT container, unit, masked FROM file_row')).toEqual(
      [1, 2].map(() => ({ container: 'plain', unit: 'line', masked: 0 })),
    );
    expect(rows(place.library, 'SELECT correct_source FROM rollout ORDER BY rollout_id')).toEqual([
      { correct_source: 'logged' },
      { correct_source: null },
    ]);
    expect(rows(place.library, 'SELECT DISTINCT group_rule FROM prompt_group')).toEqual([
      { group_rule: 'logged' },
    ]);
  });

  it('is read through the views of today', () => {
    openWriter(place.library).close();
    expect(rows(place.library, 'SELECT name, rollouts, steps FROM run ORDER BY run_id')).toEqual([
      { name: 'a', rollouts: 1, steps: 1 },
      { name: 'named', rollouts: 1, steps: 1 },
    ]);
    expect(rows(place.library, 'SELECT turn, kind, text FROM segment ORDER BY rollout_id, ordinal')).toEqual([
      { turn: 0, kind: 'user', text: 'What is 6·7?' },
      { turn: 1, kind: 'text', text: 'It is 42.' },
      { turn: 0, kind: 'user', text: 'What is 6·7?' },
      { turn: 1, kind: 'text', text: 'It is 41.' },
    ]);
    expect(rows(place.library, 'SELECT run_id, name FROM stage')).toEqual([{ run_id: 2, name: 'RL-2' }]);
    expect(rows(place.library, 'SELECT run_id, name, value FROM metric')).toEqual([
      { run_id: 2, name: 'loss', value: 0.5 },
    ]);
    expect(rows(place.library, 'SELECT code FROM ingest_issue')).toEqual([{ code: 'unmatched_decision' }]);
  });

  it('takes in more, and lists it beside what was there', async () => {
    const log = place.file('2.jsonl', '{"input": "q", "output": "#### 1", "score": 1, "step": 2}\n');
    const { files } = await ingestHere(place.library, [log]);
    expect(files).toMatchObject([{ rollouts: 1, issues: [] }]);
    expect(contents(place.library)['rollouts']).toHaveLength(3);
  });

  it('stays as it was where it cannot be brought up to date', () => {
    const db = new Database(place.library);
    // In the way of a table that version 2 makes.
    db.exec('CREATE TABLE join_row (something TEXT)');
    expect(() => migrate(db)).toThrow(/join_row/);
    expect(versionOf(db)).toBe(1);
    expect(db.prepare('SELECT count(*) FROM rollout_row').pluck().get()).toBe(2);
    db.close();
  });
});

it('a library made now has the same tables as one brought up to date', () => {
  openWriter(place.library).close();
  const fresh = join(place.directory, 'fresh.sqlite');
  openWriter(fresh).close();
  const tables = (library: string) =>
    rows(
      library,
      'SELECT m.name AS t, c.name, c.type, c."notnull", c.pk FROM sqlite_schema m, pragma_table_info(m.name) c ORDER BY 1, 2',
    );
  expect(tables(place.library)).toEqual(tables(fresh));
});
