/**
 * Steps whose kept rollouts are listed in a file of their own (prime-rl writes `effective`
 * beside `all`): what the list leaves out was discarded. While the list is still being
 * written a rollout may count as discarded for a moment; its own line then says otherwise.
 */
import type { PackedRollout } from './batch.ts';
import type { IngestStatements } from './ingestWrites.ts';
import type { Touched } from './touched.ts';

export class Selections {
  private readonly sql: IngestStatements;
  /** Steps of this batch that have, or may have, a selection. */
  private readonly noted = new Map<string, { runId: number; step: number }>();

  constructor(sql: IngestStatements) {
    this.sql = sql;
  }

  begin(): void {
    this.noted.clear();
  }

  /** A record of a selection was read. */
  add(runId: number, rollout: PackedRollout, fileId: number): void {
    const step = rollout.step ?? 0;
    this.sql.addSelection.run(runId, step, fileId, rollout.decision?.rule ?? 'listed');
    this.note(runId, step);
  }

  note(runId: number, step: number): void {
    this.noted.set(`${runId} ${step}`, { runId, step });
  }

  /** After all rollouts of the batch are there. */
  apply(touched: Touched): void {
    for (const { runId, step } of touched.places()) this.note(runId, step);
    for (const { runId, step } of this.noted.values()) {
      const selection = this.sql.selectionOf.get(runId, step);
      if (selection === undefined) continue;
      const groupIds = this.sql.discardUnlisted.all({ runId, step, ...selection });
      for (const groupId of groupIds) touched.group(groupId, runId, step);
    }
  }
}
