/**
 * The schema of a library.
 *
 *   run_row ─< step_row
 *      └─< group_row ─< rollout_row >─ text_block (texts of many rollouts, compressed together)
 *             │            ├─< segment_row, turn_row, tool_call_row, flag_row
 *             │            └── timing_row, token_row (one typed array per signal)
 *             └─ problem_row ─ prompt_row ─< prompt_segment_row   (a prompt is stored once, not per rollout)
 *   file_row ─< issue_row, pending_row (records that arrived before their rollout)
 *
 *   annotated_row ─< annotation_row ─< annotation_conflict_row
 *        └────────< reading_row
 *
 * `initial/runs.ts` and `initial/rollouts.ts` hold what can be rebuilt from the logs. `initial/userOwn.ts` holds what
 * cannot: its tables are keyed by what is stable (run keys, content hashes, names), and only annotations in packs get
 * there by ingest.
 *
 * NULL means that the log does not say. Positions in texts are UTF-16 offsets, times are seconds since 1970 as
 * logged, unless a column says otherwise. `views.sql.ts` has the public views over these tables.
 */
import { COLUMNS, JOINS, ROLLOUTS, SEARCH } from './initial/rollouts.ts';
import { FILES, GROUPS, PROBLEMS, RUNS } from './initial/runs.ts';
import { ANNOTATIONS, SETTINGS } from './initial/userOwn.ts';

export const version = 1;

export const sql = `${FILES}${RUNS}${PROBLEMS}${GROUPS}${ROLLOUTS}${JOINS}${COLUMNS}${SEARCH}${SETTINGS}${ANNOTATIONS}`;
