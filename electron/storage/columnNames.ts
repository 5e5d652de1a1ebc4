/**
 * The columns of a step: for each of its rollouts, and for each of their tool calls, one number.
 * Rollouts stand in the order of the log (group, then index), calls in the order of rollouts.
 *
 * Unknown is NaN in `f64` and `f32`, -1 in `i8`, 0 in a column of codes (`u8`, `u32`), and the
 * lowest number of all in `i32`.
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

/** One number per rollout. */
export const ROLLOUT_COLUMNS = {
  rolloutId: 'u32',
  groupId: 'u32',
  problemNo: 'u32',
  index: 'i32',
  reward: 'f64',
  correct: 'i8',
  kept: 'i8',
  turns: 'i32',
  toolCalls: 'i32',
  toolErrors: 'i32',
  latencyMs: 'f64',
  tokens: 'i32',
  chars: 'i32',
  entropy: 'f64',
  entropyTokens: 'i32',
  pErr: 'f64',
  pFormat: 'f64',
  penalty: 'f64',
  advantage: 'f64',
  /** Index into STOP_REASONS, from 1. */
  stop: 'u8',
  isStopLogged: 'u8',
  /** Code of `reasons`. */
  reason: 'u32',
  /** Bit i: FLAGS[i]. */
  flags: 'i32',
  /** Bit i: some call came to TOOL_OUTCOMES[i]. */
  outcomes: 'u32',
  /** Code of `answers`. */
  answer: 'u32',
  /** Code of `toolSets`: which tools were called. */
  tools: 'u32',
  /** Seconds since 1970, as logged. */
  startedAt: 'f64',
  /** As logged, else the start and the logged duration. */
  endedAt: 'f64',
  /** Seconds: from start to end, else as logged. */
  duration: 'f64',
  /** Code of `workers`. */
  worker: 'u32',
  /** Code of `gpus`. */
  gpu: 'u32',
} as const satisfies Readonly<Record<string, ArrayName>>;

/** One number per tool call. */
export const CALL_COLUMNS = {
  /** Index of the rollout among the step's. */
  callRollout: 'u32',
  callTurn: 'i32',
  /** Index into TOOL_OUTCOMES. */
  callOutcome: 'u8',
  callLatencyMs: 'f32',
  /** Code of `callNames`. */
  callName: 'u32',
  callRepeat: 'i8',
  /** 1: logged; 0: read out of the response. */
  callLatencyLogged: 'i8',
  callQueueMs: 'f32',
  /** Seconds since 1970. */
  callStartedAt: 'f64',
} as const satisfies Readonly<Record<string, ArrayName>>;

/** What codes stand for; code 0 is unknown and code 1 the first entry. */
export const DICTIONARIES = ['reasons', 'answers', 'toolSets', 'callNames', 'workers', 'gpus'] as const;
export type DictionaryName = (typeof DICTIONARIES)[number];

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
