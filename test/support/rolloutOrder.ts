/** The order of rollouts in SQL, to compare with the order from columns. */
import type { ReadableLibrary } from '../../electron/storage/open.ts';
import type { ParsedParams, RolloutSort } from '../../shared/api/contract.ts';

const ROLLOUT_COLUMNS: Record<RolloutSort, string> = {
  order: 'r.step, r.group_id, r.ordinal',
  step: 'r.step',
  problemId:
    '(SELECT p.problem_id FROM group_row g JOIN problem_row p USING (problem_no) WHERE g.group_id = r.group_id)',
  latencyMs: '(SELECT max(c.latency_ms) FROM tool_call_row c WHERE c.rollout_id = r.rollout_id)',
  ordinal: 'r.ordinal',
  reward: 'r.reward',
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
    ORDER BY ${orderByAll(sort)}`;
}

/** Keys after the order of the log never decide. */
function orderByAll(sort: RolloutScope['sort']): string {
  const [first] = sort;
  if (first?.by === 'order')
    return ROLLOUT_COLUMNS.order
      .split(', ')
      .map((part) => `${part} ${wayOf(first.direction)}`)
      .join(', ');
  const keys = sort
    .filter(({ by }) => by !== 'order')
    .map(({ by, direction }) => `${ROLLOUT_COLUMNS[by]} ${wayOf(direction)} NULLS LAST`);
  return [...keys, ROLLOUT_COLUMNS.order].join(', ');
}

const wayOf = (direction: 'ascending' | 'descending'): string =>
  direction === 'descending' ? 'DESC' : 'ASC';

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
