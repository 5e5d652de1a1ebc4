/** The user's data, which cannot be rebuilt from the logs. Tables marked as derived can be. */

export const SETTINGS = `
-- Field mappings for logs of unknown formats.
CREATE TABLE mapping_row (
  name    TEXT PRIMARY KEY,
  mapping TEXT NOT NULL                  -- JSON
) STRICT, WITHOUT ROWID;

-- Files in these directories (or these files) belong to the run of this name.
CREATE TABLE run_name_row (
  directory TEXT PRIMARY KEY,
  name      TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- The user's grouping rule of a run. It also applies to rollouts ingested later.
CREATE TABLE group_rule_row (
  run_key TEXT PRIMARY KEY,
  rule    TEXT NOT NULL,                 -- prompt | order
  size    INTEGER                        -- rollouts per group; only with order
) STRICT, WITHOUT ROWID;

-- Pairs of a pool run and the run that lists its kept rollouts.
CREATE TABLE pool_join_row (
  pool_key TEXT NOT NULL,                -- run_key of the run with every rollout
  kept_key TEXT NOT NULL,                -- run_key of the run with the kept ones
  PRIMARY KEY (pool_key, kept_key)
) STRICT, WITHOUT ROWID;

-- Vocabularies for runs whose logs have token ids without text.
CREATE TABLE tokenizer_row (
  run_key TEXT PRIMARY KEY,
  name    TEXT NOT NULL,                 -- name of the file it was read from
  size    INTEGER NOT NULL,              -- largest id + 1
  pieces  BLOB NOT NULL                  -- zstd of JSON: base64 of the bytes per id, null for holes, and the special ids
) STRICT, WITHOUT ROWID;

CREATE TABLE saved_view_row (
  name   TEXT PRIMARY KEY,
  filter TEXT NOT NULL                   -- in the filter language
) STRICT, WITHOUT ROWID;

CREATE TABLE saved_query_row (
  name       TEXT PRIMARY KEY,
  sql        TEXT NOT NULL,              -- as typed
  created_at INTEGER NOT NULL            -- milliseconds since 1970
) STRICT, WITHOUT ROWID;

-- Other libraries that were opened. The next start offers them.
CREATE TABLE known_library_row (
  path      TEXT PRIMARY KEY,            -- real path when it was opened
  id        TEXT NOT NULL UNIQUE,        -- identifies the library in links
  opened_at INTEGER NOT NULL             -- milliseconds since 1970
) STRICT, WITHOUT ROWID;
`;

export const ANNOTATIONS = `
-- The key of an annotated or reviewed rollout (RolloutKey, shared/domain/annotate/annotation.ts).
CREATE TABLE annotated_row (
  annotated_no INTEGER PRIMARY KEY,
  run_key      TEXT NOT NULL,
  kind         TEXT NOT NULL,            -- train | eval
  step         INTEGER NOT NULL,
  group_key    TEXT NOT NULL,            -- as logged
  problem_id   TEXT NOT NULL,
  ordinal      INTEGER NOT NULL,         -- as logged
  content_hash TEXT NOT NULL,            -- hash of prompt and response
  record_hash  TEXT NOT NULL             -- rollout_row.content_hash; '': unknown
) STRICT;
CREATE UNIQUE INDEX annotated_by_key ON annotated_row
  (run_key, step, group_key, ordinal, content_hash, problem_id, kind, record_hash);

-- Derived: the rollout of this library that has the key.
CREATE TABLE annotated_place_row (
  annotated_no INTEGER PRIMARY KEY REFERENCES annotated_row,
  rollout_id   INTEGER NOT NULL REFERENCES rollout_row,
  is_certain   INTEGER NOT NULL          -- 1: found by content; 0: found by address, with another text
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

-- Derived: the current position of an annotation's text.
CREATE TABLE annotation_place_row (
  annotation_no INTEGER PRIMARY KEY REFERENCES annotation_row,
  state         TEXT NOT NULL,           -- exact | moved | orphaned
  start         INTEGER,
  end           INTEGER
) STRICT;

-- Review marks.
CREATE TABLE reading_row (
  annotated_no INTEGER NOT NULL REFERENCES annotated_row,
  author       TEXT NOT NULL,
  verdict      TEXT NOT NULL,            -- read | skipped
  at           INTEGER NOT NULL,         -- milliseconds since 1970
  PRIMARY KEY (annotated_no, author)
) STRICT, WITHOUT ROWID;

-- Versions of other reviewers that differ from ours.
CREATE TABLE annotation_conflict_row (
  conflict_id   INTEGER PRIMARY KEY,
  annotation_id TEXT NOT NULL,
  theirs        TEXT NOT NULL,           -- JSON
  origin        TEXT NOT NULL,           -- the file it came from
  at            INTEGER NOT NULL,        -- milliseconds since 1970
  taken         TEXT                     -- mine | theirs | both; NULL: not resolved
) STRICT;
CREATE UNIQUE INDEX annotation_conflict_by_version ON annotation_conflict_row (annotation_id, theirs);

-- Every change with the states before and after it, for undo and redo.
CREATE TABLE annotation_history_row (
  history_no INTEGER PRIMARY KEY,
  at         INTEGER NOT NULL,           -- milliseconds since 1970
  author     TEXT NOT NULL,
  words      TEXT NOT NULL,
  changes    TEXT NOT NULL,              -- JSON: what, key, before, after
  is_undone  INTEGER NOT NULL DEFAULT 0
) STRICT;

-- The taxonomy. No row: the built-in one.
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
  revision    INTEGER NOT NULL,          -- grows with every change of annotations, review marks and labels
  searched_to INTEGER NOT NULL           -- rollouts up to this id were searched for unplaced annotations
) STRICT;
INSERT INTO annotation_state_row VALUES (1, 0, 0);
`;
