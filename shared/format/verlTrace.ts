/**
 * Rollout traces of verl, as exported from Weave or stored by MLflow or Trackio. Up to verl 0.8 they are the
 * only built-in source with all rollouts of a group, kept or not.
 *
 * verl-project/verl, `verl/utils/rollout_trace.py` (shared/format/FORMATS.md#verl-trace): every decorated method
 * is a call (span) with its qualified name. `….run` of the agent loop is the rollout, and its output the
 * `AgentLoopOutput`. `step`, `sample_index`, `rollout_n`, `validate` and `experiment_name` are attributes (Weave),
 * tags (MLflow, as texts) or metadata (Trackio).
 *
 *   {"op_name": "weave:///team/project/op/RStar2AgentLoop.run:v1", "attributes": {"step": 3, "sample_index": 17,
 *    "rollout_n": 0, "validate": false}, "output": {"prompt_ids": […], "response_ids": […], "response_mask": […],
 *    "num_turns": 4, "prompt_text": "…", "response_text": "…"}, "started_at": "…", "ended_at": "…"}
 *   {"info": {"trace_id": "tr-1", "tags": {"step": "3", …}}, "data": {"spans": [{"name": "RStar2AgentLoop.run",
 *    "attributes": {"mlflow.spanOutputs": "{…}"}}]}}
 *   {"id": "r1:9f:rollout_trace/RStar2AgentLoop.run", "key": "rollout_trace/RStar2AgentLoop.run", "messages": […],
 *    "metadata": {"op": "RStar2AgentLoop.run", "step": 3, …, "status": "success", "output": {…}}}
 *
 * A trace has no reward and no kept flag. Other calls of Weave and Trackio (generate, tools) are not rollouts.
 * In an MLflow trace they provide the latency of tool calls.
 */
import type { ToolCall } from '../domain/model.ts';
import { tryParseJson } from '../domain/parseJson.ts';
import { bodyOfText, type RolloutBody } from './body.ts';
import {
  booleanOf,
  idOf,
  indexOf,
  isObject,
  type JsonObject,
  numberOf,
  rewardOf,
  stringOf,
  without,
} from './fields.ts';
import type { FileContext, FileHead, LineIssue, LogFormat, ParsedLine, ParsedTokens } from './format.ts';
import { found, readStep, refused, warned } from './records.ts';
import { durationOf } from './timing.ts';
import { floatsOf, idsOf, maskOf, UNALIGNED } from './tokenColumns.ts';

const LOOP = /AgentLoop\w*\.run\b/;
const TOOL = /\.execute\b/;
const OUTPUT_COLUMNS: ReadonlySet<string> = new Set([
  ...['prompt_ids', 'response_ids', 'response_mask', 'response_logprobs', 'prompt_text', 'response_text'],
  'reward_score',
]);
const TRACKIO_KEY = /^rollout_trace\//;
const ATTRIBUTES = ['step', 'sample_index', 'rollout_n', 'validate', 'experiment_name'];

export const verlTrace: LogFormat = {
  name: 'verl-trace',
  title: 'verl rollout traces (Weave export, MLflow store or export, Trackio store)',
  source: 'verl-project/verl, verl/utils/rollout_trace.py, v0.4.1 to v0.9.0 (August 2026)',
  rule: 'calls with "op_name" and "inputs" or "output" (Weave), traces with "info" and a list in "data.spans" (MLflow), or traces with "metadata" and a "key" that begins with "rollout_trace/" (Trackio)',
  reads:
    'prompt and response, token ids, mask and log-probabilities, step, sample index as the group, rollout number, tool latency (MLflow)',
  ignores: 'calls other than the agent loop; inputs of the loop',
  detect: (head: FileHead) =>
    head.records.some(
      (record) => isCall(record) || isTrace(record) || (isTrackio(record) && TRACKIO_KEY.test(record['key'])),
    ),
  open: (file: FileContext) => ({
    read: (record) => {
      if (isTrackio(record)) return readTrackio(record, file);
      return isTrace(record) ? readTrace(record, file) : readCall(record, file);
    },
  }),
};

type TrackioTrace = JsonObject & { readonly key: string; readonly metadata: JsonObject };

function isTrackio(record: JsonObject): record is TrackioTrace {
  return typeof record['key'] === 'string' && isObject(record['metadata']) && 'messages' in record;
}

function isCall(record: JsonObject): boolean {
  return typeof record['op_name'] === 'string' && ('inputs' in record || 'output' in record);
}

function isTrace(record: JsonObject): boolean {
  return isObject(record['info']) && isObject(record['data']) && Array.isArray(record['data']['spans']);
}

function readCall(record: JsonObject, file: FileContext): ParsedLine {
  const name = stringOf(record['op_name']);
  if (name === undefined)
    return refused('missing_field', `a Weave call needs "op_name"; found ${found(record['op_name'])}`);
  if (!LOOP.test(name)) return { kind: 'skip' };
  const attributes = isObject(record['attributes']) ? record['attributes'] : {};
  const { output, attributes: _attributes, inputs: _inputs, started_at, ended_at, ...extra } = record;
  return rolloutOf(output, attributes, file, {
    key: idOf(record['id']),
    startedAt: secondsOf(started_at),
    endedAt: secondsOf(ended_at),
    extra: { ...extra, ...restOf(attributes) },
    tools: [],
  });
}

/** The messages and the row's step repeat the metadata. */
function readTrackio(record: TrackioTrace, file: FileContext): ParsedLine {
  const { metadata, messages: _messages, key, step: _step, ...extra } = record;
  const { op: name, inputs: _inputs, output, ...attributes } = metadata;
  if (!TRACKIO_KEY.test(key) || !LOOP.test(stringOf(name) ?? '')) return { kind: 'skip' };
  return rolloutOf(output, attributes, file, {
    key: idOf(record['id']),
    startedAt: undefined,
    endedAt: undefined,
    extra: { ...extra, ...restOf(attributes) },
    tools: [],
  });
}

function readTrace(record: JsonObject, file: FileContext): ParsedLine {
  const info = isObject(record['info']) ? record['info'] : {};
  const data = isObject(record['data']) ? record['data'] : {};
  const spans = (Array.isArray(data['spans']) ? data['spans'] : []).filter(isObject);
  const tags = tagsOf(info['tags']);
  const id = idOf(info['trace_id']) ?? idOf(info['request_id']);
  const loop = spans.find((span) => LOOP.test(stringOf(span['name']) ?? ''));
  if (loop === undefined) {
    const names = [...new Set(spans.map((span) => stringOf(span['name']) ?? '?'))].slice(0, 5).join(', ');
    const what = spans.length === 0 ? 'its spans are not in the store' : `its spans are ${names}`;
    return refused('no_rollout', `trace ${id ?? '?'} has no span of an agent loop (….run): ${what}`);
  }
  const { tags: _tags, ...extra } = info;
  const tools = spans.filter((span) => TOOL.test(stringOf(span['name']) ?? '')).map(spanTimeOf);
  return rolloutOf(outputsOf(loop), tags, file, {
    key: id,
    startedAt: secondsOf(loop['start_time_unix_nano'] ?? loop['start_time']),
    endedAt: secondsOf(loop['end_time_unix_nano'] ?? loop['end_time']),
    extra: { ...extra, ...restOf(tags) },
    tools,
  });
}

interface Around {
  readonly key: string | undefined;
  readonly startedAt: number | undefined;
  readonly endedAt: number | undefined;
  readonly extra: JsonObject;
  readonly tools: readonly SpanTime[];
}

function rolloutOf(output: unknown, attributes: JsonObject, file: FileContext, around: Around): ParsedLine {
  if (!isObject(output)) {
    return refused(
      'no_output',
      `the agent loop's call has ${found(output)} as output: it failed, or is still running`,
    );
  }
  const warnings: LineIssue[] = [];
  const response = stringOf(output['response_text']);
  if (response === undefined) {
    warnings.push(warned('no_text', 'the trace has no response text (trace.token2text was off)'));
  }
  const body = bodyOfText(stringOf(output['prompt_text']) ?? '', response ?? '');
  const tokens = tokensOf(output, warnings);
  const sample = idOf(attributes['sample_index']);
  // MLflow has tags, which are texts.
  const step = readStep(numberIn(attributes['step']), 'step', file, warnings);
  const ordinal = wholeOf(attributes['rollout_n']);
  const validates = booleanOf(attributes['validate']) ?? attributes['validate'] === 'True';
  const run = stringOf(attributes['experiment_name']);
  const reward = rewardOf(output['reward_score']);
  return {
    kind: 'rollout',
    warnings,
    rollout: {
      ...(run === undefined || run === '' ? {} : { run }),
      kind: validates || attributes['validate'] === 'true' ? 'eval' : (file.layout.kind ?? 'train'),
      ...(step === undefined ? {} : { step }),
      groupKey: sample,
      groupRule: sample === undefined ? 'prompt' : 'logged',
      ...(ordinal === undefined ? {} : { ordinal }),
      ...body,
      toolCalls: withTimes(body, around.tools),
      ...(response === undefined ? { stopReason: undefined, stopReasonSource: undefined } : {}),
      ...(reward === undefined ? {} : { reward }),
      ...(tokens === undefined ? {} : { tokens }),
      ...(around.startedAt === undefined ? {} : { startedAt: around.startedAt }),
      ...(around.endedAt === undefined ? {} : { endedAt: around.endedAt }),
      ...(around.key === undefined ? {} : { joinKeys: [`trace:${around.key}`] }),
      extra: { ...around.extra, ...without(output, OUTPUT_COLUMNS) },
    },
  };
}

/** One tool span per call, in order. If the counts differ, the assignment is unknown. */
function withTimes(body: RolloutBody, tools: readonly SpanTime[]): readonly ToolCall[] {
  if (tools.length !== body.toolCalls.length) return body.toolCalls;
  return body.toolCalls.map((call, i) => {
    const { startedAt, durationMs } = tools[i] ?? {};
    // The tool's own duration is more precise than the surrounding span.
    const isLogged = call.latencyMs === undefined && durationMs !== undefined;
    return {
      ...call,
      ...(isLogged ? { latencyMs: durationMs, latencySource: 'logged' as const } : {}),
      ...(startedAt === undefined ? {} : { startedAt }),
    };
  });
}

function tokensOf(output: JsonObject, warnings: LineIssue[]): ParsedTokens | undefined {
  const ids = output['response_ids'];
  if (!Array.isArray(ids) || ids.length === 0) return undefined;
  const column = (name: string): readonly unknown[] | undefined => {
    const values = output[name];
    if (values === undefined || values === null) return undefined;
    if (Array.isArray(values) && values.length === ids.length) return values;
    const length = Array.isArray(values) ? `${values.length} entries` : found(values);
    warnings.push(
      warned('token_length', `"${name}" has ${length} where the response has ${ids.length} tokens; not read`),
    );
    return undefined;
  };
  warnings.push(UNALIGNED);
  const mask = column('response_mask');
  const logprobs = floatsOf(column('response_logprobs'));
  return {
    count: ids.length,
    ids: idsOf(ids),
    mask: maskOf(mask),
    // verl writes 0 for tool tokens: they were not sampled, so their probability is unknown.
    logprob: logprobs?.map((value, i) =>
      mask !== undefined && mask[i] !== 1 && mask[i] !== true ? Number.NaN : value,
    ),
  };
}

function outputsOf(span: JsonObject): unknown {
  const attributes = isObject(span['attributes']) ? span['attributes'] : {};
  const outputs = attributes['mlflow.spanOutputs'] ?? span['outputs'];
  return typeof outputs === 'string' ? tryParseJson(outputs) : outputs;
}

/** An object, or a list of {key, value}. Values are JSON texts; numbers stay numbers. */
function tagsOf(tags: unknown): JsonObject {
  if (isObject(tags)) return tags;
  if (!Array.isArray(tags)) return {};
  return Object.fromEntries(tags.filter(isObject).map((tag) => [stringOf(tag['key']) ?? '', tag['value']]));
}

function restOf(attributes: JsonObject): JsonObject {
  const rest = without(attributes, new Set(ATTRIBUTES));
  return Object.keys(rest).length === 0 ? {} : { attributes: rest };
}

const wholeOf = (value: unknown): number | undefined => indexOf(numberIn(value));

const numberIn = (value: unknown): unknown =>
  typeof value === 'string' && /^-?\d+(?:\.\d+)?$/.test(value) ? Number(value) : value;

interface SpanTime {
  readonly startedAt?: number;
  readonly durationMs?: number;
}

function spanTimeOf(span: JsonObject): SpanTime {
  const startedAt = secondsOf(span['start_time_unix_nano'] ?? span['start_time']);
  const end = secondsOf(span['end_time_unix_nano'] ?? span['end_time']);
  const durationMs =
    startedAt === undefined || end === undefined ? undefined : durationOf((end - startedAt) * 1000);
  return {
    ...(startedAt === undefined ? {} : { startedAt }),
    ...(durationMs === undefined ? {} : { durationMs }),
  };
}

/** ISO dates, nanoseconds (also as text), or seconds. */
function secondsOf(value: unknown): number | undefined {
  if (typeof value === 'string' && /^\d{16,}$/.test(value)) return numberOf(Number(value) / 1e9);
  if (typeof value === 'string') {
    const milliseconds = Date.parse(value);
    return Number.isNaN(milliseconds) ? undefined : milliseconds / 1000;
  }
  const number = numberOf(value);
  if (number === undefined) return undefined;
  return number > 1e15 ? number / 1e9 : number;
}
