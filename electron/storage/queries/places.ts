import type { ParsedParams, ResultOf } from '../../../shared/api/contract.ts';
import type { ReadableLibrary } from '../open.ts';

const RUN = 'SELECT run_id FROM run_row WHERE run_key = ?';
const GROUP = 'SELECT group_id FROM group_row WHERE run_id = ? AND step = ? AND group_key = ?';
const ROLLOUT = 'SELECT rollout_id FROM rollout_row WHERE group_id = ? AND ordinal = ?';
const SOURCE = `SELECT f.path, r.line, r.byte_offset AS byteOffset, r.byte_length AS byteLength,
    r.content_hash AS contentHash
  FROM rollout_row r JOIN file_row f USING (file_id) WHERE r.rollout_id = ?`;
const ROOTS = 'SELECT path FROM granted_root ORDER BY path';

/** undefined names what is missing: the first word of the place that the library does not know */
export function resolvePlace(
  db: ReadableLibrary,
  place: ParsedParams<'place.resolve'>,
): ResultOf<'place.resolve'> | { readonly missing: string } {
  const one = (sql: string, ...values: unknown[]): number | undefined =>
    db
      .prepare(sql)
      .pluck()
      .get(...values) as number | undefined;
  const runId = one(RUN, place.runKey);
  if (runId === undefined) return { missing: `run ${place.runKey}` };
  if (place.step === undefined || place.groupKey === undefined) return { runId };
  const groupId = one(GROUP, runId, place.step, place.groupKey);
  if (groupId === undefined)
    return { missing: `group ${place.groupKey} at step ${place.step} of run ${place.runKey}` };
  if (place.ordinal === undefined) return { runId, groupId };
  const rolloutId = one(ROLLOUT, groupId, place.ordinal);
  if (rolloutId === undefined) return { missing: `rollout ${place.ordinal} of group ${place.groupKey}` };
  return { runId, groupId, rolloutId };
}

export interface RecordSource {
  readonly path: string;
  readonly line: number;
  readonly byteOffset: number;
  readonly byteLength: number;
  readonly contentHash: string;
}

export function recordSource(db: ReadableLibrary, rolloutId: number): RecordSource | undefined {
  return db.prepare(SOURCE).get(rolloutId) as RecordSource | undefined;
}

export function grantedRoots(db: ReadableLibrary): readonly string[] {
  return db.prepare(ROOTS).pluck().all() as string[];
}
