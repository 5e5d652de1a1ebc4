/**
 * Statements the user wants to come back to.
 *
 *   saved_query_row  the user's own, never touched by ingest
 */
export const version = 10;

export const sql = `
CREATE TABLE saved_query_row (
  name       TEXT PRIMARY KEY,
  sql        TEXT NOT NULL,              -- as it was typed
  created_at INTEGER NOT NULL            -- milliseconds since 1970
) STRICT, WITHOUT ROWID;
`;
