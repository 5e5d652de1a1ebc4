import type { IngestStatements } from './ingestWrites.ts';

interface StepPlace {
  readonly runId: number;
  readonly step: number;
}

/** Update a step by differences only if less than 1/8 of it changed, because each update adds a rounding error. */
const SMALL_PART = 8;

/** Groups and steps whose stored sums are stale after a transaction. `refresh` recomputes them. */
export class DirtyAggregates {
  private readonly groups = new Map<number, StepPlace>();
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

  /** Steps of the groups marked so far. */
  steps(): Iterable<{ readonly runId: number; readonly step: number }> {
    const steps = new Map<string, { runId: number; step: number }>();
    for (const place of this.groups.values()) steps.set(`${place.runId} ${place.step}`, place);
    return steps.values();
  }

  /** Refreshes all groups of a step at once. If only a small part of a large step changed, adds the difference. */
  refresh(sql: IngestStatements): void {
    for (const runId of this.wholeRuns) {
      for (const { groupId, step } of sql.groupsOfRun.all(runId)) this.group(groupId, runId, step);
    }
    for (const [{ runId, step }, groupIds] of this.groupsByStep()) {
      const ids = JSON.stringify(groupIds);
      const isSmallPart = groupIds.length * SMALL_PART < (sql.groupsOfStep.get(runId, step) ?? 0);
      const before = isSmallPart ? sumsOf(sql, ids) : [];
      // `refreshGroups` skips groups without rollouts, so drop those.
      if (sql.refreshGroups.run(ids).changes < groupIds.length) sql.dropEmptyGroups.run(ids);
      if (isSmallPart) {
        const after = sumsOf(sql, ids);
        sql.changeStep.run(...after.map((sum, i) => sum - (before[i] ?? 0)), runId, step);
      } else {
        sql.dropStep.run(runId, step);
        sql.refreshStep.run(runId, step);
      }
      sql.reviseStep.run(runId, step);
    }
  }

  private groupsByStep(): Iterable<readonly [place: StepPlace, groupIds: number[]]> {
    const steps = new Map<string, readonly [StepPlace, number[]]>();
    for (const [groupId, place] of this.groups) {
      const key = `${place.runId} ${place.step}`;
      const known = steps.get(key);
      if (known === undefined) steps.set(key, [place, [groupId]]);
      else known[1].push(groupId);
    }
    return steps.values();
  }
}

const sumsOf = (sql: IngestStatements, ids: string): readonly number[] =>
  Object.values(sql.sumsOfGroups.get(ids) ?? {});
