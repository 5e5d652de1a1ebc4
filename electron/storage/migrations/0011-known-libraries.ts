/**
 * Other libraries that were opened beside this one, so that the next start can offer them again.
 *
 *   known_library_row  the user's own, never touched by ingest
 */
export const version = 11;

export const sql = `
CREATE TABLE known_library_row (
  path      TEXT PRIMARY KEY,            -- real path when it was opened
  id        TEXT NOT NULL UNIQUE,        -- names it in links; stays while it is remembered
  opened_at INTEGER NOT NULL             -- milliseconds since 1970
) STRICT, WITHOUT ROWID;
`;
