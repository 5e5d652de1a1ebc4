/**
 * Tables read from the logs: rollouts and everything below them. Derived tables: step columns and the
 * full-text index.
 */

export const ROLLOUTS = `
CREATE TABLE rollout_row (
  rollout_id         INTEGER PRIMARY KEY,
  run_id             INTEGER NOT NULL REFERENCES run_row,
  step               INTEGER NOT NULL,
  group_id           INTEGER NOT NULL REFERENCES group_row,
  ordinal            INTEGER NOT NULL,   -- position in the group, from 0

  reward             REAL,
  logged_correct     INTEGER,            -- written by the trainer
  is_correct         INTEGER,            -- logged, else by the rule in electron/storage/VIEWS.md
  correct_source     TEXT,               -- logged | derived; NULL: derived by the rule
  answer             TEXT,
  answer_source      TEXT,               -- logged | derived
  stop_reason        TEXT,
  stop_reason_source TEXT,               -- logged | derived
  stop_reason_logged TEXT,               -- in the producer's words
  origin             TEXT,               -- of a continuation: run/step/group/ordinal of the rollout that it continues
  scores             TEXT,               -- JSON: a number, word or boolean by scorer

  -- Derived from the text: NULL without one.
  turns              INTEGER,            -- or as logged
  tool_calls         INTEGER,
  tool_errors        INTEGER,
  malformed_calls    INTEGER,            -- unclosed or malformed calls that no tool answered; no tool calls
  response_chars     INTEGER,
  policy_tokens      INTEGER,
  mean_entropy       REAL,               -- nats, over entropy_tokens tokens
  entropy_tokens     INTEGER,
  started_at         REAL,
  ended_at           REAL,

  -- The trainer's decision, as logged.
  kept               INTEGER,
  reason             TEXT,
  p_err              REAL,
  p_format           REAL,
  penalty            REAL,
  advantage          REAL,
  rule               TEXT,
  decision_file_id   INTEGER REFERENCES file_row,
  decision_line      INTEGER,

  -- Computed when the rollout is read (shared/domain/penalty.ts, shared/domain/flags.ts). NULL without a text.
  p_err_text         REAL,               -- penalties by the release's rules on the text
  p_format_text      REAL,
  p_text_source      TEXT,               -- text | reconstructed
  p_err_typed        REAL,               -- penalties by the paper's formula on typed outcomes
  p_format_typed     REAL,
  flags              INTEGER NOT NULL,   -- bits by position in FLAGS

  -- Logged group, rule, position and problem of a rollout that the user's rule has regrouped.
  read_group         TEXT,
  read_rule          TEXT,
  read_ordinal       INTEGER,
  read_problem       INTEGER REFERENCES problem_row,

  -- Its record in the log.
  content_hash       TEXT NOT NULL,      -- hash of the record's bytes; ":" and a number if a record holds several rollouts
  file_id            INTEGER NOT NULL REFERENCES file_row,
  line               INTEGER NOT NULL,
  byte_offset        INTEGER NOT NULL,
  byte_length        INTEGER NOT NULL,

  -- Bytes in the uncompressed block: the response is [text_start, text_end); fields of the record without a column of
  -- their own are JSON in [text_end, extra_end).
  block_id           INTEGER NOT NULL REFERENCES text_block,
  text_start         INTEGER NOT NULL,
  text_end           INTEGER NOT NULL,
  extra_end          INTEGER NOT NULL
) STRICT;
CREATE INDEX rollout_by_group ON rollout_row (group_id, ordinal);
CREATE INDEX rollout_by_step ON rollout_row (run_id, step, group_id, ordinal);
CREATE INDEX rollout_by_file ON rollout_row (file_id);
-- Finds the continuations of a rollout.
CREATE INDEX rollout_by_origin ON rollout_row (origin) WHERE origin IS NOT NULL;
-- Finds the newest date of a run.
CREATE INDEX rollout_by_time ON rollout_row (run_id, coalesce(ended_at, started_at)) WHERE coalesce(ended_at, started_at) IS NOT NULL;

CREATE TABLE text_block (
  block_id INTEGER PRIMARY KEY,
  file_id  INTEGER NOT NULL REFERENCES file_row,
  codec    INTEGER NOT NULL,             -- 0: UTF-8, 1: zstd of UTF-8
  bytes    BLOB NOT NULL
) STRICT;
CREATE INDEX text_block_by_file ON text_block (file_id);

CREATE TABLE segment_row (
  rollout_id  INTEGER NOT NULL REFERENCES rollout_row,
  ordinal     INTEGER NOT NULL,          -- continues after the prompt's segments
  turn        INTEGER NOT NULL,
  kind        INTEGER NOT NULL,          -- index into SEGMENT_KINDS (shared/domain/model.ts)
  outer_start INTEGER NOT NULL,          -- with the tags around it
  outer_end   INTEGER NOT NULL,
  inner_start INTEGER NOT NULL,
  inner_end   INTEGER NOT NULL,
  PRIMARY KEY (rollout_id, ordinal)
) STRICT, WITHOUT ROWID;

CREATE TABLE turn_row (
  rollout_id    INTEGER NOT NULL REFERENCES rollout_row,
  turn          INTEGER NOT NULL,
  segments      INTEGER,                 -- NULL without a text, like the next two
  tool_calls    INTEGER,
  tool_errors   INTEGER,
  policy_tokens INTEGER,
  PRIMARY KEY (rollout_id, turn)
) STRICT, WITHOUT ROWID;

CREATE TABLE tool_call_row (
  rollout_id        INTEGER NOT NULL REFERENCES rollout_row,
  ordinal           INTEGER NOT NULL,
  turn              INTEGER NOT NULL,
  name              TEXT,
  outcome           TEXT NOT NULL,
  latency_ms        REAL,
  call_segment      INTEGER NOT NULL,    -- segment_row.ordinal
  response_segment  INTEGER,             -- segment_row.ordinal; NULL: no response
  is_repeat         INTEGER NOT NULL,    -- 1: an earlier call of the rollout has the same text
  is_latency_logged INTEGER,             -- 1: logged; 0: parsed from the response text; NULL: no latency
  queue_ms          REAL,
  worker            TEXT,
  started_at        REAL,
  PRIMARY KEY (rollout_id, ordinal)
) STRICT, WITHOUT ROWID;

-- What tool calls did when the user ran them again. Derived, but only on request.
CREATE TABLE rerun_row (
  rollout_id   INTEGER NOT NULL REFERENCES rollout_row,
  ordinal      INTEGER NOT NULL,         -- tool_call_row.ordinal
  class        TEXT NOT NULL,            -- RERUN_CLASSES (shared/domain/rerun.ts)
  reason       TEXT,                     -- NULL: same
  mode         TEXT NOT NULL,            -- alone | session
  milliseconds REAL,                     -- NULL: the code did not end
  PRIMARY KEY (rollout_id, ordinal)
) STRICT, WITHOUT ROWID;

-- Occurrences of a rollout's flags.
CREATE TABLE flag_row (
  rollout_id INTEGER NOT NULL REFERENCES rollout_row,
  flag       INTEGER NOT NULL,           -- bit
  segment    INTEGER NOT NULL,           -- index among the segments of the response
  start      INTEGER NOT NULL,           -- position in the response
  "end"      INTEGER NOT NULL,
  PRIMARY KEY (rollout_id, flag, segment, start)
) STRICT, WITHOUT ROWID;

-- Worker and duration of a rollout. Only rollouts whose log has such a field.
CREATE TABLE timing_row (
  rollout_id  INTEGER PRIMARY KEY REFERENCES rollout_row,
  duration_ms REAL,                      -- logged duration; start and end are in rollout_row
  worker      TEXT,
  gpu         TEXT,
  kv_cache    TEXT                       -- JSON: a fraction, samples, or pairs of time and sample
) STRICT;

-- Signals per token. Only rollouts whose log has tokens.
CREATE TABLE token_row (
  rollout_id      INTEGER PRIMARY KEY REFERENCES rollout_row,
  count           INTEGER NOT NULL,
  ends            BLOB,                  -- end offsets in the text: varints of the differences
  ids             BLOB,                  -- i32
  mask            BLOB,                  -- bits; 1: sampled by the policy
  entropy         BLOB,                  -- f32, nats; NaN: unknown
  logprob         BLOB,                  -- f32, of the inference engine
  trainer_logprob BLOB,                  -- f32
  advantage       BLOB,                  -- f32
  top             BLOB,                  -- alternatives: zstd of JSON
  entropy_of      TEXT,                  -- JSON: the logged definition of the entropy
  signal_file_id  INTEGER REFERENCES file_row,  -- file of the last merged signal record; NULL: none was merged
  signal_line     INTEGER,
  aligned_by      TEXT                   -- tokenizer that computed the ends; NULL: logged
) STRICT;
`;

export const JOINS = `
-- Keys that records of other files find a rollout by.
CREATE TABLE join_key_row (
  join_key   TEXT NOT NULL,
  rollout_id INTEGER NOT NULL REFERENCES rollout_row,
  run_id     INTEGER NOT NULL REFERENCES run_row,
  is_listed  INTEGER NOT NULL,           -- 1: read from a selection; the full record is still missing
  PRIMARY KEY (join_key, rollout_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX join_key_by_rollout ON join_key_row (rollout_id);

-- Records of other files that joined a rollout.
CREATE TABLE join_row (
  file_id    INTEGER NOT NULL REFERENCES file_row,
  line       INTEGER NOT NULL,
  rollout_id INTEGER NOT NULL REFERENCES rollout_row,
  kind       TEXT NOT NULL,              -- rollout | decision | signal
  PRIMARY KEY (file_id, line, rollout_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX join_by_rollout ON join_row (rollout_id);

-- Steps whose kept rollouts are listed in a separate file.
CREATE TABLE selection_row (
  run_id  INTEGER NOT NULL REFERENCES run_row,
  step    INTEGER NOT NULL,
  file_id INTEGER NOT NULL REFERENCES file_row,
  rule    TEXT NOT NULL,
  PRIMARY KEY (run_id, step, file_id)
) STRICT, WITHOUT ROWID;

-- Columns that a pool join (pool_join_row) wrote to the pool's rollouts, for reverting it.
CREATE TABLE pool_match_row (
  rollout_id INTEGER PRIMARY KEY REFERENCES rollout_row,
  kept_key   TEXT NOT NULL,
  kept_id    INTEGER,                    -- rollout of the other log; NULL: not listed there, so discarded
  filled     TEXT NOT NULL               -- columns of rollout_row that the join filled in
) STRICT;
`;

/**
 * Columns of rollouts and their tool calls: one typed array per column and step. Derived from rows in the
 * background.
 */
export const COLUMNS = `
-- Counts the changes of a step. Rows are never deleted, because the id of a removed run may be reused.
CREATE TABLE step_revision_row (
  run_id   INTEGER NOT NULL,
  step     INTEGER NOT NULL,
  revision INTEGER NOT NULL,
  PRIMARY KEY (run_id, step)
) STRICT, WITHOUT ROWID;

-- One column of a step at a revision. Stale when the step has another revision.
CREATE TABLE step_column_row (
  run_id   INTEGER NOT NULL REFERENCES run_row,
  step     INTEGER NOT NULL,
  name     TEXT NOT NULL,
  revision INTEGER NOT NULL,
  bytes    BLOB NOT NULL                 -- little-endian numbers, or UTF-8 JSON for a dictionary
) STRICT;
CREATE UNIQUE INDEX step_column_by_name ON step_column_row (run_id, step, name);
`;

const INDEX = `content='', contentless_delete=1, tokenize="unicode61 remove_diacritics 0"`;

/**
 * The full-text index. It is built in the background in id order and stores no texts. Rollouts beyond the
 * mark are not indexed yet, so a search reads their texts. Triggers update index and mark when rows are
 * deleted.
 */
export const SEARCH = `
-- One row per indexed rollout (rowid is rollout_id), one column per text field of the filter language.
CREATE VIRTUAL TABLE search_text USING fts5(reasoning, code, output, answer, other, ${INDEX});
-- One row per indexed prompt (rowid is prompt_id).
CREATE VIRTUAL TABLE search_prompt USING fts5(prompt, ${INDEX});
-- Fewer and larger index segments take less space.
INSERT INTO search_text (search_text, rank) VALUES ('hashsize', 16777216);
INSERT INTO search_text (search_text, rank) VALUES ('automerge', 8);
INSERT INTO search_text (search_text, rank) VALUES ('pgsz', 8100);

-- Progress of the index, committed together with it.
CREATE TABLE search_state_row (
  one         INTEGER PRIMARY KEY CHECK (one = 1),
  rollouts_to INTEGER NOT NULL,          -- every rollout up to this id is in the index, and none beyond
  prompts_to  INTEGER NOT NULL,          -- the same for prompts
  indexed     INTEGER NOT NULL           -- rollouts in the index
) STRICT;
INSERT INTO search_state_row VALUES (1, 0, 0, 0);

-- SQLite gives the ids of deleted last rows to new ones, so the marks never exceed the last id. Rows are deleted in
-- any order: the row that lowers a mark may itself be beyond it.
CREATE TRIGGER search_rollout_gone AFTER DELETE ON rollout_row
BEGIN
  DELETE FROM search_text WHERE rowid = old.rollout_id
    AND old.rollout_id <= (SELECT rollouts_to FROM search_state_row);
  UPDATE search_state_row SET indexed = indexed - (old.rollout_id <= rollouts_to),
    rollouts_to = min(rollouts_to, (SELECT coalesce(max(rollout_id), 0) FROM rollout_row));
END;
CREATE TRIGGER search_prompt_gone AFTER DELETE ON prompt_row
BEGIN
  DELETE FROM search_prompt WHERE rowid = old.prompt_id
    AND old.prompt_id <= (SELECT prompts_to FROM search_state_row);
  UPDATE search_state_row SET
    prompts_to = min(prompts_to, (SELECT coalesce(max(prompt_id), 0) FROM prompt_row));
END;
`;
