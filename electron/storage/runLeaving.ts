/** A run leaves a library: it is removed, or moved into a library of its own. The logs themselves are never touched. */
import { removeAnnotationsOf } from './annotationLeaving.ts';
import type { IngestStatements } from './ingestWrites.ts';
import { shrink, usedBytes } from './libraryFile.ts';
import type { WritableLibrary } from './open.ts';
import { copyRun, type MoveWatch, moveRefusal } from './runMove.ts';
import type { RunRegistry } from './runRegistry.ts';
import { type Removal, removeRunRows } from './runRemoval.ts';
import type { RunRules } from './runRules.ts';

export interface LeavingServices {
  readonly db: WritableLibrary;
  readonly sql: IngestStatements;
  readonly runs: RunRegistry;
  readonly rules: RunRules;
  readonly transaction: (work: () => void) => void;
}

export interface MovedRun {
  readonly path: string;
  readonly rollouts: number;
  readonly rows: number;
  readonly bytes: number;
  readonly freed: number;
}

export class RunLeaving {
  private readonly services: LeavingServices;

  constructor(services: LeavingServices) {
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
    this.afterwards();
    return { ...removal, bytes: Math.max(0, before - usedBytes(db)), runId };
  }

  /**
   * Killed at any moment, the run is here, or there, or, for the moment between the two, in both; never in neither.
   *
   * @throws CopyDiffersError, SqliteError (disk full): the run is still here
   */
  move(
    runKey: string,
    path: string,
    watch: MoveWatch,
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
    // Other writers are kept out from the first row that is read to the last that is removed.
    transaction(() => {
      const copy = copyRun(db, { runId, runKey }, path, watch);
      if (copy === undefined) return;
      removeAnnotationsOf(db, { runId, runKey });
      this.removeRows(runId, runKey);
      moved = { path, freed: 0, ...copy };
    });
    if (moved === undefined) return 'cancelled';
    this.afterwards();
    return { moved: { ...moved, freed: Math.max(0, before - usedBytes(db)) }, runId };
  }

  private runIdOf(runKey: string): number | undefined {
    return this.services.sql.runByKey.get(runKey)?.runId;
  }

  private removeRows(runId: number, runKey: string): Removal {
    this.services.rules.forgetRun(runKey);
    return removeRunRows(this.services.db, runId);
  }

  private afterwards(): void {
    this.services.runs.forget();
    shrink(this.services.db);
  }
}
