/**
 * Records of several files about one rollout, matched on a key both carry: signals computed
 * elsewhere, decisions, or the same rollout listed again. Only within a run: keys are often
 * small numbers.
 */
import type { IngestStatements } from './ingestWrites.ts';

export interface JoinedRollout {
  readonly rolloutId: number;
  readonly groupId: number;
  readonly runId: number;
  readonly step: number;
}

export class Joins {
  private readonly sql: IngestStatements;

  constructor(sql: IngestStatements) {
    this.sql = sql;
  }

  /**
   * @param scopes of the run: its own, and that of its directory
   * @param listed only rollouts read from a selection which no full record has joined yet
   */
  find(keys: readonly string[], scopes: Scopes, listed = false): JoinedRollout | undefined {
    for (const key of keys) {
      for (const { isListed, ...rollout } of this.sql.joinedBy.all(key, scopes.run, scopes.directory)) {
        if (!listed || isListed) return rollout;
      }
    }
    return undefined;
  }

  addKeys(keys: readonly string[], rolloutId: number, runId: number, isListed: boolean): void {
    for (const key of new Set(keys)) this.sql.addJoinKey.run(key, rolloutId, runId, Number(isListed));
  }

  record(kind: 'rollout' | 'decision' | 'signal', rolloutId: number, fileId: number, line: number): void {
    this.sql.addJoin.run(fileId, line, rolloutId, kind);
    if (kind === 'rollout') this.sql.unlist.run(rolloutId);
  }
}

/** Where a record looks for the rollout it speaks of. */
export interface Scopes {
  readonly run: string;
  readonly directory: string;
}

export const scopeOfDirectory = (directory: string): string => `directory:${directory}`;
/** What `pending_row` has in place of a run for records that wait for a key. */
export const scopeOfKeys = (scope: string): string => `join:${scope}`;
