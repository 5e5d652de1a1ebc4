/** The columns of the runs used last, by step. A step that has changed is read again. */
import type { ReadableLibrary } from '../storage/open.ts';
import { annotationRevision } from '../storage/queries/annotations.ts';
import { type GroupFacts, groupFacts, stepRevisions } from '../storage/queries/columns.ts';
import { AnnotationFacts } from './annotationFacts.ts';
import { ColumnMemory } from './columnMemory.ts';
import { StepTable } from './stepTable.ts';

export interface RunTable {
  readonly runId: number;
  /** Without it everything stands at step 0, which is none. */
  readonly hasSteps: boolean;
  /** Another one whenever a step of the run has changed. */
  readonly state: string;
  /** In order of steps. */
  readonly steps: readonly StepTable[];
  /** By group id; read when first asked for. */
  groups(): ReadonlyMap<number, GroupFacts>;
  /** What has been said of rollouts, of whichever run. */
  annotations(): AnnotationFacts;
}

interface Kept {
  readonly steps: Map<number, StepTable>;
  /** Sum and number of revisions: changes whenever a step does. */
  state: string;
  groups: ReadonlyMap<number, GroupFacts> | undefined;
}

export class ColumnStore {
  private readonly db: ReadableLibrary;
  private readonly memory: ColumnMemory;
  /** The run used last is the last. */
  private readonly runs = new Map<number, Kept>();

  private said: AnnotationFacts | undefined;

  constructor(db: ReadableLibrary, memory: ColumnMemory = new ColumnMemory()) {
    this.db = db;
    this.memory = memory;
  }

  /** As it is in the library now. */
  annotations(): AnnotationFacts {
    const revision = annotationRevision(this.db);
    if (this.said?.revision !== revision) this.said = new AnnotationFacts(this.db, revision);
    return this.said;
  }

  /** The run as it stands in the library now; without rollouts, no steps. */
  run(runId: number): RunTable {
    const kept = this.runs.get(runId) ?? {
      steps: new Map<number, StepTable>(),
      state: '',
      groups: undefined,
    };
    this.runs.delete(runId);
    this.runs.set(runId, kept);
    const revisions = stepRevisions(this.db, runId);
    const state = revisions.map(({ step, revision }) => `${step}:${revision}`).join(' ');
    if (state !== kept.state) {
      kept.groups = undefined;
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
        kept.groups ??= new Map(groupFacts(this.db, runId).map((facts) => [facts.groupId, facts]));
        return kept.groups;
      },
      annotations: () => this.annotations(),
    };
  }

  /** Drops the runs used longest ago until the process is within its limit. Call when the thread is idle. */
  makeRoom(wanted?: number): void {
    let bytes = 0;
    for (const { steps } of this.runs.values()) for (const table of steps.values()) bytes += table.weight;
    this.memory.holds(bytes);
    for (const [runId, { steps }] of this.runs) {
      if (!this.memory.isOverLimit()) return;
      if (runId === wanted) continue;
      for (const table of steps.values()) bytes -= table.weight;
      this.runs.delete(runId);
      this.memory.holds(bytes);
    }
    if (wanted !== undefined && this.memory.isOverLimit()) this.memory.askOthers();
  }
}
