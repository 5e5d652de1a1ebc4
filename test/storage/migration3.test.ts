/** A library of version 2 is brought up to date: what it had stays, what was not computed then is unknown. */
import Database from 'better-sqlite3';
import { expect, it } from 'vitest';
import { MIGRATIONS, migrate, NEWEST_VERSION, versionOf } from '../../electron/storage/migrate.ts';
import { openReader, openWriter } from '../../electron/storage/open.ts';
import { poolOfStep } from '../../electron/storage/queries/pool.ts';
import { ingestHere, rows, scratch } from '../support/library.ts';

const ROW = `
INSERT INTO file_row (file_id, path, format, status, bytes, mtime_ms, inode, head_hash, head_bytes, offset_bytes, lines)
VALUES (1, '/logs/1.jsonl', 'verl', 'read', 10, 0, '1', 'h1', 10, 10, 1);
INSERT INTO run_row (run_id, run_key, key_source, name, kind, format, directory)
VALUES (1, 'verl-0123456789', 'derived', 'a', 'train', 'verl', '/logs');
INSERT INTO prompt_row VALUES (1, 'p1', 0, CAST('What is 6·7?' AS BLOB), 1, 'What is 6·7?', NULL);
INSERT INTO problem_row VALUES (1, 'q1', 1, '42', NULL);
INSERT INTO group_row (group_id, run_id, step, group_key, problem_no, rollouts) VALUES (1, 1, 1, 'g1', 1, 1);
INSERT INTO text_block VALUES (1, 1, 0, CAST('It is 42.' AS BLOB));
INSERT INTO rollout_row (rollout_id, run_id, step, group_id, ordinal, reward, p_err, turns, tool_calls, tool_errors,
  response_chars, content_hash, file_id, line, byte_offset, byte_length, block_id, text_start, text_end, extra_end)
VALUES (1, 1, 1, 1, 0, 1, 0.25, 1, 0, 0, 9, 'c1', 1, 1, 0, 10, 1, 0, 9, 9);`;

it('keeps the logged penalties, and has no computed ones', () => {
  const place = scratch();
  try {
    const db = new Database(place.library);
    migrate(db, 2);
    db.exec(ROW);
    db.close();
    const writer = openWriter(place.library);
    expect(versionOf(writer)).toBe(NEWEST_VERSION);
    expect(writer.pragma('integrity_check', { simple: true })).toBe('ok');
    writer.close();
    expect(
      rows(place.library, 'SELECT p_err, p_err_text, p_format_text, p_text_source, p_err_typed FROM rollout'),
    ).toEqual([
      { p_err: 0.25, p_err_text: null, p_format_text: null, p_text_source: null, p_err_typed: null },
    ]);
    const reader = openReader(place.library);
    expect(poolOfStep(reader, 1, 1)).toMatchObject([[{ rolloutId: 1, pErr: 0.25, pErrText: null }]]);
    reader.close();
  } finally {
    place.remove();
  }
});

it('computes them for what is read from then on', async () => {
  const place = scratch();
  try {
    const db = new Database(place.library);
    migrate(db, 2);
    expect(versionOf(db)).toBe(MIGRATIONS[1]?.version);
    db.close();
    const output = 'Let me.\n<answer>\\boxed{42}</answer>';
    await ingestHere(place.library, [
      place.file('1.jsonl', `${JSON.stringify({ input: 'q', output, score: 1, step: 1 })}\n`),
    ]);
    expect(rows(place.library, 'SELECT p_err_text, p_format_text, p_text_source FROM rollout')).toEqual([
      { p_err_text: 0.5, p_format_text: 1, p_text_source: 'reconstructed' },
    ]);
  } finally {
    place.remove();
  }
});
