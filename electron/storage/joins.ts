/**
 * Joins records of several files that are about one rollout by a key that both carry: external signals,
 * decisions, or the same rollout listed again. Joins stay within a run, because keys are often small
 * numbers.
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
   * @param scopes the scope of the run and that of its directory
   * @param listed only rollouts from a selection that no full record has joined yet
   */
  find(keys: readonly string[], scopes: Scopes, listed = false): JoinedRollout | undefined {
    for (const key of keys) {
      const rollout = this.sql.joinedBy.get(key, scopes.run, scopes.directory, Number(listed));
      if (rollout !== undefined) return rollout;
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

/** The scopes in which a record searches for its rollout. */
export interface Scopes {
  readonly run: string;
  readonly directory: string;
}

export const scopeOfDirectory = (directory: string): string => `directory:${directory}`;
/** Stored in `pending_row` as the run of records that wait for a key. */
export const scopeOfKeys = (scope: string): string => `join:${scope}`;
