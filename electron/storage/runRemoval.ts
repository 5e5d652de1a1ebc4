/** Removes a run from a library, or moves it into a new library. Log files are never changed. */

import { DUPLICATE_FILE } from '../../shared/domain/model.ts';
import { isStepIn } from '../../shared/format/layout.ts';
import { removeAnnotationsOf } from './annotationRemoval.ts';
import type { IngestStatements } from './ingestWrites.ts';
import { shrink, usedBytes } from './libraryFile.ts';
import type { WritableLibrary } from './open.ts';
import { copyRun, discardCopy, type MoveCallbacks, moveRefusal } from './runMove.ts';
import type { RunRegistry } from './runRegistry.ts';
import type { RunRules } from './runRules.ts';
import { sweepIndex } from './searchIndex.ts';

export interface Removal {
  readonly rollouts: number;
  /** Number of files that were forgotten. They are read again when opened again. */
  readonly files: number;
}

/** Rows keyed by a rollout. */
const BELOW = [
  'segment_row',
  'turn_row',
  'tool_call_row',
  'rerun_row',
  'flag_row',
  'timing_row',
  'token_row',
  'join_key_row',
  'join_row',
  'pool_match_row',
  // Annotations are kept. They are placed again when their rollouts return.
  'annotated_place_row',
];

/** Must run inside a transaction. */
function removeRunRows(db: WritableLibrary, runId: number): Removal {
  const run = (statement: string): number => db.prepare(statement).run({ runId }).changes;
  db.exec(
    'CREATE TEMP TABLE IF NOT EXISTS removed_file (file_id INTEGER PRIMARY KEY); DELETE FROM removed_file;',
  );
  // Files with rollouts of other runs are kept, because their data belongs to those runs too.
  run(`INSERT INTO removed_file
    SELECT file_id FROM run_file_row WHERE run_id = :runId
      AND file_id NOT IN (SELECT file_id FROM run_file_row WHERE run_id <> :runId)
    UNION
    SELECT j.file_id FROM join_row j JOIN rollout_row r USING (rollout_id) WHERE r.run_id = :runId
      AND j.file_id NOT IN (SELECT file_id FROM run_file_row WHERE run_id <> :runId)`);
  // Files that were not read because they have the content of a removed one: it is no longer in the library.
  db.exec(`INSERT OR IGNORE INTO removed_file
    SELECT same.file_id FROM removed_file JOIN file_row f USING (file_id)
      JOIN file_row same ON same.head_hash = f.head_hash AND same.bytes = f.bytes
      JOIN issue_row i ON i.file_id = same.file_id AND i.code = '${DUPLICATE_FILE}'`);
  // Kept files are read from the start if they are opened again, so that this run can come back.
  run(`UPDATE file_row SET status = 'partial', offset_bytes = 0 WHERE status = 'read'
    AND file_id IN (SELECT file_id FROM run_file_row WHERE run_id = :runId)
    AND file_id NOT IN (SELECT file_id FROM removed_file)`);
  for (const table of BELOW) {
    run(
      `DELETE FROM ${table} WHERE rollout_id IN (SELECT rollout_id FROM rollout_row WHERE run_id = :runId)`,
    );
  }
  const rollouts = run('DELETE FROM rollout_row WHERE run_id = :runId');
  db.exec('UPDATE annotation_state_row SET searched_to = 0, revision = revision + 1');
  run('UPDATE step_revision_row SET revision = revision + 1 WHERE run_id = :runId');
  for (const table of [
    'group_row',
    'step_row',
    'step_column_row',
    'run_file_row',
    'selection_row',
    'metric_run_row',
  ]) {
    run(`DELETE FROM ${table} WHERE run_id = :runId`);
  }
  // Lines about the run as a whole are deleted with its last split.
  for (const table of ['run_config_row', 'stage_row', 'metric_row']) {
    run(`DELETE FROM ${table} WHERE logged_id = (SELECT scope FROM run_row WHERE run_id = :runId)
      AND NOT EXISTS (SELECT 1 FROM run_row o JOIN run_row n ON n.run_id = :runId
        WHERE o.scope = n.scope AND o.run_id <> :runId)`);
  }
  forgetUnreadSteps(db, runId);
  run('DELETE FROM run_row WHERE run_id = :runId');
  for (const table of ['issue_row', 'pending_row', 'stage_row', 'metric_row', 'selection_row', 'join_row']) {
    db.exec(`DELETE FROM ${table} WHERE file_id IN (SELECT file_id FROM removed_file)`);
  }
  db.exec(`DELETE FROM unread_row
    WHERE path IN (SELECT path FROM file_row WHERE file_id IN (SELECT file_id FROM removed_file))`);
  db.exec('DELETE FROM text_block WHERE block_id NOT IN (SELECT block_id FROM rollout_row)');
  const { changes: files } = db
    .prepare('DELETE FROM file_row WHERE file_id IN (SELECT file_id FROM removed_file)')
    .run();
  db.exec(`
    DELETE FROM problem_row WHERE problem_no NOT IN (SELECT problem_no FROM group_row)
      AND problem_no NOT IN (SELECT read_problem FROM rollout_row WHERE read_problem IS NOT NULL);
    DELETE FROM prompt_segment_row WHERE prompt_id NOT IN (SELECT prompt_id FROM problem_row);
    DELETE FROM prompt_row WHERE prompt_id NOT IN (SELECT prompt_id FROM problem_row);
    DELETE FROM prompt_block WHERE block_id NOT IN (SELECT block_id FROM prompt_row);`);
  sweepIndex(db);
  return { rollouts, files };
}

/** Deletes the run's files that a cancelled job had not begun. Otherwise the page would offer to continue them. */
function forgetUnreadSteps(db: WritableLibrary, runId: number): void {
  const directory = db
    .prepare<[number], string>('SELECT directory FROM run_row WHERE run_id = ?')
    .pluck()
    .get(runId);
  const paths = db
    .prepare<[], string>('SELECT path FROM unread_row WHERE path NOT IN (SELECT path FROM file_row)')
    .pluck()
    .all();
  const forget = db.prepare<[string]>('DELETE FROM unread_row WHERE path = ?');
  for (const path of paths) if (directory !== undefined && isStepIn(directory, path)) forget.run(path);
}

interface RemovalServices {
  readonly db: WritableLibrary;
  readonly sql: IngestStatements;
  readonly runs: RunRegistry;
  readonly rules: RunRules;
  readonly transaction: (work: () => void) => void;
}

interface MovedRun {
  readonly path: string;
  readonly rollouts: number;
  readonly rows: number;
  readonly bytes: number;
  readonly freed: number;
}

export class RunRemoval {
  private readonly services: RemovalServices;

  constructor(services: RemovalServices) {
    this.services = services;
  }

  /** @returns undefined when there is no such run */
  remove(runKey: string): (Removal & { readonly bytes: number; readonly runId: number }) | undefined {
    const { db, transaction } = this.services;
    const runId = this.runIdOf(runKey);
    if (runId === undefined) return undefined;
    const before = usedBytes(db);
    let removal: Removal = { rollouts: 0, files: 0 };
    transaction(() => {
      removal = this.removeRows(runId, runKey);
    });
    this.vacuum();
    return { ...removal, bytes: Math.max(0, before - usedBytes(db)), runId };
  }

  /**
   * If the process is killed, the run is in this library, in the new one, or for a short time in both. It
   * is never lost.
   *
   * @throws CopyDiffersError, SqliteError (disk full); the run is still here
   */
  move(
    runKey: string,
    path: string,
    watch: MoveCallbacks,
  ):
    | { readonly moved: MovedRun; readonly runId: number }
    | { readonly refusal: string }
    | 'cancelled'
    | 'missing' {
    const { db, transaction } = this.services;
    const runId = this.runIdOf(runKey);
    if (runId === undefined) return 'missing';
    const refusal = moveRefusal(db, { runId, runKey }, path);
    if (refusal !== undefined) return { refusal };
    const before = usedBytes(db);
    let moved: MovedRun | undefined;
    // One transaction covers copy and removal, so that no other process writes in between.
    try {
      transaction(() => {
        const copy = copyRun(db, { runId, runKey }, path, watch);
        if (copy === undefined) return;
        moved = { path, freed: 0, ...copy };
        removeAnnotationsOf(db, { runId, runKey });
        this.removeRows(runId, runKey);
      });
    } catch (error) {
      // Nothing was committed. Delete the copy, because it would block the next attempt.
      if (moved !== undefined) discardCopy(path);
      throw error;
    }
    if (moved === undefined) return 'cancelled';
    this.vacuum();
    return { moved: { ...moved, freed: Math.max(0, before - usedBytes(db)) }, runId };
  }

  private runIdOf(runKey: string): number | undefined {
    return this.services.sql.runByKey.get(runKey)?.runId;
  }

  private removeRows(runId: number, runKey: string): Removal {
    this.services.rules.forgetRun(runKey);
    return removeRunRows(this.services.db, runId);
  }

  private vacuum(): void {
    this.services.runs.forget();
    shrink(this.services.db);
  }
}
