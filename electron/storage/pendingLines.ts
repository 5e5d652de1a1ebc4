/**
 * Decisions and signals that arrived before their rollout wait here, in the library: the
 * rollout may be in a file that has not been written yet.
 */
import { deserialize, serialize } from 'node:v8';
import type { RunKind } from '../../shared/domain/model.ts';
import type { ParsedDecision, RolloutAddress } from '../../shared/format/format.ts';
import type { PackedTokens } from './batch.ts';
import type { IngestStatements } from './ingestWrites.ts';

export type PendingLine =
  | {
      readonly kind: 'decision';
      readonly decision: ParsedDecision;
      readonly fileId: number;
      readonly line: number;
    }
  | {
      readonly kind: 'signal';
      readonly tokens: PackedTokens;
      readonly fileId: number;
      readonly line: number;
    };

export class PendingLines {
  private readonly sql: IngestStatements;
  private count = 0;

  constructor(sql: IngestStatements) {
    this.sql = sql;
  }

  get any(): boolean {
    return this.count > 0;
  }

  recount(): void {
    this.count = this.sql.countPending.get() ?? 0;
  }

  add(
    kind: PendingLine['kind'],
    address: RolloutAddress,
    payload: unknown,
    fileId: number,
    line: number,
  ): void {
    this.sql.addPending.run(
      kind,
      address.run,
      address.kind ?? null,
      address.step,
      address.group,
      address.index,
      serialize(payload),
      fileId,
      line,
    );
    this.count++;
  }

  take(address: RolloutAddress & { readonly kind: RunKind }): readonly PendingLine[] {
    const rows = this.sql.pendingAt.all(
      address.run,
      address.step,
      address.group,
      address.index,
      address.kind,
    );
    return rows.map((row) => {
      this.sql.dropPending.run(row.pendingId);
      this.count--;
      const payload: unknown = deserialize(row.payload);
      return row.kind === 'decision'
        ? { kind: 'decision', decision: payload as ParsedDecision, fileId: row.fileId, line: row.line }
        : { kind: 'signal', tokens: payload as PackedTokens, fileId: row.fileId, line: row.line };
    });
  }
}
