/** Error types of the failed tool calls of a step's incorrect rollouts, from the responses. */
import { errorType } from '../../../shared/domain/errorType.ts';
import type { ReadableLibrary } from '../open.ts';
import { number, queryTuples } from '../rows.ts';
import { StoredTexts } from '../storedTexts.ts';

/** In the order of the texts, so that every block is unpacked once. */
export const FAILED_CALLS = `
  SELECT r.rollout_id, c.ordinal, s.inner_start, s.inner_end, r.block_id, r.text_start, r.text_end
  FROM rollout_row r CROSS JOIN tool_call_row c USING (rollout_id)
  CROSS JOIN segment_row s ON s.rollout_id = c.rollout_id AND s.ordinal = c.response_segment
  WHERE r.run_id = :runId AND r.step = :step AND r.is_correct = 0 AND c.outcome IN ('exception', 'error')
  ORDER BY r.group_id, r.ordinal`;
const COLUMNS = [
  ['rollout_id', number],
  ['ordinal', number],
  ['inner_start', number],
  ['inner_end', number],
  ['block_id', number],
  ['text_start', number],
  ['text_end', number],
] as const;

/**
 * @param isWanted whether a rollout's calls are read
 * @returns error types by rollout and ordinal of the call
 */
export function errorTypes(
  db: ReadableLibrary,
  place: { readonly runId: number; readonly step: number },
  isWanted: (rolloutId: number) => boolean,
): ReadonlyMap<number, ReadonlyMap<number, string>> {
  const types = new Map<number, Map<number, string>>();
  const stored = new StoredTexts(db);
  let last = { rolloutId: -1, text: '' };
  for (const row of queryTuples(db, FAILED_CALLS, COLUMNS).all({ ...place })) {
    const [rolloutId, ordinal, innerStart, innerEnd, blockId, start, end] = row;
    if (!isWanted(rolloutId)) continue;
    if (last.rolloutId !== rolloutId) last = { rolloutId, text: stored.text({ blockId, start, end }) };
    const type = errorType(last.text.slice(innerStart, innerEnd));
    if (type === undefined) continue;
    const ofRollout = types.get(rolloutId) ?? new Map<number, string>();
    types.set(rolloutId, ofRollout.set(ordinal, type));
  }
  return types;
}
