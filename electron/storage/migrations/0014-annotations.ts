/**
 * What readers say about rollouts. The user's own, never touched by ingest, except for what is derived:
 *
 *   annotated_row ─< annotation_row ─< annotation_conflict_row     a rollout by what it is, and what is said of it
 *        │    └────< reading_row
 *        ├─ annotated_place_row      derived: which rollout of this library it is
 *   annotation_row ─ annotation_place_row   derived: where its text stands now
 *   annotation_history_row    every change with what was before, for undo and redo
 *   taxonomy_row, label_row   the labels; none: those Turnwise comes with
 *   annotation_state_row      one row of counters
 */
export const version = 14;

export const sql = `
CREATE TABLE annotated_row (
  annotated_no INTEGER PRIMARY KEY,
  run_key      TEXT NOT NULL,
  kind         TEXT NOT NULL,            -- train | eval
  step         INTEGER NOT NULL,
  group_key    TEXT NOT NULL,            -- as read
  problem_id   TEXT NOT NULL,
  ordinal      INTEGER NOT NULL,         -- as read
  content_hash TEXT NOT NULL,            -- of prompt and response
  record_hash  TEXT NOT NULL             -- rollout_row.content_hash; '' where it is not known
) STRICT;
CREATE UNIQUE INDEX annotated_by_key ON annotated_row
  (run_key, step, group_key, ordinal, content_hash, problem_id, kind, record_hash);

CREATE TABLE annotated_place_row (
  annotated_no INTEGER PRIMARY KEY REFERENCES annotated_row,
  rollout_id   INTEGER NOT NULL REFERENCES rollout_row,
  is_certain   INTEGER NOT NULL          -- 1: by its content; 0: by its address alone, its text is another
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
  likeness      TEXT NOT NULL            -- hash of everything but id and times
) STRICT;
CREATE INDEX annotation_by_rollout ON annotation_row (annotated_no);
CREATE INDEX annotation_by_likeness ON annotation_row (likeness);

CREATE TABLE annotation_place_row (
  annotation_no INTEGER PRIMARY KEY REFERENCES annotation_row,
  state         TEXT NOT NULL,           -- exact | moved | orphaned
  start         INTEGER,
  end           INTEGER
) STRICT;

CREATE TABLE reading_row (
  annotated_no INTEGER NOT NULL REFERENCES annotated_row,
  author       TEXT NOT NULL,
  verdict      TEXT NOT NULL,            -- read | skipped
  at           INTEGER NOT NULL,
  PRIMARY KEY (annotated_no, author)
) STRICT, WITHOUT ROWID;

CREATE TABLE annotation_conflict_row (
  conflict_id   INTEGER PRIMARY KEY,
  annotation_id TEXT NOT NULL,
  theirs        TEXT NOT NULL,           -- JSON
  origin        TEXT NOT NULL,           -- the file it came from
  at            INTEGER NOT NULL,
  taken         TEXT                     -- mine | theirs | both; NULL: not decided
) STRICT;
CREATE UNIQUE INDEX annotation_conflict_by_version ON annotation_conflict_row (annotation_id, theirs);

CREATE TABLE annotation_history_row (
  history_no INTEGER PRIMARY KEY,
  at         INTEGER NOT NULL,
  author     TEXT NOT NULL,
  words      TEXT NOT NULL,
  changes    TEXT NOT NULL,              -- JSON: what, key, before, after
  is_undone  INTEGER NOT NULL DEFAULT 0
) STRICT;

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

-- revision: grows with every change of anything above; searched_to: rollouts up to this one have been looked through for
-- what has no place.
CREATE TABLE annotation_state_row (
  state_no    INTEGER PRIMARY KEY CHECK (state_no = 1),
  revision    INTEGER NOT NULL,
  searched_to INTEGER NOT NULL
) STRICT;
INSERT INTO annotation_state_row VALUES (1, 0, 0);
`;
