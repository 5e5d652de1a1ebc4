/**
 * The first shape of a library.
 *
 *   run_row ─< step_row
 *      └─< group_row ─< rollout_row >─ text_block (many rollouts' texts, compressed together)
 *             │            ├─< segment_row, turn_row, tool_call_row
 *             │            └── token_row (one typed array per signal)
 *             └─ problem_row ─ prompt_row ─< prompt_segment_row   (a prompt is stored once, not per rollout)
 *   file_row ─< issue_row, pending_row (decisions and signals that arrived before their rollout)
 *
 * Everything here can be rebuilt from the logs. What the user makes (labels, views,
 * mappings) gets tables of its own, keyed by stable rollout keys.
 */
export const version = 1;

export const sql = `
CREATE TABLE file_row (
  file_id      INTEGER PRIMARY KEY,
  path         TEXT NOT NULL UNIQUE,
  format       TEXT,
  status       TEXT NOT NULL,            -- read | partial | refused
  bytes        INTEGER NOT NULL,
  mtime_ms     REAL NOT NULL,
  inode        TEXT NOT NULL,            -- 64-bit, beyond what a double holds
  head_hash    TEXT NOT NULL,            -- of the first head_bytes bytes
  head_bytes   INTEGER NOT NULL,
  tail_hash    TEXT,                     -- of the bytes before offset_bytes; NULL while the file is being read
  offset_bytes INTEGER NOT NULL,         -- after the last line that is in the library
  lines        INTEGER NOT NULL          -- lines before offset_bytes
) STRICT;

CREATE TABLE run_row (
  run_id        INTEGER PRIMARY KEY,
  run_key       TEXT NOT NULL UNIQUE,
  key_source    TEXT NOT NULL,           -- logged | derived
  logged_id     TEXT,                    -- what the log calls it; shared by its train and eval split
  name          TEXT NOT NULL,           -- where the log gives none
  kind          TEXT NOT NULL,           -- train | eval
  format        TEXT NOT NULL,
  directory     TEXT NOT NULL,
  has_binary_rewards INTEGER NOT NULL DEFAULT 1  -- no reward other than 0 and 1 so far
) STRICT;
CREATE INDEX run_by_directory ON run_row (directory, kind, format);

-- What a log says of its run, whichever splits of it there are.
CREATE TABLE run_config_row (
  logged_id TEXT PRIMARY KEY,
  config    TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- Which files a run's rollouts come from: their issues are the run's.
CREATE TABLE run_file_row (
  run_id  INTEGER NOT NULL REFERENCES run_row,
  file_id INTEGER NOT NULL REFERENCES file_row,
  PRIMARY KEY (run_id, file_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE stage_row (
  logged_id TEXT NOT NULL,
  from_step INTEGER NOT NULL,
  name      TEXT NOT NULL,
  changes   TEXT NOT NULL,
  file_id   INTEGER NOT NULL REFERENCES file_row,
  PRIMARY KEY (logged_id, from_step, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE metric_row (
  logged_id TEXT NOT NULL,
  step      INTEGER NOT NULL,
  name      TEXT NOT NULL,
  value     REAL,
  file_id   INTEGER NOT NULL REFERENCES file_row,
  PRIMARY KEY (logged_id, name, step)
) STRICT, WITHOUT ROWID;

CREATE TABLE prompt_row (
  prompt_id   INTEGER PRIMARY KEY,
  prompt_hash TEXT NOT NULL UNIQUE,
  codec       INTEGER NOT NULL,          -- 0 UTF-8, 1 zstd of UTF-8
  text        BLOB NOT NULL,
  segments    INTEGER NOT NULL,
  preview     TEXT NOT NULL
) STRICT;

CREATE TABLE prompt_segment_row (
  prompt_id   INTEGER NOT NULL REFERENCES prompt_row,
  ordinal     INTEGER NOT NULL,
  kind        INTEGER NOT NULL,
  outer_start INTEGER NOT NULL,
  outer_end   INTEGER NOT NULL,
  inner_start INTEGER NOT NULL,
  inner_end   INTEGER NOT NULL,
  PRIMARY KEY (prompt_id, ordinal)
) STRICT, WITHOUT ROWID;

CREATE TABLE problem_row (
  problem_no   INTEGER PRIMARY KEY,
  problem_id   TEXT NOT NULL,
  prompt_id    INTEGER NOT NULL REFERENCES prompt_row,
  ground_truth TEXT,
  source       TEXT
) STRICT;
CREATE INDEX problem_by_id ON problem_row (problem_id, prompt_id);

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
  stops_logged     INTEGER NOT NULL,     -- rollouts whose stop reason is logged: only those tell about truncation
  truncated        INTEGER NOT NULL,
  turns            INTEGER NOT NULL,
  response_chars   INTEGER NOT NULL,
  tokens           INTEGER NOT NULL,
  tokens_known     INTEGER NOT NULL,
  entropy_sum      REAL NOT NULL,
  entropy_tokens   INTEGER NOT NULL,
  groups_all_wrong INTEGER NOT NULL,
  groups_mixed     INTEGER NOT NULL,
  groups_all_right INTEGER NOT NULL,
  PRIMARY KEY (run_id, step)
) STRICT, WITHOUT ROWID;

CREATE TABLE group_row (
  group_id       INTEGER PRIMARY KEY,
  run_id         INTEGER NOT NULL REFERENCES run_row,
  step           INTEGER NOT NULL,
  group_key      TEXT NOT NULL,
  problem_no     INTEGER NOT NULL REFERENCES problem_row,
  rollouts       INTEGER NOT NULL DEFAULT 0,
  correct        INTEGER NOT NULL DEFAULT 0,
  correct_known  INTEGER NOT NULL DEFAULT 0,
  reward_sum     REAL NOT NULL DEFAULT 0,
  reward_known   INTEGER NOT NULL DEFAULT 0,
  decided        INTEGER NOT NULL DEFAULT 0,
  kept           INTEGER NOT NULL DEFAULT 0,
  tool_calls     INTEGER NOT NULL DEFAULT 0,
  tool_errors    INTEGER NOT NULL DEFAULT 0,
  without_calls  INTEGER NOT NULL DEFAULT 0,
  stops_logged   INTEGER NOT NULL DEFAULT 0,
  truncated      INTEGER NOT NULL DEFAULT 0,
  turns          INTEGER NOT NULL DEFAULT 0,
  response_chars INTEGER NOT NULL DEFAULT 0,
  tokens         INTEGER NOT NULL DEFAULT 0,
  tokens_known   INTEGER NOT NULL DEFAULT 0,
  entropy_sum    REAL NOT NULL DEFAULT 0,
  entropy_tokens INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE UNIQUE INDEX group_by_key ON group_row (run_id, step, group_key);

CREATE TABLE rollout_row (
  rollout_id         INTEGER PRIMARY KEY,
  run_id             INTEGER NOT NULL REFERENCES run_row,
  step               INTEGER NOT NULL,
  group_id           INTEGER NOT NULL REFERENCES group_row,
  ordinal            INTEGER NOT NULL,
  reward             REAL,
  logged_correct     INTEGER,            -- as the trainer wrote it
  is_correct         INTEGER,            -- logged, else by the rule in storage/README.md
  answer             TEXT,
  answer_source      TEXT,
  turns              INTEGER NOT NULL,
  tool_calls         INTEGER NOT NULL,
  tool_errors        INTEGER NOT NULL,
  stop_reason        TEXT,
  stop_reason_source TEXT,
  kept               INTEGER,
  reason             TEXT,
  p_err              REAL,
  p_format           REAL,
  penalty            REAL,
  advantage          REAL,
  rule               TEXT,
  decision_file_id   INTEGER REFERENCES file_row,
  decision_line      INTEGER,
  policy_tokens      INTEGER,
  response_chars     INTEGER NOT NULL,
  mean_entropy       REAL,
  entropy_tokens     INTEGER,
  started_at         REAL,
  ended_at           REAL,
  content_hash       TEXT NOT NULL,
  file_id            INTEGER NOT NULL REFERENCES file_row,
  line               INTEGER NOT NULL,
  byte_offset        INTEGER NOT NULL,
  byte_length        INTEGER NOT NULL,
  block_id           INTEGER NOT NULL REFERENCES text_block,
  text_start         INTEGER NOT NULL,   -- bytes in the block: response [text_start, text_end),
  text_end           INTEGER NOT NULL,   -- what the record said beyond our columns, as JSON, [text_end, extra_end)
  extra_end          INTEGER NOT NULL
) STRICT;
CREATE INDEX rollout_by_group ON rollout_row (group_id, ordinal);
CREATE INDEX rollout_by_step ON rollout_row (run_id, step, group_id, ordinal);
CREATE INDEX rollout_by_file ON rollout_row (file_id);

CREATE TABLE text_block (
  block_id INTEGER PRIMARY KEY,
  file_id  INTEGER NOT NULL REFERENCES file_row,
  codec    INTEGER NOT NULL,             -- 0 UTF-8, 1 zstd of UTF-8
  bytes    BLOB NOT NULL
) STRICT;
CREATE INDEX text_block_by_file ON text_block (file_id);

CREATE TABLE segment_row (
  rollout_id  INTEGER NOT NULL REFERENCES rollout_row,
  ordinal     INTEGER NOT NULL,          -- continues after the prompt's segments
  turn        INTEGER NOT NULL,
  kind        INTEGER NOT NULL,
  outer_start INTEGER NOT NULL,
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
  rollout_id       INTEGER NOT NULL REFERENCES rollout_row,
  ordinal          INTEGER NOT NULL,
  turn             INTEGER NOT NULL,
  name             TEXT,
  outcome          TEXT NOT NULL,
  latency_ms       REAL,
  call_segment     INTEGER NOT NULL,     -- segment_row.ordinal
  response_segment INTEGER,
  PRIMARY KEY (rollout_id, ordinal)
) STRICT, WITHOUT ROWID;

CREATE TABLE token_row (
  rollout_id      INTEGER PRIMARY KEY REFERENCES rollout_row,
  count           INTEGER NOT NULL,
  ends            BLOB,                  -- varints of the differences
  ids             BLOB,                  -- i32
  mask            BLOB,                  -- bits
  entropy         BLOB,                  -- f32, NaN unknown
  logprob         BLOB,
  trainer_logprob BLOB,
  advantage       BLOB,
  top             BLOB,                  -- zstd of JSON
  entropy_of      TEXT,
  signal_file_id  INTEGER REFERENCES file_row,  -- of the last signal line merged in
  signal_line     INTEGER
) STRICT;

CREATE TABLE issue_row (
  issue_id INTEGER PRIMARY KEY,
  file_id  INTEGER NOT NULL REFERENCES file_row,
  line     INTEGER,
  severity TEXT NOT NULL,
  code     TEXT NOT NULL,
  message  TEXT NOT NULL
) STRICT;
CREATE INDEX issue_by_file ON issue_row (file_id, line);

CREATE TABLE pending_row (
  pending_id INTEGER PRIMARY KEY,
  kind       TEXT NOT NULL,              -- decision | signal
  run_key    TEXT NOT NULL,              -- as logged, without the split
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

CREATE TABLE granted_root (path TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
`;
