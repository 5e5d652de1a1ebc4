/**
 * Runs of LangSmith: one run per line or row, as `Client.list_runs` returns them and bulk exports have them, or a root run
 * with its `child_runs`.
 *
 *   {"id": "r2", "trace_id": "r1", "parent_run_id": "r1", "dotted_order": "20260301T100000000000Zr1.20260301T100000100000Zr2",
 *    "name": "ChatOpenAI", "run_type": "llm", "start_time": "2026-03-01T10:00:00.100000", "end_time": "2026-03-01T10:00:01.100000",
 *    "inputs": {"messages": [[{"id": ["langchain", "schema", "messages", "HumanMessage"], "kwargs": {"content": "6·7?"}}]]},
 *    "outputs": {"generations": [[{"text": "42", "message": {"id": ["langchain", "schema", "messages", "AIMessage"], "kwargs": {"content": "42"}}}]]},
 *    "error": null, "completion_tokens": 2, "reference_example_id": null, "feedback_stats": null}
 *
 * langchain-ai/langsmith-sdk:python/langsmith/schemas.py at 017fb35 (`RunBase`, `Run`); docs.langchain.com/langsmith/run-data-format and
 * data-export, read in November 2026 (shared/format/FORMATS.md#langsmith).
 * - In bulk exports (Parquet) inputs, outputs and other objects are JSON text.
 * - `reference_example_id` is the problem and the group, `session_id` the project or experiment, which is the run.
 * - `feedback_stats` are aggregates. One key with one score is the reward.
 */

import { tryParseJson } from '../domain/parseJson.ts';
import { dialogueOf, finishOf } from './dialogue.ts';
import { indexOf, isObject, type JsonObject, numberOf, stringOf, textField, without } from './fields.ts';
import type { Span } from './spans.ts';
import { secondsOfDate } from './timing.ts';
import { type Score, type TraceFacts, traceFormat } from './traceFormat.ts';

/** Fields that the rollout or its span has. */
const COLUMNS: ReadonlySet<string> = new Set([
  ...[
    'id',
    'run_id',
    'trace_id',
    'parent_run_id',
    'parent_run_ids',
    'dotted_order',
    'name',
    'start_time',
    'end_time',
  ],
  ...[
    'inputs',
    'outputs',
    'error',
    'child_runs',
    'child_run_ids',
    'direct_child_run_ids',
    'serialized',
    'events',
  ],
  ...['inputs_preview', 'outputs_preview', 'inputs_s3_urls', 'outputs_s3_urls', 'app_path', 'manifest_id'],
]);
/** Maximum number of runs below one root. More are not read. */
const MOST_RUNS = 1 << 20;

export const langsmith = traceFormat({
  name: 'langsmith',
  title: 'LangSmith runs (list_runs, bulk export)',
  source:
    'langchain-ai/langsmith-sdk, python/langsmith/schemas.py at 017fb35, and the run data format of docs.langchain.com (read November 2026)',
  rule: '"run_type" with "inputs" or "outputs", and "trace_id", "dotted_order" or a list in "child_runs"; also as a list in "runs"',
  reads:
    'the conversation of the longest llm run, tool runs with latency and error, usage, reference_example_id as problem and group, session_id as run, the only score of feedback_stats as reward',
  ignores:
    'inputs and outputs of chains, which repeat those of their runs; serialized code, events, previews',
  noun: 'runs',
  missing: 'no run of LangSmith: "run_type" and an id are missing',
  isSpan: isRun,
  traceIdOf,
  list: 'runs',
  read: (parts) => factsOf(parts.flatMap(withChildren)),
});

function isRun(record: JsonObject): boolean {
  const isNamed = ['trace_id', 'dotted_order'].some((key) => typeof record[key] === 'string');
  const hasText = 'inputs' in record || 'outputs' in record;
  return (
    typeof record['run_type'] === 'string' && hasText && (isNamed || Array.isArray(record['child_runs']))
  );
}

function traceIdOf(run: JsonObject): string | undefined {
  const order = stringOf(run['dotted_order'])
    ?.split('.')[0]
    ?.replace(/^\d{8}T\d{6,}Z/, '');
  return textField(run, 'trace_id') ?? order ?? idOfRun(run);
}

const idOfRun = (run: JsonObject): string | undefined => textField(run, 'id') ?? textField(run, 'run_id');

/** The run and all its descendants. A loop, because deep nesting would exhaust the stack. */
function withChildren(root: JsonObject): readonly JsonObject[] {
  const runs: JsonObject[] = [root];
  for (let at = 0; at < runs.length && runs.length < MOST_RUNS; at++) {
    const run = runs[at] ?? {};
    const children = run['child_runs'];
    for (const child of Array.isArray(children) ? children : []) {
      if (isObject(child)) runs.push({ parent_run_id: idOfRun(run), ...child });
    }
  }
  return runs;
}

function factsOf(runs: readonly JsonObject[]): TraceFacts {
  const root = runs.find((run) => textField(run, 'parent_run_id') === undefined) ?? runs[0] ?? {};
  const example = runs.map((run) => textField(run, 'reference_example_id')).find((id) => id !== undefined);
  return {
    id: traceIdOf(root) ?? '',
    spans: runs.map(spanOf),
    ...(example === undefined ? {} : { known: { problemId: example }, groupKey: example }),
    run: textField(root, 'session_name') ?? textField(root, 'session_id'),
    scores: scoresOf(root['feedback_stats']),
  };
}

/** The average of a single score is the score. */
function scoresOf(stats: unknown): readonly Score[] {
  const value = parsedObject(stats);
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, stat]) => {
    const score = isObject(stat) && stat['n'] === 1 ? numberOf(stat['avg']) : undefined;
    return score === undefined ? [] : [{ name, value: score }];
  });
}

function parsedObject(value: unknown): unknown {
  return typeof value === 'string' && /^\s*[[{]/.test(value) ? (tryParseJson(value) ?? value) : value;
}

function spanOf(run: JsonObject): Span {
  const type = stringOf(run['run_type']) ?? '';
  const kind = type === 'llm' || type === 'chat_model' ? 'model' : type === 'tool' ? 'tool' : 'other';
  const name = textField(run, 'name');
  const input = parsedObject(run['inputs']);
  const output = parsedObject(run['outputs']);
  const message = textField(run, 'error');
  return {
    id: idOfRun(run),
    parent: textField(run, 'parent_run_id'),
    kind,
    name,
    startedAt: secondsOfDate(run['start_time']),
    endedAt: secondsOfDate(run['end_time']),
    ...{ input, output },
    ...(kind === 'tool' ? { call: { id: callIdOf(output), name, args: argsOf(input) } } : {}),
    ...(message === undefined ? {} : { failure: { word: stringOf(run['status']) ?? 'error', message } }),
    ...(kind === 'model'
      ? { finish: finishOf(output), policyTokens: indexOf(run['completion_tokens']) }
      : {}),
    extra: without(run, COLUMNS),
  };
}

/** Arguments of a tool. LangChain passes them as one text in `input`, other programs by name. */
function argsOf(input: unknown): unknown {
  return isObject(input) && Object.keys(input).length === 1 && typeof input['input'] === 'string'
    ? input['input']
    : input;
}

/** Id of the call in the tool message that LangChain logs as output. */
function callIdOf(output: unknown): string | undefined {
  const [message] = isObject(output) ? dialogueOf(output, 'assistant') : [];
  return message === undefined ? undefined : stringOf(message['tool_call_id']);
}
