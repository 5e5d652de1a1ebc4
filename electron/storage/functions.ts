/**
 * SQL functions the read views are made of. Texts are read through a connection of their
 * own: SQLite forbids none of it, but a statement inside a running statement of the same
 * connection is more than better-sqlite3 allows. The last rollout and prompt stay
 * decompressed, since rows of one rollout come together.
 */
import type Database from 'better-sqlite3';
import { readCallPayload } from '../../shared/domain/toolCallPayload.ts';
import { unpackText } from './textCodec.ts';

interface TextRow {
  readonly codec: number;
  readonly text: Uint8Array;
}

export function registerFunctions(db: Database.Database, openAnother: () => Database.Database): void {
  let texts: Database.Database | undefined;
  const reader = (sql: string): ((id: unknown) => string | null) => {
    let statement: Database.Statement<[unknown], TextRow> | undefined;
    let lastId: unknown;
    let lastText: string | null = null;
    return (id) => {
      if (id === lastId) return lastText;
      texts ??= openAnother();
      statement ??= texts.prepare<[unknown], TextRow>(sql);
      const row = statement.get(id);
      lastText = row === undefined ? null : unpackText(row.codec, row.text);
      lastId = id;
      return lastText;
    };
  };
  const slice = (read: (id: unknown) => string | null) => (id: unknown, start: unknown, end: unknown) =>
    typeof start === 'number' && typeof end === 'number' ? (read(id)?.slice(start, end) ?? null) : null;
  const options = { deterministic: true };
  db.function(
    'response_text',
    options,
    slice(reader('SELECT codec, text FROM rollout_text WHERE rollout_id = ?')),
  );
  db.function('prompt_text', options, slice(reader('SELECT codec, text FROM prompt_row WHERE prompt_id = ?')));
  db.function('call_arguments', options, (payload: unknown) =>
    typeof payload === 'string' ? (readCallPayload(payload).arguments ?? null) : null,
  );
  db.function('call_code', options, (payload: unknown) =>
    typeof payload === 'string' ? (readCallPayload(payload).code ?? null) : null,
  );
}
