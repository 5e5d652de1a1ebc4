/**
 * Traces of the OpenAI Agents SDK, as its exporters write them: a batch, or one object per line.
 *
 *   {"data": [{"object": "trace", "id": "trace_1", "workflow_name": "sums", "group_id": null, "metadata": null},
 *    {"object": "trace.span", "id": "span_2", "trace_id": "trace_1", "parent_id": "span_1", "started_at": "2026-03-01T10:00:00.100000+00:00",
 *     "ended_at": "2026-03-01T10:00:01.100000+00:00", "span_data": {"type": "generation", "input": [{"role": "user", "content": "6·7?"}],
 *     "output": [{"role": "assistant", "content": "42"}], "model": "m", "model_config": {}, "usage": {"input_tokens": 5, "output_tokens": 2}}, "error": null}]}
 *
 * openai/openai-agents-python:src/agents/tracing/span_data.py at 1b3e9f5, spans.py, traces.py at 02a363e, processors.py at 05f52c1
 * (`BackendSpanExporter.export` posts `{"data": […]}`; shared/format/FORMATS.md#openai-agents).
 * - A batch has up to 128 items of any traces, so a trace is in several (`LogFormat.parts`).
 * - Generations (Chat Completions) have messages. `ResponseSpanData.export` writes the id of the response and usage
 *   only: such a trace is built from its function spans, with a warning.
 * - Third-party exporters add the attributes that it leaves out, `input` and `response`, under their names.
 * - `group_id` links the traces of a conversation. It is no group of samples.
 */
import { finishOf } from './dialogue.ts';
import { indexOf, isObject, type JsonObject, stringOf, textField, without } from './fields.ts';
import type { Span } from './spans.ts';
import { secondsOfDate } from './timing.ts';
import { type TraceFacts, traceFormat } from './traceFormat.ts';

const SPAN_COLUMNS: ReadonlySet<string> = new Set([
  ...['object', 'id', 'trace_id', 'parent_id', 'started_at', 'ended_at', 'span_data', 'error'],
]);
const DATA_COLUMNS: ReadonlySet<string> = new Set(['name', 'input', 'output']);
/** Fields beside or in a logged Response that the conversation repeats. */
const RESPONSE_COLUMNS: ReadonlySet<string> = new Set(['instructions', 'output', 'output_text']);

export const openaiAgents = traceFormat({
  name: 'openai-agents',
  title: 'OpenAI Agents SDK traces',
  source:
    'openai/openai-agents-python, src/agents/tracing/span_data.py at 1b3e9f5 and traces.py at 02a363e (read November 2026)',
  rule: '"object": "trace" with "workflow_name", or "trace.span" with "span_data"; also as a list in "data"',
  reads:
    'the conversation of the longest generation, function calls with latency and error, usage, start and end; a trace of Responses from what was logged of them, else from its functions',
  ignores: 'inputs and outputs of spans that the conversation repeats',
  noun: 'spans',
  missing: 'no trace or span of the Agents SDK',
  isSpan: isItem,
  traceIdOf,
  list: 'data',
  read: factsOf,
});

function isItem(record: JsonObject): boolean {
  const { object } = record;
  return (
    (object === 'trace' && 'workflow_name' in record) ||
    (object === 'trace.span' && isObject(record['span_data']))
  );
}

function traceIdOf(item: JsonObject): string | undefined {
  return stringOf(item['object'] === 'trace' ? item['id'] : item['trace_id']);
}

function factsOf(items: readonly JsonObject[]): TraceFacts {
  const trace = items.find(({ object }) => object === 'trace');
  return {
    id: traceIdOf(items[0] ?? {}) ?? '',
    spans: items.filter(({ object }) => object === 'trace.span').map(spanOf),
    ...(trace === undefined ? {} : { extra: { trace: without(trace, new Set(['object', 'id'])) } }),
  };
}

function spanOf(item: JsonObject): Span {
  const data = isObject(item['span_data']) ? item['span_data'] : {};
  const { type } = data;
  const kind =
    type === 'generation' || type === 'response' ? 'model' : type === 'function' ? 'tool' : 'other';
  const name = textField(data, 'name');
  const { input, output, usage, extra, missing } = type === 'response' ? responseOf(data) : textsOf(data);
  const { error } = item;
  return {
    id: textField(item, 'id'),
    parent: textField(item, 'parent_id'),
    kind,
    name,
    startedAt: secondsOfDate(item['started_at']),
    endedAt: secondsOfDate(item['ended_at']),
    ...{ input, output },
    ...(kind === 'tool' ? { call: { name, args: input } } : {}),
    // A generation logs it only if it was streamed, with its Response.
    ...(kind === 'model' ? { finish: finishOf(Array.isArray(output) ? output[0] : output) } : {}),
    ...(error === undefined || error === null ? {} : { failure: failureOf(error) }),
    ...(isObject(usage) ? { policyTokens: indexOf(usage['output_tokens']) } : {}),
    ...(missing === undefined ? {} : { missing }),
    extra: { ...without(item, SPAN_COLUMNS), ...extra },
  };
}

type LoggedTexts = Pick<Span, 'input' | 'output' | 'missing' | 'extra'> & { readonly usage: unknown };

const textsOf = (data: JsonObject): LoggedTexts => ({
  input: data['input'],
  output: data['output'],
  usage: data['usage'],
  extra: without(data, DATA_COLUMNS),
});

/** Input and output of a Response if an exporter wrote them, else the id of the Response. */
function responseOf(data: JsonObject): LoggedTexts {
  const { input, response, usage } = data;
  if (!isObject(response) || !Array.isArray(response['output'])) {
    const id = data['response_id'];
    const texts = { ...textsOf(data), output: undefined };
    return typeof id === 'string' ? { ...texts, missing: id } : texts;
  }
  const { instructions } = response;
  const rest = without(data, new Set([...DATA_COLUMNS, ...RESPONSE_COLUMNS]));
  return {
    input: instructions === undefined || instructions === null ? input : { instructions, input },
    output: response,
    usage: usage ?? response['usage'],
    extra: { ...rest, response: without(response, RESPONSE_COLUMNS) },
  };
}

function failureOf(error: unknown): NonNullable<Span['failure']> {
  const message = isObject(error) ? stringOf(error['message']) : stringOf(error);
  return { word: 'error', ...(message === undefined ? {} : { message }) };
}
