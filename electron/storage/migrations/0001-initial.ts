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
 * Tables below "From the logs" and "Derived" can be rebuilt. Tables below "The user's own" cannot: they are keyed by
 * what is stable (run keys, content hashes, names), and ingest never writes them.
 *
 * NULL means that the log does not say. Positions in texts are UTF-16 offsets, times are seconds since 1970 as
 * logged, unless a column says otherwise. `views.sql.ts` has the public views over these tables.
 */
export const version = 1;

// ── From the logs ───────────────────────────────────────────────────────────────────────────────

const FILES = `
-- One row per file that was opened, whether or not it could be read.
CREATE TABLE file_row (
  file_id      INTEGER PRIMARY KEY,
  path         TEXT NOT NULL UNIQUE,
  format       TEXT,                     -- NULL: not recognised
  container    TEXT NOT NULL,            -- plain | gzip | zstd | zip | parquet | sqlite
  unit         TEXT NOT NULL,            -- what "line" counts: line | text | element | value | member | row
  status       TEXT NOT NULL,            -- read | partial | refused
  bytes        INTEGER NOT NULL,
  mtime_ms     REAL NOT NULL,            -- milliseconds since 1970
  inode        TEXT NOT NULL,            -- 64 bits: more than a double holds
  head_hash    TEXT NOT NULL,            -- of the first head_bytes bytes
  head_bytes   INTEGER NOT NULL,
  tail_hash    TEXT,                     -- of the bytes before offset_bytes; NULL while the file is being read
  offset_bytes INTEGER NOT NULL,         -- end of the last record that is in the library
  lines        INTEGER NOT NULL,         -- records before offset_bytes
  masked       INTEGER NOT NULL DEFAULT 0  -- values that looked like credentials and were masked
) STRICT;
CREATE INDEX file_by_head ON file_row (head_hash, bytes);

-- What ingest could not read, or read with a doubt.
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
  run_key    TEXT NOT NULL,              -- as logged, without the split; "join:" and a scope for records that name a key
  split      TEXT,                       -- train | eval; NULL where the line does not say
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

const RUNS = `
CREATE TABLE run_row (
  run_id        INTEGER PRIMARY KEY,
  run_key       TEXT NOT NULL UNIQUE,    -- stable: the same logs get the same key in every library
  key_source    TEXT NOT NULL,           -- logged | derived
  logged_id     TEXT,                    -- shared by a run's train and eval split
  scope         TEXT NOT NULL,           -- what files of a run share: logged id, the name the user gave, or "directory:" and a path
  name          TEXT NOT NULL,           -- shown where the log gives none
  kind          TEXT NOT NULL,           -- train | eval
  format        TEXT NOT NULL,
  directory     TEXT NOT NULL,           -- of its files; one file where each file is a run
  home          TEXT NOT NULL,           -- directory of its files, also where "directory" is one file
  has_steps     INTEGER NOT NULL,        -- 0: the log knows no step; everything is stored as step 0
  has_binary_rewards INTEGER NOT NULL DEFAULT 1  -- 1: no reward other than 0 and 1 so far
) STRICT;
CREATE INDEX run_by_directory ON run_row (directory, kind, format);
CREATE INDEX run_by_scope ON run_row (scope);

-- The configuration a log gives for its run, shared by the splits of that run.
CREATE TABLE run_config_row (
  logged_id TEXT PRIMARY KEY,            -- run_row.scope
  config    TEXT NOT NULL                -- JSON object
) STRICT, WITHOUT ROWID;

-- Which files a run's rollouts come from. Issues of these files are shown with the run.
CREATE TABLE run_file_row (
  run_id  INTEGER NOT NULL REFERENCES run_row,
  file_id INTEGER NOT NULL REFERENCES file_row,
  PRIMARY KEY (run_id, file_id)
) STRICT, WITHOUT ROWID;

-- Changes of the configuration during a run.
CREATE TABLE stage_row (
  logged_id TEXT NOT NULL,               -- run_row.scope
  from_step INTEGER NOT NULL,
  name      TEXT NOT NULL,
  changes   TEXT NOT NULL,               -- JSON object
  file_id   INTEGER NOT NULL REFERENCES file_row,
  PRIMARY KEY (logged_id, from_step, name)
) STRICT, WITHOUT ROWID;

-- Numbers the trainer logs per step.
CREATE TABLE metric_row (
  logged_id TEXT NOT NULL,               -- run_row.scope, or a file's own scope (metric_run_row)
  step      INTEGER NOT NULL,
  name      TEXT NOT NULL,
  value     REAL NOT NULL,
  file_id   INTEGER NOT NULL REFERENCES file_row,
  PRIMARY KEY (logged_id, name, step)
) STRICT, WITHOUT ROWID;

-- Files of metrics name no run: their place decides. Recomputed after each ingest (metricRuns.ts).
CREATE TABLE metric_run_row (
  run_id    INTEGER NOT NULL REFERENCES run_row,
  logged_id TEXT NOT NULL,               -- of the file's rows in metric_row
  rank      INTEGER NOT NULL,            -- where two files have the same metric of a step, the higher rank counts
  PRIMARY KEY (run_id, logged_id)
) STRICT, WITHOUT ROWID;
`;

const PROBLEMS = `
CREATE TABLE prompt_row (
  prompt_id     INTEGER PRIMARY KEY,
  prompt_hash   TEXT NOT NULL UNIQUE,    -- content hash of the text
  question_hash TEXT NOT NULL,           -- content hash of the question without template and white space (shared/domain/question.ts)
  codec         INTEGER NOT NULL,        -- 0: UTF-8, 1: zstd of UTF-8
  text          BLOB NOT NULL,
  segments      INTEGER NOT NULL,        -- rows in prompt_segment_row
  preview       TEXT NOT NULL
) STRICT;
CREATE INDEX prompt_by_question ON prompt_row (question_hash);

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
  problem_id   TEXT NOT NULL,            -- as logged, else a hash of prompt and ground truth
  prompt_id    INTEGER NOT NULL REFERENCES prompt_row,
  ground_truth TEXT,
  source       TEXT
) STRICT;
CREATE INDEX problem_by_id ON problem_row (problem_id, prompt_id);
CREATE INDEX problem_by_prompt ON problem_row (prompt_id);
`;

/** Sums of a group and of a step: integers count rollouts unless their name says otherwise. */
const GROUPS = `
CREATE TABLE group_row (
  group_id       INTEGER PRIMARY KEY,
  run_id         INTEGER NOT NULL REFERENCES run_row,
  step           INTEGER NOT NULL,
  group_key      TEXT NOT NULL,
  problem_no     INTEGER NOT NULL REFERENCES problem_row,
  rule           TEXT NOT NULL,          -- how rollouts were grouped: logged | prompt | order
  rollouts       INTEGER NOT NULL DEFAULT 0,
  correct        INTEGER NOT NULL DEFAULT 0,
  correct_known  INTEGER NOT NULL DEFAULT 0,
  reward_sum     REAL NOT NULL DEFAULT 0,
  reward_known   INTEGER NOT NULL DEFAULT 0,
  decided        INTEGER NOT NULL DEFAULT 0,  -- rollouts with a logged decision
  kept           INTEGER NOT NULL DEFAULT 0,
  tool_calls     INTEGER NOT NULL DEFAULT 0,
  tool_errors    INTEGER NOT NULL DEFAULT 0,
  without_calls  INTEGER NOT NULL DEFAULT 0,
  stops_logged   INTEGER NOT NULL DEFAULT 0,  -- rollouts with a logged stop reason: only those tell about truncation
  truncated      INTEGER NOT NULL DEFAULT 0,
  turns          INTEGER NOT NULL DEFAULT 0,
  response_chars INTEGER NOT NULL DEFAULT 0,
  tokens         INTEGER NOT NULL DEFAULT 0,  -- of the policy
  tokens_known   INTEGER NOT NULL DEFAULT 0,
  entropy_sum    REAL NOT NULL DEFAULT 0,     -- nats, over entropy_tokens tokens
  entropy_tokens INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE UNIQUE INDEX group_by_key ON group_row (run_id, step, group_key);
CREATE INDEX group_by_problem ON group_row (problem_no);

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
  tool_calls       INTEGER NOT NULL,
  tool_errors      INTEGER NOT NULL,
  without_calls    INTEGER NOT NULL,
  stops_logged     INTEGER NOT NULL,
  truncated        INTEGER NOT NULL,
  turns            INTEGER NOT NULL,
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

const ROLLOUTS = `
CREATE TABLE rollout_row (
  rollout_id         INTEGER PRIMARY KEY,
  run_id             INTEGER NOT NULL REFERENCES run_row,
  step               INTEGER NOT NULL,
  group_id           INTEGER NOT NULL REFERENCES group_row,
  ordinal            INTEGER NOT NULL,   -- position in the group, from 0

  reward             REAL,
  logged_correct     INTEGER,            -- as the trainer wrote it
  is_correct         INTEGER,            -- logged, else by the rule in README.md of this folder
  correct_source     TEXT,               -- logged | derived; NULL: by the rule
  answer             TEXT,
  answer_source      TEXT,               -- logged | derived
  stop_reason        TEXT,
  stop_reason_source TEXT,               -- logged | derived

  turns              INTEGER NOT NULL,
  tool_calls         INTEGER NOT NULL,
  tool_errors        INTEGER NOT NULL,
  response_chars     INTEGER NOT NULL,
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

  -- Computed when the rollout is read (shared/domain/penalty.ts, shared/domain/flags.ts).
  p_err_text         REAL NOT NULL,      -- penalties by the release's rules on the text
  p_format_text      REAL NOT NULL,
  p_text_source      TEXT NOT NULL,      -- text | reconstructed
  p_err_typed        REAL NOT NULL,      -- penalties by the paper's formula on typed outcomes
  p_format_typed     REAL NOT NULL,
  flags              INTEGER NOT NULL,   -- bits by position in FLAGS

  -- Where the user's rule put it into another group: group, rule, position and problem as read.
  read_group         TEXT,
  read_rule          TEXT,
  read_ordinal       INTEGER,
  read_problem       INTEGER REFERENCES problem_row,

  -- Its record in the log.
  content_hash       TEXT NOT NULL,      -- of the record's bytes; ":" and a number where a record holds several rollouts
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
  segments      INTEGER NOT NULL,
  tool_calls    INTEGER NOT NULL,
  tool_errors   INTEGER NOT NULL,
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
  response_segment  INTEGER,             -- segment_row.ordinal; NULL: not answered
  is_repeat         INTEGER NOT NULL,    -- 1: an earlier call of the rollout has the same text
  is_latency_logged INTEGER,             -- 1: logged; 0: found in the text of the response; NULL: no latency
  queue_ms          REAL,
  worker            TEXT,
  started_at        REAL,
  PRIMARY KEY (rollout_id, ordinal)
) STRICT, WITHOUT ROWID;

-- Where the flags of a rollout show.
CREATE TABLE flag_row (
  rollout_id INTEGER NOT NULL REFERENCES rollout_row,
  flag       INTEGER NOT NULL,           -- bit
  segment    INTEGER NOT NULL,           -- index among the segments of the response
  start      INTEGER NOT NULL,           -- in the response
  "end"      INTEGER NOT NULL,
  PRIMARY KEY (rollout_id, flag, segment, start)
) STRICT, WITHOUT ROWID;

-- Where and how long a rollout ran; only rollouts whose log has any of it.
CREATE TABLE timing_row (
  rollout_id  INTEGER PRIMARY KEY REFERENCES rollout_row,
  duration_ms REAL,                      -- logged as such; start and end are in rollout_row
  worker      TEXT,
  gpu         TEXT,
  kv_cache    TEXT                       -- JSON: a share, samples, or pairs of time and sample
) STRICT;

-- Signals per token; only rollouts whose log has tokens.
CREATE TABLE token_row (
  rollout_id      INTEGER PRIMARY KEY REFERENCES rollout_row,
  count           INTEGER NOT NULL,
  ends            BLOB,                  -- ends in the text: varints of the differences
  ids             BLOB,                  -- i32
  mask            BLOB,                  -- bits; 1: sampled by the policy
  entropy         BLOB,                  -- f32, nats; NaN: unknown
  logprob         BLOB,                  -- f32, of the inference engine
  trainer_logprob BLOB,                  -- f32
  advantage       BLOB,                  -- f32
  top             BLOB,                  -- alternatives: zstd of JSON
  entropy_of      TEXT,                  -- JSON: what the log says the entropy is of
  signal_file_id  INTEGER REFERENCES file_row,  -- the last signal record merged in; NULL: all from the rollout's own
  signal_line     INTEGER,
  aligned_by      TEXT                   -- tokenizer whose vocabulary gave the ends; NULL: logged
) STRICT;
`;

const JOINS = `
-- Keys by which records of other files find a rollout.
CREATE TABLE join_key_row (
  join_key   TEXT NOT NULL,
  rollout_id INTEGER NOT NULL REFERENCES rollout_row,
  run_id     INTEGER NOT NULL REFERENCES run_row,
  is_listed  INTEGER NOT NULL,           -- 1: read from a selection; its full record has not come yet
  PRIMARY KEY (join_key, rollout_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX join_key_by_rollout ON join_key_row (rollout_id);

-- Which record of which file joined which rollout.
CREATE TABLE join_row (
  file_id    INTEGER NOT NULL REFERENCES file_row,
  line       INTEGER NOT NULL,
  rollout_id INTEGER NOT NULL REFERENCES rollout_row,
  kind       TEXT NOT NULL,              -- rollout | decision | signal
  PRIMARY KEY (file_id, line, rollout_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX join_by_rollout ON join_row (rollout_id);

-- Steps whose kept rollouts are listed in a file of their own.
CREATE TABLE selection_row (
  run_id  INTEGER NOT NULL REFERENCES run_row,
  step    INTEGER NOT NULL,
  file_id INTEGER NOT NULL REFERENCES file_row,
  rule    TEXT NOT NULL,
  PRIMARY KEY (run_id, step, file_id)
) STRICT, WITHOUT ROWID;

-- What a pool join (pool_join_row) wrote into the pool's rollouts, so that it can be undone.
CREATE TABLE pool_match_row (
  rollout_id INTEGER PRIMARY KEY REFERENCES rollout_row,
  kept_key   TEXT NOT NULL,
  kept_id    INTEGER,                    -- the rollout of the other log; NULL: not listed there, so discarded
  filled     TEXT NOT NULL               -- columns of rollout_row that were NULL and are from the join
) STRICT;
`;

// ── Derived ─────────────────────────────────────────────────────────────────────────────────────

/** Columns of rollouts and their tool calls, one typed array each per step. Written in the background from the rows. */
const COLUMNS = `
-- Counts the changes of a step. Never deleted: the id of a removed run may be used again.
CREATE TABLE step_revision_row (
  run_id   INTEGER NOT NULL,
  step     INTEGER NOT NULL,
  revision INTEGER NOT NULL,
  PRIMARY KEY (run_id, step)
) STRICT, WITHOUT ROWID;

-- One column of a step at a revision; of no use once the step's revision is another.
CREATE TABLE step_column_row (
  run_id   INTEGER NOT NULL REFERENCES run_row,
  step     INTEGER NOT NULL,
  name     TEXT NOT NULL,
  revision INTEGER NOT NULL,
  bytes    BLOB NOT NULL                 -- little-endian numbers, or UTF-8 JSON where the column is a dictionary
) STRICT;
CREATE UNIQUE INDEX step_column_by_name ON step_column_row (run_id, step, name);
`;

const INDEX = `content='', contentless_delete=1, tokenize="unicode61 remove_diacritics 0"`;

/**
 * The full-text index, written in the background in the order of ids. Rollouts beyond the mark are not in it yet: a
 * search reads their texts. Texts are not stored again. Triggers keep index and mark right when rows go or ids return.
 */
const SEARCH = `
-- One row per indexed rollout (rowid is rollout_id), one column per text field of the filter language.
CREATE VIRTUAL TABLE search_text USING fts5(reasoning, code, output, answer, other, ${INDEX});
-- One row per indexed prompt (rowid is prompt_id).
CREATE VIRTUAL TABLE search_prompt USING fts5(prompt, ${INDEX});
-- Fewer and larger index segments take less space.
INSERT INTO search_text (search_text, rank) VALUES ('hashsize', 16777216);
INSERT INTO search_text (search_text, rank) VALUES ('automerge', 8);
INSERT INTO search_text (search_text, rank) VALUES ('pgsz', 8100);

-- How far the index has come; committed together with it.
CREATE TABLE search_state_row (
  one         INTEGER PRIMARY KEY CHECK (one = 1),
  rollouts_to INTEGER NOT NULL,          -- every rollout up to this id is in the index, and none beyond
  prompts_to  INTEGER NOT NULL,          -- likewise for prompts
  indexed     INTEGER NOT NULL           -- rollouts in the index
) STRICT;
INSERT INTO search_state_row VALUES (1, 0, 0, 0);

CREATE TRIGGER search_rollout_gone AFTER DELETE ON rollout_row
WHEN old.rollout_id <= (SELECT rollouts_to FROM search_state_row)
BEGIN
  DELETE FROM search_text WHERE rowid = old.rollout_id;
  UPDATE search_state_row SET indexed = indexed - 1;
END;
-- SQLite uses the ids of the last rows again once these rows are deleted.
CREATE TRIGGER search_rollout_new AFTER INSERT ON rollout_row
WHEN new.rollout_id <= (SELECT rollouts_to FROM search_state_row)
BEGIN
  UPDATE search_state_row SET rollouts_to = new.rollout_id - 1,
    indexed = (SELECT count(*) FROM rollout_row WHERE rollout_id < new.rollout_id);
END;
CREATE TRIGGER search_prompt_gone AFTER DELETE ON prompt_row
WHEN old.prompt_id <= (SELECT prompts_to FROM search_state_row)
BEGIN
  DELETE FROM search_prompt WHERE rowid = old.prompt_id;
END;
CREATE TRIGGER search_prompt_new AFTER INSERT ON prompt_row
WHEN new.prompt_id <= (SELECT prompts_to FROM search_state_row)
BEGIN
  UPDATE search_state_row SET prompts_to = new.prompt_id - 1;
END;
`;

// ── The user's own ──────────────────────────────────────────────────────────────────────────────

const SETTINGS = `
-- Files and directories Turnwise may read.
CREATE TABLE granted_root (path TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;

-- How fields of logs in no known format are read.
CREATE TABLE mapping_row (
  name    TEXT PRIMARY KEY,
  mapping TEXT NOT NULL                  -- JSON
) STRICT, WITHOUT ROWID;

-- Files of these directories (or these files) belong to the run of this name.
CREATE TABLE run_name_row (
  directory TEXT PRIMARY KEY,
  name      TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- How rollouts of a run are grouped instead of the log's way, also those read later.
CREATE TABLE group_rule_row (
  run_key TEXT PRIMARY KEY,
  rule    TEXT NOT NULL,                 -- prompt | order
  size    INTEGER                        -- rollouts per group; only with order
) STRICT, WITHOUT ROWID;

-- Which run lists the kept rollouts of which.
CREATE TABLE pool_join_row (
  pool_key TEXT NOT NULL,                -- run_key of the run with every rollout
  kept_key TEXT NOT NULL,                -- run_key of the run with the kept ones
  PRIMARY KEY (pool_key, kept_key)
) STRICT, WITHOUT ROWID;

-- Vocabularies for runs whose logs have token ids without text.
CREATE TABLE tokenizer_row (
  run_key TEXT PRIMARY KEY,
  name    TEXT NOT NULL,                 -- of the file it was read from
  size    INTEGER NOT NULL,              -- largest id + 1
  pieces  BLOB NOT NULL                  -- zstd of JSON: base64 of the bytes per id, null for holes, and the special ids
) STRICT, WITHOUT ROWID;

CREATE TABLE saved_view_row (
  name   TEXT PRIMARY KEY,
  filter TEXT NOT NULL                   -- in the filter language, as typed
) STRICT, WITHOUT ROWID;

CREATE TABLE saved_query_row (
  name       TEXT PRIMARY KEY,
  sql        TEXT NOT NULL,              -- as typed
  created_at INTEGER NOT NULL            -- milliseconds since 1970
) STRICT, WITHOUT ROWID;

-- Other libraries that were opened beside this one; the next start offers them.
CREATE TABLE known_library_row (
  path      TEXT PRIMARY KEY,            -- real path when it was opened
  id        TEXT NOT NULL UNIQUE,        -- names it in links, as long as it is remembered
  opened_at INTEGER NOT NULL             -- milliseconds since 1970
) STRICT, WITHOUT ROWID;
`;

const ANNOTATIONS = `
-- A rollout somebody has annotated or read, by what it is (RolloutKey, shared/domain/annotate/annotation.ts).
CREATE TABLE annotated_row (
  annotated_no INTEGER PRIMARY KEY,
  run_key      TEXT NOT NULL,
  kind         TEXT NOT NULL,            -- train | eval
  step         INTEGER NOT NULL,
  group_key    TEXT NOT NULL,            -- as read
  problem_id   TEXT NOT NULL,
  ordinal      INTEGER NOT NULL,         -- as read
  content_hash TEXT NOT NULL,            -- of prompt and response
  record_hash  TEXT NOT NULL             -- rollout_row.content_hash; '': unknown
) STRICT;
CREATE UNIQUE INDEX annotated_by_key ON annotated_row
  (run_key, step, group_key, ordinal, content_hash, problem_id, kind, record_hash);

-- Derived: which rollout of this library it is.
CREATE TABLE annotated_place_row (
  annotated_no INTEGER PRIMARY KEY REFERENCES annotated_row,
  rollout_id   INTEGER NOT NULL REFERENCES rollout_row,
  is_certain   INTEGER NOT NULL          -- 1: found by its content; 0: by its address alone, with another text
) STRICT;
CREATE INDEX annotated_place_by_rollout ON annotated_place_row (rollout_id);

CREATE TABLE annotation_row (
  annotation_no INTEGER PRIMARY KEY,
  annotation_id TEXT NOT NULL UNIQUE,
  annotated_no  INTEGER NOT NULL REFERENCES annotated_row,
  target        TEXT NOT NULL,           -- JSON: kind, turn or segment, anchor
  label         TEXT,
  note          TEXT,
  correction    TEXT,
  severity      TEXT,                    -- minor | major | critical
  flag          TEXT,
  author        TEXT NOT NULL,
  created_at    INTEGER NOT NULL,        -- milliseconds since 1970
  updated_at    INTEGER NOT NULL,
  likeness      TEXT NOT NULL            -- content hash of everything but id and times
) STRICT;
CREATE INDEX annotation_by_rollout ON annotation_row (annotated_no);
CREATE INDEX annotation_by_likeness ON annotation_row (likeness);

-- Derived: where the text of an annotation is now.
CREATE TABLE annotation_place_row (
  annotation_no INTEGER PRIMARY KEY REFERENCES annotation_row,
  state         TEXT NOT NULL,           -- exact | moved | orphaned
  start         INTEGER,
  end           INTEGER
) STRICT;

-- Who has been through a rollout.
CREATE TABLE reading_row (
  annotated_no INTEGER NOT NULL REFERENCES annotated_row,
  author       TEXT NOT NULL,
  verdict      TEXT NOT NULL,            -- read | skipped
  at           INTEGER NOT NULL,         -- milliseconds since 1970
  PRIMARY KEY (annotated_no, author)
) STRICT, WITHOUT ROWID;

-- Versions of somebody else that differ from ours.
CREATE TABLE annotation_conflict_row (
  conflict_id   INTEGER PRIMARY KEY,
  annotation_id TEXT NOT NULL,
  theirs        TEXT NOT NULL,           -- JSON
  origin        TEXT NOT NULL,           -- the file it came from
  at            INTEGER NOT NULL,        -- milliseconds since 1970
  taken         TEXT                     -- mine | theirs | both; NULL: not decided
) STRICT;
CREATE UNIQUE INDEX annotation_conflict_by_version ON annotation_conflict_row (annotation_id, theirs);

-- Every change with the state before it, for undo and redo.
CREATE TABLE annotation_history_row (
  history_no INTEGER PRIMARY KEY,
  at         INTEGER NOT NULL,           -- milliseconds since 1970
  author     TEXT NOT NULL,
  words      TEXT NOT NULL,
  changes    TEXT NOT NULL,              -- JSON: what, key, before, after
  is_undone  INTEGER NOT NULL DEFAULT 0
) STRICT;

-- The labels. No row: the taxonomy Turnwise comes with.
CREATE TABLE taxonomy_row (
  taxonomy_no INTEGER PRIMARY KEY CHECK (taxonomy_no = 1),
  name        TEXT NOT NULL,
  choice      TEXT NOT NULL              -- one | many
) STRICT;

CREATE TABLE label_row (
  label_id    TEXT PRIMARY KEY,
  position    INTEGER NOT NULL,
  name        TEXT NOT NULL,
  colour      TEXT NOT NULL,
  description TEXT NOT NULL,
  key         TEXT
) STRICT, WITHOUT ROWID;

CREATE TABLE annotation_state_row (
  state_no    INTEGER PRIMARY KEY CHECK (state_no = 1),
  revision    INTEGER NOT NULL,          -- grows with every change of annotations, readings and labels
  searched_to INTEGER NOT NULL           -- rollouts up to this id were searched for what has no certain place
) STRICT;
INSERT INTO annotation_state_row VALUES (1, 0, 0);
`;

export const sql = [
  ...[FILES, RUNS, PROBLEMS, GROUPS, ROLLOUTS, JOINS],
  ...[COLUMNS, SEARCH],
  ...[SETTINGS, ANNOTATIONS],
].join('');
