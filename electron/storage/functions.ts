/**
 * SQL functions used by the public views. They read texts through a second connection, because better-sqlite3 does
 * not allow a statement while another one runs on the same connection.
 */
import type Database from 'better-sqlite3';
import { findWords, wordsOf } from '../../shared/domain/filter/words.ts';
import { readCallPayload } from '../../shared/domain/toolCallPayload.ts';
import { BLOCK, PROMPT_BLOCK, PROMPT_PLACE, type TextPlace } from './storedTexts.ts';
import { unpackUtf8 } from './textCodec.ts';

const RESPONSE = 'SELECT block_id, text_start, text_end FROM rollout_row WHERE rollout_id = ?';

interface PlaceRow {
  readonly block_id: number;
  readonly text_start: number;
  readonly text_end: number;
}

interface BytesRow {
  readonly codec: number;
  readonly bytes: Uint8Array;
}

export function registerFunctions(db: Database.Database, openAnother: () => Database.Database): void {
  let another: Database.Database | undefined;
  const rowOf = <T>(sql: string): ((id: unknown) => T | undefined) => {
    let statement: Database.Statement<[unknown], T> | undefined;
    return (id) => {
      another ??= openAnother();
      statement ??= another.prepare<[unknown], T>(sql);
      return statement.get(id);
    };
  };
  const place = rowOf<PlaceRow>(RESPONSE);
  const promptPlace = rowOf<TextPlace>(PROMPT_PLACE);
  const promptBlockRow = rowOf<BytesRow>(PROMPT_BLOCK);
  const promptBlock = lastOf((id) => {
    const row = promptBlockRow(id);
    return row === undefined ? undefined : unpackUtf8(row.codec, row.bytes);
  });
  const block = lastOf((id) => {
    const row = blockRow(id);
    return row === undefined ? undefined : unpackUtf8(row.codec, row.bytes);
  });
  const blockRow = rowOf<BytesRow>(BLOCK);
  const response = lastOf((id) => {
    const row = place(id);
    return row === undefined
      ? undefined
      : block(row.block_id)?.toString('utf8', row.text_start, row.text_end);
  });
  const promptText = lastOf((id) => {
    const at = promptPlace(id);
    return at === undefined ? undefined : promptBlock(at.blockId)?.toString('utf8', at.start, at.end);
  });
  const slice = (read: (id: unknown) => string | undefined) => (id: unknown, start: unknown, end: unknown) =>
    typeof start === 'number' && typeof end === 'number' ? (read(id)?.slice(start, end) ?? null) : null;
  const options = { deterministic: true };
  db.function('response_text', options, slice(response));
  db.function('prompt_text', options, slice(promptText));
  db.function('call_arguments', options, (payload: unknown) =>
    typeof payload === 'string' ? (readCallPayload(payload).arguments ?? null) : null,
  );
  db.function('call_code', options, (payload: unknown) =>
    typeof payload === 'string' ? (readCallPayload(payload).code ?? null) : null,
  );
  db.function('has_words', options, (text: unknown, words: unknown, isPrefix: unknown) => {
    if (typeof text !== 'string' || typeof words !== 'string') return null;
    for (const _ of findWords(text, wordsOf(words), isPrefix === 1)) return 1;
    return 0;
  });
  db.function('has_pattern', options, (text: unknown, source: unknown, flags: unknown) =>
    typeof text === 'string' && typeof source === 'string' && typeof flags === 'string'
      ? Number(patternOf(source, flags).test(text))
      : null,
  );
}

const patterns = new Map<string, RegExp>();

/** Caches compiled patterns: a statement has few, and calls each once per row. @throws SyntaxError */
function patternOf(source: string, flags: string): RegExp {
  const key = `${flags}/${source}`;
  const known = patterns.get(key);
  if (known !== undefined) return known;
  const pattern = new RegExp(source, `${flags}u`);
  if (patterns.size > 100) patterns.clear();
  patterns.set(key, pattern);
  return pattern;
}

/** Caches the last result. Rows of one rollout, and rollouts of one block, are adjacent. */
function lastOf<T>(read: (id: unknown) => T | undefined): (id: unknown) => T | undefined {
  let lastId: unknown;
  let last: T | undefined;
  return (id) => {
    if (id !== lastId) {
      last = read(id);
      lastId = id;
    }
    return last;
  };
}
