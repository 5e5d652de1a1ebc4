/**
 * What is odd about a rollout, by rule (`shared/domain/flags.ts`).
 *
 *   rollout_row.flags  bits; NULL in rows that were read before
 *   flag_row           where a flag shows
 */
export const version = 8;

export const sql = `
ALTER TABLE rollout_row ADD COLUMN flags INTEGER;

CREATE TABLE flag_row (
  rollout_id INTEGER NOT NULL REFERENCES rollout_row,
  flag       INTEGER NOT NULL,           -- bit
  segment    INTEGER NOT NULL,           -- among the segments of the response
  start      INTEGER NOT NULL,           -- UTF-16, in the response
  "end"      INTEGER NOT NULL,
  PRIMARY KEY (rollout_id, flag, segment, start)
) STRICT, WITHOUT ROWID;
`;
