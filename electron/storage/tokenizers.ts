/**
 * The user's tokenizers: stored per run, applied to token ids without text, and reverted completely on
 * removal.
 */
import type { AlignmentRow, UnplacedRow } from '../../shared/api/contract.ts';
import { tryParseJson } from '../../shared/domain/parseJson.ts';
import { alignIds, alignmentFailureOf, SearchEffort } from '../../shared/format/alignIds.ts';
import { isObject } from '../../shared/format/fields.ts';
import type { Tokenizer } from '../../shared/format/tokenizer.ts';
import type { WritableLibrary } from './open.ts';
import { bytes, number, orNull, query, queryValue, text } from './rows.ts';
import { StoredTexts } from './storedTexts.ts';
import { packBytes, unpackUtf8, ZSTD } from './textCodec.ts';
import { packEnds, unpackIntegers, unpackMask } from './tokenColumns.ts';

/** Progress in rollouts. */
export type OnAligned = (done: number, total: number) => void;

/** Failures that are explained. Further ones usually have the same reasons. */
const MOST_EXPLAINED = 20;

interface StoredPieces {
  readonly pieces: readonly (string | null)[];
  readonly special: readonly number[];
}

function isStoredPieces(value: unknown): value is StoredPieces {
  if (!isObject(value)) return false;
  const { pieces, special } = value;
  const isPiece = (piece: unknown): boolean => piece === null || typeof piece === 'string';
  return Array.isArray(pieces) && pieces.every(isPiece) && Array.isArray(special);
}

const UNALIGNED_ROW = {
  ...{ rolloutId: number, count: number, ids: bytes, mask: orNull(bytes) },
  ...{ blockId: number, start: number, end: number, step: number, groupKey: text, ordinal: number },
};

const UNALIGNED = `
  SELECT t.rollout_id AS rolloutId, t.count, t.ids, t.mask, r.block_id AS blockId, r.text_start AS start, r.text_end AS end,
    r.step, g.group_key AS groupKey, r.ordinal
  FROM rollout_row r JOIN token_row t USING (rollout_id) JOIN group_row g USING (group_id)
  WHERE r.run_id = ? AND t.ends IS NULL AND t.ids IS NOT NULL AND r.rollout_id > ? ORDER BY r.rollout_id LIMIT 200`;
const COUNT = `SELECT count(*) FROM rollout_row r CROSS JOIN token_row t USING (rollout_id)
  WHERE r.run_id = ? AND t.ends IS NULL AND t.ids IS NOT NULL`;
const RUN = 'SELECT run_id FROM run_row WHERE run_key = ?';

/** @returns undefined when there is no such run. Must run inside a transaction, like all functions here. */
export function setTokenizer(
  db: WritableLibrary,
  runKey: string,
  name: string,
  tokenizer: Tokenizer,
  onProgress?: OnAligned,
): AlignmentRow | undefined {
  const runId = runIdOf(db, runKey);
  if (runId === undefined) return undefined;
  clear(db, runId);
  const stored: StoredPieces = {
    pieces: tokenizer.pieces.map((piece) =>
      piece === undefined ? null : Buffer.from(piece).toString('base64'),
    ),
    special: [...tokenizer.special],
  };
  const packed = packBytes(Buffer.from(JSON.stringify(stored), 'utf8'));
  db.prepare('INSERT OR REPLACE INTO tokenizer_row VALUES (?, ?, ?, ?)').run(
    runKey,
    name,
    tokenizer.size,
    packed,
  );
  return align(db, runId, name, tokenizer, { explained: MOST_EXPLAINED, ...(onProgress && { onProgress }) });
}

/** @returns whether the run had a tokenizer */
export function removeTokenizer(db: WritableLibrary, runKey: string): boolean {
  const { changes } = db.prepare('DELETE FROM tokenizer_row WHERE run_key = ?').run(runKey);
  const runId = runIdOf(db, runKey);
  if (runId !== undefined) clear(db, runId);
  return changes > 0;
}

/** Call after these runs were ingested. @returns the runs that changed */
export function refreshTokenizers(db: WritableLibrary, runKeys: readonly string[]): readonly number[] {
  const rows = query(
    db,
    `SELECT run_key AS runKey, name, size, pieces FROM tokenizer_row
     WHERE run_key IN (SELECT value FROM json_each(?))`,
    { runKey: text, name: text, size: number, pieces: bytes },
  ).all(JSON.stringify(runKeys));
  return rows.flatMap(({ runKey, name, size, pieces: packed }) => {
    const runId = runIdOf(db, runKey);
    if (runId === undefined) return [];
    const stored = tryParseJson(unpackUtf8(ZSTD, packed).toString('utf8'));
    if (!isStoredPieces(stored)) return [];
    const { pieces, special } = stored;
    const tokenizer: Tokenizer = {
      size,
      pieces: pieces.map((piece) => (piece === null ? undefined : Buffer.from(piece, 'base64'))),
      special: new Set(special),
    };
    return align(db, runId, name, tokenizer, { explained: 0 }).aligned > 0 ? [runId] : [];
  });
}

/** Runs of a file with token ids that have no place in the text, and the number of such rollouts. */
export function unalignedRuns(
  db: WritableLibrary,
  fileId: number,
): readonly { readonly runKey: string; readonly rollouts: number }[] {
  const sql = `SELECT n.run_key AS runKey, count(*) AS rollouts
    FROM rollout_row r JOIN token_row t USING (rollout_id) JOIN run_row n ON n.run_id = r.run_id
    WHERE r.file_id = ? AND t.ends IS NULL AND t.ids IS NOT NULL
      AND n.run_key NOT IN (SELECT run_key FROM tokenizer_row) GROUP BY n.run_id`;
  return query(db, sql, { runKey: text, rollouts: number }).all(fileId);
}

function runIdOf(db: WritableLibrary, runKey: string): number | undefined {
  return queryValue(db, RUN, number).get(runKey);
}

function clear(db: WritableLibrary, runId: number): void {
  db.prepare(
    `UPDATE token_row SET ends = NULL, aligned_by = NULL WHERE aligned_by IS NOT NULL
       AND rollout_id IN (SELECT rollout_id FROM rollout_row WHERE run_id = ?)`,
  ).run(runId);
}

interface AlignOptions {
  /** Number of rollouts whose failed alignment is explained. */
  readonly explained: number;
  readonly onProgress?: OnAligned;
}

function align(
  db: WritableLibrary,
  runId: number,
  name: string,
  tokenizer: Tokenizer,
  { explained, onProgress }: AlignOptions,
): AlignmentRow {
  const total = queryValue(db, COUNT, number).get(runId) ?? 0;
  const firstUnplaced: UnplacedRow[] = [];
  const next = query(db, UNALIGNED, UNALIGNED_ROW);
  const place = db.prepare('UPDATE token_row SET ends = ?, aligned_by = ? WHERE rollout_id = ?');
  const report = { size: tokenizer.size, rollouts: 0, aligned: 0, runs: 0, placed: 0, firstUnplaced };
  const effort = new SearchEffort();
  const texts = new StoredTexts(db);
  let last = -1;
  // Reads in portions, because the texts of all rollouts would not fit in memory.
  for (let rows = next.all(runId, last); rows.length > 0; rows = next.all(runId, last)) {
    onProgress?.(report.rollouts, total);
    for (const row of rows) {
      last = row.rolloutId;
      report.rollouts++;
      const text = texts.text(row);
      const mask = row.mask === null ? undefined : unpackMask(row.mask, row.count);
      const ids = unpackIntegers(row.ids);
      const found = alignIds(text, ids, mask, tokenizer, effort);
      if (firstUnplaced.length < explained && (found === undefined || found.placed < found.runs)) {
        const why = alignmentFailureOf(text, ids, mask, tokenizer);
        const { step, groupKey, ordinal } = row;
        if (why !== undefined) firstUnplaced.push({ step, groupKey, ordinal, why });
      }
      if (found === undefined) continue;
      report.aligned++;
      report.runs += found.runs;
      report.placed += found.placed;
      place.run(packEnds(found.ends), name, row.rolloutId);
    }
  }
  return report;
}
