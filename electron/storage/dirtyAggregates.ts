import type { IngestStatements } from './ingestWrites.ts';

/** Groups and steps whose stored sums are stale after a transaction. `refresh` recomputes them. */
export class DirtyAggregates {
  private readonly groups = new Map<number, { runId: number; step: number }>();
  private readonly wholeRuns = new Set<number>();
  private readonly otherRuns = new Set<number>();

  group(groupId: number, runId: number, step: number): void {
    if (!this.groups.has(groupId)) this.groups.set(groupId, { runId, step });
  }

  /** Marks every group of the run, because its rule for correctness changed. */
  wholeRun(runId: number): void {
    this.wholeRuns.add(runId);
  }

  /** Marks the run as changed without invalidating a sum. */
  run(runId: number): void {
    this.otherRuns.add(runId);
  }

  runs(): readonly number[] {
    const all = new Set([...this.wholeRuns, ...this.otherRuns]);
    for (const { runId } of this.groups.values()) all.add(runId);
    return [...all].sort((a, b) => a - b);
  }

  /** Steps of the groups marked until now. */
  steps(): Iterable<{ readonly runId: number; readonly step: number }> {
    const steps = new Map<string, { runId: number; step: number }>();
    for (const place of this.groups.values()) steps.set(`${place.runId} ${place.step}`, place);
    return steps.values();
  }

  refresh(sql: IngestStatements): void {
    for (const runId of this.wholeRuns) {
      for (const { groupId, step } of sql.groupsOfRun.all(runId)) this.group(groupId, runId, step);
    }
    for (const groupId of this.groups.keys()) {
      if (sql.anyOfGroup.get(groupId) === undefined) sql.dropGroup.run(groupId);
      else sql.refreshGroup.run(groupId, groupId);
    }
    for (const { runId, step } of this.steps()) {
      sql.dropStep.run(runId, step);
      sql.refreshStep.run(runId, step);
      sql.reviseStep.run(runId, step);
    }
  }
}
