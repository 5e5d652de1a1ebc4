/**
 * Many formats: files in containers, runs without steps, records that join others, the user's
 * rules about runs and groups.
 *
 *   join_key_row   by which key a rollout is found by records of other files
 *   join_row       which record of which file joined which rollout
 *   selection_row  steps whose kept rollouts are listed in a file of their own
 *
 * The user's own, never touched by ingest: mapping_row, run_name_row, group_rule_row.
 */
export const version = 2;

export const sql = `
ALTER TABLE file_row ADD COLUMN container TEXT NOT NULL DEFAULT 'plain';  -- plain | gzip | zstd | zip | parquet | sqlite
ALTER TABLE file_row ADD COLUMN unit TEXT NOT NULL DEFAULT 'line';        -- what "lines" and a record's line count
ALTER TABLE file_row ADD COLUMN masked INTEGER NOT NULL DEFAULT 0;        -- values that looked like credentials
CREATE INDEX file_by_head ON file_row (head_hash, bytes);

-- What the files of a run share: the logged id, the name the user gave, else the directory.
ALTER TABLE run_row ADD COLUMN scope TEXT NOT NULL DEFAULT '';
UPDATE run_row SET scope = coalesce(logged_id, 'directory:' || directory);
CREATE INDEX run_by_scope ON run_row (scope);
ALTER TABLE run_row ADD COLUMN home TEXT NOT NULL DEFAULT '';             -- directory of its files, where "directory" is one file
UPDATE run_row SET home = directory;
ALTER TABLE run_row ADD COLUMN has_steps INTEGER NOT NULL DEFAULT 1;      -- 0: the log knows no step; all is stored as step 0

ALTER TABLE group_row ADD COLUMN rule TEXT NOT NULL DEFAULT 'logged';     -- logged | prompt | order
ALTER TABLE rollout_row ADD COLUMN correct_source TEXT;                   -- logged | derived; NULL: by the rule in README.md
ALTER TABLE rollout_row ADD COLUMN read_group TEXT;                       -- group and rule as read, where the user's rule put it elsewhere
ALTER TABLE rollout_row ADD COLUMN read_rule TEXT;
ALTER TABLE rollout_row ADD COLUMN read_ordinal INTEGER;
ALTER TABLE rollout_row ADD COLUMN read_problem INTEGER REFERENCES problem_row;
UPDATE rollout_row SET correct_source = 'logged' WHERE logged_correct IS NOT NULL;

-- By this the same problem is recognised across templates, steps and runs; NULL: read before this was known.
ALTER TABLE prompt_row ADD COLUMN question_hash TEXT;
CREATE INDEX prompt_by_question ON prompt_row (question_hash);
CREATE INDEX problem_by_prompt ON problem_row (prompt_id);
CREATE INDEX group_by_problem ON group_row (problem_no);

CREATE TABLE join_key_row (
  join_key   TEXT NOT NULL,
  rollout_id INTEGER NOT NULL REFERENCES rollout_row,
  run_id     INTEGER NOT NULL REFERENCES run_row,
  is_listed  INTEGER NOT NULL,           -- 1: the rollout itself was read from a selection, and waits for the full record
  PRIMARY KEY (join_key, rollout_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX join_key_by_rollout ON join_key_row (rollout_id);

CREATE TABLE join_row (
  file_id    INTEGER NOT NULL REFERENCES file_row,
  line       INTEGER NOT NULL,
  rollout_id INTEGER NOT NULL REFERENCES rollout_row,
  kind       TEXT NOT NULL,              -- rollout | decision | signal
  PRIMARY KEY (file_id, line, rollout_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX join_by_rollout ON join_row (rollout_id);

CREATE TABLE selection_row (
  run_id  INTEGER NOT NULL REFERENCES run_row,
  step    INTEGER NOT NULL,
  file_id INTEGER NOT NULL REFERENCES file_row,
  rule    TEXT NOT NULL,
  PRIMARY KEY (run_id, step, file_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE mapping_row (
  name    TEXT PRIMARY KEY,
  mapping TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- Files of these directories (or these files) belong to the run of this name.
CREATE TABLE run_name_row (
  directory TEXT PRIMARY KEY,
  name      TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- Keyed by the run's stable key: it holds for what is read later, too.
CREATE TABLE group_rule_row (
  run_key TEXT PRIMARY KEY,
  rule    TEXT NOT NULL,                 -- prompt | order
  size    INTEGER                        -- of a group, with order
) STRICT, WITHOUT ROWID;
`;
