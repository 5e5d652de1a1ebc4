/**
 * Per-token arrays as trainers write them in JSON: `token_ids`, `loss_mask`, `logprobs`, …. They have one
 * number per token, sometimes with padding or a sentinel for "not computed".
 */
import type { Turn } from '../domain/model.ts';
import { policyTokensBySegment } from '../domain/segmentTokens.ts';
import { summariseTurns } from '../domain/turns.ts';
import type { RolloutBody } from './body.ts';
import type { JsonObject } from './fields.ts';
import type { LineIssue, ParsedTokens } from './format.ts';

/** Servers write this for a token outside the listed ones; no real log-probability is that low. */
const SENTINEL = -9999;

/** The record field of each column. */
export interface ColumnNames {
  readonly ids?: string;
  readonly mask?: string;
  readonly entropy?: string;
  readonly logprob?: string;
  readonly trainerLogprob?: string;
  readonly advantage?: string;
}

export interface ColumnRange {
  readonly start: number;
  readonly end: number;
}

/**
 * The columns of `range`, all of its length. A column whose length before the cut is not `length` cannot be
 * assigned to tokens and is dropped with a warning. null: not computed.
 *
 * @param length of the arrays in the record, before they are cut to `range`
 */
export function readColumns(
  record: JsonObject,
  names: ColumnNames,
  length: number,
  range: ColumnRange,
  warnings: LineIssue[],
): ParsedTokens {
  const cut = (name: string | undefined): readonly unknown[] | undefined => {
    const value = name === undefined ? undefined : unbatched(record[name]);
    if (value === undefined || value === null) return undefined;
    if (!Array.isArray(value)) {
      warnings.push(warning('bad_tokens', `"${name}" is not an array of numbers; not read`));
      return undefined;
    }
    if (value.length !== length) {
      const message = `"${name}" has ${value.length} entries for ${length} tokens; not read`;
      warnings.push(warning('token_length', message));
      return undefined;
    }
    return value.slice(range.start, range.end);
  };
  const mask = maskOf(cut(names.mask));
  return {
    count: Math.max(range.end - range.start, 0),
    ids: idsOf(cut(names.ids)),
    mask,
    entropy: floatsOf(cut(names.entropy)),
    logprob: withoutZeros(logprobsOf(cut(names.logprob)), mask),
    trainerLogprob: withoutZeros(logprobsOf(cut(names.trainerLogprob)), mask),
    advantage: floatsOf(cut(names.advantage)),
  };
}

/** Unwraps a batch of one, `[[…]]`, which is the result of splitting a tensor by rows. */
export function unbatched(value: unknown): unknown {
  return Array.isArray(value) && value.length === 1 && Array.isArray(value[0]) ? value[0] : value;
}

/** Position of the first sampled token; undefined if none exists. */
export function firstSampled(mask: unknown): number | undefined {
  const values = unbatched(mask);
  if (!Array.isArray(values)) return undefined;
  const at = values.findIndex(isSet);
  return at < 0 ? undefined : at;
}

/** Token ids are non-negative 32-bit integers. A column with any other value is dropped. */
export function idsOf(values: readonly unknown[] | undefined): Int32Array | undefined {
  if (values === undefined) return undefined;
  const ids = new Int32Array(values.length);
  for (let i = 0; i < ids.length; i++) {
    const value = values[i];
    if (typeof value !== 'number' || (value | 0) !== value) return undefined;
    ids[i] = value;
  }
  return ids;
}

export function maskOf(values: readonly unknown[] | undefined): Uint8Array | undefined {
  if (values === undefined) return undefined;
  const mask = new Uint8Array(values.length);
  for (let i = 0; i < mask.length; i++) if (isSet(values[i])) mask[i] = 1;
  return mask;
}

export function floatsOf(values: readonly unknown[] | undefined): Float32Array | undefined {
  if (values === undefined) return undefined;
  const floats = new Float32Array(values.length);
  for (let i = 0; i < floats.length; i++) {
    const value = values[i];
    floats[i] = typeof value === 'number' ? value : Number.NaN;
  }
  return floats;
}

export function logprobsOf(values: readonly unknown[] | undefined): Float32Array | undefined {
  const floats = floatsOf(values);
  if (floats !== undefined) {
    for (let i = 0; i < floats.length; i++) floats[i] = logprobOf(floats[i]);
  }
  return floats;
}

/** 0.0 at a token that was not sampled means "not computed" rather than "certain". */
function withoutZeros(
  logprobs: Float32Array | undefined,
  mask: Uint8Array | undefined,
): Float32Array | undefined {
  if (logprobs === undefined || mask === undefined) return logprobs;
  for (let i = 0; i < logprobs.length; i++) if (mask[i] === 0 && logprobs[i] === 0) logprobs[i] = Number.NaN;
  return logprobs;
}

/** NaN: unknown. */
export function logprobOf(value: unknown): number {
  return typeof value === 'number' && value > SENTINEL ? value : Number.NaN;
}

/** The advantage of the whole rollout, if all its policy tokens share one value. */
export function sharedAdvantage(tokens: ParsedTokens): number | undefined {
  const { advantage, mask } = tokens;
  let shared: number | undefined;
  for (let i = 0; i < (advantage?.length ?? 0); i++) {
    const value = advantage?.[i];
    if (value === undefined || Number.isNaN(value) || (mask !== undefined && mask[i] !== 1)) continue;
    if (shared !== undefined && shared !== value) return undefined;
    shared = value;
  }
  // Rounds to 32-bit precision: 0.7, not 0.699999988079071.
  return shared === undefined ? undefined : Number(shared.toPrecision(7));
}

/**
 * Adds the policy tokens to each turn: by offset if tokens are aligned; else by order, if there are as many
 * spans of sampled tokens as turns.
 */
export function turnsWithTokens(
  body: Pick<RolloutBody, 'segments' | 'toolCalls' | 'turns'>,
  tokens: ParsedTokens | undefined,
): readonly Turn[] {
  const { segments, toolCalls, turns } = body;
  if (tokens?.mask === undefined) return turns;
  if (tokens.ends !== undefined) {
    const policyTokens = policyTokensBySegment(segments, tokens.ends, tokens.mask);
    return summariseTurns(turns.length, segments, toolCalls, policyTokens);
  }
  const runs: number[] = [];
  let before = 0;
  for (const isSampled of tokens.mask) {
    if (isSampled === 1 && before === 0) runs.push(0);
    if (isSampled === 1) runs.push((runs.pop() ?? 0) + 1);
    before = isSampled;
  }
  return runs.length === turns.length ? turns.map((turn, i) => ({ ...turn, policyTokens: runs[i] })) : turns;
}

/** One warning for tokens without text. */
export const UNALIGNED: LineIssue = {
  severity: 'warning',
  code: 'unaligned_tokens',
  message: 'the tokens have ids but no text, so their signals cannot be aligned with the text',
};

const isSet = (value: unknown): boolean => value === true || (typeof value === 'number' && value > 0);

function warning(code: string, message: string): LineIssue {
  return { severity: 'warning', code, message };
}
