/**
 * Spans with OpenInference attributes, as Phoenix returns and exports them: one span per line or row, pages of the REST
 * API, traces of its command line, and spans of OpenTelemetry's Python SDK as JSON.
 *
 *   {"name": "ChatCompletion", "context": {"trace_id": "a1", "span_id": "b2"}, "span_kind": "LLM", "parent_id": "b1",
 *    "start_time": "2026-03-01T10:00:00.100000+00:00", "end_time": "2026-03-01T10:00:01.100000+00:00", "status_code": "OK", "status_message": "",
 *    "attributes": {"llm.model_name": "m", "llm.input_messages.0.message.role": "user", "llm.input_messages.0.message.content": "6·7?",
 *     "llm.output_messages.0.message.role": "assistant", "llm.output_messages.0.message.content": "42", "llm.token_count.completion": 2}, "events": []}
 *   {"context.span_id": "b2", "context.trace_id": "a1", "span_kind": "LLM", "attributes.llm.input_messages": [{"message.role": "user", …}], …}
 *
 * Arize-ai/openinference:python/openinference-semantic-conventions/src/openinference/semconv/trace/__init__.py at 0101ec1 (attributes);
 * Arize-ai/phoenix:src/phoenix/server/api/routers/v1/spans.py at 00a4d74 (`Span`),
 * Arize-ai/phoenix:src/phoenix/trace/dsl/query.py at 000b834 (`_get_spans_dataframe`, the columns of a data frame),
 * Arize-ai/phoenix:js/packages/phoenix-cli/src/trace.ts at 3dda01f (`Trace`; shared/format/FORMATS.md#openinference).
 * - Messages are flat keys with numbers, nested objects, or lists with flat keys in them.
 * - `pandas.DataFrame.to_json` writes times in milliseconds; Parquet has timestamps.
 * - Only the command line exports annotations. The only score of the trace is the reward.
 */

import { tryParseJson } from '../domain/parseJson.ts';
import { dialogueOf, finishOf, isFromPolicy } from './dialogue.ts';
import { indexOf, isObject, type JsonObject, numberOf, stringOf, textField, without } from './fields.ts';
import type { Span } from './spans.ts';
import { secondsOfDate } from './timing.ts';
import { type Score, type TraceFacts, traceFormat } from './traceFormat.ts';

/** Fields of a span that it has in every shape. */
const COLUMNS: ReadonlySet<string> = new Set([
  ...[
    'id',
    'name',
    'context',
    'context.trace_id',
    'context.span_id',
    'span_kind',
    'kind',
    'parent_id',
    'start_time',
    'end_time',
  ],
  ...['status_code', 'status_message', 'status', 'attributes', 'events', 'message'],
]);
const TRACE_COLUMNS: ReadonlySet<string> = new Set(['spans', 'rootSpan', 'traceId']);
/** Attributes that repeat the conversation. */
const SHOWN =
  /^(?:llm\.(?:input_messages|output_messages|tools)|(?:input|output)\.(?:value|mime_type)|openinference\.span\.kind)(?:\.|$)/;
const ATTRIBUTES = 'attributes.';

export const openInference = traceFormat({
  name: 'openinference',
  title: 'OpenInference spans (Phoenix export, REST API and command line)',
  source:
    'Arize-ai/phoenix, server/api/routers/v1/spans.py at 00a4d74 and trace/dsl/query.py at 000b834; Arize-ai/openinference, semconv/trace/__init__.py at 0101ec1 (read November 2026)',
  rule: 'spans with a trace id in "context" (or "context.trace_id") and "span_kind" or the attribute "openinference.span.kind", also as a list in "data"; or a trace with such a list in "spans"',
  reads:
    'the conversation of the longest LLM span, tool spans with latency and error, usage, the only annotation score of the trace as reward, start and end',
  ignores: 'inputs and outputs of other spans; embeddings; OTLP',
  noun: 'spans',
  missing: 'no OpenInference span: a trace id or a kind is missing',
  isSpan: (record) => traceIdOf(record) !== undefined && kindOf(record) !== undefined,
  traceIdOf,
  list: 'data',
  whole: { id: 'traceId', spans: 'spans' },
  read: factsOf,
});

const contextOf = (span: JsonObject): JsonObject => (isObject(span['context']) ? span['context'] : {});

function traceIdOf(span: JsonObject): string | undefined {
  return textField(span, 'context.trace_id') ?? textField(contextOf(span), 'trace_id');
}

function kindOf(span: JsonObject): string | undefined {
  const { attributes } = span;
  const kind = isObject(attributes) ? stringOf(attributes['openinference.span.kind']) : undefined;
  return kind ?? stringOf(span['attributes.openinference.span.kind']) ?? stringOf(span['span_kind']);
}

function factsOf(records: readonly JsonObject[], trace: JsonObject | undefined): TraceFacts {
  const root = records.find((record) => textField(record, 'parent_id') === undefined);
  const ofTrace = scoresOf(trace?.['annotations']);
  return {
    id: textField(trace ?? {}, 'traceId') ?? traceIdOf(records[0] ?? {}) ?? '',
    spans: records.map(spanOf),
    scores: ofTrace.length > 0 ? ofTrace : scoresOf(root?.['annotations']),
    ...(trace === undefined ? {} : { extra: { trace: without(trace, TRACE_COLUMNS) } }),
  };
}

function scoresOf(annotations: unknown): readonly Score[] {
  return (Array.isArray(annotations) ? annotations : []).filter(isObject).flatMap((annotation) => {
    const { result } = annotation;
    const value = isObject(result) ? numberOf(result['score']) : undefined;
    return value === undefined ? [] : [{ name: stringOf(annotation['name']) ?? '?', value }];
  });
}

function spanOf(record: JsonObject): Span {
  const attributes = attributesOf(record);
  const word = kindOf(record)?.toUpperCase();
  const kind = word === 'LLM' ? 'model' : word === 'TOOL' ? 'tool' : 'other';
  const name = textField(record, 'name');
  const { status } = record;
  const state =
    stringOf(record['status_code']) ?? (isObject(status) ? stringOf(status['status_code']) : undefined);
  const input = attribute(attributes, 'input.value');
  const output = attribute(attributes, 'output.value');
  return {
    id: textField(record, 'context.span_id') ?? textField(contextOf(record), 'span_id'),
    parent: textField(record, 'parent_id'),
    kind,
    name,
    startedAt: secondsOfDate(record['start_time']),
    endedAt: secondsOfDate(record['end_time']),
    ...{ input, output },
    ...(kind === 'model'
      ? {
          asked: () => merged(messagesAt(attributes, 'llm.input_messages') ?? dialogueOf(input, 'user')),
          said: () => {
            const said = messagesAt(attributes, 'llm.output_messages') ?? dialogueOf(output, 'assistant');
            return hasChoices(attributes) ? said.slice(0, 1) : merged(said);
          },
          finish: stringOf(attribute(attributes, 'llm.finish_reason')) ?? finishOf(output),
          policyTokens: indexOf(attribute(attributes, 'llm.token_count.completion')),
        }
      : {}),
    ...(kind === 'tool'
      ? {
          call: {
            id: stringOf(attribute(attributes, 'tool_call.id')) ?? stringOf(attribute(attributes, 'tool.id')),
            name: stringOf(attribute(attributes, 'tool.name')) ?? name,
            args: input,
          },
        }
      : {}),
    ...(state === 'ERROR' ? { failure: { word: state, ...failureOf(record) } } : {}),
    extra: {
      span_kind: word,
      ...without(record, columnsOf(record)),
      attributes: restOfAttributes(attributes),
      ...(kind === 'model' && hasChoices(attributes)
        ? { other_choices: messagesAt(attributes, 'llm.output_messages')?.slice(1) }
        : {}),
    },
  };
}

/** Whether the call asked for several samples of its answer. The agent continues with the first one. */
function hasChoices(attributes: JsonObject): boolean {
  const parameters = attribute(attributes, 'llm.invocation_parameters');
  const parsed = typeof parameters === 'string' ? tryParseJson(parameters) : parameters;
  return isObject(parsed) && (numberOf(parsed['n']) ?? 1) > 1;
}

/** Joins the messages of one generation, because every item of the Responses API is logged as a message. */
function merged(messages: readonly JsonObject[]): readonly JsonObject[] {
  const runs: JsonObject[][] = [];
  let isAnswer = false;
  for (const message of messages) {
    const run = runs.at(-1);
    if (isAnswer && isFromPolicy(message) && run !== undefined) run.push(message);
    else runs.push([message]);
    isAnswer = isFromPolicy(message);
  }
  return runs.flatMap((run) => (run.length === 1 ? run : [joinedMessage(run)]));
}

function joinedMessage(run: readonly JsonObject[]): JsonObject {
  const content = run.flatMap(({ content: parts }): readonly unknown[] =>
    Array.isArray(parts) ? parts : [parts ?? ''],
  );
  const calls = run.flatMap(({ tool_calls: list, function_call: legacy }): readonly unknown[] => [
    ...(Array.isArray(list) ? list : []),
    ...(legacy === undefined ? [] : [legacy]),
  ]);
  return { ...run[0], content, function_call: null, ...(calls.length === 0 ? {} : { tool_calls: calls }) };
}

function failureOf(record: JsonObject): { readonly message?: string } {
  const { status, events } = record;
  const described =
    textField(record, 'status_message') ?? (isObject(status) ? textField(status, 'description') : undefined);
  const exceptions = (Array.isArray(events) ? events : []).filter(isObject).flatMap((event) => {
    const attributes = isObject(event['attributes']) ? event['attributes'] : {};
    return stringOf(attributes['exception.message']) ?? [];
  });
  const message = described ?? exceptions[0];
  return message === undefined ? {} : { message };
}

/** The attributes as logged: an object, or columns with a prefix. */
function attributesOf(record: JsonObject): JsonObject {
  const { attributes } = record;
  if (isObject(attributes)) return attributes;
  return Object.fromEntries(
    Object.entries(record).flatMap(([key, value]) =>
      key.startsWith(ATTRIBUTES) && value !== null ? [[key.slice(ATTRIBUTES.length), value]] : [],
    ),
  );
}

function columnsOf(record: JsonObject): ReadonlySet<string> {
  const columns = Object.keys(record).filter((key) => key.startsWith(ATTRIBUTES));
  return columns.length === 0 ? COLUMNS : new Set([...COLUMNS, ...columns]);
}

function restOfAttributes(attributes: JsonObject): JsonObject | undefined {
  const rest = Object.entries(attributes).flatMap(([key, value]): [string, unknown][] => {
    if (SHOWN.test(key) || value === null) return [];
    // Nested attributes, whose messages the conversation shows.
    if (key === 'llm' && isObject(value)) {
      return [[key, without(value, new Set(['input_messages', 'output_messages', 'tools']))]];
    }
    return key === 'input' || key === 'output' ? [] : [[key, value]];
  });
  return rest.length === 0 ? undefined : Object.fromEntries(rest);
}

/** One attribute, flat or nested. */
function attribute(attributes: JsonObject, path: string): unknown {
  if (attributes[path] !== undefined) return attributes[path] ?? undefined;
  let value: unknown = attributes;
  for (const name of path.split('.')) value = isObject(value) ? value[name] : undefined;
  return value ?? undefined;
}

/** undefined: the span has no messages there. */
function messagesAt(attributes: JsonObject, path: string): readonly JsonObject[] | undefined {
  const direct = attribute(attributes, path);
  const list = nested(direct ?? flatBelow(attributes, path), 0);
  const messages = (Array.isArray(list) ? list : []).filter(isObject).map(messageOf);
  return messages.length === 0 ? undefined : messages;
}

function flatBelow(attributes: JsonObject, path: string): JsonObject {
  const prefix = `${path}.`;
  return Object.fromEntries(
    Object.entries(attributes).flatMap(([key, value]) =>
      key.startsWith(prefix) ? [[key.slice(prefix.length), value]] : [],
    ),
  );
}

/** Nesting of messages, parts and calls is below this. */
const DEEPEST = 12;

/** Dots in keys become objects, and objects with the keys 0, 1, 2 … lists. Nulls of tables are left out. */
function nested(value: unknown, depth: number): unknown {
  if (depth > DEEPEST) return value;
  if (Array.isArray(value)) return value.map((entry) => nested(entry, depth + 1));
  if (!isObject(value)) return value;
  const groups = new Map<string, [string, unknown][]>();
  const plain = new Map<string, unknown>();
  for (const [key, inner] of Object.entries(value)) {
    if (inner === null) continue;
    const dot = key.indexOf('.');
    if (dot < 0) plain.set(key, nested(inner, depth + 1));
    else {
      const name = key.slice(0, dot);
      const list = groups.get(name);
      const entry: [string, unknown] = [key.slice(dot + 1), inner];
      if (list === undefined) groups.set(name, [entry]);
      else list.push(entry);
    }
  }
  for (const [name, entries] of groups) plain.set(name, nested(Object.fromEntries(entries), depth + 1));
  const keys = [...plain.keys()];
  if (keys.length > 0 && keys.every((key) => /^\d{1,9}$/.test(key))) {
    return keys.sort((a, b) => Number(a) - Number(b)).map((key) => plain.get(key));
  }
  return Object.fromEntries(plain);
}

function messageOf(entry: JsonObject): JsonObject {
  const message = isObject(entry['message']) ? entry['message'] : entry;
  const { role, content, contents, tool_calls: calls, tool_call_id, function_call_name: name } = message;
  const args = message['function_call_arguments_json'];
  return {
    role: role ?? 'user',
    content: Array.isArray(contents) ? contents.map(partOf) : (content ?? null),
    ...(Array.isArray(calls) ? { tool_calls: calls.map(callOf) } : {}),
    ...(stringOf(role) !== 'function' && typeof name === 'string'
      ? { function_call: { name, arguments: args } }
      : {}),
    ...(tool_call_id === undefined ? {} : { tool_call_id }),
  };
}

const callOf = (call: unknown): unknown =>
  isObject(call) && isObject(call['tool_call']) ? call['tool_call'] : call;

function partOf(part: unknown): unknown {
  const content = isObject(part) && isObject(part['message_content']) ? part['message_content'] : part;
  return isObject(content) && content['type'] === 'reasoning'
    ? { type: 'reasoning', text: content['text'] ?? '' }
    : content;
}
