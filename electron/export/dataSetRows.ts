/** Converts rollouts to rows of the data set (`shared/format/dataSetColumns.ts`). */
import type { RunKind } from '../../shared/domain/model.ts';
import { EXPORTED_FIELDS, type ExportedField } from '../../shared/domain/rolloutFieldRecord.ts';
import { ROLLOUT_FIELDS } from '../../shared/domain/rolloutFields.ts';
import { type ColumnName, DATA_SET_VERSION } from '../../shared/format/dataSetColumns.ts';
import type { ExportedRollout } from '../storage/queries/exported.ts';
import { unpackUtf8, ZSTD } from '../storage/textCodec.ts';
import {
  type TokenRecord,
  unpackEnds,
  unpackFloats,
  unpackIntegers,
  unpackMask,
} from '../storage/tokenColumns.ts';

export type DataSetRow = Readonly<Record<ColumnName, unknown>>;

export function rowOf(rollout: ExportedRollout, split: RunKind): DataSetRow {
  const { row, tokens } = rollout;
  return {
    ...(Object.fromEntries(
      EXPORTED_FIELDS.map((name) => [
        name,
        ROLLOUT_FIELDS[name].kind === 'boolean' ? booleanOf(row[name]) : (row[name] ?? null),
      ]),
    ) as Record<ExportedField, unknown>),
    group_rule: row['group_rule'],
    duration_ms: row['duration_ms'],
    entropy_tokens: row['entropy_tokens'],
    v: DATA_SET_VERSION,
    rollout: row['rollout_id'],
    split,
    group: row['group_key'],
    index: row['ordinal'],
    problem: row['problem_id'],
    prompt: rollout.prompt,
    response: rollout.response,
    prompt_segments: rollout.promptSegments,
    segments: rollout.segments,
    calls: rollout.calls,
    turn_policy_tokens: rollout.turnTokens,
    extra: rollout.extra === '' ? null : rollout.extra,
    ...tokenColumns(tokens),
  } as DataSetRow;
}

/** Includes token ends computed by the user's tokenizer, because the data set shows what the app shows. */
function tokenColumns(tokens: TokenRecord | undefined): Partial<Record<ColumnName, unknown>> {
  const count = tokens?.count;
  if (tokens === undefined || count === undefined) return { tokens: null, ...NOTHING_PER_TOKEN };
  const floats = (bytes: Uint8Array | null): readonly (number | null)[] | null =>
    bytes === null ? null : Array.from(unpackFloats(bytes), (value) => (Number.isNaN(value) ? null : value));
  return {
    tokens: count,
    token_ends: tokens.ends === null ? null : Array.from(unpackEnds(tokens.ends, count)),
    token_ids: tokens.ids === null ? null : Array.from(unpackIntegers(tokens.ids)),
    token_mask: tokens.mask === null ? null : Array.from(unpackMask(tokens.mask, count)),
    entropy: floats(tokens.entropy),
    logprob: floats(tokens.logprob),
    trainer_logprob: floats(tokens.trainer_logprob),
    token_advantage: floats(tokens.advantage),
    alternatives: tokens.top === null ? null : unpackUtf8(ZSTD, tokens.top).toString('utf8'),
    entropy_of: tokens.entropy_of,
  };
}

const NOTHING_PER_TOKEN = {
  ...{ token_ends: null, token_ids: null, token_mask: null, entropy: null, logprob: null },
  ...{ trainer_logprob: null, token_advantage: null, alternatives: null, entropy_of: null },
};

function booleanOf(value: string | number | null | undefined): boolean | null {
  return value === null || value === undefined ? null : value === 1;
}
