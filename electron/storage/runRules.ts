/** What the user said about runs that has to be kept up with what is read: joins of logs, tokenizers; and what lies beside them. */
import type { AlignmentRow } from '../../shared/api/contract.ts';
import type { Tokenizer } from '../../shared/format/tokenizer.ts';
import { linkMetrics } from './metricRuns.ts';
import { PoolJoinKeeper, type RuleServices } from './poolJoinKeeper.ts';
import { type OnAligned, refreshTokenizers, removeTokenizer, setTokenizer } from './tokenizers.ts';

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

  /** @returns whether the run had one */
  removeTokenizer(runKey: string): boolean {
    let removed = false;
    this.services.transaction(() => {
      removed = removeTokenizer(this.services.db, runKey);
    });
    return removed;
  }

  /** For what was just read of these runs. @returns the runs that changed with it */
  apply(runKeys: readonly string[]): readonly number[] {
    const changed = [...this.poolJoins.refresh(runKeys)];
    this.services.transaction(() => {
      changed.push(...refreshTokenizers(this.services.db, runKeys));
      changed.push(...linkMetrics(this.services.db));
    });
    return changed;
  }

  /** Before a run is removed. Must run inside a transaction. */
  forgetRun(runKey: string): void {
    this.poolJoins.forgetRun(runKey);
    removeTokenizer(this.services.db, runKey);
  }
}
