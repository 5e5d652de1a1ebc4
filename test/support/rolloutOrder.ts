/** The order of rollouts and groups as SQL. Tests compare the order from columns with it. */
import type { ReadableLibrary } from '../../electron/storage/open.ts';
import type { GroupSort, ParsedParams, RolloutSort } from '../../shared/api/contract.ts';

const ROLLOUT_COLUMNS: Record<RolloutSort, string> = {
  order: 'r.step, r.group_id, r.ordinal',
  step: 'r.step',
  problemId:
    '(SELECT p.problem_id FROM group_row g JOIN problem_row p USING (problem_no) WHERE g.group_id = r.group_id)',
  latencyMs: '(SELECT max(c.latency_ms) FROM tool_call_row c WHERE c.rollout_id = r.rollout_id)',
  ordinal: 'r.ordinal',
  reward: 'r.reward',
  malformedCalls: 'r.malformed_calls',
  isCorrect: 'r.is_correct',
  answer: 'r.answer',
  turns: 'r.turns',
  toolCalls: 'r.tool_calls',
  toolErrors: 'r.tool_errors',
  stopReason: 'r.stop_reason',
  kept: 'r.kept',
  reason: 'r.reason',
  pErr: 'r.p_err',
  pFormat: 'r.p_format',
  penalty: 'r.penalty',
  advantage: 'r.advantage',
  policyTokens: 'r.policy_tokens',
  responseChars: 'r.response_chars',
  meanEntropy: 'r.mean_entropy',
};

type RolloutScope = Pick<ParsedParams<'rollout.order'>, 'step' | 'groupId' | 'sort'>;

function rolloutOrderSql({ step, groupId, sort }: RolloutScope): string {
  const where = ['r.run_id = :runId'];
  if (groupId !== undefined) where.splice(0, 1, 'r.group_id = :groupId');
  else if (step !== undefined) where.push('r.step = :step');
  return `SELECT r.rollout_id FROM rollout_row r WHERE ${where.join(' AND ')}
    ORDER BY ${orderByAll(sort, ROLLOUT_COLUMNS)}`;
}

function orderByAll<S extends string>(
  sort: readonly { readonly by: S | 'order'; readonly direction: Direction }[],
  columns: Readonly<Record<S | 'order', string>>,
): string {
  const keys = sort.flatMap(({ by, direction }) =>
    (by === 'order' ? columns.order.split(', ') : [columns[by]]).map(
      (column) => `${column} ${wayOf(direction)} NULLS LAST`,
    ),
  );
  return [...keys, columns.order].join(', ');
}

type Direction = 'ascending' | 'descending';

const wayOf = (direction: Direction): string => (direction === 'descending' ? 'DESC' : 'ASC');

export function rolloutOrder(
  db: ReadableLibrary,
  params: RolloutScope & { readonly runId: number },
): readonly number[] {
  const { runId, step, groupId } = params;
  return db
    .prepare(rolloutOrderSql(params))
    .pluck()
    .all({ runId, step: step ?? null, groupId: groupId ?? null }) as number[];
}

/** Figures of groups, summed up from their rollouts. */
const GROUP_COLUMNS: Record<GroupSort, string> = {
  order: 'g.step, g.group_id',
  rollouts: 'count(*)',
  correct: 'avg(r.is_correct)',
  meanReward: 'avg(r.reward)',
  kept: 'sum(r.kept)',
  toolCalls: 'sum(r.tool_calls)',
  toolErrors: 'sum(r.tool_errors)',
  meanTurns: 'avg(r.turns)',
  meanResponseChars: 'avg(r.response_chars)',
  problemId: '(SELECT p.problem_id FROM problem_row p WHERE p.problem_no = g.problem_no)',
};

export function groupOrder(
  db: ReadableLibrary,
  { runId, step, sort, direction }: ParsedParams<'group.order'> & { readonly runId: number },
): readonly number[] {
  const where = step === undefined ? 'g.run_id = :runId' : 'g.run_id = :runId AND g.step = :step';
  return db
    .prepare(
      `SELECT g.group_id FROM group_row g JOIN rollout_row r USING (group_id) WHERE ${where} GROUP BY g.group_id
       ORDER BY ${orderByAll([{ by: sort, direction }], GROUP_COLUMNS)}`,
    )
    .pluck()
    .all({ runId, step: step ?? null }) as number[];
}
