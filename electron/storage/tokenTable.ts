/**
 * The SQL table function `tokens(rollout_id)`: one row per token. Columns that were not logged are NULL.
 * `start`, `end` and `text` are NULL too if the log has ids without text.
 */
import type Database from 'better-sqlite3';
import { tokenSignal } from '../../shared/domain/tokenSignal.ts';
import { columnsOf, tokenRecord } from './queries/tokens.ts';
import { unpackUtf8 } from './textCodec.ts';
import { unpackEnds, unpackIntegers, unpackMask } from './tokenColumns.ts';

/**
 * The columns of the command `tokens`. `entropy` is logged, `entropy_lower` is computed from listed
 * alternatives.
 */
const COLUMNS = [
  'i',
  'start',
  'end',
  'text',
  'id',
  'mask',
  'entropy',
  'entropy_lower',
  'surprisal',
  'logprob',
  'trainer_logprob',
  'advantage',
] as const;

/**
 * @param another opens a second connection, because a statement cannot run inside another one on the same
 * connection
 */
export function registerTokenTable(db: Database.Database, another: () => Database.Database): void {
  db.table('tokens', {
    parameters: ['rollout_id'],
    columns: [...COLUMNS],
    *rows(rolloutId: unknown) {
      if (typeof rolloutId !== 'number' && typeof rolloutId !== 'bigint') return;
      yield* tokensOf(another(), Number(rolloutId));
    },
  });
}

function* tokensOf(db: Database.Database, rolloutId: number): Generator<Record<string, unknown>> {
  const row = tokenRecord(db, rolloutId);
  if (row === undefined) return;
  const columns = columnsOf(row);
  const ends = row.ends === null ? undefined : unpackEnds(row.ends, row.count);
  const ids = row.ids === null ? undefined : unpackIntegers(row.ids);
  const mask = row.mask === null ? undefined : unpackMask(row.mask, row.count);
  const { entropy: _entropy, ...withoutEntropy } = columns;
  const lower = tokenSignal(withoutEntropy, 'entropy')?.values;
  const surprisal = tokenSignal(columns, 'surprisal')?.values;
  const response = ends === undefined ? '' : responseOf(db, rolloutId);
  for (let i = 0; i < row.count; i++) {
    const start = ends === undefined ? null : (ends[i - 1] ?? 0);
    const end = ends?.[i] ?? null;
    yield {
      i,
      start,
      end,
      text: start === null || end === null ? null : response.slice(start, end),
      id: ids?.[i] ?? null,
      mask: mask?.[i] ?? null,
      entropy: known(columns.entropy?.[i]),
      entropy_lower: known(lower?.[i]),
      surprisal: known(surprisal?.[i]),
      logprob: known(columns.logprob?.[i]),
      trainer_logprob: known(columns.trainerLogprob?.[i]),
      advantage: known(columns.advantage?.[i]),
    };
  }
}

function responseOf(db: Database.Database, rolloutId: number): string {
  const sql = `SELECT b.codec, b.bytes, r.text_start AS start, r.text_end AS end
    FROM rollout_row r JOIN text_block b USING (block_id) WHERE r.rollout_id = ?`;
  const row = db.prepare(sql).get(rolloutId) as
    | { codec: number; bytes: Uint8Array; start: number; end: number }
    | undefined;
  return row === undefined ? '' : unpackUtf8(row.codec, row.bytes).toString('utf8', row.start, row.end);
}

const known = (value: number | undefined): number | null =>
  value === undefined || Number.isNaN(value) ? null : value;
