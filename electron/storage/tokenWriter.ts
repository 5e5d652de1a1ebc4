/** Per-token columns of a rollout, and the `signal` lines that add to them. */
import type { PackedTokens } from './batch.ts';
import type { IngestStatements } from './ingestWrites.ts';
import { unpackFloats, unpackMask } from './tokenColumns.ts';
import { sumTokens } from './tokenSums.ts';

export class TokenWriter {
  private readonly sql: IngestStatements;

  constructor(sql: IngestStatements) {
    this.sql = sql;
  }

  add(rolloutId: number, tokens: PackedTokens): void {
    this.sql.addTokens.run(
      rolloutId,
      tokens.count,
      tokens.ends,
      tokens.ids,
      tokens.mask,
      tokens.entropy,
      tokens.logprob,
      tokens.trainerLogprob,
      tokens.advantage,
      tokens.top,
      tokens.entropyOf,
    );
  }

  /** A `signal` adds columns to the tokens the rollout came with; only where the count agrees can they be one row. */
  merge(rolloutId: number, signal: PackedTokens, fileId: number, line: number): void {
    const own = this.sql.tokensOf.get(rolloutId) as TokenRecord | undefined;
    if (own !== undefined && own.count !== signal.count) {
      const message = `the signal has ${signal.count} tokens, its rollout ${own.count}; the signal is not used`;
      this.sql.addIssue.run(fileId, line, 'refused', 'signal_length', message);
      return;
    }
    const merged: PackedTokens = {
      ...signal,
      ends: signal.ends ?? own?.ends ?? null,
      ids: signal.ids ?? own?.ids ?? null,
      mask: signal.mask ?? own?.mask ?? null,
      entropy: signal.entropy ?? own?.entropy ?? null,
      logprob: signal.logprob ?? own?.logprob ?? null,
      trainerLogprob: signal.trainerLogprob ?? own?.trainer_logprob ?? null,
      advantage: signal.advantage ?? own?.advantage ?? null,
      top: signal.top ?? own?.top ?? null,
      entropyOf: signal.entropyOf ?? own?.entropy_of ?? null,
    };
    this.add(rolloutId, merged);
    const mask = merged.mask === null ? undefined : unpackMask(merged.mask, merged.count);
    const sums = sumTokens(mask, merged.entropy === null ? undefined : unpackFloats(merged.entropy));
    const mean = sums.entropyTokens > 0 ? sums.entropySum / sums.entropyTokens : null;
    const entropyTokens = mean === null ? null : sums.entropyTokens;
    this.sql.setTokenSums.run(sums.policyTokens ?? null, mean, entropyTokens, rolloutId);
  }
}

interface TokenRecord {
  count: number;
  ends: Uint8Array | null;
  ids: Uint8Array | null;
  mask: Uint8Array | null;
  entropy: Uint8Array | null;
  logprob: Uint8Array | null;
  trainer_logprob: Uint8Array | null;
  advantage: Uint8Array | null;
  top: Uint8Array | null;
  entropy_of: string | null;
}
