/**
 * Columns of the Parquet data set of rollouts: one row per rollout in `rollouts/run=…/step=…/part-0.parquet`.
 * Offsets are UTF-16.
 */
import type { RunKind } from '../domain/model.ts';
import {
  EXPORTED_FIELDS,
  type ExportedField,
  type RolloutField,
  type RolloutFieldKind,
} from '../domain/rolloutFieldRecord.ts';
import { ROLLOUT_FIELDS } from '../domain/rolloutFields.ts';

export type ColumnType =
  | 'text'
  | 'integer'
  | 'number'
  | 'boolean'
  /** JSON as text. */
  | 'json'
  | 'integers'
  /** Float32; null: unknown. */
  | 'numbers'
  | 'segments'
  | 'calls';

export interface DataSetColumn {
  readonly name: string;
  readonly type: ColumnType;
  readonly note: string;
}

/** Readers reject a larger version and name both numbers. */
export const DATA_SET_VERSION = 1;

const OWN_COLUMNS = [
  { name: 'v', type: 'integer', note: 'version of these columns: 1' },
  {
    name: 'rollout',
    type: 'integer',
    note: 'its number in the library it came from; unique within the data set',
  },
  { name: 'split', type: 'text', note: 'train or eval' },
  { name: 'group', type: 'text', note: 'rollouts of one prompt at one step; unique within run and step' },
  { name: 'group_rule', type: 'text', note: 'how the group was formed: logged, prompt or order' },
  { name: 'index', type: 'integer', note: 'position in the group, from 0' },
  { name: 'problem', type: 'text', note: 'id of the problem, the same at other steps' },
  { name: 'prompt', type: 'text', note: 'with its template, as the policy saw it' },
  { name: 'response', type: 'text', note: 'everything after the prompt, tool responses included' },
  { name: 'duration_ms', type: 'number', note: 'as logged; else from start to end' },
  { name: 'prompt_segments', type: 'segments', note: 'tile the prompt; turn 0' },
  { name: 'segments', type: 'segments', note: 'tile the response; start and end with tags, inner without' },
  {
    name: 'calls',
    type: 'calls',
    note: 'call and response count in segments, from 0; times in ms, starts in seconds since 1970',
  },
  { name: 'turn_policy_tokens', type: 'integers', note: 'per turn, from 1; null: not known' },
  { name: 'tokens', type: 'integer', note: 'tokens of the response; null: nothing is logged per token' },
  { name: 'token_ends', type: 'integers', note: 'where each token ends in the response' },
  { name: 'token_ids', type: 'integers', note: 'per token' },
  { name: 'token_mask', type: 'integers', note: '1: sampled by the policy' },
  { name: 'entropy', type: 'numbers', note: 'per token; entropy_of states of what' },
  { name: 'logprob', type: 'numbers', note: 'per token, of the sampling policy' },
  { name: 'trainer_logprob', type: 'numbers', note: "per token, of the trainer's policy" },
  { name: 'token_advantage', type: 'numbers', note: 'per token' },
  { name: 'alternatives', type: 'json', note: 'per token [[token, logprob], …] or null' },
  { name: 'entropy_of', type: 'json', note: 'kind, k, unit, temperature, policy' },
  { name: 'entropy_tokens', type: 'integer', note: 'policy tokens that mean_entropy is the mean of' },
  { name: 'extra', type: 'json', note: 'logged fields without a column' },
] as const satisfies readonly DataSetColumn[];

const TYPES: Readonly<Partial<Record<RolloutFieldKind, ColumnType>>> = {
  number: 'number',
  integer: 'integer',
  boolean: 'boolean',
  json: 'json',
};

export type ColumnName = (typeof OWN_COLUMNS)[number]['name'] | ExportedField;

export const DATA_SET_COLUMNS: readonly (DataSetColumn & { readonly name: ColumnName })[] = [
  ...OWN_COLUMNS,
  ...EXPORTED_FIELDS.map((name) => {
    const { kind, describe, unit }: RolloutField = ROLLOUT_FIELDS[name];
    const note = unit === undefined ? describe : `${describe}, in ${unit}`;
    return { name, type: TYPES[kind] ?? 'text', note };
  }),
];

/** Properties of a whole file, in its Parquet metadata under `turnwise`. */
export interface DataSetHeader {
  readonly v: number;
  /** Identifies the run. */
  readonly run: string;
  /** Key of the run in the library. Absent if it equals `run`, or `run~eval` for an evaluation. */
  readonly key?: string;
  readonly split: RunKind;
  /** Absent: the log has no steps. */
  readonly step?: number;
}

export const HEADER_KEY = 'turnwise';
