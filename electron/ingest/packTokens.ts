import type { ParsedTokens } from '../../shared/format/format.ts';
import type { PackedTokens } from '../storage/batch.ts';
import { packBytes } from '../storage/textCodec.ts';
import { packEnds, packMask, packNumbers } from '../storage/tokenColumns.ts';
import { sumTokens } from '../storage/tokenSums.ts';

export function packTokens(tokens: ParsedTokens): PackedTokens {
  const { policyTokens, entropySum, entropyTokens } = sumTokens(tokens.mask, tokens.entropy);
  return {
    count: tokens.count,
    ends: tokens.ends === undefined ? null : packEnds(tokens.ends),
    ids: tokens.ids === undefined ? null : packNumbers(tokens.ids),
    mask: tokens.mask === undefined ? null : packMask(tokens.mask),
    entropy: signalOf(tokens.entropy),
    logprob: signalOf(tokens.logprob),
    trainerLogprob: signalOf(tokens.trainerLogprob),
    advantage: signalOf(tokens.advantage),
    top: tokens.top === undefined ? null : packBytes(Buffer.from(JSON.stringify(tokens.top), 'utf8')),
    entropyOf: tokens.entropyOf === undefined ? null : JSON.stringify(tokens.entropyOf),
    policyTokens: policyTokens ?? null,
    entropySum,
    entropyTokens,
  };
}

function signalOf(signal: Float32Array | undefined): Uint8Array | null {
  return signal === undefined ? null : packNumbers(signal);
}
