/**
 * The schema of a library.
 *
 *   run_row ─< step_row
 *      └─< group_row ─< rollout_row >─ text_block (texts of many rollouts, compressed together)
 *             │            ├─< segment_row, turn_row, tool_call_row, rerun_row, flag_row
 *             │            └── timing_row, token_row (one typed array per signal)
 *             └─ problem_row ─ prompt_row ─< prompt_segment_row   (a prompt is stored once, not per rollout)
 *                                  └── prompt_block (texts of many prompts, compressed together)
 *   file_row ─< issue_row, pending_row (records that arrived before their rollout)
 *
 *   annotated_row ─< annotation_row ─< annotation_conflict_row
 *        └────────< reading_row
 *
 * `initial/runs.ts` and `initial/rollouts.ts` hold data that can be rebuilt from the logs.
 * `initial/userOwn.ts` holds data that cannot: its tables are keyed by stable values (run keys, content
 * hashes, names). Ingest writes to them only for annotations in packs.
 *
 * NULL means unknown in the log. Positions in texts are UTF-16 offsets, and times are logged seconds since
 * 1970, unless a column's comment differs. `views.sql.ts` has the public views over these tables.
 */
import { COLUMNS, JOINS, ROLLOUTS, SEARCH } from './initial/rollouts.ts';
import { FILES, GROUPS, PROBLEMS, RUNS } from './initial/runs.ts';
import { ANNOTATIONS, SETTINGS } from './initial/userOwn.ts';

export const version = 1;

export const sql = `${FILES}${RUNS}${PROBLEMS}${GROUPS}${ROLLOUTS}${JOINS}${COLUMNS}${SEARCH}${SETTINGS}${ANNOTATIONS}`;
