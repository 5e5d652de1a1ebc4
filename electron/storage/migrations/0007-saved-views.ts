/**
 * Filters the user wants to come back to.
 *
 *   saved_view_row  the user's own, never touched by ingest
 */
export const version = 7;

export const sql = `
CREATE TABLE saved_view_row (
  name   TEXT PRIMARY KEY,
  filter TEXT NOT NULL                   -- in the filter language, as it was typed
) STRICT, WITHOUT ROWID;
`;
