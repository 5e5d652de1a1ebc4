/** Rollout pools for Resample-on-Correct: narrow rows, one step at a time. */
import { RUN_KINDS, type RunKind } from '../../../shared/domain/model.ts';
import type { ReadableLibrary } from '../open.ts';
import { boolean, number, oneOf, orNull, query, queryValue, type RowSpec, text } from '../rows.ts';
import { configOf, runName } from '../views.sql.ts';

/** One rollout. Null: unknown. SQL rows are used as they are, because a run has millions of them. */
export interface PoolRecord {
  readonly rolloutId: number;
  readonly groupId: number;
  readonly ordinal: number;
  readonly reward: number | null;
  readonly kept: number | null;
  readonly reason: string | null;
  readonly pErr: number | null;
  readonly pFormat: number | null;
  readonly penalty: number | null;
  readonly advantage: number | null;
  readonly rule: string | null;
  readonly pErrText: number | null;
  readonly pFormatText: number | null;
  readonly pTextSource: 'text' | 'reconstructed' | null;
  readonly pErrTyped: number | null;
  readonly pFormatTyped: number | null;
  readonly turns: number | null;
  readonly toolCalls: number | null;
  readonly toolErrors: number | null;
  readonly policyTokens: number | null;
  readonly responseChars: number | null;
  /** Number of the batch, from 1; absent: the first of the step. */
  readonly pool?: number;
}

const POOL_ROW: RowSpec<Omit<PoolRecord, 'pool'>> = {
  rolloutId: number,
  groupId: number,
  ordinal: number,
  reward: orNull(number),
  kept: orNull(number),
  reason: orNull(text),
  pErr: orNull(number),
  pFormat: orNull(number),
  penalty: orNull(number),
  advantage: orNull(number),
  rule: orNull(text),
  pErrText: orNull(number),
  pFormatText: orNull(number),
  pTextSource: orNull(oneOf(['text', 'reconstructed'])),
  pErrTyped: orNull(number),
  pFormatTyped: orNull(number),
  turns: orNull(number),
  toolCalls: orNull(number),
  toolErrors: orNull(number),
  policyTokens: orNull(number),
  responseChars: orNull(number),
};

/** Batch order: groups by first appearance, then ordinal. Walks the index `rollout_by_step`. */
export const POOL_OF_STEP = `
  SELECT rollout_id AS rolloutId, group_id AS groupId, ordinal, reward, kept, reason, p_err AS pErr, p_format AS pFormat,
    penalty, advantage, rule, p_err_text AS pErrText, p_format_text AS pFormatText, p_text_source AS pTextSource,
    p_err_typed AS pErrTyped, p_format_typed AS pFormatTyped, turns, tool_calls AS toolCalls,
    tool_errors AS toolErrors, policy_tokens AS policyTokens, response_chars AS responseChars
  FROM rollout_row WHERE run_id = ? AND step = ? ORDER BY group_id, ordinal`;

const LATER_POOLS_OF_STEP =
  'SELECT group_id AS groupId, pool FROM group_row WHERE run_id = ? AND step = ? AND pool > 0';

const STEP_REVISION = 'SELECT revision FROM step_revision_row WHERE run_id = ? AND step = ?';

/** A revision that changes with every change of the step's rollouts. */
export function stepRevision(db: ReadableLibrary, runId: number, step: number): number | undefined {
  return queryValue(db, STEP_REVISION, number).get(runId, step);
}

/** @returns the groups of a step in order of first appearance, each in ordinal order */
export function poolOfStep(
  db: ReadableLibrary,
  runId: number,
  step: number,
): readonly (readonly PoolRecord[])[] {
  const later = query(db, LATER_POOLS_OF_STEP, { groupId: number, pool: number }).all(runId, step);
  const pools = new Map(later.map(({ groupId, pool }) => [groupId, pool]));
  const groups: PoolRecord[][] = [];
  let current: PoolRecord[] = [];
  for (const row of query(db, POOL_OF_STEP, POOL_ROW).all(runId, step)) {
    if (current[0]?.groupId !== row.groupId) {
      current = [];
      groups.push(current);
    }
    const pool = pools.get(row.groupId);
    current.push(pool === undefined ? row : { ...row, pool });
  }
  return groups;
}

export interface PoolRun {
  readonly runId: number;
  readonly runKey: string;
  readonly name: string;
  readonly kind: RunKind;
  readonly hasSteps: boolean;
  readonly config: string;
  readonly steps: readonly number[];
}

const POOL_RUN = `
  SELECT n.run_id AS runId, n.run_key AS runKey, ${runName('n')} AS name, n.kind,
    n.has_steps AS hasSteps, coalesce(c.config, '{}') AS config
  FROM run_row n ${configOf('n')}`;
const RUN_ROW: RowSpec<Omit<PoolRun, 'steps'>> = {
  runId: number,
  runKey: text,
  name: text,
  kind: oneOf(RUN_KINDS),
  hasSteps: boolean,
  config: text,
};
const STEPS = 'SELECT step FROM step_row WHERE run_id = ? ORDER BY step';

export function poolRuns(db: ReadableLibrary): readonly PoolRun[] {
  return query(db, `${POOL_RUN} ORDER BY n.run_id`, RUN_ROW)
    .all()
    .map((row) => withSteps(db, row));
}

export function poolRun(db: ReadableLibrary, runId: number): PoolRun | undefined {
  const row = query(db, `${POOL_RUN} WHERE n.run_id = ?`, RUN_ROW).get(runId);
  return row && withSteps(db, row);
}

function withSteps(db: ReadableLibrary, row: Omit<PoolRun, 'steps'>): PoolRun {
  return { ...row, steps: queryValue(db, STEPS, number).all(row.runId) };
}

export interface PoolGroupPlace {
  readonly runId: number;
  readonly step: number;
}

export function placeOfGroup(db: ReadableLibrary, groupId: number): PoolGroupPlace | undefined {
  const sql = 'SELECT run_id AS runId, step FROM group_row WHERE group_id = ?';
  return query<PoolGroupPlace>(db, sql, { runId: number, step: number }).get(groupId);
}

const PROBLEMS_OF_STEP = `
  SELECT g.group_id AS groupId, p.problem_id AS problemId FROM group_row g JOIN problem_row p USING (problem_no)
  WHERE g.run_id = ? AND g.step = ?`;

/** @returns logged problem ids by group */
export function problemsOfStep(
  db: ReadableLibrary,
  runId: number,
  step: number,
): ReadonlyMap<number, string> {
  const rows = query(db, PROBLEMS_OF_STEP, { groupId: number, problemId: text }).all(runId, step);
  return new Map(rows.map(({ groupId, problemId }) => [groupId, problemId]));
}

const RESPONSE = `SELECT response_text(rollout_id, 0, response_chars) FROM rollout_row WHERE rollout_id = ?`;

/** Reads responses one by one. Siblings share a block, so request them in order. */
export function responseReader(db: ReadableLibrary): (rolloutId: number) => string {
  const statement = queryValue(db, RESPONSE, orNull(text));
  return (rolloutId) => statement.get(rolloutId) ?? '';
}
