/** Example statements for common questions about a run. Users copy and edit them. */
import type { ExampleQuery } from '../../shared/api/sqlRows.ts';

export const EXAMPLE_QUERIES: readonly ExampleQuery[] = [
  {
    name: 'Tool errors in correct rollouts',
    about: 'Tool errors per correct rollout, by step',
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
    about: 'Groups that are all correct or all incorrect give no learning signal',
    sql: `SELECT step, groups, groups_all_wrong, groups_mixed, groups_all_right,
  round(1.0 * (groups_all_wrong + groups_all_right) / groups, 3) AS share_without_gradient
FROM step
ORDER BY run_id, step`,
  },
  {
    name: 'Kept and discarded rollouts',
    about: 'Does down-sampling prefer short rollouts, or rollouts without tools?',
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
    about: 'Count and latency of tool calls by outcome',
    sql: `SELECT outcome, count(*) AS calls, round(avg(latency_ms), 1) AS mean_ms, max(latency_ms) AS longest_ms
FROM tool_call
GROUP BY outcome
ORDER BY calls DESC`,
  },
  {
    name: 'After a tool error',
    about: 'Pass rate of rollouts with a failed tool call',
    sql: `SELECT min(tool_errors, 3) AS errors_up_to_3, count(*) AS rollouts,
  round(avg(is_correct), 3) AS share_right
FROM rollout
GROUP BY errors_up_to_3
ORDER BY errors_up_to_3`,
  },
  {
    name: 'Correct although every call failed',
    about: 'Correct rollouts without a successful tool call',
    sql: `SELECT rollout_id, step, problem_id, tool_calls, tool_errors, answer, ground_truth
FROM rollout
WHERE is_correct = 1 AND tool_errors >= tool_calls
ORDER BY tool_errors DESC, rollout_id`,
  },
  {
    name: 'Pass rate per problem',
    about: 'Pass rate by problem, hardest first',
    sql: `SELECT problem_id, count(*) AS rollouts, sum(is_correct) AS right_rollouts,
  round(avg(is_correct), 3) AS pass_rate
FROM rollout
GROUP BY run_id, problem_id
ORDER BY pass_rate, problem_id`,
  },
  {
    name: 'Rollouts with a phrase, by run',
    about: 'Rollouts in which the policy wrote a phrase, counted by run, for a bar chart',
    sql: `SELECT matched.run_id, run.name AS run, matched.rollouts
FROM (
SELECT run_id, count(*) AS rollouts
FROM rollout
WHERE EXISTS (SELECT 1 FROM segment s WHERE s.rollout_id = rollout.rollout_id
  AND s.kind IN ('reasoning', 'text') AND has_words(s.text, 'let me check', 0))
GROUP BY run_id
) matched JOIN run ON run.run_id = matched.run_id
ORDER BY matched.rollouts DESC, matched.run_id`,
  },
  {
    name: 'Rollouts with a phrase, by step',
    about:
      'Per cent of the rollouts in which the policy wrote a phrase, by step, for a line chart; of the run with most steps',
    sql: `SELECT step, round(100.0 * avg(EXISTS (SELECT 1 FROM segment s WHERE s.rollout_id = rollout.rollout_id
  AND s.kind IN ('reasoning', 'text') AND has_words(s.text, 'let me check', 0))), 1) AS percent
FROM rollout
WHERE run_id = (SELECT run_id FROM run WHERE steps > 1 ORDER BY steps DESC, run_id LIMIT 1) AND step IS NOT NULL
GROUP BY step
ORDER BY step`,
  },
  {
    name: 'Length and reward',
    about: 'One row per rollout, for a scatter chart',
    sql: `SELECT response_chars, reward, turns, rollout_id
FROM rollout
ORDER BY response_chars`,
  },
  {
    name: 'Tokens with the highest entropy',
    about: 'Highest-entropy tokens of one rollout (logged entropy, in nats)',
    sql: `SELECT r.rollout_id, t.i, t.text, t.entropy, t.surprisal
FROM (SELECT rollout_id FROM rollout WHERE mean_entropy IS NOT NULL ORDER BY mean_entropy DESC LIMIT 1) r,
  tokens(r.rollout_id) t
WHERE t.entropy IS NOT NULL
ORDER BY t.entropy DESC
LIMIT 50`,
  },
];

/** Queries on an exported data set, for its README. */
export const DATA_SET_QUERIES = {
  DuckDB:
    "SELECT step, avg(reward), avg(tool_errors) FROM read_parquet('rollouts/*/*/*.parquet', hive_partitioning = true) GROUP BY step;",
  ClickHouse:
    "SELECT step, avg(reward) FROM file('rollouts/run=*/step=*/*.parquet') GROUP BY step SETTINGS use_hive_partitioning = 1;",
} as const;
