/** Streams rollouts with per-token columns, for statistics. */
import { SEGMENT_KINDS, TOOL_ERROR_OUTCOMES, TOOL_OUTCOMES } from '../../../shared/domain/model.ts';
import type { MeasuredRollout } from '../../../shared/domain/signalStatistics.ts';
import { type SignalName, tokenSignal } from '../../../shared/domain/tokenSignal.ts';
import type { ReadableLibrary } from '../open.ts';
import { number, oneOf, orNull, query, queryValue, type RowSpec } from '../rows.ts';
import { TOKEN_ROW, type TokenRecord, unpackEnds, unpackIntegers, unpackMask } from '../tokenColumns.ts';
import { responseReader } from './pool.ts';
import { columnsOf } from './tokens.ts';

/** A run, optionally narrowed to a step, group or rollout. */
export interface MeasuredScope {
  readonly runId: number;
  readonly step?: number | undefined;
  readonly groupId?: number | undefined;
  readonly rolloutId?: number | undefined;
}

/** CROSS JOIN fixes the join order, so that rows come in index order. */
const FROM = 'SELECT r.rollout_id FROM rollout_row r CROSS JOIN token_row t USING (rollout_id)';
/** Siblings are adjacent, because their texts share a block. */
export const ROLLOUTS_OF = {
  step: `${FROM} WHERE r.run_id = :runId AND r.step = :step ORDER BY r.group_id, r.ordinal`,
  group: `${FROM} WHERE r.group_id = :groupId AND r.run_id = :runId ORDER BY r.ordinal`,
  rollout: `${FROM} WHERE r.rollout_id = :rolloutId AND r.run_id = :runId`,
} as const;
const STEPS = {
  run: 'SELECT step FROM step_row WHERE run_id = :runId ORDER BY step',
  step: 'SELECT step FROM step_row WHERE run_id = :runId AND step = :step',
  group: 'SELECT step FROM group_row WHERE run_id = :runId AND group_id = :groupId',
  rollout: 'SELECT step FROM rollout_row WHERE run_id = :runId AND rollout_id = :rolloutId',
} as const;

function depthOf({ step, groupId, rolloutId }: MeasuredScope): keyof typeof STEPS {
  if (rolloutId !== undefined) return 'rollout';
  if (groupId !== undefined) return 'group';
  return step === undefined ? 'run' : 'step';
}

/** SQLite rejects parameters that the statement does not name, and undefined values. */
function bound(sql: string, values: Readonly<Record<string, number | undefined>>): Record<string, number> {
  const names = [...sql.matchAll(/:(\w+)/g)].map(([, name]) => name ?? '');
  return Object.fromEntries(names.map((name) => [name, values[name] ?? -1]));
}

/** @returns the steps of the scope; empty when there is no such run, step, group or rollout */
export function measuredSteps(db: ReadableLibrary, scope: MeasuredScope): readonly number[] {
  const sql = STEPS[depthOf(scope)];
  return queryValue(db, sql, number).all(bound(sql, { ...scope }));
}

/** @returns ids of the rollouts of the scope at one of its steps that have per-token columns */
export function measuredIds(db: ReadableLibrary, scope: MeasuredScope, step: number): readonly number[] {
  const depth = depthOf(scope);
  const sql = ROLLOUTS_OF[depth === 'run' ? 'step' : depth];
  return queryValue(db, sql, number).all(bound(sql, { ...scope, step }));
}

/** Alternatives are most of the bytes, so they are only read if there is no logged entropy. */
export const MEASURED = `
  SELECT t.count, t.ends, CASE WHEN t.ends IS NULL THEN t.ids END AS ids, t.mask, t.entropy, t.logprob, t.trainer_logprob, t.advantage,
    CASE WHEN :needsTop AND t.entropy IS NULL THEN t.top END AS top, t.entropy_of, NULL AS aligned_by, r.is_correct, r.step
  FROM token_row t JOIN rollout_row r USING (rollout_id) WHERE t.rollout_id = :rolloutId`;
const SEGMENTS = `SELECT ordinal, kind, outer_start, outer_end, inner_start, inner_end FROM segment_row WHERE rollout_id = ? ORDER BY ordinal`;
const FAILED =
  'SELECT response_segment AS ordinal, outcome FROM tool_call_row WHERE rollout_id = ? AND response_segment IS NOT NULL';

interface MeasuredRecord extends TokenRecord {
  is_correct: number | null;
  step: number;
}

interface SegmentRecord {
  ordinal: number;
  kind: number;
  outer_start: number;
  outer_end: number;
  inner_start: number;
  inner_end: number;
}

const MEASURED_ROW: RowSpec<MeasuredRecord> = {
  ...TOKEN_ROW,
  is_correct: orNull(number),
  step: number,
};

const SEGMENT_ROW: RowSpec<SegmentRecord> = {
  ordinal: number,
  kind: number,
  outer_start: number,
  outer_end: number,
  inner_start: number,
  inner_end: number,
};

export interface MeasuredOptions {
  /** Default: the best signal of each rollout. */
  readonly signal?: SignalName | undefined;
  readonly vocabulary?: number | undefined;
  readonly withText: boolean;
}

/** Prepares its statements once for all rollouts. */
export function measuredReader(
  db: ReadableLibrary,
  { signal, vocabulary, withText }: MeasuredOptions,
): (rolloutId: number) => MeasuredRollout | undefined {
  const tokens = query(db, MEASURED, MEASURED_ROW);
  const segments = query(db, SEGMENTS, SEGMENT_ROW);
  const outcomes = query(db, FAILED, { ordinal: number, outcome: oneOf(TOOL_OUTCOMES) });
  const responseOf = responseReader(db);
  const needsTop = Number(signal === undefined || signal === 'entropy');
  return (rolloutId) => {
    const row = tokens.get({ rolloutId, needsTop });
    if (row === undefined) return undefined;
    const found = tokenSignal(columnsOf(row), signal, vocabulary);
    // Without a mask the policy's tokens are unknown.
    if (found === undefined || row.mask === null) return undefined;
    const failed = new Map(
      outcomes.all(rolloutId).map(({ ordinal, outcome }) => [ordinal, TOOL_ERROR_OUTCOMES.has(outcome)]),
    );
    return {
      step: row.step,
      isCorrect: row.is_correct === null ? undefined : row.is_correct === 1,
      signal: found.name,
      source: found.source,
      values: found.values,
      mask: unpackMask(row.mask, row.count),
      ends: row.ends === null ? undefined : unpackEnds(row.ends, row.count),
      ids: row.ids === null ? undefined : unpackIntegers(row.ids),
      segments: segments
        .all(rolloutId)
        .map(({ ordinal, kind, outer_start, outer_end, inner_start, inner_end }) => {
          const isFailed = failed.get(ordinal);
          return {
            kind: SEGMENT_KINDS[kind] ?? 'text',
            outer: { start: outer_start, end: outer_end },
            inner: { start: inner_start, end: inner_end },
            ...(isFailed === undefined ? {} : { failed: isFailed }),
          };
        }),
      ...(withText ? { response: responseOf(rolloutId) } : {}),
    };
  };
}
