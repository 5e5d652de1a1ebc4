/**
 * Writes decisions and signals. They name a rollout by address (run, step, group, index) or by a key that
 * both carry. They can come in any order and from any file. A line waits until its rollout is in the library.
 */
import { RUN_KINDS, type RunKind } from '../../shared/domain/model.ts';
import type { JoinAddress, ParsedDecision, RolloutAddress } from '../../shared/format/format.ts';
import type { PackedTokens } from './batch.ts';
import type { IngestStatements } from './ingestWrites.ts';
import { type JoinedRollout, Joins, type Scopes, scopeOfKeys } from './joins.ts';
import { type PendingLine, PendingLines } from './pendingLines.ts';
import { keyOfLogged } from './runRegistry.ts';
import type { TokenWriter } from './tokenWriter.ts';

export interface LinePlace {
  readonly fileId: number;
  readonly line: number;
}

export class AddressedLines {
  readonly joins: Joins;
  private readonly sql: IngestStatements;
  private readonly pending: PendingLines;
  private readonly tokens: TokenWriter;

  constructor(sql: IngestStatements, tokens: TokenWriter) {
    this.sql = sql;
    this.joins = new Joins(sql);
    this.pending = new PendingLines(sql);
    this.tokens = tokens;
  }

  begin(): void {
    this.pending.recount();
  }

  /** @returns the rollout the line was written to; undefined when the line waits */
  write(
    kind: 'decision' | 'signal',
    address: RolloutAddress | JoinAddress,
    payload: ParsedDecision | PackedTokens,
    place: LinePlace,
    scopes: Scopes,
  ): JoinedRollout | undefined {
    const isByKey = 'joinKey' in address;
    const found = isByKey ? this.joins.find([address.joinKey], scopes) : this.find(address);
    if (found === undefined) {
      this.pending.add(
        kind,
        isByKey ? keyAddress(address.joinKey, scopes.run) : address,
        payload,
        place.fileId,
        place.line,
      );
      return undefined;
    }
    if (kind === 'decision') this.setDecision(found.rolloutId, payload as ParsedDecision, place);
    else this.tokens.merge(found.rolloutId, payload as PackedTokens, place.fileId, place.line);
    if (isByKey) this.joins.record(kind, found.rolloutId, place.fileId, place.line);
    return found;
  }

  /** Applies the lines that waited for this rollout. */
  applyWaiting(
    rolloutId: number,
    address: (RolloutAddress & { readonly kind: RunKind }) | undefined,
    keys: readonly string[],
    scopes: Scopes,
  ): void {
    if (!this.pending.any) return;
    if (address !== undefined) {
      for (const line of this.pending.take(address)) this.apply(rolloutId, line);
    }
    for (const key of keys) {
      for (const scope of new Set([scopes.run, scopes.directory])) {
        for (const line of this.pending.take({ ...keyAddress(key, scope), kind: 'train' })) {
          this.apply(rolloutId, line);
          this.joins.record(line.kind, rolloutId, line.fileId, line.line);
        }
      }
    }
  }

  setDecision(rolloutId: number, decision: ParsedDecision, place: LinePlace): void {
    this.sql.setDecision.run({
      rolloutId,
      ...place,
      kept: decision.kept === undefined ? null : Number(decision.kept),
      reason: decision.reason ?? null,
      pErr: decision.pErr ?? null,
      pFormat: decision.pFormat ?? null,
      penalty: decision.penalty ?? null,
      advantage: decision.advantage ?? null,
      rule: decision.rule ?? null,
    });
  }

  private apply(rolloutId: number, line: PendingLine): void {
    if (line.kind === 'decision') this.setDecision(rolloutId, line.decision, line);
    else this.tokens.merge(rolloutId, line.tokens, line.fileId, line.line);
  }

  private find(address: RolloutAddress): JoinedRollout | undefined {
    this.sql.rows.flush();
    const kinds = address.kind === undefined ? RUN_KINDS : [address.kind];
    for (const kind of kinds) {
      const runKey = keyOfLogged(address.run, kind);
      const runId = this.sql.runByKey.get(runKey)?.runId;
      if (runId === undefined) continue;
      const groupId = this.sql.groupByKey.get(runId, address.step, address.group);
      if (groupId === undefined) continue;
      const rollout = this.sql.rolloutByOrdinal.get(groupId, address.index);
      if (rollout !== undefined) return { rolloutId: rollout.rolloutId, groupId, runId, step: address.step };
    }
    return undefined;
  }
}

/** Addresses a key in `pending_row`. The key is stored as the group of an artificial run. */
function keyAddress(key: string, scope: string): RolloutAddress {
  return { run: scopeOfKeys(scope), step: 0, group: key, index: 0 };
}
