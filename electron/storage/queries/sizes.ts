/**
 * Divides the bytes of a library's file among its runs. All runs share the tables, so the pages of each table and
 * index are counted, then divided by each run's rows, or by the bytes of their values if those differ much.
 */
import type { LibrarySizes, RunSize, SizePart } from '../../../shared/api/contract.ts';
import { RUN_KINDS } from '../../../shared/domain/model.ts';
import { bytesOnDisk } from '../bytesOnDisk.ts';
import type { ReadableLibrary } from '../open.ts';
import { number, oneOf, query, queryValue, text } from '../rows.ts';
import { configOf, runName } from '../views.sql.ts';

export interface SizeCallbacks {
  isCancelled(): boolean;
  /** Progress in pages of the file. */
  onProgress(done: number, total: number): void;
}

/** Bytes or rows per run. */
type Weights = Map<number, number>;

interface PageShares {
  readonly part: SizePart;
  readonly by: Weights;
  /** The weights are bytes already. */
  readonly isBytes?: true;
}

/** Pages, or rollouts, between two checks for cancellation. */
const CHECK_EVERY = 256;
const ROLLOUTS_AT_ONCE = 20_000;

const RUNS = `SELECT n.run_id AS runId, n.run_key AS runKey, n.kind,
    ${runName('n')} AS name
  FROM run_row n ${configOf('n')} ORDER BY n.run_id`;
const STEPS = `SELECT run_id AS runId, sum(rollouts) AS rollouts, sum(group_count) AS groups, sum(turns) AS turns,
    sum(tool_calls) AS calls, sum(response_chars) AS chars, count(*) AS steps
  FROM step_row GROUP BY run_id`;
const COLUMNS = 'SELECT run_id AS id, sum(length(bytes) + 40) AS weight FROM step_column_row GROUP BY run_id';
const FILES = 'SELECT file_id AS id, sum(length(bytes) + 16) AS weight FROM text_block GROUP BY file_id';
const FILE_RUNS = 'SELECT file_id AS fileId, run_id AS runId FROM run_file_row ORDER BY file_id';
const CHARS_IN_FILE =
  'SELECT run_id AS id, sum(response_chars) AS weight FROM rollout_row WHERE file_id = ? GROUP BY run_id';
const TOKENIZERS = `SELECT n.run_id AS id, length(t.pieces) AS weight FROM tokenizer_row t JOIN run_row n USING (run_key)`;
const BTREES = 'SELECT name, tbl_name AS tableName FROM sqlite_schema WHERE rootpage > 0';
const WEIGHT_ROW = { id: number, weight: number };
const PAGES = 'SELECT pgsize FROM dbstat WHERE name = ?';

const TOKEN_BYTES = ['ends', 'ids', 'mask', 'entropy', 'logprob', 'trainer_logprob', 'advantage', 'top']
  .map((column) => `coalesce(length(t.${column}), 0)`)
  .join(' + ');
/** Tables with rows for some rollouts only; their rows are counted. */
const SPARSE: readonly (readonly [table: string, part: SizePart, weight: string])[] = [
  ['token_row', 'tokens', `sum(${TOKEN_BYTES} + 24)`],
  ['flag_row', 'rows', 'count(*)'],
  ['rerun_row', 'rows', 'count(*)'],
  ['timing_row', 'rows', 'count(*)'],
  ['join_key_row', 'rows', 'count(*)'],
  ['join_row', 'rows', 'count(*)'],
  ['pool_match_row', 'rows', 'count(*)'],
];

/** @returns undefined when cancelled */
export function librarySizes(db: ReadableLibrary, watch: SizeCallbacks): LibrarySizes | undefined {
  // A transaction, so that all queries see the same state of the library.
  return db.transaction(() => sizesNow(db, watch))();
}

function sizesNow(db: ReadableLibrary, watch: SizeCallbacks): LibrarySizes | undefined {
  const pragma = (name: string): number => Number(db.pragma(name, { simple: true }));
  const pageSize = pragma('page_size');
  const pages = pragma('page_count');
  const file = pages * pageSize;
  const free = pragma('freelist_count') * pageSize;
  // Pages that are only in the write-ahead log are already counted with the file.
  const wal = Math.max(0, (bytesOnDisk(db.name) ?? file) - file);
  const shares = sharesOf(db, watch);
  if (shares === undefined) return undefined;
  const counted = bytesByTable(db, watch, pages);
  if (counted === 'cancelled') return undefined;

  const of = new Map<number, Record<SizePart, number>>();
  for (const [table, { part, by, isBytes = false }] of shares) {
    const total = sum(by);
    const bytes = counted === undefined ? (isBytes ? total : 0) : (counted.get(table) ?? 0);
    if (total === 0) continue;
    for (const [runId, weight] of by) {
      const parts = of.get(runId) ?? { texts: 0, tokens: 0, search: 0, rows: 0, columns: 0 };
      parts[part] += Math.floor((bytes * weight) / total);
      of.set(runId, parts);
    }
  }
  const rollouts = stepSums(db).rollouts;
  const runs = query(db, RUNS, { runId: number, runKey: text, name: text, kind: oneOf(RUN_KINDS) })
    .all()
    .map(({ runId, ...run }): RunSize => {
      const parts = of.get(runId) ?? { texts: 0, tokens: 0, search: 0, rows: 0, columns: 0 };
      const bytes = Object.values(parts).reduce((all, one) => all + one, 0);
      return { ...run, rollouts: rollouts.get(runId) ?? 0, bytes, parts };
    })
    .sort((a, b) => b.bytes - a.bytes);
  const shared = file - free - runs.reduce((all, { bytes }) => all + bytes, 0);
  return { runs, shared, free, file, wal, method: counted === undefined ? 'lengths' : 'pages' };
}

/** The rows or bytes by which the pages of each table are divided. Unlisted tables belong to no single run. */
function sharesOf(db: ReadableLibrary, watch: SizeCallbacks): Map<string, PageShares> | undefined {
  const { rollouts, groups, turns, calls, chars, steps } = stepSums(db);
  const shares = new Map<string, PageShares>([
    ['text_block', { part: 'texts', by: textBytes(db), isBytes: true }],
    ['step_column_row', { part: 'columns', by: weightsOf(db, COLUMNS), isBytes: true }],
    ['rollout_row', { part: 'rows', by: rollouts }],
    ['group_row', { part: 'rows', by: groups }],
    ['step_row', { part: 'rows', by: steps }],
    // Segments are not counted by run. They are divided by turns, since all runs have about as many segments per turn.
    ['segment_row', { part: 'rows', by: turns }],
    ['turn_row', { part: 'rows', by: turns }],
    ['tool_call_row', { part: 'rows', by: calls }],
    ['tokenizer_row', { part: 'tokens', by: weightsOf(db, TOKENIZERS), isBytes: true }],
  ]);
  for (const suffix of ['', '_config', '_data', '_docsize', '_idx'])
    shares.set(`search_text${suffix}`, { part: 'search', by: chars });
  const last = queryValue(db, 'SELECT coalesce(max(rollout_id), 0) FROM rollout_row', number).get() ?? 0;
  for (const [table, part, weight] of SPARSE) {
    const by: Weights = new Map();
    const weights = query(
      db,
      `SELECT r.run_id AS id, ${weight} AS weight FROM ${table} t JOIN rollout_row r USING (rollout_id)
        WHERE t.rollout_id > ? AND t.rollout_id <= ? GROUP BY r.run_id`,
      WEIGHT_ROW,
    );
    for (let from = 0; from < last; from += ROLLOUTS_AT_ONCE) {
      if (watch.isCancelled()) return undefined;
      for (const { id, weight: more } of weights.all(from, from + ROLLOUTS_AT_ONCE))
        by.set(id, (by.get(id) ?? 0) + more);
    }
    shares.set(table, { part, by, ...(part === 'tokens' ? { isBytes: true as const } : {}) });
  }
  return shares;
}

function stepSums(db: ReadableLibrary) {
  const spec = { runId: number, rollouts: number, groups: number, turns: number, calls: number };
  const rows = query(db, STEPS, { ...spec, chars: number, steps: number }).all();
  const weights = (name: Exclude<keyof (typeof rows)[number], 'runId'>): Weights =>
    new Map(rows.map((row) => [row.runId, row[name]]));
  return {
    rollouts: weights('rollouts'),
    groups: weights('groups'),
    turns: weights('turns'),
    calls: weights('calls'),
    chars: weights('chars'),
    steps: weights('steps'),
  };
}

/** Blocks belong to files. A file with several runs is divided by the characters of their responses. */
function textBytes(db: ReadableLibrary): Weights {
  const runsOf = new Map<number, number[]>();
  for (const { fileId, runId } of query(db, FILE_RUNS, { fileId: number, runId: number }).all())
    runsOf.set(fileId, [...(runsOf.get(fileId) ?? []), runId]);
  const by: Weights = new Map();
  const add = (runId: number, bytes: number): void => void by.set(runId, (by.get(runId) ?? 0) + bytes);
  for (const [fileId, bytes] of weightsOf(db, FILES)) {
    const [only, ...others] = runsOf.get(fileId) ?? [];
    if (only !== undefined && others.length === 0) {
      add(only, bytes);
      continue;
    }
    const chars = weightsOf(db, CHARS_IN_FILE, fileId);
    const total = sum(chars);
    for (const [runId, count] of chars) add(runId, total === 0 ? 0 : (bytes * count) / total);
  }
  return by;
}

/** @returns undefined when SQLite was built without `dbstat` */
function bytesByTable(
  db: ReadableLibrary,
  watch: SizeCallbacks,
  pages: number,
): Map<string, number> | 'cancelled' | undefined {
  const built = db.pragma('compile_options') as { readonly compile_options: string }[];
  if (!built.some(({ compile_options: option }) => option === 'ENABLE_DBSTAT_VTAB')) return undefined;
  const bytes = new Map<string, number>();
  const statement = queryValue(db, PAGES, number);
  let done = 0;
  for (const { name, tableName } of query(db, BTREES, { name: text, tableName: text }).all()) {
    let size = 0;
    for (const pageSize of statement.iterate(name)) {
      size += pageSize;
      done += 1;
      if (done % CHECK_EVERY !== 0) continue;
      watch.onProgress(done, pages);
      if (watch.isCancelled()) return 'cancelled';
    }
    bytes.set(tableName, (bytes.get(tableName) ?? 0) + size);
  }
  return bytes;
}

function weightsOf(db: ReadableLibrary, sql: string, ...parameters: readonly number[]): Weights {
  const rows = query(db, sql, WEIGHT_ROW).all(...parameters);
  return new Map(rows.map(({ id, weight }) => [id, weight]));
}

function sum(weights: Weights): number {
  let total = 0;
  for (const weight of weights.values()) total += weight;
  return total;
}
