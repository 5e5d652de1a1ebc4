/** Keeps pool joins up to date when runs are ingested or removed. */
import type { PoolJoinRow } from '../../shared/api/contract.ts';
import { DirtyAggregates } from './dirtyAggregates.ts';
import type { IngestStatements } from './ingestWrites.ts';
import type { WritableLibrary } from './open.ts';
import {
  addPoolJoin,
  applyPoolJoin,
  listPoolJoins,
  type PoolJoin,
  removePoolJoin,
  undoPoolJoin,
} from './poolJoins.ts';
import { number, query, text } from './rows.ts';
import type { RunRegistry } from './runRegistry.ts';

export interface RuleServices {
  readonly db: WritableLibrary;
  readonly sql: IngestStatements;
  readonly runs: RunRegistry;
  readonly transaction: (work: () => void) => void;
}

export interface PoolJoinChange {
  readonly report: PoolJoinRow;
  readonly poolId: number;
}

export class PoolJoinKeeper {
  private readonly services: RuleServices;

  constructor(services: RuleServices) {
    this.services = services;
  }

  /**
   * @returns the report; the key of a run that the library does not have; or the reason why the runs cannot
   * be joined
   */
  join(join: PoolJoin): PoolJoinChange | { readonly missing: string } | { readonly refusal: string } {
    const { db, transaction } = this.services;
    for (const key of [join.poolKey, join.keptKey])
      if (this.runOf(key) === undefined) return { missing: key };
    const reverse = listPoolJoins(db).some(
      ({ poolKey, keptKey }) => poolKey === join.keptKey && keptKey === join.poolKey,
    );
    if (reverse) return { refusal: `${join.keptKey} is already joined as the pool of ${join.poolKey}` };
    let change: PoolJoinChange | undefined;
    transaction(() => {
      addPoolJoin(db, join);
      change = this.apply(join);
      if (change?.report.matched === 0) removePoolJoin(db, join);
    });
    if (change?.report.matched === 0) {
      return { refusal: 'the two runs have no rollout in common: none has the same step, question and text' };
    }
    return change ?? { missing: join.poolKey };
  }

  /** @returns the id of the pool's run; undefined when the two runs are not joined */
  leave(join: PoolJoin): number | undefined {
    const { db, transaction } = this.services;
    const poolId = this.runOf(join.poolKey)?.runId;
    let wasJoined = false;
    transaction(() => {
      wasJoined = removePoolJoin(db, join);
      if (wasJoined && poolId !== undefined) {
        undoPoolJoin(db, poolId, join.keptKey);
        this.refreshSums(poolId);
      }
    });
    return wasJoined ? poolId : undefined;
  }

  /** Call after these runs were ingested. @returns the pools that changed */
  refresh(runKeys: readonly string[]): readonly number[] {
    const changed: number[] = [];
    for (const join of listPoolJoins(this.services.db)) {
      if (!runKeys.includes(join.poolKey) && !runKeys.includes(join.keptKey)) continue;
      this.services.transaction(() => {
        const change = this.apply(join);
        if (change !== undefined) changed.push(change.poolId);
      });
    }
    return changed;
  }

  /**
   * Removes the run's joins and what they wrote to other runs. Call before a run is removed, inside a
   * transaction.
   */
  forgetRun(runKey: string): void {
    for (const join of listPoolJoins(this.services.db)) {
      if (join.poolKey !== runKey && join.keptKey !== runKey) continue;
      removePoolJoin(this.services.db, join);
      const poolId = this.runOf(join.poolKey)?.runId;
      if (poolId === undefined) continue;
      undoPoolJoin(this.services.db, poolId, join.keptKey);
      this.refreshSums(poolId);
    }
  }

  private apply({ poolKey, keptKey }: PoolJoin): PoolJoinChange | undefined {
    const pool = this.runOf(poolKey);
    const kept = this.runOf(keptKey);
    if (pool === undefined || kept === undefined) return undefined;
    const report = applyPoolJoin(this.services.db, pool.runId, kept);
    this.refreshSums(pool.runId);
    return { report, poolId: pool.runId };
  }

  private refreshSums(poolId: number): void {
    const { db, sql, runs } = this.services;
    // The rewards may have changed, and correctness is derived from them.
    runs.recomputeCorrectness(db, poolId);
    const dirty = new DirtyAggregates();
    dirty.wholeRun(poolId);
    dirty.refresh(sql);
  }

  private runOf(runKey: string): { runId: number; runKey: string; name: string } | undefined {
    const sql = 'SELECT run_id AS runId, run_key AS runKey, name FROM run WHERE run_key = ?';
    return query(this.services.db, sql, { runId: number, runKey: text, name: text }).get(runKey);
  }
}
