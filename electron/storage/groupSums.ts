/** SQL of the sums over rollouts that groups and steps store. */

/** Column of `group_row` and its expression over `rollout_row`. `step_row` has the same columns. */
const SUMS = {
  rollouts: 'count(*)',
  correct: 'coalesce(sum(is_correct), 0)',
  correct_known: 'count(is_correct)',
  reward_sum: 'coalesce(sum(reward), 0)',
  reward_known: 'count(reward)',
  decided: 'count(kept)',
  kept: 'coalesce(sum(kept), 0)',
  with_text: 'count(response_chars)',
  tool_calls: 'coalesce(sum(tool_calls), 0)',
  tool_errors: 'coalesce(sum(tool_errors), 0)',
  without_calls: 'coalesce(sum(tool_calls = 0), 0)',
  stops_logged: 'count(stop_reason_logged)',
  truncated: "coalesce(sum(stop_reason = 'length' AND stop_reason_logged IS NOT NULL), 0)",
  turns: 'coalesce(sum(turns), 0)',
  turns_known: 'count(turns)',
  response_chars: 'coalesce(sum(response_chars), 0)',
  tokens: 'coalesce(sum(policy_tokens), 0)',
  tokens_known: 'count(policy_tokens)',
  entropy_sum: 'coalesce(sum(mean_entropy * entropy_tokens), 0)',
  entropy_tokens: 'coalesce(sum(entropy_tokens), 0)',
} as const;
const NAMES = Object.keys(SUMS) as readonly (keyof typeof SUMS)[];
/** Column of `step_row` and its expression over `group_row`. Groups without rollouts are being added. */
const STEP_SUMS: readonly (readonly [name: string, expression: string])[] = [
  ['group_count', 'sum(rollouts > 0)'],
  ...NAMES.map((name) => [name, `sum(${name})`] as const),
  ['groups_all_wrong', 'sum(rollouts > 0 AND correct_known = rollouts AND correct = 0)'],
  ['groups_mixed', 'sum(correct_known = rollouts AND correct > 0 AND correct < rollouts)'],
  ['groups_all_right', 'sum(rollouts > 0 AND correct_known = rollouts AND correct = rollouts)'],
];

const OF_IDS = 'IN (SELECT value FROM json_each(?))';

/** @param ids of groups, as a JSON list */
export const DROP_EMPTY_GROUPS = `DELETE FROM group_row WHERE group_id ${OF_IDS}
  AND NOT EXISTS (SELECT 1 FROM rollout_row r WHERE r.group_id = group_row.group_id)`;

export const REFRESH_GROUPS = `UPDATE group_row SET ${NAMES.map((name) => `${name} = s.${name}`).join(', ')}
  FROM (SELECT group_id, ${NAMES.map((name) => `${SUMS[name]} AS ${name}`).join(', ')}
    FROM json_each(?) ids CROSS JOIN rollout_row ON group_id = ids.value GROUP BY group_id) s
  WHERE group_row.group_id = s.group_id`;

export const REFRESH_STEP = `INSERT OR REPLACE INTO step_row (run_id, step, ${STEP_SUMS.map(([name]) => name).join(', ')})
  SELECT run_id, step, ${STEP_SUMS.map(([, expression]) => expression).join(', ')}
  FROM group_row WHERE run_id = ? AND step = ? GROUP BY run_id, step`;

/** Sums of some groups of a step, in the order of `CHANGE_STEP`. */
export const SUMS_OF_GROUPS = `SELECT ${STEP_SUMS.map(([name, expression]) => `coalesce(${expression}, 0) AS ${name}`).join(', ')}
  FROM group_row WHERE group_id ${OF_IDS}`;

/** Adds to each sum of a step: one parameter per sum, then run and step. */
export const CHANGE_STEP = `UPDATE step_row SET ${STEP_SUMS.map(([name]) => `${name} = ${name} + ?`).join(', ')}
  WHERE run_id = ? AND step = ?`;

export const SUM_NAMES = STEP_SUMS.map(([name]) => name);
