/**
 * Observations and traces of Langfuse: rows of the observations export, or traces of the API with their observations.
 *
 *   {"id": "o2", "trace_id": "t1", "type": "GENERATION", "parent_observation_id": "o1", "start_time": "2026-03-01 10:00:00.100000",
 *    "end_time": "2026-03-01 10:00:01.100000", "name": "chat", "level": "DEFAULT", "status_message": "", "input": "[{\"role\": \"user\", …}]",
 *    "output": "{\"role\": \"assistant\", …}", "provided_model_name": "m", "usage_details": {"input": 5, "output": 2, "total": 7}}
 *   {"id": "t1", "timestamp": "2026-03-01T10:00:00.000Z", "name": "sums", "observations": [{"id": "o2", "traceId": "t1", "type": "GENERATION",
 *    "startTime": "2026-03-01T10:00:00.100Z", "usageDetails": {"output": 2}, …}], "scores": [{"name": "correct", "value": 1, "dataType": "NUMERIC"}]}
 *
 * langfuse/langfuse:packages/shared/src/domain/observation-field-groups.ts at 06a7fef (`LEGACY_OBSERVATION_EXPORT_FIELDS`, the
 * columns of the blob storage export), langfuse/langfuse:packages/shared/src/domain/observations.ts at 0ea65da (types),
 * langfuse/langfuse:fern/apis/server/definition/commons.yml at 0010e28 (`TraceWithFullDetails`, `ObservationsView`, `Score`;
 * shared/format/FORMATS.md#langfuse).
 * - The API writes camelCase, the export snake_case with inputs and outputs as texts.
 * - Types are GENERATION, TOOL, AGENT, CHAIN, SPAN, EVENT and others. Older versions have GENERATION, SPAN and EVENT
 *   only, so their tools cannot be recognized.
 * - The only numeric or boolean score of the trace is the reward. Scores of single observations are not.
 */

import { tryParseJson } from '../domain/parseJson.ts';
import { finishOf } from './dialogue.ts';
import {
  indexOf,
  isObject,
  type JsonObject,
  numberOf,
  stringOf,
  textField,
  textOf,
  without,
} from './fields.ts';
import type { Span } from './spans.ts';
import { secondsOfDate } from './timing.ts';
import { type Score, type TraceFacts, traceFormat } from './traceFormat.ts';

/** Both spellings of the fields that the rollout or its span has. */
const COLUMNS: ReadonlySet<string> = new Set([
  ...[
    'id',
    'traceId',
    'trace_id',
    'type',
    'name',
    'startTime',
    'start_time',
    'endTime',
    'end_time',
    'input',
    'output',
  ],
  ...['parentObservationId', 'parent_observation_id', 'statusMessage', 'status_message'],
]);
const TRACE_COLUMNS: ReadonlySet<string> = new Set(['observations', 'scores', 'input', 'output']);
const TYPE = /^(?:GENERATION|SPAN|EVENT|AGENT|TOOL|CHAIN|RETRIEVER|EVALUATOR|EMBEDDING|GUARDRAIL)$/;

export const langfuse = traceFormat({
  name: 'langfuse',
  title: 'Langfuse observations and traces (export, API)',
  source:
    'langfuse/langfuse, packages/shared/src/domain/observation-field-groups.ts at 06a7fef, observations.ts at 0ea65da and fern/apis/server/definition/commons.yml at 0010e28 (read November 2026)',
  rule: 'observations with "type", an id, a trace id and a start time in camelCase or snake_case, also as a list in "data"; or a trace with such a list in "observations"',
  reads:
    'the conversation of the longest generation, tools with latency and error, usage, the only score of the trace as reward, experiment item as problem, start and end',
  ignores: 'inputs and outputs of other observations; traces without observations, and files of scores alone',
  noun: 'observations',
  missing: 'no observation of Langfuse: type, id, trace id or start time is missing',
  isSpan: isObservation,
  traceIdOf,
  list: 'data',
  whole: { id: 'id', spans: 'observations' },
  read: factsOf,
});

/** A field in either spelling. */
function either(record: JsonObject, camel: string, snake: string): unknown {
  return record[camel] ?? record[snake];
}

function isObservation(record: JsonObject): boolean {
  return (
    TYPE.test(stringOf(record['type']) ?? '') &&
    typeof record['id'] === 'string' &&
    typeof either(record, 'traceId', 'trace_id') === 'string' &&
    ('startTime' in record || 'start_time' in record)
  );
}

function traceIdOf(observation: JsonObject): string | undefined {
  return stringOf(either(observation, 'traceId', 'trace_id'));
}

function factsOf(observations: readonly JsonObject[], trace: JsonObject | undefined): TraceFacts {
  const item = observations
    .map((observation) => stringOf(either(observation, 'experimentItemId', 'experiment_item_id')))
    .find((id) => id !== undefined && id !== '');
  const truth = observations
    .map((each) => textOf(either(each, 'experimentItemExpectedOutput', 'experiment_item_expected_output')))
    .find((text) => text !== undefined && text !== '');
  const scores = trace?.['scores'];
  return {
    id: textField(trace ?? {}, 'id') ?? traceIdOf(observations[0] ?? {}) ?? '',
    spans: observations.map(spanOf),
    known: {
      ...(item === undefined ? {} : { problemId: item }),
      ...(truth === undefined ? {} : { groundTruth: truth }),
    },
    groupKey: item,
    scores: scoresOf(scores),
    extra: {
      ...(trace === undefined ? {} : { trace: without(trace, TRACE_COLUMNS) }),
      ...(Array.isArray(scores) && scores.length > 0 ? { scores } : {}),
    },
  };
}

function scoresOf(scores: unknown): readonly Score[] {
  return (Array.isArray(scores) ? scores : []).filter(isObject).flatMap((score) => {
    const type = score['dataType'];
    const isOfTrace = textField(score, 'observationId') === undefined;
    const value =
      type === 'NUMERIC' || type === 'BOOLEAN' || type === undefined ? numberOf(score['value']) : undefined;
    return value === undefined || !isOfTrace ? [] : [{ name: stringOf(score['name']) ?? '?', value }];
  });
}

function spanOf(observation: JsonObject): Span {
  const { type, level, input, output } = observation;
  const kind = type === 'GENERATION' ? 'model' : type === 'TOOL' ? 'tool' : 'other';
  const name = textField(observation, 'name');
  const message = stringOf(either(observation, 'statusMessage', 'status_message'));
  const usage = either(observation, 'usageDetails', 'usage_details') ?? observation['usage'];
  return {
    id: textField(observation, 'id'),
    parent: stringOf(either(observation, 'parentObservationId', 'parent_observation_id')) ?? undefined,
    kind,
    name,
    startedAt: secondsOfDate(either(observation, 'startTime', 'start_time')),
    endedAt: secondsOfDate(either(observation, 'endTime', 'end_time')),
    ...{ input, output },
    ...(kind === 'tool' ? { call: { ...callOf(observation), args: argsOf(input) } } : {}),
    ...(level === 'ERROR' ? { failure: { word: level, ...(message === undefined ? {} : { message }) } } : {}),
    ...(kind === 'model' ? { finish: finishOf(output), policyTokens: sampledTokens(usage) } : {}),
    extra: { type, ...without(observation, COLUMNS) },
  };
}

/** `@observe` of the Python SDK logs positional arguments in `args` and named ones in `kwargs`. */
function argsOf(input: unknown): unknown {
  const value = typeof input === 'string' ? tryParseJson(input) : input;
  if (!isObject(value) || !isObject(value['kwargs']) || !Array.isArray(value['args'])) return input;
  return value['args'].length === 0 && Object.keys(value).length === 2 ? value['kwargs'] : input;
}

/** The AI SDK names every tool span "ai.toolCall". The tool's name and call id are attributes in the metadata. */
function callOf(observation: JsonObject): { readonly id?: string; readonly name?: string } {
  const { metadata } = observation;
  const parsed = typeof metadata === 'string' ? tryParseJson(metadata) : metadata;
  const attributes = isObject(parsed) && isObject(parsed['attributes']) ? parsed['attributes'] : {};
  return {
    id: textField(attributes, 'ai.toolCall.id'),
    name: textField(attributes, 'ai.toolCall.name') ?? textField(observation, 'name'),
  };
}

/** Sums all output counts, because Langfuse logs reasoning and audio tokens as `output_…` apart from `output`. */
function sampledTokens(usage: unknown): number | undefined {
  if (!isObject(usage) || (usage['unit'] ?? 'TOKENS') !== 'TOKENS') return undefined;
  const counts = Object.entries(usage).flatMap(([key, count]) =>
    key === 'output' || key.startsWith('output_') ? [indexOf(count) ?? 0] : [],
  );
  return counts.length === 0 ? undefined : counts.reduce((sum, count) => sum + count, 0);
}
