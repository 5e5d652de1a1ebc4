import type { ParsedTokens } from '../../shared/format/format.ts';
import type { PackedTokens } from '../storage/batch.ts';
import { packBytes } from '../storage/textCodec.ts';
import { sumTokens } from '../storage/tokenSums.ts';

/** Signals go in as they are (4 bytes per token); offsets, ids and masks compress well and do. */
export function packTokens(tokens: ParsedTokens): PackedTokens {
  const { policyTokens, entropySum, entropyTokens } = sumTokens(tokens.mask, tokens.entropy);
  return {
    count: tokens.count,
    ends: tokens.ends === undefined ? null : packBytes(bytesOf(differences(tokens.ends))),
    ids: tokens.ids === undefined ? null : packBytes(bytesOf(tokens.ids)),
    mask: tokens.mask === undefined ? null : packBytes(tokens.mask),
    entropy: blobOf(tokens.entropy),
    logprob: blobOf(tokens.logprob),
    trainerLogprob: blobOf(tokens.trainerLogprob),
    advantage: blobOf(tokens.advantage),
    top: tokens.top === undefined ? null : packBytes(Buffer.from(JSON.stringify(tokens.top), 'utf8')),
    entropyOf: tokens.entropyOf === undefined ? null : JSON.stringify(tokens.entropyOf),
    policyTokens: policyTokens ?? null,
    entropySum,
    entropyTokens,
  };
}

function bytesOf(array: Uint32Array | Int32Array | Float32Array): Uint8Array {
  return new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
}

function blobOf(signal: Float32Array | undefined): Uint8Array | null {
  return signal === undefined ? null : bytesOf(signal);
}

/** Offsets grow; their differences are small and repeat. */
function differences(ends: Uint32Array): Uint32Array {
  const result = new Uint32Array(ends.length);
  let before = 0;
  for (let i = 0; i < ends.length; i++) {
    const end = ends[i] ?? 0;
    result[i] = end - before;
    before = end;
  }
  return result;
}
