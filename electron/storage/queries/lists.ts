/** Lists: the order of groups, and rows by id. Columns answer the order of rollouts (`electron/columns`). */
import type {
  GroupOrder,
  GroupRow,
  GroupSort,
  ParsedParams,
  RolloutRow,
} from '../../../shared/api/contract.ts';
import type { ReadableLibrary } from '../open.ts';
import { booleansOf, present } from '../rows.ts';

const GROUP_COLUMNS: Record<GroupSort, string> = {
  order: 'g.step, g.group_id',
  rollouts: 'g.rollouts',
  correct: 'iif(g.correct_known > 0, 1.0 * g.correct / g.correct_known, NULL)',
  meanReward: 'iif(g.reward_known > 0, g.reward_sum / g.reward_known, NULL)',
  kept: 'iif(g.decided > 0, g.kept, NULL)',
  toolCalls: 'g.tool_calls',
  toolErrors: 'g.tool_errors',
  meanTurns: '1.0 * g.turns / g.rollouts',
  meanResponseChars: '1.0 * g.response_chars / g.rollouts',
  problemId: '(SELECT p.problem_id FROM problem_row p WHERE p.problem_no = g.problem_no)',
};

/** Unknown values come last either way; ties keep the order of the log, which is also the order when none is asked for. */
function orderBy(
  columns: Readonly<Record<'order', string>>,
  column: string,
  direction: 'ascending' | 'descending',
): string {
  const way = wayOf(direction);
  if (column !== columns.order) return `${column} ${way} NULLS LAST, ${columns.order}`;
  return columns.order
    .split(', ')
    .map((part) => `${part} ${way}`)
    .join(', ');
}

const wayOf = (direction: 'ascending' | 'descending'): string =>
  direction === 'descending' ? 'DESC' : 'ASC';

export function groupOrderSql(
  params: Pick<ParsedParams<'group.order'>, 'step' | 'sort' | 'direction'>,
): string {
  const where = params.step === undefined ? 'g.run_id = :runId' : 'g.run_id = :runId AND g.step = :step';
  return `SELECT g.group_id FROM group_row g WHERE ${where}
    ORDER BY ${orderBy(GROUP_COLUMNS, GROUP_COLUMNS[params.sort], params.direction)}`;
}

export type GroupOrderParams = Pick<ParsedParams<'group.order'>, 'step' | 'sort' | 'direction'> & {
  readonly runId: number;
};

export function orderGroups(db: ReadableLibrary, params: GroupOrderParams): GroupOrder {
  const { runId, step } = params;
  const ids = db
    .prepare(groupOrderSql(params))
    .pluck()
    .all({ runId, step: step ?? null });
  return { runId, ids: Uint32Array.from(ids as number[]) };
}

export const GROUPS_BY_ID = `
  SELECT g.group_id AS groupId, g.group_key AS groupKey, g.rule AS groupRule, p.problem_id AS problemId, g.step, g.rollouts, g.correct,
    g.correct_known AS correctKnown, iif(g.reward_known > 0, g.reward_sum / g.reward_known, NULL) AS meanReward,
    g.decided, g.kept, g.tool_calls AS toolCalls, g.tool_errors AS toolErrors, 1.0 * g.turns / g.rollouts AS meanTurns,
    1.0 * g.response_chars / g.rollouts AS meanResponseChars, p.ground_truth AS groundTruth, q.preview AS promptPreview
  FROM json_each(?) ids
  JOIN group_row g ON g.group_id = ids.value
  JOIN problem_row p ON p.problem_no = g.problem_no
  JOIN prompt_row q ON q.prompt_id = p.prompt_id
  ORDER BY ids.key`;

export const ROLLOUTS_BY_ID = `
  SELECT r.rollout_id AS rolloutId, r.group_id AS groupId, g.group_key AS groupKey, p.problem_id AS problemId, r.step,
    r.ordinal, r.reward, r.is_correct AS isCorrect, r.correct_source AS isCorrectSource, r.answer, p.ground_truth AS groundTruth, r.turns,
    r.tool_calls AS toolCalls, r.tool_errors AS toolErrors, r.stop_reason AS stopReason,
    r.stop_reason_source AS stopReasonSource, r.kept, r.reason, r.p_err AS pErr, r.p_format AS pFormat, r.penalty,
    r.advantage, r.policy_tokens AS policyTokens, r.response_chars AS responseChars, r.mean_entropy AS meanEntropy,
    coalesce(r.ended_at - r.started_at, t.duration_ms / 1000.0) AS duration, t.worker, t.gpu, f.path, r.line
  FROM json_each(?) ids
  JOIN rollout_row r ON r.rollout_id = ids.value
  JOIN group_row g ON g.group_id = r.group_id
  JOIN problem_row p ON p.problem_no = g.problem_no
  JOIN file_row f ON f.file_id = r.file_id
  LEFT JOIN timing_row t ON t.rollout_id = r.rollout_id
  ORDER BY ids.key`;

export function groupRows(db: ReadableLibrary, groupIds: readonly number[]): readonly GroupRow[] {
  return db
    .prepare(GROUPS_BY_ID)
    .all(JSON.stringify(groupIds))
    .map((row) => present<GroupRow>(row));
}

const LABELS_BY_ROLLOUT = `
  SELECT DISTINCT p.rollout_id AS id, a.label
  FROM json_each(?) j
  CROSS JOIN annotated_place_row p ON p.rollout_id = j.value
  JOIN annotation_row a ON a.annotated_no = p.annotated_no
  WHERE a.label IS NOT NULL
  ORDER BY a.created_at, a.annotation_no`;

export function rolloutRows(db: ReadableLibrary, rolloutIds: readonly number[]): readonly RolloutRow[] {
  const labels = labelsOf(db, rolloutIds);
  return db
    .prepare(ROLLOUTS_BY_ID)
    .all(JSON.stringify(rolloutIds))
    .map((row) => {
      const rollout = booleansOf(present<RolloutRow>(row), 'isCorrect', 'kept');
      const own = labels.get(rollout.rolloutId);
      return own === undefined ? rollout : { ...rollout, labels: own };
    });
}

/** Ids of labels by rollout, each once. */
function labelsOf(
  db: ReadableLibrary,
  rolloutIds: readonly number[],
): ReadonlyMap<number, readonly string[]> {
  const labels = new Map<number, string[]>();
  const found = db.prepare(LABELS_BY_ROLLOUT).all(JSON.stringify(rolloutIds)) as {
    id: number;
    label: string;
  }[];
  for (const { id, label } of found) {
    const others = labels.get(id);
    if (others === undefined) labels.set(id, [label]);
    else others.push(label);
  }
  return labels;
}
