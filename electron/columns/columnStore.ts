/** Caches the columns of recently used runs, by step. A changed step is loaded again. */
import type { ReadableLibrary } from '../storage/open.ts';
import { annotationRevision } from '../storage/queries/annotations.ts';
import { type GroupFacts, groupFacts, stepRevisions } from '../storage/queries/columns.ts';
import { AnnotationFacts } from './annotationFacts.ts';
import { bytesOfTexts, ColumnMemory, OBJECT_BYTES } from './columnMemory.ts';
import { StepTable } from './stepTable.ts';

export interface RunTable {
  readonly runId: number;
  /** Without steps, everything is at step 0. */
  readonly hasSteps: boolean;
  /** Changes whenever a step of the run changes. */
  readonly state: string;
  /** In step order. */
  readonly steps: readonly StepTable[];
  /** By group id, loaded on demand. */
  groups(): ReadonlyMap<number, GroupFacts>;
  /** Annotations of rollouts of all runs. */
  annotations(): AnnotationFacts;
}

interface CachedRun {
  readonly steps: Map<number, StepTable>;
  /** Sum and number of revisions, which change with any step. */
  state: string;
  groups: ReadonlyMap<number, GroupFacts> | undefined;
  groupBytes: number;
}

export class ColumnStore {
  private readonly db: ReadableLibrary;
  private readonly memory: ColumnMemory;
  /** In order of use; the most recent run is last. */
  private readonly runs = new Map<number, CachedRun>();

  private annotationFacts: AnnotationFacts | undefined;

  constructor(db: ReadableLibrary, memory: ColumnMemory = new ColumnMemory()) {
    this.db = db;
    this.memory = memory;
  }

  /** The current annotations. */
  annotations(): AnnotationFacts {
    const revision = annotationRevision(this.db);
    if (this.annotationFacts?.revision !== revision)
      this.annotationFacts = new AnnotationFacts(this.db, revision);
    return this.annotationFacts;
  }

  /**
   * Runs `work` in one transaction, so that its result reflects one state of the library. Then makes room,
   * because `work` may have loaded columns.
   */
  transaction<T>(work: () => T): T {
    try {
      return this.db.transaction(work)();
    } finally {
      this.makeRoom([...this.runs.keys()].at(-1));
    }
  }

  /** The current state of the run. It has no steps if it has no rollouts. */
  run(runId: number): RunTable {
    const kept = this.runs.get(runId) ?? {
      steps: new Map<number, StepTable>(),
      state: '',
      groups: undefined,
      groupBytes: 0,
    };
    this.runs.delete(runId);
    this.runs.set(runId, kept);
    const revisions = stepRevisions(this.db, runId);
    const state = revisions.map(({ step, revision }) => `${step}:${revision}`).join(' ');
    if (state !== kept.state) {
      kept.groups = undefined;
      kept.groupBytes = 0;
      const known = new Set(revisions.map(({ step }) => step));
      for (const step of kept.steps.keys()) if (!known.has(step)) kept.steps.delete(step);
      kept.state = state;
    }
    const steps = revisions.map(({ step, revision }) => {
      const table = kept.steps.get(step);
      if (table?.revision === revision) return table;
      const fresh = new StepTable(this.db, { runId, step, revision });
      kept.steps.set(step, fresh);
      return fresh;
    });
    this.makeRoom(runId);
    return {
      runId,
      state,
      hasSteps: revisions.every(({ hasSteps }) => hasSteps === 1),
      steps,
      groups: () => {
        if (kept.groups === undefined) {
          const groups = groupFacts(this.db, runId);
          kept.groups = new Map(groups.map((facts) => [facts.groupId, facts]));
          kept.groupBytes = bytesOfGroups(groups);
        }
        return kept.groups;
      },
      annotations: () => this.annotations(),
    };
  }

  /**
   * Drops the least recently used runs until the process is within its limit. Call when the thread is idle.
   *
   * @param wanted a run to keep; other threads are asked if the process is still above its limit
   */
  makeRoom(wanted?: number): void {
    let bytes = 0;
    for (const run of this.runs.values()) bytes += weightOf(run);
    this.memory.holds(bytes);
    for (const [runId, run] of this.runs) {
      if (!this.memory.isOverLimit()) return;
      if (runId === wanted) continue;
      bytes -= weightOf(run);
      this.runs.delete(runId);
      this.memory.holds(bytes);
    }
    if (wanted !== undefined && this.memory.isOverLimit()) this.memory.askOthers();
  }
}

/** Bytes in memory. */
function weightOf({ steps, groupBytes }: CachedRun): number {
  let bytes = groupBytes;
  for (const table of steps.values()) bytes += table.weight;
  return bytes;
}

function bytesOfGroups(groups: readonly GroupFacts[]): number {
  let bytes = groups.length * OBJECT_BYTES;
  for (const { groupKey, problemId, groundTruth, source, problemKey } of groups)
    bytes += bytesOfTexts([groupKey, problemId, groundTruth ?? '', source ?? '', problemKey]);
  return bytes;
}
