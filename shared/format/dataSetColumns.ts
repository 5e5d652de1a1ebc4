/**
 * The columns of a data set of rollouts in Parquet, as other tools read them and as Turnwise reads them again:
 * one row per rollout in `rollouts/run=…/step=…/part-0.parquet`. Offsets are UTF-16, as everywhere.
 */

export type ColumnType =
  | 'text'
  | 'integer'
  | 'number'
  | 'boolean'
  /** JSON as text. */
  | 'json'
  | 'integers'
  /** Float32; null where unknown. */
  | 'numbers'
  | 'segments'
  | 'calls';

export interface DataSetColumn {
  readonly name: string;
  readonly type: ColumnType;
  readonly note: string;
}

/** A reader refuses a larger one with both numbers. */
export const DATA_SET_VERSION = 1;

export const DATA_SET_COLUMNS = [
  { name: 'v', type: 'integer', note: 'version of these columns: 1' },
  {
    name: 'rollout',
    type: 'integer',
    note: 'its number in the library it came from; unique within the data set',
  },
  { name: 'split', type: 'text', note: 'train or eval' },
  { name: 'group', type: 'text', note: 'rollouts of one prompt at one step; unique within run and step' },
  { name: 'group_rule', type: 'text', note: 'how the group came about: logged, prompt or order' },
  { name: 'index', type: 'integer', note: 'position in the group, from 0' },
  { name: 'problem', type: 'text', note: 'id of the problem, the same at other steps' },
  { name: 'source', type: 'text', note: 'where the problem is from' },
  { name: 'ground_truth', type: 'text', note: 'of the problem' },
  { name: 'prompt', type: 'text', note: 'with its template, as the policy saw it' },
  { name: 'response', type: 'text', note: 'everything behind the prompt, tool responses included' },
  { name: 'reward', type: 'number', note: 'as logged' },
  {
    name: 'is_correct',
    type: 'boolean',
    note: 'as logged, or worked out from answer or reward: see correct_source',
  },
  {
    name: 'correct_source',
    type: 'text',
    note: 'logged; derived: from the answer; null: from binary rewards',
  },
  { name: 'answer', type: 'text', note: 'final answer' },
  { name: 'answer_source', type: 'text', note: 'logged, or derived from the text' },
  { name: 'stop_reason', type: 'text', note: 'answer, length, turn-limit, no-answer, error or aborted' },
  { name: 'stop_reason_source', type: 'text', note: 'logged or derived' },
  { name: 'kept', type: 'boolean', note: 'by the down-sampling; null: not known' },
  { name: 'reason', type: 'text', note: 'why it was kept or discarded' },
  { name: 'rule', type: 'text', note: 'the rule that decided' },
  { name: 'p_err', type: 'number', note: 'penalty for tool errors, as logged' },
  { name: 'p_format', type: 'number', note: 'penalty for the format, as logged' },
  { name: 'penalty', type: 'number', note: 'both, as logged' },
  { name: 'advantage', type: 'number', note: 'as logged' },
  { name: 'turns', type: 'integer', note: 'turns of the policy' },
  { name: 'tool_calls', type: 'integer', note: 'tool calls begun' },
  { name: 'tool_errors', type: 'integer', note: 'of which failed' },
  { name: 'started_at', type: 'number', note: 'seconds since 1970' },
  { name: 'ended_at', type: 'number', note: 'seconds since 1970' },
  { name: 'duration_ms', type: 'number', note: 'logged as such; else what lies between start and end' },
  { name: 'worker', type: 'text', note: 'of the rollout engine' },
  { name: 'gpu', type: 'text', note: 'one, or several of one engine joined by +' },
  { name: 'kv_cache', type: 'json', note: 'a share, samples, or pairs of a time and a sample' },
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
  { name: 'entropy', type: 'numbers', note: 'per token, as entropy_of says' },
  { name: 'logprob', type: 'numbers', note: 'per token, of the sampling policy' },
  { name: 'trainer_logprob', type: 'numbers', note: "per token, of the trainer's policy" },
  { name: 'token_advantage', type: 'numbers', note: 'per token' },
  { name: 'alternatives', type: 'json', note: 'per token [[token, logprob], …] or null' },
  { name: 'entropy_of', type: 'json', note: 'kind, k, unit, temperature, policy' },
  { name: 'extra', type: 'json', note: 'what the log said beyond these columns' },
  { name: 'path', type: 'text', note: 'of the log it was read from' },
  { name: 'line', type: 'integer', note: 'in that log' },
] as const satisfies readonly DataSetColumn[];

export type ColumnName = (typeof DATA_SET_COLUMNS)[number]['name'];

/** What a file of the data set says once, in its metadata under `turnwise`. */
export interface DataSetHeader {
  readonly v: number;
  /** By what its runs are told apart. */
  readonly run: string;
  /** Its key in the library; absent where that is `run`, or `run~eval` of an evaluation. */
  readonly key?: string;
  readonly split: 'train' | 'eval';
  /** Absent: the log knew no steps. */
  readonly step?: number;
}

export const HEADER_KEY = 'turnwise';
