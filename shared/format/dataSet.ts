/**
 * Reads Turnwise's own Parquet data set of rollouts: every column of `dataSetColumns.ts` is converted back.
 * Segments and calls are read as stored, and rejected if they do not fit the text.
 */

import {
  RUN_KINDS,
  SEGMENT_KINDS,
  type Segment,
  STOP_REASONS,
  TOOL_OUTCOMES,
  type ToolCall,
} from '../domain/model.ts';
import { parseJson } from '../domain/parseJson.ts';
import { parseScores } from '../domain/scores.ts';
import { readCallPayload } from '../domain/toolCallPayload.ts';
import { summariseTurns } from '../domain/turns.ts';
import { DATA_SET_VERSION } from './dataSetColumns.ts';
import { indexOf, isObject, type JsonObject, numberOf, stringOf } from './fields.ts';
import type { LogFormat, ParsedLine, ParsedRollout, ParsedTokens } from './format.ts';
import { timingOf } from './timing.ts';

export const dataSet: LogFormat = {
  name: 'turnwise-parquet',
  title: "Turnwise's data set of rollouts (Parquet)",
  source: 'shared/format/dataSetColumns.ts of this repository',
  rule: 'a row with whole numbers in "v" and "rollout", and lists in "segments" and "prompt_segments"',
  reads:
    'everything it was written from: texts, segments, calls, decisions, tokens; runs, stages and metrics from `runs/`',
  ignores:
    'rollout, path and line: where it came from; response_chars, policy_tokens, mean_entropy, entropy_tokens and flags: counted again',
  detect: ({ records }) => records.some(isRow),
  open: ({ header }) => ({ read: (record) => readDataSetRow(record, header) }),
};

function isRow(record: JsonObject): boolean {
  return (
    indexOf(record['v']) !== undefined &&
    indexOf(record['rollout']) !== undefined &&
    Array.isArray(record['segments']) &&
    Array.isArray(record['prompt_segments'])
  );
}

/** Larger turn numbers are rejected, because every turn up to the number in the file takes memory. */
const MOST_TURNS = 1_000_000;

/** A fault in a row. Its message is shown in the issue. */
class Unfit extends Error {}

/** @param header properties of all rows of the file: run, key and step */
export function readDataSetRow(record: JsonObject, header: JsonObject | undefined): ParsedLine {
  const version = indexOf(record['v']);
  if (version !== undefined && version > DATA_SET_VERSION) {
    const message = `columns of version ${version}; this Turnwise reads up to ${DATA_SET_VERSION}`;
    return { kind: 'issue', issue: { severity: 'refused', code: 'newer_version', message } };
  }
  try {
    return { kind: 'rollout', rollout: rolloutOf(record, header), warnings: [] };
  } catch (error) {
    if (!(error instanceof Unfit)) throw error;
    return { kind: 'issue', issue: { severity: 'refused', code: 'unfit_row', message: error.message } };
  }
}

function rolloutOf(record: JsonObject, header: JsonObject | undefined): ParsedRollout {
  const response = need('response', stringOf(record['response']));
  const prompt = need('prompt', stringOf(record['prompt']));
  const segments = segmentsOf('segments', record['segments'], response, 1);
  const toolCalls = callsOf(record['calls'], segments, response);
  const tokens = tokensOf(record, response.length);
  const policyTokens = record['turn_policy_tokens'];
  // A log may count the tokens of turns without logging their text.
  const counted = Array.isArray(policyTokens) ? policyTokens.length : 0;
  const turns = segments.reduce((most, { turn }) => Math.max(most, turn), counted);
  if (turns > MOST_TURNS)
    throw new Unfit(`a segment of turn ${turns}, where at most ${MOST_TURNS} turns are read`);
  const decision = decisionOf(record);
  const run = stringOf(header?.['run']);
  const runKey = stringOf(header?.['key']);
  const step = indexOf(header?.['step']);
  return {
    ...(run === undefined ? {} : { run }),
    ...(run === undefined || runKey === undefined ? {} : { runKey }),
    kind: RUN_KINDS.find((kind) => kind === record['split']) ?? 'train',
    ...(step === undefined ? {} : { step }),
    groupKey: need('group', stringOf(record['group'])),
    ...oneOf(record, 'group_rule', 'groupRule', ['logged', 'prompt', 'order']),
    ...whole(record, 'index', 'ordinal'),
    problem: {
      problemId: need('problem', stringOf(record['problem'])),
      prompt,
      promptSegments: segmentsOf('prompt_segments', record['prompt_segments'], prompt, 0),
      ...text(record, 'ground_truth', 'groundTruth'),
      ...text(record, 'source', 'source'),
      ...text(record, 'user_scenario', 'userScenario'),
    },
    response,
    segments,
    toolCalls,
    turns: (response === ''
      ? Array.from({ length: counted }, (_, i) => ({ turn: i + 1 }))
      : summariseTurns(turns, segments, toolCalls)
    ).map((turn, i) => {
      const count = Array.isArray(policyTokens) ? indexOf(policyTokens[i]) : undefined;
      return count === undefined ? turn : { ...turn, policyTokens: count };
    }),
    ...number(record, 'reward', 'reward'),
    ...correctnessOf(record),
    ...text(record, 'answer', 'answer'),
    ...oneOf(record, 'answer_source', 'answerSource', ['logged', 'derived']),
    ...oneOf(record, 'stop_reason', 'stopReason', STOP_REASONS),
    ...oneOf(record, 'stop_reason_source', 'stopReasonSource', ['logged', 'derived']),
    ...text(record, 'stop_reason_logged', 'stopReasonLogged'),
    ...text(record, 'origin', 'origin'),
    ...scoresIn(record),
    ...(decision === undefined ? {} : { decision }),
    ...(tokens === undefined ? {} : { tokens }),
    ...number(record, 'started_at', 'startedAt'),
    ...number(record, 'ended_at', 'endedAt'),
    ...timingOf({
      durationMs: record['duration_ms'],
      worker: record['worker'],
      gpu: record['gpu'],
      kvCache: jsonValue(record, 'kv_cache'),
    }),
    extra: jsonOf(record, 'extra') ?? {},
  };
}

function need<T>(name: string, value: T | undefined): T {
  if (value === undefined) throw new Unfit(`the row has no readable value in "${name}"`);
  return value;
}

const SEGMENT_FIELDS = ['start', 'end', 'inner_start', 'inner_end', 'turn'] as const;

/** @param least minimum turn: 0 in a prompt, 1 in a response */
function segmentsOf(name: string, value: unknown, text: string, least: number): readonly Segment[] {
  let position = 0;
  const segments = (Array.isArray(value) ? value : []).map((each: unknown): Segment => {
    const fields = isObject(each) ? each : {};
    const kind = SEGMENT_KINDS.find((known) => known === fields['kind']);
    const [start, end, innerStart, innerEnd, turn] = SEGMENT_FIELDS.map(
      (field) => indexOf(fields[field]) ?? -1,
    );
    const isFit =
      kind !== undefined &&
      start === position &&
      end !== undefined &&
      innerStart !== undefined &&
      innerEnd !== undefined &&
      turn !== undefined &&
      start <= innerStart &&
      innerStart <= innerEnd &&
      innerEnd <= end &&
      (least === 0 ? turn === 0 : turn >= least);
    if (!isFit) throw new Unfit(`"${name}" does not tile its text at ${position}`);
    position = end;
    return { kind, turn, outer: { start, end }, inner: { start: innerStart, end: innerEnd } };
  });
  if (position !== text.length) throw new Unfit(`"${name}" ends at ${position} of ${text.length}`);
  return segments;
}

function callsOf(value: unknown, segments: readonly Segment[], response: string): readonly ToolCall[] {
  return (Array.isArray(value) ? value : []).map((each: unknown): ToolCall => {
    const fields = isObject(each) ? each : {};
    const callSegment = indexOf(fields['call']) ?? -1;
    const responseSegment = indexOf(fields['response']);
    const segment = segments[callSegment];
    const outcome = TOOL_OUTCOMES.find((known) => known === fields['outcome']);
    if (segment === undefined || outcome === undefined)
      throw new Unfit('"calls" has a call without a segment or an outcome');
    if (responseSegment !== undefined && segments[responseSegment] === undefined)
      throw new Unfit('"calls" has a response that is not a segment');
    const payload = readCallPayload(response.slice(segment.inner.start, segment.inner.end));
    return {
      turn: segment.turn,
      ...text(fields, 'name', 'name'),
      ...(payload.arguments === undefined ? {} : { arguments: payload.arguments }),
      ...(payload.code === undefined ? {} : { code: payload.code }),
      outcome,
      ...number(fields, 'latency_ms', 'latencyMs'),
      ...oneOf(fields, 'latency_source', 'latencySource', ['logged', 'derived']),
      ...number(fields, 'queue_ms', 'queueMs'),
      ...text(fields, 'worker', 'worker'),
      ...number(fields, 'started_at', 'startedAt'),
      callSegment,
      ...(responseSegment === undefined ? {} : { responseSegment }),
    };
  });
}

/** Without a source, correctness was derived from the rewards of the run, and is derived again. */
function correctnessOf(record: JsonObject): Pick<ParsedRollout, 'isCorrect' | 'isCorrectSource'> {
  const source = record['correct_source'];
  const isCorrect = record['is_correct'];
  if (typeof isCorrect !== 'boolean' || (source !== 'logged' && source !== 'derived')) return {};
  return { isCorrect, isCorrectSource: source };
}

function scoresIn(record: JsonObject): Pick<ParsedRollout, 'scores'> {
  const logged = jsonOf(record, 'scores');
  return logged === undefined ? {} : { scores: parseScores(JSON.stringify(logged)) };
}

function decisionOf(record: JsonObject): ParsedRollout['decision'] {
  const { kept } = record;
  const decision = {
    ...(typeof kept === 'boolean' ? { kept } : {}),
    ...text(record, 'reason', 'reason'),
    ...number(record, 'p_err', 'pErr'),
    ...number(record, 'p_format', 'pFormat'),
    ...number(record, 'penalty', 'penalty'),
    ...number(record, 'advantage', 'advantage'),
    ...text(record, 'rule', 'rule'),
  };
  return Object.keys(decision).length === 0 ? undefined : decision;
}

function tokensOf(record: JsonObject, length: number): ParsedTokens | undefined {
  const count = indexOf(record['tokens']);
  if (count === undefined) return undefined;
  const integers = (name: string): readonly number[] | undefined => columnOf(record, name, count, indexOf);
  const floats = (name: string): Float32Array | undefined => {
    const column = columnOf(record, name, count, (each) => (typeof each === 'number' ? each : Number.NaN));
    return column === undefined ? undefined : Float32Array.from(column);
  };
  const ends = integers('token_ends');
  if (ends?.some((end, i) => end > length || end < (ends[i - 1] ?? 0)))
    throw new Unfit('"token_ends" must increase within the response');
  const ids = integers('token_ids');
  const mask = integers('token_mask');
  const alternatives = jsonValue(record, 'alternatives');
  const columns = {
    entropy: floats('entropy'),
    logprob: floats('logprob'),
    trainerLogprob: floats('trainer_logprob'),
    advantage: floats('token_advantage'),
  };
  const entropyOf = jsonOf(record, 'entropy_of');
  const top = Array.isArray(alternatives) && alternatives.length === count ? alternatives : undefined;
  if (count > 0 && [ends, ids, mask, top, ...Object.values(columns)].every((column) => column === undefined))
    throw new Unfit(`"tokens" is ${count}, but the row has no values of tokens`);
  return {
    count,
    ...(ends === undefined ? {} : { ends: Uint32Array.from(ends) }),
    ...(ids === undefined ? {} : { ids: Int32Array.from(ids) }),
    ...(mask === undefined ? {} : { mask: Uint8Array.from(mask, (each) => (each === 1 ? 1 : 0)) }),
    ...Object.fromEntries(Object.entries(columns).filter(([, column]) => column !== undefined)),
    ...(top === undefined ? {} : { top }),
    ...(entropyOf === undefined ? {} : { entropyOf }),
  };
}

function columnOf(
  record: JsonObject,
  name: string,
  count: number,
  read: (value: unknown) => number | undefined,
): readonly number[] | undefined {
  const values = record[name];
  if (!Array.isArray(values)) return undefined;
  if (values.length !== count) throw new Unfit(`"${name}" has ${values.length} values for ${count} tokens`);
  return values.map((value: unknown) => {
    const number = read(value);
    if (number === undefined) throw new Unfit(`"${name}" contains a value that is not a whole number`);
    return number;
  });
}

function text<K extends string>(record: JsonObject, name: string, key: K): { readonly [P in K]?: string } {
  const value = record[name];
  return (typeof value === 'string' ? { [key]: value } : {}) as { readonly [P in K]?: string };
}

function number<K extends string>(record: JsonObject, name: string, key: K): { readonly [P in K]?: number } {
  const value = numberOf(record[name]);
  return (value === undefined ? {} : { [key]: value }) as { readonly [P in K]?: number };
}

function whole<K extends string>(record: JsonObject, name: string, key: K): { readonly [P in K]?: number } {
  const value = indexOf(record[name]);
  return (value === undefined ? {} : { [key]: value }) as { readonly [P in K]?: number };
}

function oneOf<K extends string, const V extends string>(
  record: JsonObject,
  name: string,
  key: K,
  values: readonly V[],
): { readonly [P in K]?: V } {
  const value = values.find((known) => known === record[name]);
  return (value === undefined ? {} : { [key]: value }) as { readonly [P in K]?: V };
}

function jsonValue(record: JsonObject, name: string): unknown {
  const value = record[name];
  if (value === undefined || value === null) return undefined;
  try {
    if (typeof value === 'string') return parseJson(value);
  } catch {
    // Not JSON: rejected below.
  }
  throw new Unfit(`"${name}" is not JSON text`);
}

function jsonOf(record: JsonObject, name: string): JsonObject | undefined {
  const parsed = jsonValue(record, name);
  if (parsed === undefined || isObject(parsed)) return parsed;
  throw new Unfit(`"${name}" is not a JSON object`);
}
