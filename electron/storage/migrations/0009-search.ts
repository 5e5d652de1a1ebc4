/**
 * The full-text index: which words stand where in the texts of rollouts. Made in the background from the
 * texts, in the order of ids; a rollout beyond the mark is not in it yet and is read instead.
 *
 *   search_text      one row per indexed rollout (rowid is rollout_id), a column for each field of the filter language
 *   search_prompt    one row per indexed prompt (rowid is prompt_id): a prompt is indexed once, not per rollout
 *   search_state_row how far the index has come; written together with it, so that an end at any time loses nothing
 *
 * The texts themselves are not kept again. The triggers keep index and rollouts in step however rows go and
 * come: a removed rollout leaves the index, and an id given anew is behind the mark again.
 */
export const version = 9;

const INDEX = `content='', contentless_delete=1, tokenize="unicode61 remove_diacritics 0"`;

export const sql = `
CREATE VIRTUAL TABLE search_text USING fts5(reasoning, code, output, answer, other, ${INDEX});
CREATE VIRTUAL TABLE search_prompt USING fts5(prompt, ${INDEX});
-- Texts of one piece in one segment: fewer and larger ones are smaller, too.
INSERT INTO search_text (search_text, rank) VALUES ('hashsize', 16777216);
INSERT INTO search_text (search_text, rank) VALUES ('automerge', 8);
INSERT INTO search_text (search_text, rank) VALUES ('pgsz', 8100);

CREATE TABLE search_state_row (
  one         INTEGER PRIMARY KEY CHECK (one = 1),
  rollouts_to INTEGER NOT NULL,          -- every rollout up to this id is in the index, and none beyond
  prompts_to  INTEGER NOT NULL,          -- and every prompt
  indexed     INTEGER NOT NULL           -- rollouts in the index
) STRICT;
INSERT INTO search_state_row VALUES (1, 0, 0, 0);

CREATE TRIGGER search_rollout_gone AFTER DELETE ON rollout_row
WHEN old.rollout_id <= (SELECT rollouts_to FROM search_state_row)
BEGIN
  DELETE FROM search_text WHERE rowid = old.rollout_id;
  UPDATE search_state_row SET indexed = indexed - 1;
END;
-- SQLite gives the ids of the last rows anew once these are gone.
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
