/** Caches the columns of recently used runs, by step. A changed step is loaded again. */
import type { ReadableLibrary } from '../storage/open.ts';
import { annotationRevision } from '../storage/queries/annotations.ts';
import {
  type GroupFacts,
  groupFacts,
  SMALL_STEP,
  type StepRevision,
  stepRevisions,
} from '../storage/queries/columns.ts';
import { AnnotationFacts } from './annotationFacts.ts';
import { bytesOfTexts, ColumnMemory, OBJECT_BYTES } from './columnMemory.ts';
import { StepTable, StepTableBlock } from './stepTable.ts';

/** Rollouts of a block of small steps. A change of one step computes all of its block again. */
const BLOCK_ROLLOUTS = 4096;

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
    const steps = partitions(revisions).flatMap((part) => this.tablesOf(runId, kept.steps, part));
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

  /** The tables of a large step, or of a block of small ones. */
  private tablesOf(
    runId: number,
    known: Map<number, StepTable>,
    part: readonly StepRevision[],
  ): readonly StepTable[] {
    const from = part[0]?.step ?? 0;
    const to = part.at(-1)?.step ?? 0;
    const isSmall = isSmallStep(part[0]);
    const tables = part.map(({ step, revision }) => {
      const table = known.get(step);
      return table?.revision === revision ? table : undefined;
    });
    const block = tables[0]?.block;
    const isKept = isSmall
      ? block?.covers(from, to) === true && tables.every((table) => table?.block === block)
      : tables[0] !== undefined && block === undefined;
    if (isKept) return tables.filter((table) => table !== undefined);
    const fresh = isSmall ? new StepTableBlock(this.db, runId, { from, to }) : undefined;
    return part.map(({ step, revision }) => {
      const table = new StepTable(this.db, { runId, step, revision }, fresh);
      known.set(step, table);
      return table;
    });
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
  const blocks = new Set<StepTableBlock>();
  for (const table of steps.values()) {
    bytes += table.weight;
    if (table.block !== undefined) blocks.add(table.block);
  }
  for (const block of blocks) bytes += block.weight;
  return bytes;
}

const isSmallStep = (step: StepRevision | undefined): boolean =>
  step !== undefined && step.rollouts < SMALL_STEP;

/** Each large step alone, and small steps that follow each other in blocks. */
function partitions(steps: readonly StepRevision[]): readonly (readonly StepRevision[])[] {
  const parts: StepRevision[][] = [];
  let open: StepRevision[] | undefined;
  let rollouts = 0;
  for (const step of steps) {
    const isSmall = isSmallStep(step);
    if (open === undefined || !isSmall || rollouts + step.rollouts > BLOCK_ROLLOUTS) {
      open = [];
      rollouts = 0;
      parts.push(open);
    }
    open.push(step);
    rollouts += step.rollouts;
    if (!isSmall) open = undefined;
  }
  return parts;
}

function bytesOfGroups(groups: readonly GroupFacts[]): number {
  let bytes = groups.length * OBJECT_BYTES;
  for (const { groupKey, problemId, groundTruth, source, problemKey } of groups)
    bytes += bytesOfTexts([groupKey, problemId, groundTruth ?? '', source ?? '', problemKey]);
  return bytes;
}
