/** Builds the full-text index in pieces. One transaction writes a piece and the progress mark. */
import { indexedColumn, searchedText } from '../../shared/domain/filter/textTest.ts';
import { BETWEEN_SEGMENTS, indexedText } from '../../shared/domain/filter/words.ts';
import type { WritableLibrary } from './open.ts';
import { type SegmentText, TextReader } from './queries/texts.ts';
import { number, query, queryValue } from './rows.ts';
import type { TextPlace } from './storedTexts.ts';

/** UTF-16 units per piece, which take about 0.1 s. Smaller pieces make the index larger and its merges longer. */
const PIECE_UNITS = 3_000_000;
/**
 * Rows fetched at once: about as many as a piece of usual texts contains. Surplus rows are fetched again for
 * the next piece.
 */
const ROWS_AT_ONCE = 256;
/** Most rows of a piece, for short texts. */
const PIECE_ROWS = 2048;

export const NEXT_ROLLOUTS = `SELECT rollout_id AS id, block_id AS blockId, text_start AS start, text_end AS end FROM rollout_row
  WHERE rollout_id > ? ORDER BY rollout_id LIMIT ?`;
const NEXT_PROMPTS = `SELECT prompt_id FROM prompt_row
  WHERE prompt_id > (SELECT prompts_to FROM search_state_row) ORDER BY prompt_id LIMIT ?`;
const ADD_ROLLOUT =
  'INSERT INTO search_text (rowid, reasoning, code, output, answer, other) VALUES (?, ?, ?, ?, ?, ?)';
const ADD_PROMPT = 'INSERT INTO search_prompt (rowid, prompt) VALUES (?, ?)';

/**
 * Indexes the next piece of rollouts and prompts that are not in the index yet, prompts first.
 *
 * @returns false when everything is indexed
 */
export function indexPiece(db: WritableLibrary): boolean {
  return db.transaction(() => indexPrompts(db) || indexRollouts(db))();
}

function indexPrompts(db: WritableLibrary): boolean {
  const ids = queryValue(db, NEXT_PROMPTS, number).all(PIECE_ROWS);
  const reader = new TextReader(db);
  const add = db.prepare(ADD_PROMPT);
  let units = 0;
  let last = 0;
  for (const id of ids) {
    const segments = reader.prompt(id);
    add.run(id, joined(segments.map(textOf)));
    last = id;
    for (const { inner } of segments) units += inner.length;
    if (units >= PIECE_UNITS) break;
  }
  if (last > 0) db.prepare('UPDATE search_state_row SET prompts_to = ?').run(last);
  return last > 0;
}

function indexRollouts(db: WritableLibrary): boolean {
  const next = query(db, NEXT_ROLLOUTS, { id: number, blockId: number, start: number, end: number });
  const reader = new TextReader(db);
  const add = db.prepare(ADD_ROLLOUT);
  let units = 0;
  let count = 0;
  let last = queryValue(db, 'SELECT rollouts_to FROM search_state_row', number).get() ?? 0;
  while (units < PIECE_UNITS && count < PIECE_ROWS) {
    const rows = next.all(last, ROWS_AT_ONCE);
    if (rows.length === 0) break;
    for (const { id, blockId, start, end } of rows) {
      units += addRollout(id, { blockId, start, end });
      last = id;
      count += 1;
      if (units >= PIECE_UNITS) break;
    }
  }
  if (count > 0)
    db.prepare('UPDATE search_state_row SET rollouts_to = ?, indexed = indexed + ?').run(last, count);
  return count > 0;

  function addRollout(id: number, place: TextPlace): number {
    const columns = { reasoning: [], code: [], output: [], answer: [], other: [] } satisfies Record<
      string,
      string[]
    > as Record<ReturnType<typeof indexedColumn>, string[]>;
    let read = 0;
    for (const segment of reader.response(id, place)) {
      columns[indexedColumn(segment.kind)].push(textOf(segment));
      read += segment.inner.length;
    }
    const { reasoning, code, output, answer, other } = columns;
    add.run(id, joined(reasoning), joined(code), joined(output), joined(answer), joined(other));
    return read;
  }
}

const textOf = ({ kind, inner }: SegmentText): string => indexedText(searchedText(kind, inner));

const joined = (texts: readonly string[]): string => texts.join(` ${BETWEEN_SEGMENTS} `);

/**
 * Purges deleted rollouts from the index, which only marks them before. Call before `shrink`, which
 * releases the pages.
 */
export function sweepIndex(db: WritableLibrary): void {
  const isEmpty = db.prepare('SELECT 1 FROM rollout_row LIMIT 1').get() === undefined;
  for (const table of ['search_text', 'search_prompt'])
    db.prepare(`INSERT INTO ${table} (${table}) VALUES (?)`).run(isEmpty ? 'delete-all' : 'optimize');
}
