/**
 * Columns of rollouts and their tool calls, one typed array each per step: what lists, filters and
 * charts of a whole run are read from. Made in the background from the rows, and of no use once the
 * step has changed since.
 *
 *   step_revision_row  counts the changes of a step; never deleted, since a removed run's id may come again
 *   step_column_row    one column of a step, as it was at a revision
 */
export const version = 6;

export const sql = `
CREATE TABLE step_revision_row (
  run_id   INTEGER NOT NULL,
  step     INTEGER NOT NULL,
  revision INTEGER NOT NULL,
  PRIMARY KEY (run_id, step)
) STRICT, WITHOUT ROWID;
INSERT INTO step_revision_row SELECT run_id, step, 1 FROM step_row;

CREATE TABLE step_column_row (
  run_id   INTEGER NOT NULL REFERENCES run_row,
  step     INTEGER NOT NULL,
  name     TEXT NOT NULL,
  revision INTEGER NOT NULL,
  bytes    BLOB NOT NULL                 -- little-endian numbers, or UTF-8 JSON where the column is a dictionary
) STRICT;
CREATE UNIQUE INDEX step_column_by_name ON step_column_row (run_id, step, name);

-- 1: an earlier call of the rollout says the same; 0: none does; NULL: read before this was known.
ALTER TABLE tool_call_row ADD COLUMN is_repeat INTEGER;
`;
