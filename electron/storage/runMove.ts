/**
 * Copies a run with everything that belongs to it into a new library file. Ids do not change, because the
 * new library is empty. The full-text index is not copied; the new library builds its own.
 *
 *   source ── rows by run, by rollout, by file ──► FILE.partial ── counted and compared ──► FILE
 */
import { createHash } from 'node:crypto';
import { closeSync, existsSync, fsyncSync, openSync, rmSync, statSync } from 'node:fs';
import { dirname, sep } from 'node:path';
import { ApiError } from '../../shared/api/errors.ts';
import { annotatedOfRun } from './annotationRemoval.ts';
import { bytesOnDisk } from './bytesOnDisk.ts';
import { openWriter, type WritableLibrary } from './open.ts';
import { number, queryValue, text } from './rows.ts';
import { storageFailure } from './storageFailure.ts';
import { createUnfinished, finishFile, refuseExisting, unfinishedPath } from './unfinished.ts';

export interface MoveCallbacks {
  isCancelled(): boolean;
  /** Progress in rollouts. Each counts twice: once copied, once compared. */
  onProgress(done: number, total: number): void;
}

export interface RunCopy {
  readonly rollouts: number;
  /** Rows whose keys were compared on both sides. */
  readonly rows: number;
  readonly bytes: number;
}

/** The copy differs from the source. */
class CopyDiffersError extends Error {
  constructor(table: string) {
    super(`the copy of ${table} differs from its source; nothing was removed`);
    this.name = 'CopyDiffersError';
  }
}

interface RunIdentity {
  readonly runId: number;
  readonly runKey: string;
}

/** Metrics files that name no run. */
const OF_METRICS = 'SELECT logged_id FROM source.metric_run_row WHERE run_id = :runId';
const OF_FILES = 'file_id IN (SELECT file_id FROM temp.moved_file)';
const OF_PROBLEMS = 'problem_no IN (SELECT problem_no FROM temp.moved_problem)';
const OF_PROMPTS = `prompt_id IN (SELECT prompt_id FROM source.problem_row WHERE ${OF_PROBLEMS})`;
const OF_ANNOTATED = 'annotated_no IN (SELECT annotated_no FROM temp.moved_annotated)';
const ABOVE_FILES = (
  column: string,
): string => `EXISTS (SELECT 1 FROM temp.moved_file f WHERE f.path = ${column}
  OR substr(f.path, 1, length(rtrim(${column}, :sep)) + 1) = rtrim(${column}, :sep) || :sep)`;

/** For each table, selects the rows of the source that belong to the run. */
const BELONGING: Readonly<Record<string, string>> = {
  run_row: 'run_id = :runId',
  run_file_row: 'run_id = :runId',
  group_row: 'run_id = :runId',
  step_row: 'run_id = :runId',
  step_revision_row: 'run_id = :runId',
  step_column_row: 'run_id = :runId',
  selection_row: 'run_id = :runId',
  join_key_row: 'run_id = :runId',
  run_config_row: 'logged_id = :scope',
  stage_row: 'logged_id = :scope',
  metric_row: `logged_id = :scope OR logged_id IN (${OF_METRICS})`,
  metric_run_row: 'run_id = :runId',
  group_rule_row: 'run_key = :runKey',
  tokenizer_row: 'run_key = :runKey',
  file_row: OF_FILES,
  issue_row: OF_FILES,
  pending_row: OF_FILES,
  problem_row: OF_PROBLEMS,
  prompt_row: OF_PROMPTS,
  prompt_block: `block_id IN (SELECT block_id FROM source.prompt_row WHERE ${OF_PROMPTS})`,
  prompt_segment_row: OF_PROMPTS,
  run_name_row: ABOVE_FILES('directory'),
  // Files that are read later may need a mapping.
  mapping_row: 'true',
  // Annotations move with their rollouts, and the taxonomy moves with them.
  annotated_row: OF_ANNOTATED,
  annotated_place_row: OF_ANNOTATED,
  reading_row: OF_ANNOTATED,
  annotation_row: OF_ANNOTATED,
  annotation_place_row: `annotation_no IN (SELECT annotation_no FROM source.annotation_row WHERE ${OF_ANNOTATED})`,
  annotation_conflict_row: `annotation_id IN (SELECT annotation_id FROM source.annotation_row WHERE ${OF_ANNOTATED})`,
  taxonomy_row: 'true',
  label_row: 'true',
};
const BY_ROLLOUT = [
  'rollout_row',
  'segment_row',
  'turn_row',
  'tool_call_row',
  'rerun_row',
  'flag_row',
  'timing_row',
  'token_row',
  'join_row',
] as const;
const BY_BLOCK = ['text_block'] as const;

/**
 * Tables that move with a run, and tables that do not. Every table of a library must be in one of the two lists.
 */
export const COPIED_TABLES: readonly string[] = [...Object.keys(BELONGING), ...BY_ROLLOUT, ...BY_BLOCK];
export const LEFT_TABLES: readonly string[] = [
  'saved_view_row',
  'saved_query_row',
  'known_library_row',
  // Reading is continued in the library where it began.
  'unread_row',
  // A joined run cannot be moved.
  'pool_join_row',
  'pool_match_row',
  // The new library rebuilds these.
  'search_state_row',
  'annotation_state_row',
  // An undo step may involve several runs.
  'annotation_history_row',
];

/** Columns that identify a row, for tables without a sufficient primary key. */
const KEYS: Readonly<Record<string, readonly string[]>> = {
  rollout_row: ['rollout_id', 'step', 'group_id', 'ordinal', 'content_hash'],
  step_column_row: ['run_id', 'step', 'name', 'revision'],
};

const ROLLOUTS_AT_ONCE = 2_000;
const BLOCKS_AT_ONCE = 64;
/** Rows hashed between two checks for cancellation. */
const CHECK_EVERY = 5_000;

/** @returns the reason why the run cannot be moved there; undefined when it can */
export function moveRefusal(db: WritableLibrary, { runKey }: RunIdentity, path: string): string | undefined {
  const sql = 'SELECT count(*) FROM pool_join_row WHERE pool_key = :runKey OR kept_key = :runKey';
  const joined = queryValue(db, sql, number).get({ runKey });
  if (joined !== 0) {
    return 'the run is part of a pool join; remove the join first';
  }
  if (existsSync(path)) return `${path} already exists`;
  if (statSync(dirname(path), { throwIfNoEntry: false })?.isDirectory() !== true) {
    return `there is no directory ${dirname(path)}`;
  }
  return undefined;
}

/**
 * Copies the run and leaves the source unchanged. Must run inside a transaction that excludes other
 * writers.
 *
 * @throws CopyDiffersError, ApiError (disk full), SqliteError, after deleting the unfinished copy
 * @returns undefined when cancelled
 */
export function copyRun(
  db: WritableLibrary,
  run: RunIdentity,
  path: string,
  watch: MoveCallbacks,
): RunCopy | undefined {
  const partial = unfinishedPath(path);
  let isOurs = false;
  let isWhole = false;
  try {
    createUnfinished(partial, () => {
      // Files of SQLite beside it would become part of the copy.
      if (!existsSync(partial)) for (const suffix of ['-wal', '-shm']) refuseExisting(partial + suffix);
      closeSync(openSync(partial, 'wx', 0o600));
    });
    isOurs = true;
    const copied = copyInto(partial, db.name, run, watch);
    if (copied === undefined) return undefined;
    // The copy must be on disk before the removal that follows.
    syncToDisk(partial);
    finishFile(partial, path);
    syncToDisk(dirname(path));
    isWhole = true;
    return { ...copied, bytes: bytesOnDisk(path) ?? 0 };
  } catch (error) {
    const failure = storageFailure(error, db.name, path);
    throw failure === undefined ? error : new ApiError(failure);
  } finally {
    if (isOurs && !isWhole) removeLibrary(partial);
  }
}

/** Deletes a copy whose run could not be removed from the source. */
export function discardCopy(path: string): void {
  removeLibrary(path);
}

function copyInto(
  partial: string,
  sourcePath: string,
  run: RunIdentity,
  watch: MoveCallbacks,
): { readonly rollouts: number; readonly rows: number } | undefined {
  const target = openWriter(partial);
  try {
    // No sync is needed until the file is renamed, because nothing reads it. After a power failure it is copied again.
    target.pragma('synchronous = OFF');
    // No statement here writes to the source.
    target.prepare('ATTACH ? AS source').run(sourcePath);
    const mover = new Mover(target, run, watch);
    if (!mover.copy() || !mover.compare()) return undefined;
    // Closing the database ignores a full disk and would leave part of the copy in the write-ahead log.
    target.pragma('main.wal_checkpoint(TRUNCATE)');
    return { rollouts: mover.rollouts, rows: mover.rows };
  } finally {
    target.close();
  }
}

class Mover {
  private readonly db: WritableLibrary;
  private readonly values: Readonly<Record<string, string | number>>;
  private readonly watch: MoveCallbacks;
  readonly rollouts: number;
  rows = 0;
  private done = 0;

  constructor(db: WritableLibrary, { runId, runKey }: RunIdentity, watch: MoveCallbacks) {
    this.db = db;
    this.watch = watch;
    const scope = queryValue(db, 'SELECT scope FROM source.run_row WHERE run_id = ?', text).get(runId) ?? '';
    this.values = { runId, runKey, sep, scope };
    db.exec(`
      CREATE TEMP TABLE moved_rollout (at INTEGER PRIMARY KEY, rollout_id INTEGER NOT NULL UNIQUE);
      CREATE TEMP TABLE moved_block (at INTEGER PRIMARY KEY, block_id INTEGER NOT NULL UNIQUE);
      CREATE TEMP TABLE moved_problem (problem_no INTEGER PRIMARY KEY);
      CREATE TEMP TABLE moved_annotated (annotated_no INTEGER PRIMARY KEY);
      CREATE TEMP TABLE moved_file (file_id INTEGER PRIMARY KEY, path TEXT NOT NULL);`);
    this.run(`INSERT INTO moved_rollout (rollout_id)
      SELECT rollout_id FROM source.rollout_row WHERE run_id = :runId ORDER BY rollout_id`);
    const mine = 'rollout_id IN (SELECT rollout_id FROM temp.moved_rollout)';
    this.run(`INSERT INTO moved_block (block_id) SELECT DISTINCT block_id FROM source.rollout_row
      WHERE ${mine} ORDER BY block_id`);
    this.run(`INSERT INTO moved_annotated ${annotatedOfRun('source')}`);
    this.run(`INSERT INTO moved_problem
      SELECT problem_no FROM source.group_row WHERE run_id = :runId
      UNION SELECT read_problem FROM source.rollout_row WHERE ${mine} AND read_problem IS NOT NULL`);
    this.run(`INSERT INTO moved_file SELECT file_id, path FROM source.file_row WHERE file_id IN (
      SELECT file_id FROM source.run_file_row WHERE run_id = :runId
      UNION SELECT file_id FROM source.rollout_row WHERE ${mine}
      UNION SELECT decision_file_id FROM source.rollout_row WHERE ${mine}
      UNION SELECT file_id FROM source.join_row WHERE ${mine}
      UNION SELECT signal_file_id FROM source.token_row WHERE ${mine}
      UNION SELECT file_id FROM source.selection_row WHERE run_id = :runId
      UNION SELECT file_id FROM source.stage_row WHERE logged_id = :scope
      UNION SELECT file_id FROM source.metric_row WHERE logged_id = :scope OR logged_id IN (${OF_METRICS}))`);
    this.rollouts = queryValue(db, 'SELECT count(*) FROM moved_rollout', number).get() ?? 0;
  }

  /** @returns false when cancelled */
  copy(): boolean {
    this.db.transaction(() => {
      for (const [table, belongs] of Object.entries(BELONGING)) {
        // A new library contains some default rows.
        this.db.exec(`DELETE FROM main.${table}`);
        this.run(this.insertion(table, belongs));
      }
    })();
    return (
      this.inPieces(BY_BLOCK, 'block', BLOCKS_AT_ONCE) &&
      this.inPieces(BY_ROLLOUT, 'rollout', ROLLOUTS_AT_ONCE, (rollouts) => this.advance(rollouts))
    );
  }

  /**
   * @throws CopyDiffersError
   * @returns false when cancelled
   */
  compare(): boolean {
    const tables: Record<string, string> = { ...BELONGING };
    for (const table of BY_ROLLOUT)
      tables[table] = 'rollout_id IN (SELECT rollout_id FROM temp.moved_rollout)';
    for (const table of BY_BLOCK) tables[table] = 'block_id IN (SELECT block_id FROM temp.moved_block)';
    const before = this.done;
    for (const [i, [table, belongs]] of Object.entries(tables).entries()) {
      const there = this.checksum('source', table, belongs);
      const here = there && this.checksum('main', table, 'true');
      if (here === undefined || there === undefined) return false;
      if (here.rows !== there.rows || here.hash !== there.hash) throw new CopyDiffersError(table);
      this.rows += here.rows;
      this.done = before + Math.floor((this.rollouts * (i + 1)) / Object.keys(tables).length);
      this.watch.onProgress(this.done, 2 * this.rollouts);
    }
    return true;
  }

  private inPieces(
    tables: readonly string[],
    what: 'block' | 'rollout',
    size: number,
    onPiece: (count: number) => void = () => undefined,
  ): boolean {
    const count = queryValue(this.db, `SELECT count(*) FROM moved_${what}`, number).get() ?? 0;
    const piece = `${what}_id IN (SELECT ${what}_id FROM temp.moved_${what} WHERE at > :from AND at <= :to)`;
    const statements = tables.map((table) => this.db.prepare(this.insertion(table, piece)));
    for (let from = 0; from < count; from += size) {
      if (this.watch.isCancelled()) return false;
      const to = Math.min(count, from + size);
      this.db.transaction(() => {
        for (const statement of statements) statement.run({ from, to });
      })();
      onPiece(to - from);
    }
    return true;
  }

  /** Names the columns, because a migrated library has them in another order than a new one. */
  private insertion(table: string, belongs: string): string {
    const columns = this.columnsOf(table)
      .map(({ name }) => `"${name}"`)
      .join(', ');
    return `INSERT INTO main.${table} (${columns}) SELECT ${columns} FROM source.${table} WHERE ${belongs}`;
  }

  private checksum(
    side: 'main' | 'source',
    table: string,
    belongs: string,
  ): { readonly rows: number; readonly hash: string } | undefined {
    const keys = (KEYS[table] ?? this.keyOf(table)).map((name) => `"${name}"`).join(', ');
    const hash = createHash('sha256');
    const select = `SELECT ${keys} FROM ${side}.${table} WHERE ${belongs} ORDER BY ${keys}`;
    let rows = 0;
    for (const row of this.db.prepare(select).raw().iterate(this.valuesIn(belongs))) {
      hash.update(JSON.stringify(row));
      rows += 1;
      if (rows % CHECK_EVERY === 0 && this.watch.isCancelled()) return undefined;
    }
    return { rows, hash: hash.digest('hex') };
  }

  private keyOf(table: string): readonly string[] {
    return this.columnsOf(table)
      .filter(({ pk }) => pk > 0)
      .sort((a, b) => a.pk - b.pk)
      .map(({ name }) => name);
  }

  private columnsOf(table: string): readonly { readonly name: string; readonly pk: number }[] {
    return this.db.pragma(`main.table_info(${table})`) as { name: string; pk: number }[];
  }

  private run(statement: string): void {
    this.db.prepare(statement).run(this.valuesIn(statement));
  }

  /** The values for parameters that occur in the statement. */
  private valuesIn(statement: string): Readonly<Record<string, string | number>> {
    return Object.fromEntries(Object.entries(this.values).filter(([name]) => statement.includes(`:${name}`)));
  }

  private advance(rollouts: number): void {
    this.done += rollouts;
    this.watch.onProgress(this.done, 2 * this.rollouts);
  }
}

function removeLibrary(path: string): void {
  for (const suffix of ['', '-wal', '-shm']) rmSync(path + suffix, { force: true });
}

function syncToDisk(path: string): void {
  const isDirectory = statSync(path).isDirectory();
  // Windows cannot open a directory to sync it.
  if (isDirectory && process.platform === 'win32') return;
  const file = openSync(path, isDirectory ? 'r' : 'r+');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
