/**
 * Vocabularies the user gave for runs whose logs have token ids without text.
 *
 *   tokenizer_row  the user's own, never touched by ingest
 */
export const version = 5;

export const sql = `
CREATE TABLE tokenizer_row (
  run_key TEXT PRIMARY KEY,
  name    TEXT NOT NULL,                 -- of the file it was read from
  size    INTEGER NOT NULL,              -- largest id + 1
  pieces  BLOB NOT NULL                  -- zstd of JSON: base64 of the bytes per id, null for holes, and the special ids
) STRICT, WITHOUT ROWID;

-- Set where offsets were not logged but come from a vocabulary: name of the tokenizer.
ALTER TABLE token_row ADD COLUMN aligned_by TEXT;
`;
