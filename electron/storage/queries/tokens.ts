/** Per-token columns of one rollout, and signals computed from them. */
import type { RolloutSignal, RolloutTokens, TokenAlternatives } from '../../../shared/api/contract.ts';
import { tryParseJson } from '../../../shared/domain/parseJson.ts';
import {
  type SignalName,
  signalsIn,
  type TokenColumns,
  tokenSignal,
} from '../../../shared/domain/tokenSignal.ts';
import type { ReadableLibrary } from '../open.ts';
import { number, query, queryValue } from '../rows.ts';
import { unpackUtf8, ZSTD } from '../textCodec.ts';
import {
  checkedCount,
  TOKEN_ROW,
  type TokenRecord,
  unpackEnds,
  unpackFloats,
  unpackIntegers,
  unpackMask,
} from '../tokenColumns.ts';
import { objectOf } from './runs.ts';

const TOKENS = `SELECT ${Object.keys(TOKEN_ROW).join(', ')} FROM token_row WHERE rollout_id = ?`;

/** A logged alternative. */
type Alternative = readonly [token: string, logprob: number];

export function tokenRecord(db: ReadableLibrary, rolloutId: number): TokenRecord | undefined {
  const row = query(db, TOKENS, TOKEN_ROW).get(rolloutId);
  return row === undefined ? undefined : checkedCount(row);
}

export function getTokens(db: ReadableLibrary, rolloutId: number): RolloutTokens | undefined {
  const row = tokenRecord(db, rolloutId);
  if (row === undefined) return undefined;
  return {
    count: row.count,
    ...(row.ends === null ? {} : { ends: unpackEnds(row.ends, row.count) }),
    ...(row.ids === null ? {} : { ids: unpackIntegers(row.ids) }),
    ...(row.mask === null ? {} : { mask: unpackMask(row.mask, row.count) }),
    ...(row.entropy === null ? {} : { entropy: unpackFloats(row.entropy) }),
    ...(row.logprob === null ? {} : { logprob: unpackFloats(row.logprob) }),
    ...(row.trainer_logprob === null ? {} : { trainerLogprob: unpackFloats(row.trainer_logprob) }),
  };
}

/**
 * End of each token in the response, in UTF-16 units. Undefined without tokens, or if they do not match the
 * text.
 */
export function tokenEndsOf(db: ReadableLibrary, rolloutId: number): Uint32Array | undefined {
  const row = tokenRecord(db, rolloutId);
  return row === undefined || row.ends === null ? undefined : unpackEnds(row.ends, row.count);
}

/** The alternatives of each token. Skips entries that are not lists of tokens with log-probabilities. */
function alternativesOf({ top, count }: TokenRecord): readonly (readonly Alternative[] | null)[] | undefined {
  if (top === null) return undefined;
  const listed = tryParseJson(unpackUtf8(ZSTD, top).toString('utf8'));
  if (!Array.isArray(listed)) return undefined;
  return Array.from({ length: count }, (_, i) => {
    const entry: unknown = listed[i];
    return Array.isArray(entry) ? entry.filter(isAlternative) : null;
  });
}

function isAlternative(value: unknown): value is Alternative {
  return Array.isArray(value) && typeof value[0] === 'string' && typeof value[1] === 'number';
}

/** @returns undefined when the rollout has no per-token columns */
export function getAlternatives(
  db: ReadableLibrary,
  rolloutId: number,
  from: number,
  limit: number,
): TokenAlternatives | undefined {
  const row = tokenRecord(db, rolloutId);
  if (row === undefined) return undefined;
  const listed = alternativesOf(row)?.slice(from, from + limit) ?? [];
  const alternatives = listed.map((entry) => entry && [...entry].sort(([, a], [, b]) => b - a));
  return { from, alternatives };
}

/** @throws Error explained by `storageFailure` when a column does not have the row's number of tokens */
export function columnsOf(row: TokenRecord): TokenColumns {
  checkedCount(row);
  const top = alternativesOf(row)?.map((listed) => listed?.map(([, logprob]) => logprob) ?? null);
  return {
    count: row.count,
    ...(row.entropy === null ? {} : { entropy: unpackFloats(row.entropy) }),
    ...(row.logprob === null ? {} : { logprob: unpackFloats(row.logprob) }),
    ...(row.trainer_logprob === null ? {} : { trainerLogprob: unpackFloats(row.trainer_logprob) }),
    ...(row.advantage === null ? {} : { advantage: unpackFloats(row.advantage) }),
    ...(top === undefined ? {} : { top }),
    ...(row.entropy_of === null ? {} : { entropyOf: objectOf(row.entropy_of) }),
  };
}

/** Size of the vocabulary of the tokenizer that the user has set for the run. */
function vocabularyOf(db: ReadableLibrary, rolloutId: number): number | undefined {
  const sql = `SELECT t.size FROM rollout_row r JOIN run_row n USING (run_id) JOIN tokenizer_row t USING (run_key)
    WHERE r.rollout_id = ?`;
  return queryValue(db, sql, number).get(rolloutId);
}

/**
 * @returns undefined when the rollout has no per-token columns; a result without `signal` when it lacks
 * that signal
 */
export function getSignal(
  db: ReadableLibrary,
  rolloutId: number,
  name?: SignalName,
  vocabulary?: number,
): RolloutSignal | undefined {
  const row = tokenRecord(db, rolloutId);
  if (row === undefined) return undefined;
  const columns = columnsOf(row);
  const signal = tokenSignal(columns, name, vocabulary ?? vocabularyOf(db, rolloutId));
  return {
    count: row.count,
    available: signalsIn(columns),
    ...(row.ends === null ? {} : { ends: unpackEnds(row.ends, row.count) }),
    ...(row.ids === null ? {} : { ids: unpackIntegers(row.ids) }),
    ...(row.mask === null ? {} : { mask: unpackMask(row.mask, row.count) }),
    ...(signal === undefined
      ? {}
      : {
          signal: signal.name,
          source: signal.source,
          values: signal.values,
          ...(signal.upper === undefined ? {} : { upper: signal.upper }),
          ...(signal.tail === undefined ? {} : { tail: signal.tail }),
        }),
  };
}
