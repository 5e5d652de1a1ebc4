/**
 * Rules of the user that apply again after every ingest: pool joins, tokenizers, and the link of metrics to
 * runs.
 */
import type { AlignmentRow } from '../../shared/api/contract.ts';
import type { Tokenizer } from '../../shared/format/tokenizer.ts';
import { linkMetrics } from './metricRuns.ts';
import { PoolJoinKeeper, type RuleServices } from './poolJoinKeeper.ts';
import {
  type OnAligned,
  refreshTokenizers,
  removeTokenizer,
  setTokenizer,
  unalignedRuns,
} from './tokenizers.ts';

export class RunRules {
  readonly poolJoins: PoolJoinKeeper;
  private readonly services: RuleServices;

  constructor(services: RuleServices) {
    this.services = services;
    this.poolJoins = new PoolJoinKeeper(services);
  }

  /** @returns undefined when there is no such run */
  setTokenizer(
    runKey: string,
    name: string,
    tokenizer: Tokenizer,
    onProgress?: OnAligned,
  ): AlignmentRow | undefined {
    let report: AlignmentRow | undefined;
    this.services.transaction(() => {
      report = setTokenizer(this.services.db, runKey, name, tokenizer, onProgress);
    });
    return report;
  }

  /** Runs of a file that need a tokenizer and have none, with the number of their rollouts that do. */
  unalignedRuns(fileId: number): ReturnType<typeof unalignedRuns> {
    return unalignedRuns(this.services.db, fileId);
  }

  /** @returns whether the run had a tokenizer */
  removeTokenizer(runKey: string): boolean {
    let removed = false;
    this.services.transaction(() => {
      removed = removeTokenizer(this.services.db, runKey);
    });
    return removed;
  }

  /** Applies the rules after these runs were ingested. @returns the runs that changed */
  apply(runKeys: readonly string[]): readonly number[] {
    const changed = [...this.poolJoins.refresh(runKeys)];
    this.services.transaction(() => {
      changed.push(...refreshTokenizers(this.services.db, runKeys));
      changed.push(...linkMetrics(this.services.db));
    });
    return changed;
  }

  /** Call before a run is removed, inside a transaction. */
  forgetRun(runKey: string): void {
    this.poolJoins.forgetRun(runKey);
    removeTokenizer(this.services.db, runKey);
  }
}
