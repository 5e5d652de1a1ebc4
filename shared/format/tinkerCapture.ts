/**
 * Rows of tinker-cookbook's capture store, which `electron/ingest/containers/sqlite.ts` opens. A record is
 * one trajectory: the rows of one address in order, or a single row without one.
 *
 *   {"runs":1,"isLatest":true,"wire_rows":[{"cursor":7,"run_id":"my-run","run_attempt":0,"split":"train","iteration":10,
 *    "group_idx":0,"traj_idx":3,"purpose":"rollout","sampling_session_id":"s1","seq_id":21,"sample_idx":0,
 *    "policy_version":"tinker://…","created_at":1760000000.5,"prompt_tokens":[1,2],"sampled_tokens":[3,4],
 *    "logprobs":[-0.1,-0.5],"metadata":{"stop_reason":"stop","num_samples":1}}]}
 *
 * The store has token ids and log-probabilities, but no text and no reward
 * (shared/format/FORMATS.md#tinker). A trajectory with a whole address gives its tokens to the rollout
 * summary of the same numbers and lengths. Any other row is a rollout of its own.
 */
import { idOf, indexOf, isObject, type JsonObject, stringOf, without } from './fields.ts';
import type { FileContext, LineIssue, ParsedLine, ParsedRollout } from './format.ts';
import { tokensOfGenerations } from './generations.ts';
import { refused, warned } from './records.ts';
import { stopOf } from './stop.ts';

const COLUMNS: ReadonlySet<string> = new Set(['prompt_tokens', 'sampled_tokens', 'logprobs']);
/** The store's name for rows that belong to no run. */
const UNATTRIBUTED = 'unattributed';

export function isCapture(record: JsonObject): boolean {
  const { wire_rows: rows } = record;
  return Array.isArray(rows) && rows.some((row) => isObject(row) && 'sampled_tokens' in row);
}

/** Lengths of a turn in tokens. */
export interface TurnLengths {
  readonly prompt: number | undefined;
  readonly sampled: number | undefined;
}

/**
 * Joins a trajectory with its summary. The numbers alone are ambiguous, because a summary numbers only the groups
 * left after filtering. So the lengths must agree, too.
 */
export function joinKeyOfTurns(
  kind: string,
  step: number,
  group: number,
  trajectory: number,
  turns: readonly TurnLengths[],
): string {
  const lengths = turns.map(({ prompt, sampled }) => `${prompt ?? '?'}+${sampled ?? '?'}`).join(',');
  return `tinker:${kind}:${step}:${group}:${trajectory}:${lengths}`;
}

export function readCapture(record: JsonObject, file: FileContext): ParsedLine {
  const logged = Array.isArray(record['wire_rows']) ? record['wire_rows'].filter(isObject) : [];
  const [first] = logged;
  if (first === undefined) return refused('no_rollouts', 'a trajectory of the capture store has no rows');
  const warnings: LineIssue[] = [];
  const generations = logged.map((row) => ({
    prompt: row['prompt_tokens'],
    ids: row['sampled_tokens'],
    logprobs: row['logprobs'],
  }));
  const tokens = tokensOfGenerations(generations, warnings);
  const kind = kindOf(first) ?? file.layout.kind ?? 'train';
  const step = indexOf(first['iteration']);
  const group = indexOf(first['group_idx']);
  const trajectory = indexOf(first['traj_idx']);
  if (record['runs'] === 1 && step !== undefined && group !== undefined && trajectory !== undefined) {
    // The summary of an iteration that was run again describes the last attempt.
    if (record['isLatest'] !== true || tokens === undefined) return { kind: 'skip' };
    const turns = logged.map((row) => ({
      prompt: lengthOf(row['prompt_tokens']),
      sampled: lengthOf(row['sampled_tokens']),
    }));
    const joinKey = joinKeyOfTurns(kind, step, group, trajectory, turns);
    return { kind: 'signal', signal: { address: { joinKey }, tokens }, warnings };
  }
  warnings.push(
    warned('no_text', 'the capture store has tokens, but neither a text nor a reward of this rollout'),
  );
  const metadata = logged.at(-1)?.['metadata'];
  const run = idOf(first['run_id']);
  return {
    kind: 'rollout',
    warnings,
    rollout: {
      ...(run === undefined || run === UNATTRIBUTED ? {} : { run }),
      kind,
      step,
      ...groupOf(first, step, group, trajectory),
      response: '',
      segments: [],
      toolCalls: [],
      turns: logged.map((row, i) => ({ turn: i + 1, policyTokens: lengthOf(row['sampled_tokens']) })),
      ...stopOf(isObject(metadata) ? metadata['stop_reason'] : undefined),
      tokens,
      extra: { wire_rows: logged.map((row) => without(row, COLUMNS)) },
    },
  };
}

const lengthOf = (column: unknown): number | undefined => (Array.isArray(column) ? column.length : undefined);

/** Samples of one request share their prompt. */
function groupOf(
  row: JsonObject,
  step: number | undefined,
  group: number | undefined,
  trajectory: number | undefined,
): Pick<ParsedRollout, 'groupKey' | 'groupRule' | 'ordinal' | 'problem'> {
  const attempt = indexOf(row['run_attempt']) ?? 0;
  const session = idOf(row['sampling_session_id']);
  const request = idOf(row['seq_id']);
  const suffix = attempt === 0 ? '' : `/attempt-${attempt}`;
  const problem = { prompt: '', promptSegments: [] };
  if (group !== undefined) {
    const split = stringOf(row['split']) ?? '?';
    return {
      groupKey: `${group}${suffix}`,
      groupRule: 'logged',
      ordinal: trajectory,
      problem: { ...problem, problemId: `${split}/${step ?? '?'}/${group}${suffix}` },
    };
  }
  if (session === undefined || request === undefined) return { groupRule: 'prompt', problem };
  const groupKey = `${session}/${request}`;
  return {
    groupKey,
    groupRule: 'logged',
    ordinal: indexOf(row['sample_idx']),
    problem: { ...problem, problemId: groupKey },
  };
}

function kindOf(row: JsonObject): ParsedRollout['kind'] | undefined {
  const split = stringOf(row['split']);
  if (split !== undefined) return split === 'train' ? 'train' : 'eval';
  return row['purpose'] === 'eval' ? 'eval' : undefined;
}
