/** Tables read from the logs: files, runs, problems, and the sums of groups and steps. */

export const FILES = `
-- One row per opened file, readable or not.
CREATE TABLE file_row (
  file_id      INTEGER PRIMARY KEY,
  path         TEXT NOT NULL UNIQUE,
  format       TEXT,                     -- NULL: not recognized
  container    TEXT NOT NULL,            -- plain | gzip | zstd | zip | parquet | sqlite | adapter
  unit         TEXT NOT NULL,            -- unit of "line": line | text | element | value | member | row | output line
  status       TEXT NOT NULL,            -- read | partial | refused
  bytes        INTEGER NOT NULL,
  mtime_ms     REAL NOT NULL,            -- milliseconds since 1970
  inode        TEXT NOT NULL,            -- 64 bits: more than a double holds
  head_hash    TEXT NOT NULL,            -- hash of the first head_bytes bytes
  head_bytes   INTEGER NOT NULL,
  tail_hash    TEXT,                     -- hash of the bytes before offset_bytes; NULL while the file is being read
  offset_bytes INTEGER NOT NULL,         -- end of the last record that is in the library
  lines        INTEGER NOT NULL,         -- records before offset_bytes
  masked       INTEGER NOT NULL DEFAULT 0, -- values that looked like credentials and were masked
  unlisted_issues INTEGER NOT NULL DEFAULT 0, -- issues beyond those in issue_row
  adapter      TEXT                      -- hash of the command that wrote the records, never the command; NULL: no adapter
) STRICT;
CREATE INDEX file_by_head ON file_row (head_hash, bytes);

-- Files that an ingest has found and not read to their end, because it was cancelled, failed or was killed.
CREATE TABLE unread_row (
  path  TEXT PRIMARY KEY,
  bytes INTEGER NOT NULL,                -- when it was found
  has_adapter INTEGER NOT NULL           -- 1: it was to be read with an adapter, which has to be named again
) STRICT, WITHOUT ROWID;

-- Records that ingest refused, or read with a warning.
CREATE TABLE issue_row (
  issue_id INTEGER PRIMARY KEY,
  file_id  INTEGER NOT NULL REFERENCES file_row,
  line     INTEGER,                      -- NULL: about the whole file
  severity TEXT NOT NULL,                -- refused | warning
  code     TEXT NOT NULL,
  message  TEXT NOT NULL
) STRICT;
CREATE INDEX issue_by_file ON issue_row (file_id, line);

-- Decisions and signals that wait for their rollout.
CREATE TABLE pending_row (
  pending_id INTEGER PRIMARY KEY,
  kind       TEXT NOT NULL,              -- decision | signal
  run_key    TEXT NOT NULL,              -- logged, without the split; "join:" and a scope for records that name a key
  split      TEXT,                       -- RUN_KINDS (shared/domain/model.ts); NULL: not logged
  step       INTEGER NOT NULL,
  group_key  TEXT NOT NULL,
  ordinal    INTEGER NOT NULL,
  payload    BLOB NOT NULL,
  file_id    INTEGER NOT NULL REFERENCES file_row,
  line       INTEGER NOT NULL
) STRICT;
CREATE INDEX pending_by_address ON pending_row (run_key, step, group_key, ordinal);
CREATE INDEX pending_by_file ON pending_row (file_id);
`;

export const RUNS = `
CREATE TABLE run_row (
  run_id        INTEGER PRIMARY KEY,
  run_key       TEXT NOT NULL UNIQUE,    -- stable: equal logs get equal keys in every library
  key_source    TEXT NOT NULL,           -- logged | derived
  logged_id     TEXT,                    -- shared by a run's train and eval split
  scope         TEXT NOT NULL,           -- shared by the files of a run: logged id, the user's name, or "directory:" and a path
  name          TEXT NOT NULL,           -- shown when the log gives none
  kind          TEXT NOT NULL,           -- train | eval
  format        TEXT NOT NULL,
  directory     TEXT NOT NULL,           -- directory of its files, or the one file that is the run
  home          TEXT NOT NULL,           -- directory of its files, even if "directory" is one file
  has_steps     INTEGER NOT NULL,        -- 0: the log has no steps; everything is stored as step 0
  has_binary_rewards INTEGER NOT NULL DEFAULT 1  -- 1: all rewards are 0 or 1
) STRICT;
CREATE INDEX run_by_directory ON run_row (directory, kind, format);
CREATE INDEX run_by_scope ON run_row (scope);

-- The logged configuration of a run, shared by its splits.
CREATE TABLE run_config_row (
  logged_id TEXT PRIMARY KEY,            -- run_row.scope
  config    TEXT NOT NULL                -- JSON object
) STRICT, WITHOUT ROWID;

-- The files of a run's rollouts. Issues of these files are shown with the run.
CREATE TABLE run_file_row (
  run_id  INTEGER NOT NULL REFERENCES run_row,
  file_id INTEGER NOT NULL REFERENCES file_row,
  PRIMARY KEY (run_id, file_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX run_file_by_file ON run_file_row (file_id);

-- Changes of the configuration during a run.
CREATE TABLE stage_row (
  logged_id TEXT NOT NULL,               -- run_row.scope
  from_step INTEGER NOT NULL,
  name      TEXT NOT NULL,
  changes   TEXT NOT NULL,               -- JSON object
  file_id   INTEGER NOT NULL REFERENCES file_row,
  PRIMARY KEY (logged_id, from_step, name)
) STRICT, WITHOUT ROWID;

-- Metrics that the trainer logs per step.
CREATE TABLE metric_row (
  logged_id TEXT NOT NULL,               -- run_row.scope, or a file's own scope (metric_run_row)
  step      INTEGER NOT NULL,
  name      TEXT NOT NULL,
  value     REAL NOT NULL,
  file_id   INTEGER NOT NULL REFERENCES file_row,
  PRIMARY KEY (logged_id, name, step)
) STRICT, WITHOUT ROWID;

-- Links metrics files without a run to runs, by directory. Recomputed after each ingest (metricRuns.ts).
CREATE TABLE metric_run_row (
  run_id    INTEGER NOT NULL REFERENCES run_row,
  logged_id TEXT NOT NULL,               -- metric_row.logged_id of the file's rows
  rank      INTEGER NOT NULL,            -- if two files have the same metric of a step, the higher rank wins
  PRIMARY KEY (run_id, logged_id)
) STRICT, WITHOUT ROWID;
`;

export const PROBLEMS = `
CREATE TABLE prompt_row (
  prompt_id     INTEGER PRIMARY KEY,
  prompt_hash   TEXT NOT NULL,           -- content hash of the text; no two prompts have the same
  question_hash TEXT,                    -- content hash of the question without template and white space (shared/domain/question.ts); NULL: no question
  block_id      INTEGER NOT NULL REFERENCES prompt_block,
  text_start    INTEGER NOT NULL,        -- bytes in the uncompressed block, like text_end
  text_end      INTEGER NOT NULL,
  segments      INTEGER NOT NULL,        -- rows in prompt_segment_row
  preview       TEXT NOT NULL
) STRICT;
-- Hashes come in no order, so that each batch writes most pages of such an index again. Eight digits tell
-- prompts apart nearly as well as all 32 and need half the pages; queries compare the whole hash, too.
CREATE INDEX prompt_by_hash ON prompt_row (substr(prompt_hash, 1, 8));
CREATE INDEX prompt_by_question ON prompt_row (substr(question_hash, 1, 8));

CREATE TABLE prompt_block (
  block_id INTEGER PRIMARY KEY,
  codec    INTEGER NOT NULL,             -- 0: UTF-8, 1: zstd of UTF-8
  bytes    BLOB NOT NULL
) STRICT;

CREATE TABLE prompt_segment_row (
  prompt_id   INTEGER NOT NULL REFERENCES prompt_row,
  ordinal     INTEGER NOT NULL,
  kind        INTEGER NOT NULL,          -- index into SEGMENT_KINDS (shared/domain/model.ts)
  outer_start INTEGER NOT NULL,          -- with the tags around it
  outer_end   INTEGER NOT NULL,
  inner_start INTEGER NOT NULL,
  inner_end   INTEGER NOT NULL,
  PRIMARY KEY (prompt_id, ordinal)
) STRICT, WITHOUT ROWID;

CREATE TABLE problem_row (
  problem_no   INTEGER PRIMARY KEY,
  problem_id   TEXT NOT NULL,            -- logged, else a hash (contentHash.ts)
  id_source    TEXT NOT NULL,            -- logged | derived
  prompt_id    INTEGER NOT NULL REFERENCES prompt_row,
  ground_truth TEXT,
  source       TEXT,
  user_scenario TEXT                     -- what a simulated user was told; the policy did not see it
) STRICT;
CREATE INDEX problem_by_prompt ON problem_row (prompt_id, problem_id);
CREATE INDEX problem_by_logged_id ON problem_row (problem_id) WHERE id_source = 'logged';
`;

/** Sums of a group and of a step. Integers count rollouts unless their name differs. */
export const GROUPS = `
CREATE TABLE group_row (
  group_id       INTEGER PRIMARY KEY,
  run_id         INTEGER NOT NULL REFERENCES run_row,
  step           INTEGER NOT NULL,
  group_key      TEXT NOT NULL,
  problem_no     INTEGER NOT NULL REFERENCES problem_row,
  rule           TEXT NOT NULL,          -- rule that groups rollouts: logged | prompt | order
  pool           INTEGER NOT NULL DEFAULT 0,  -- batch of the step that was down-sampled at once, from 0
  rollouts       INTEGER NOT NULL DEFAULT 0,
  correct        INTEGER NOT NULL DEFAULT 0,
  correct_known  INTEGER NOT NULL DEFAULT 0,
  reward_sum     REAL NOT NULL DEFAULT 0,
  reward_known   INTEGER NOT NULL DEFAULT 0,
  decided        INTEGER NOT NULL DEFAULT 0,  -- rollouts with a logged decision
  kept           INTEGER NOT NULL DEFAULT 0,
  with_text      INTEGER NOT NULL DEFAULT 0,  -- rollouts with a text, the base of calls, errors and characters
  tool_calls     INTEGER NOT NULL DEFAULT 0,
  tool_errors    INTEGER NOT NULL DEFAULT 0,
  without_calls  INTEGER NOT NULL DEFAULT 0,
  stops_logged   INTEGER NOT NULL DEFAULT 0,  -- rollouts with a logged stop reason, the base of "truncated"
  truncated      INTEGER NOT NULL DEFAULT 0,
  turns          INTEGER NOT NULL DEFAULT 0,
  turns_known    INTEGER NOT NULL DEFAULT 0,
  response_chars INTEGER NOT NULL DEFAULT 0,
  tokens         INTEGER NOT NULL DEFAULT 0,  -- policy tokens
  tokens_known   INTEGER NOT NULL DEFAULT 0,
  entropy_sum    REAL NOT NULL DEFAULT 0,     -- nats, over entropy_tokens tokens
  entropy_tokens INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE UNIQUE INDEX group_by_key ON group_row (run_id, step, group_key);
CREATE INDEX group_by_problem ON group_row (problem_no);
-- Most steps have one pool.
CREATE INDEX group_by_pool ON group_row (run_id, step, pool) WHERE pool > 0;

-- Sums over the groups of a step; columns as in group_row.
CREATE TABLE step_row (
  run_id           INTEGER NOT NULL REFERENCES run_row,
  step             INTEGER NOT NULL,
  group_count      INTEGER NOT NULL,
  rollouts         INTEGER NOT NULL,
  correct          INTEGER NOT NULL,
  correct_known    INTEGER NOT NULL,
  reward_sum       REAL NOT NULL,
  reward_known     INTEGER NOT NULL,
  decided          INTEGER NOT NULL,
  kept             INTEGER NOT NULL,
  with_text        INTEGER NOT NULL,
  tool_calls       INTEGER NOT NULL,
  tool_errors      INTEGER NOT NULL,
  without_calls    INTEGER NOT NULL,
  stops_logged     INTEGER NOT NULL,
  truncated        INTEGER NOT NULL,
  turns            INTEGER NOT NULL,
  turns_known      INTEGER NOT NULL,
  response_chars   INTEGER NOT NULL,
  tokens           INTEGER NOT NULL,
  tokens_known     INTEGER NOT NULL,
  entropy_sum      REAL NOT NULL,
  entropy_tokens   INTEGER NOT NULL,
  groups_all_wrong INTEGER NOT NULL,     -- among groups whose every rollout is known to be correct or incorrect
  groups_mixed     INTEGER NOT NULL,
  groups_all_right INTEGER NOT NULL,
  PRIMARY KEY (run_id, step)
) STRICT, WITHOUT ROWID;
`;
