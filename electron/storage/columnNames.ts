import {
  type CamelCase,
  camelCase,
  type RolloutFieldEncoding,
  type RolloutFieldWith,
  rolloutFieldsWhere,
} from '../../shared/domain/rolloutFieldRecord.ts';
import { ROLLOUT_FIELDS } from '../../shared/domain/rolloutFields.ts';

/**
 * The columns of a step: one number per rollout, or one per tool call. Rollouts are in log order (group,
 * then ordinal), calls in the order of their rollouts.
 *
 * Unknown is NaN in `f64` and `f32`, -1 in `i8`, 0 in code columns (`u8`, `u32`), and the lowest value in
 * `i32`.
 */
export const UNKNOWN_I32 = -2147483648;

export const ARRAYS = {
  f64: Float64Array,
  f32: Float32Array,
  i32: Int32Array,
  u32: Uint32Array,
  i8: Int8Array,
  u8: Uint8Array,
} as const;
export type ArrayName = keyof typeof ARRAYS;
type ArrayOf<A extends ArrayName> = InstanceType<(typeof ARRAYS)[A]>;

/** One number per rollout: fields whose record names an encoding. */
const FIELD_ARRAYS = {
  id: 'u32',
  number: 'f64',
  integer: 'i32',
  boolean: 'i8',
  /** Index into `oneOf` of the field, from 1. */
  code: 'u8',
  /** Index into the column's dictionary, from 1. */
  dictionary: 'u32',
} as const satisfies Readonly<Record<RolloutFieldEncoding, ArrayName>>;

type ColumnField = RolloutFieldWith<{ column: RolloutFieldEncoding }>;
type FieldColumns = {
  readonly [N in ColumnField as CamelCase<N>]: (typeof FIELD_ARRAYS)[(typeof ROLLOUT_FIELDS)[N]['column']];
};

export const COLUMN_FIELDS = rolloutFieldsWhere<ColumnField>(({ column }) => column !== undefined);
const FIELD_COLUMNS = Object.fromEntries(
  COLUMN_FIELDS.map((name) => [camelCase(name), FIELD_ARRAYS[ROLLOUT_FIELDS[name].column]]),
) as FieldColumns;

/** Rollout columns that are not public fields. */
const OTHER_ROLLOUT_COLUMNS = {
  entropyTokens: 'i32',
  /** Bit i: FLAGS[i]. */
  flags: 'i32',
  /** Seconds since 1970: the logged end, else the start plus the logged duration. */
  endedAt: 'f64',
  /** Bit i: at least one call ended with TOOL_OUTCOMES[i]. */
  outcomes: 'u32',
  /** The called tools, as a JSON array. */
  tools: 'u32',
} as const satisfies Readonly<Record<string, ArrayName>>;

export const ROLLOUT_COLUMNS = { ...FIELD_COLUMNS, ...OTHER_ROLLOUT_COLUMNS };

/** One number per tool call. */
export const CALL_COLUMNS = {
  /** Index of the rollout among the step's. */
  callRollout: 'u32',
  callTurn: 'i32',
  /** Index into TOOL_OUTCOMES. */
  callOutcome: 'u8',
  callLatencyMs: 'f32',
  callName: 'u32',
  callRepeat: 'i8',
  /** 1: logged; 0: parsed from the response. */
  callLatencyLogged: 'i8',
  callQueueMs: 'f32',
  /** Seconds since 1970. */
  callStartedAt: 'f64',
} as const satisfies Readonly<Record<string, ArrayName>>;

export type DictionaryField = RolloutFieldWith<{ column: 'dictionary' }>;
/** Columns with a dictionary of texts: code 0 is unknown, code 1 the first entry. */
export type DictionaryName = CamelCase<DictionaryField> | 'tools' | 'callName';
export const DICTIONARIES: readonly DictionaryName[] = [
  ...rolloutFieldsWhere<DictionaryField>(({ column }) => column === 'dictionary').map(camelCase),
  'tools',
  'callName',
];

export const NUMBER_COLUMNS = { ...ROLLOUT_COLUMNS, ...CALL_COLUMNS };
export type ColumnName = keyof typeof NUMBER_COLUMNS;
export type ColumnArray<N extends ColumnName> = ArrayOf<(typeof NUMBER_COLUMNS)[N]>;

export type StepArrays = { readonly [N in ColumnName]: ColumnArray<N> };
export type StepDictionaries = { readonly [N in DictionaryName]: readonly string[] };

/** All columns of one step. */
export interface StepColumns {
  readonly arrays: StepArrays;
  readonly dictionaries: StepDictionaries;
}
