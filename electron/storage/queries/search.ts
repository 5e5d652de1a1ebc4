/** Queries of the full-text index for a run, and of its progress. */
import type { TextField } from '../../../shared/domain/filter/fields.ts';
import type { TextNode } from '../../../shared/domain/filter/node.ts';
import { indexedWord, wordsOf } from '../../../shared/domain/filter/words.ts';
import type { ReadableLibrary } from '../open.ts';
import { number, orNull, queryValue, query as rowQuery } from '../rows.ts';

export interface IndexState {
  /** Every rollout up to this id is in the index. */
  readonly rolloutsTo: number;
  readonly promptsTo: number;
  readonly indexed: number;
  readonly rollouts: number;
}

const STATE = `SELECT rollouts_to AS rolloutsTo, prompts_to AS promptsTo, indexed,
  (SELECT coalesce(sum(rollouts), 0) FROM step_row) AS rollouts FROM search_state_row`;

export function indexState(db: ReadableLibrary): IndexState {
  const state = rowQuery<IndexState>(db, STATE, {
    ...{ rolloutsTo: number, promptsTo: number, indexed: number, rollouts: number },
  }).get();
  if (state === undefined) throw new Error('the library has no search index state');
  return state;
}

/** Ids of matching rollouts and groups in the index. The caller checks whether an id is indexed. */
export interface IndexedMatches {
  hasRollout(id: number): boolean;
  /** Whether the prompt of the group matches. */
  hasGroup(id: number): boolean;
  /** Prompt and response matches by rollout. Only correct if the whole run is indexed. */
  all(): { has(rolloutId: number): boolean };
}

/** A run with the id range of its rollouts. A run without rollouts has an empty range. */
export interface IndexedRun {
  readonly runId: number;
  readonly first: number;
  readonly last: number;
}

export const RUN_IDS =
  'SELECT min(rollout_id) AS first, max(rollout_id) AS last FROM rollout_row WHERE run_id = ?';
export const MATCHED = 'SELECT rowid FROM search_text WHERE search_text MATCH ? AND rowid BETWEEN ? AND ?';
export const MATCHED_GROUPS = `
  SELECT g.group_id FROM group_row g JOIN problem_row p USING (problem_no)
  WHERE g.run_id = ? AND p.prompt_id IN (SELECT rowid FROM search_prompt WHERE search_prompt MATCH ?)`;
export const ROLLOUTS_OF_GROUPS =
  'SELECT rollout_id FROM rollout_row WHERE group_id IN (SELECT value FROM json_each(?))';
export const NEWER_PROMPTS = `
  SELECT g.group_id FROM group_row g JOIN problem_row p USING (problem_no) WHERE g.run_id = ? AND p.prompt_id > ?`;

/** Reads the ids of the whole run, once per request. */
export function indexedRun(db: ReadableLibrary, runId: number): IndexedRun {
  const row = rowQuery(db, RUN_IDS, { first: orNull(number), last: orNull(number) }).get(runId);
  return { runId, first: row?.first ?? 0, last: row?.last ?? -1 };
}

/** Bytes. FTS5 truncates longer tokens. */
const LONGEST_TOKEN = 30_000;
/** The index reads the places of each word of a phrase at once: 1.5 MB for a text of 3 MB with that word alone. */
const MOST_WORDS = 32;

const COLUMNS: Readonly<Record<Exclude<TextField, 'text' | 'prompt'>, string>> = {
  reasoning: 'reasoning',
  code: 'code',
  output: 'output',
  answer_text: 'answer',
};

/** @returns undefined when the texts are to be read instead: for regular expressions, long words and long phrases */
export function indexQuery({ field, form, text }: TextNode): string | undefined {
  if (form === 'regex') return undefined;
  const words = wordsOf(text).map(indexedWord);
  if (words.length === 0 || words.length > MOST_WORDS) return undefined;
  if (words.some((word) => Buffer.byteLength(word) > LONGEST_TOKEN)) return undefined;
  const column = field === 'text' || field === 'prompt' ? '' : `${COLUMNS[field]} : `;
  return `${column}"${words.join(' ')}"${form === 'prefix' ? ' *' : ''}`;
}

/** A run's rollout ids are few ranges, so one byte per id is enough. */
export function indexedMatches(
  db: ReadableLibrary,
  { runId, first, last }: IndexedRun,
  node: TextNode,
): IndexedMatches | undefined {
  const query = indexQuery(node);
  if (query === undefined) return undefined;
  const marks = new Uint8Array(last - first + 1);
  if (node.field !== 'prompt') {
    const ids = queryValue(db, MATCHED, number).all(query, first, last);
    for (const id of ids) marks[id - first] = 1;
  }
  const groups =
    node.field === 'text' || node.field === 'prompt'
      ? new Set(queryValue(db, MATCHED_GROUPS, number).all(runId, query))
      : new Set<number>();
  return {
    hasRollout: (id) => marks[id - first] === 1,
    hasGroup: (id) => groups.has(id),
    all: () => {
      if (groups.size > 0) {
        const ids = queryValue(db, ROLLOUTS_OF_GROUPS, number).all(JSON.stringify([...groups]));
        for (const id of ids) marks[id - first] = 1;
      }
      return { has: (id) => marks[id - first] === 1 };
    },
  };
}

/** Whether every rollout and prompt of a run is indexed. */
export function isIndexed(
  db: ReadableLibrary,
  { runId, last }: IndexedRun,
  { rolloutsTo, promptsTo }: IndexState,
): boolean {
  return last <= rolloutsTo && groupsBeyondIndex(db, runId, promptsTo).size === 0;
}

/** Groups of a run whose prompt is not indexed yet. */
export function groupsBeyondIndex(
  db: ReadableLibrary,
  runId: number,
  promptsTo: number,
): ReadonlySet<number> {
  return new Set(queryValue(db, NEWER_PROMPTS, number).all(runId, promptsTo));
}

export const SEARCH_RUNS = `
  SELECT run_id AS runId, sum(rollouts) AS rollouts FROM step_row
  WHERE run_id = coalesce(:runId, run_id) AND step = coalesce(:step, step)
  GROUP BY run_id ORDER BY run_id DESC`;

/** Runs in search order (the last ingested first), with the rollouts in scope. */
export function runsOfSearch(
  db: ReadableLibrary,
  { runId, step }: { readonly runId: number | undefined; readonly step: number | undefined },
): readonly { readonly runId: number; readonly rollouts: number }[] {
  const scope = { runId: runId ?? null, step: step ?? null };
  return rowQuery(db, SEARCH_RUNS, { runId: number, rollouts: number }).all(scope);
}
