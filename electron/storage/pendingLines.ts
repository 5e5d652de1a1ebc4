/**
 * Stores decisions and signals in the library until their rollout arrives. The rollout may be in a file
 * that does not exist yet.
 */
import { decodeFrame, encodeFrame, type Utf8 } from '../../shared/api/codec.ts';
import type { RunKind } from '../../shared/domain/model.ts';
import type { ParsedDecision, RolloutAddress } from '../../shared/format/format.ts';
import type { PackedTokens } from './batch.ts';
import type { IngestStatements } from './ingestWrites.ts';
import { damaged } from './storageFailure.ts';

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

const UTF8: Utf8 = {
  encode: (text) => Buffer.from(text),
  decode: (bytes) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8'),
};

/** A library of somebody else may claim any length for what it holds. The frame is checked against its bytes. */
function payloadOf(frame: Uint8Array): unknown {
  try {
    return decodeFrame(frame, UTF8);
  } catch (error) {
    throw damaged(`a waiting line cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
}

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
      encodeFrame(payload, UTF8),
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
      const payload = payloadOf(row.payload);
      return row.kind === 'decision'
        ? { kind: 'decision', decision: payload as ParsedDecision, fileId: row.fileId, line: row.line }
        : { kind: 'signal', tokens: payload as PackedTokens, fileId: row.fileId, line: row.line };
    });
  }
}

/**
 * Makes decisions and signals of other files wait for this file's rollouts again. Call this before the file
 * is forgotten and read again.
 */
export function setForeignLinesWaiting(sql: IngestStatements, fileId: number): void {
  const pending = new PendingLines(sql);
  for (const row of sql.foreignDecisions.all(fileId)) {
    const { kept, reason, pErr, pFormat, penalty, advantage, rule } = row;
    const decision: ParsedDecision = { kept, reason, pErr, pFormat, penalty, advantage, rule };
    pending.add('decision', addressOf(row), decision, row.fileId, row.line);
  }
  for (const row of sql.foreignSignals.all(fileId)) {
    const { count, ends, ids, mask, entropy, logprob, trainerLogprob, advantage, top, entropyOf } = row;
    const tokens: PackedTokens = {
      ...{ count, ends, ids, mask, entropy, logprob, trainerLogprob, advantage, top, entropyOf },
      // The merge recomputes these from mask and entropy.
      ...{ policyTokens: null, entropySum: 0, entropyTokens: 0 },
    };
    pending.add('signal', addressOf(row), tokens, row.fileId, row.line);
  }
}

interface Addressed {
  readonly loggedId: string;
  readonly split: RunKind;
  readonly step: number;
  readonly groupKey: string;
  readonly ordinal: number;
}

const addressOf = ({ loggedId, split, step, groupKey, ordinal }: Addressed) => ({
  ...{ run: loggedId, kind: split, step, group: groupKey, index: ordinal },
});
