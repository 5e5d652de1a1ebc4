/** Writes per-token columns of rollouts, and merges those of `signal` lines. */
import { policyTokensBySegment } from '../../shared/domain/segmentTokens.ts';
import type { PackedTokens } from './batch.ts';
import type { IngestStatements } from './ingestWrites.ts';
import { unpackEnds, unpackFloats, unpackMask } from './tokenColumns.ts';
import { sumTokens } from './tokenSums.ts';

export class TokenWriter {
  private readonly sql: IngestStatements;

  constructor(sql: IngestStatements) {
    this.sql = sql;
  }

  /** @param signal the line of the columns, if it is not the rollout's own */
  add(
    rolloutId: number,
    tokens: PackedTokens,
    signal?: { readonly fileId: number; readonly line: number },
  ): void {
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
      signal?.fileId ?? null,
      signal?.line ?? null,
    );
  }

  /** Merges the columns of a `signal` line into the rollout's tokens. The token counts have to agree. */
  merge(rolloutId: number, signal: PackedTokens, fileId: number, line: number): void {
    const own = this.sql.tokensOf.get(rolloutId);
    if (own !== undefined && own.count !== signal.count) {
      const message = `the signal has ${signal.count} tokens but its rollout has ${own.count}; the signal is ignored`;
      this.sql.issues.add(fileId, line, 'refused', 'signal_length', message);
      return;
    }
    const merged: PackedTokens = {
      ...signal,
      // Ends computed by a tokenizer are dropped here and computed again after ingest.
      ends: signal.ends ?? (own?.aligned_by === null ? own.ends : null),
      ids: signal.ids ?? own?.ids ?? null,
      mask: signal.mask ?? own?.mask ?? null,
      entropy: signal.entropy ?? own?.entropy ?? null,
      logprob: signal.logprob ?? own?.logprob ?? null,
      trainerLogprob: signal.trainerLogprob ?? own?.trainer_logprob ?? null,
      advantage: signal.advantage ?? own?.advantage ?? null,
      top: signal.top ?? own?.top ?? null,
      entropyOf: signal.entropyOf ?? own?.entropy_of ?? null,
    };
    this.add(rolloutId, merged, { fileId, line });
    const mask = merged.mask === null ? undefined : unpackMask(merged.mask, merged.count);
    const sums = sumTokens(mask, merged.entropy === null ? undefined : unpackFloats(merged.entropy));
    const mean = sums.entropyTokens > 0 ? sums.entropySum / sums.entropyTokens : null;
    const entropyTokens = mean === null ? null : sums.entropyTokens;
    this.sql.setTokenSums.run(sums.policyTokens ?? null, mean, entropyTokens, rolloutId);
    if (merged.ends !== null && mask !== undefined) {
      this.countTurns(rolloutId, unpackEnds(merged.ends, merged.count), mask);
    }
  }

  private countTurns(rolloutId: number, ends: Uint32Array, mask: Uint8Array): void {
    // The rollout may have been added by the same batch, so its row may still be buffered.
    this.sql.rows.flush();
    const segments = this.sql.segmentsOf.all(rolloutId);
    const outer = segments.map(({ start, end }) => ({ outer: { start, end } }));
    const counts = new Map<number, number>();
    policyTokensBySegment(outer, ends, mask).forEach((tokens, i) => {
      const turn = segments[i]?.turn;
      if (turn !== undefined) counts.set(turn, (counts.get(turn) ?? 0) + tokens);
    });
    for (const [turn, tokens] of counts) this.sql.setTurnTokens.run(tokens, rolloutId, turn);
  }
}
