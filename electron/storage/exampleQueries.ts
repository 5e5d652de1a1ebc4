/** Statements that answer what researchers ask of a run. They are examples: to be changed, not kept. */
import type { ExampleQuery } from '../../shared/api/sqlRows.ts';

export const EXAMPLE_QUERIES: readonly ExampleQuery[] = [
  {
    name: 'Tool errors in right rollouts',
    about: 'Do rollouts that are right still contain tool errors? By step',
    sql: `SELECT step,
  count(*) AS right_rollouts,
  sum(tool_errors > 0) AS with_an_error,
  round(1.0 * sum(tool_errors) / nullif(sum(tool_calls), 0), 3) AS errors_per_call
FROM rollout
WHERE is_correct = 1
GROUP BY run_id, step
ORDER BY run_id, step`,
  },
  {
    name: 'Groups without a gradient',
    about: 'All right or all wrong: such groups teach nothing',
    sql: `SELECT step, groups, groups_all_wrong, groups_mixed, groups_all_right,
  round(1.0 * (groups_all_wrong + groups_all_right) / groups, 3) AS share_without_gradient
FROM step
ORDER BY run_id, step`,
  },
  {
    name: 'Kept and dropped, side by side',
    about: 'Does down-sampling prefer short rollouts, or ones without tools?',
    sql: `SELECT is_correct, kept, count(*) AS rollouts,
  round(avg(policy_tokens), 1) AS mean_tokens,
  round(avg(turns), 2) AS mean_turns,
  round(avg(tool_calls), 2) AS mean_tool_calls,
  round(avg(tool_errors), 3) AS mean_tool_errors
FROM rollout
GROUP BY is_correct, kept
ORDER BY is_correct, kept`,
  },
  {
    name: 'Outcomes of tool calls',
    about: 'How tool calls end, and how long they take',
    sql: `SELECT outcome, count(*) AS calls, round(avg(latency_ms), 1) AS mean_ms, max(latency_ms) AS longest_ms
FROM tool_call
GROUP BY outcome
ORDER BY calls DESC`,
  },
  {
    name: 'After a tool error',
    about: 'How often is a rollout right in spite of an error?',
    sql: `SELECT min(tool_errors, 3) AS errors_up_to_3, count(*) AS rollouts,
  round(avg(is_correct), 3) AS share_right
FROM rollout
GROUP BY errors_up_to_3
ORDER BY errors_up_to_3`,
  },
  {
    name: 'Right although every call failed',
    about: 'Right rollouts whose tool calls all failed, or that made none: worth a look',
    sql: `SELECT rollout_id, step, problem_id, tool_calls, tool_errors, answer, ground_truth
FROM rollout
WHERE is_correct = 1 AND tool_errors >= tool_calls
ORDER BY tool_errors DESC, rollout_id`,
  },
  {
    name: 'Pass rate per problem',
    about: 'Share of right rollouts by problem, the hardest first',
    sql: `SELECT problem_id, count(*) AS rollouts, sum(is_correct) AS right_rollouts,
  round(avg(is_correct), 3) AS pass_rate
FROM rollout
GROUP BY run_id, problem_id
ORDER BY pass_rate, problem_id`,
  },
  {
    name: 'Length and reward',
    about: 'One point for each rollout: chart it as points',
    sql: `SELECT response_chars, reward, turns, rollout_id
FROM rollout
ORDER BY response_chars`,
  },
  {
    name: 'Where the model hesitates',
    about: 'Tokens of the highest entropy in one rollout (as logged, in nats)',
    sql: `SELECT r.rollout_id, t.i, t.text, t.entropy, t.surprisal
FROM (SELECT rollout_id FROM rollout WHERE mean_entropy IS NOT NULL ORDER BY mean_entropy DESC LIMIT 1) r,
  tokens(r.rollout_id) t
WHERE t.entropy IS NOT NULL
ORDER BY t.entropy DESC
LIMIT 50`,
  },
];

/** How others read a data set of ours; for its README. */
export const DATA_SET_QUERIES = {
  DuckDB:
    "SELECT step, avg(reward), avg(tool_errors) FROM read_parquet('rollouts/*/*/*.parquet', hive_partitioning = true) GROUP BY step;",
  ClickHouse:
    "SELECT step, avg(reward) FROM file('rollouts/run=*/step=*/*.parquet') GROUP BY step SETTINGS use_hive_partitioning = 1;",
} as const;
