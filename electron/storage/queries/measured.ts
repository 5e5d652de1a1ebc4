/** Rollouts with per-token columns, a step at a time, as statistics need them. */
import { SEGMENT_KINDS, TOOL_ERROR_OUTCOMES, type ToolOutcome } from '../../../shared/domain/model.ts';
import type { MeasuredRollout } from '../../../shared/domain/signalStatistics.ts';
import { type SignalName, tokenSignal } from '../../../shared/domain/tokenSignal.ts';
import type { ReadableLibrary } from '../open.ts';
import { type TokenRecord, unpackEnds, unpackMask } from '../tokenColumns.ts';
import { responseReader } from './pool.ts';
import { columnsOf } from './tokens.ts';

export interface MeasuredScope {
  readonly runId: number;
  readonly step: number;
  readonly groupId?: number | undefined;
}

interface MeasuredRecord extends TokenRecord {
  rollout_id: number;
  is_correct: number | null;
}

export const MEASURED = `
  SELECT t.*, r.is_correct FROM rollout_row r JOIN token_row t USING (rollout_id)
  WHERE r.run_id = :runId AND r.step = :step AND (:groupId IS NULL OR r.group_id = :groupId)
  ORDER BY r.group_id, r.ordinal`;
const SEGMENTS = `SELECT ordinal, kind, outer_start, outer_end FROM segment_row WHERE rollout_id = ? ORDER BY ordinal`;
const FAILED =
  'SELECT response_segment AS ordinal, outcome FROM tool_call_row WHERE rollout_id = ? AND response_segment IS NOT NULL';

interface SegmentRecord {
  ordinal: number;
  kind: number;
  outer_start: number;
  outer_end: number;
}

export interface MeasuredOptions {
  /** Absent: the best each rollout has. */
  readonly signal?: SignalName | undefined;
  readonly vocabulary?: number | undefined;
  readonly withText: boolean;
}

/** @returns the measured rollouts of a step, and those without the signal or without a loss mask as undefined */
export function* measuredRollouts(
  db: ReadableLibrary,
  scope: MeasuredScope,
  { signal, vocabulary, withText }: MeasuredOptions,
): Generator<MeasuredRollout | undefined> {
  const { runId, step, groupId = null } = scope;
  const segments = db.prepare<[number], SegmentRecord>(SEGMENTS);
  const outcomes = db.prepare<[number], { ordinal: number; outcome: ToolOutcome }>(FAILED);
  const responseOf = responseReader(db);
  // All at once: other statements run between two rows.
  for (const row of db.prepare(MEASURED).all({ runId, step, groupId }) as MeasuredRecord[]) {
    const found = tokenSignal(columnsOf(row), signal, vocabulary);
    // Without a mask nobody can say which tokens are the policy's.
    if (found === undefined || row.mask === null) {
      yield undefined;
      continue;
    }
    const failed = new Map(
      outcomes.all(row.rollout_id).map(({ ordinal, outcome }) => [ordinal, TOOL_ERROR_OUTCOMES.has(outcome)]),
    );
    yield {
      step,
      isCorrect: row.is_correct === null ? undefined : row.is_correct === 1,
      signal: found.name,
      source: found.source,
      values: found.values,
      mask: unpackMask(row.mask, row.count),
      ends: row.ends === null ? undefined : unpackEnds(row.ends, row.count),
      segments: segments.all(row.rollout_id).map(({ ordinal, kind, outer_start, outer_end }) => {
        const isFailed = failed.get(ordinal);
        return {
          kind: SEGMENT_KINDS[kind] ?? 'text',
          outer: { start: outer_start, end: outer_end },
          ...(isFailed === undefined ? {} : { failed: isFailed }),
        };
      }),
      ...(withText ? { response: responseOf(row.rollout_id) } : {}),
    };
  }
}
