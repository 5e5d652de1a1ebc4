/**
 * ATIF, the Agent Trajectory Interchange Format of Harbor: one JSON object per trajectory (`trajectory.json`).
 *
 *   {"schema_version": "ATIF-v1.7", "session_id": "s-1", "agent": {"name": "terminus-2", "version": "2.0.0"},
 *    "steps": [{"step_id": 1, "source": "user", "message": "Count the lines of a.txt."},
 *     {"step_id": 2, "source": "agent", "timestamp": "2026-03-01T10:00:02Z", "message": "I count.", "reasoning_content": "wc -l",
 *      "tool_calls": [{"tool_call_id": "c1", "function_name": "bash", "arguments": {"command": "wc -l a.txt"}}],
 *      "observation": {"results": [{"source_call_id": "c1", "content": "3 a.txt"}]},
 *      "metrics": {"prompt_tokens": 4, "completion_tokens": 2, "completion_token_ids": [7, 8], "logprobs": [-0.1, -0.2]}}],
 *    "final_metrics": {"total_prompt_tokens": 4, "total_completion_tokens": 2, "total_steps": 2}}
 *
 * Shape: harbor.models.trajectories of harbor 0.20.0 (ATIF-v1.7) and the specification
 * harbor-framework/harbor:docs/rfcs/0001-trajectory-format.md (v1.0 to v1.8; shared/format/FORMATS.md#atif).
 * - An agent's step is a turn. Its observation has the results of its calls.
 * - A result names its call. One without a name is the only call's if the step has one call and one result,
 *   else it belongs to none.
 * - Steps with `is_copied_context` belong to another trajectory. At the beginning they are the prompt.
 * - Embedded trajectories of subagents are rollouts of their own.
 * - The reward is not in it: Harbor writes it to the `result.json` of the trial.
 */

import type { Turn } from '../domain/model.ts';
import { indexOf, isObject, type JsonObject, stringOf, without } from './fields.ts';
import type { FileContext, FileHead, LineIssue, LogFormat, ParsedLine } from './format.ts';
import { type Generation, tokensOfGenerations, turnsOfGenerations } from './generations.ts';
import { contextWith, type LoggedRequest, requestOfTokens, requestsOfTurns } from './loggedContext.ts';
import { found, refused, warned } from './records.ts';
import { bodyOfTask } from './taskBody.ts';
import { secondsOfDate } from './timing.ts';
import { UNALIGNED } from './tokenColumns.ts';

const VERSION = /^ATIF-v1\.\d+$/;
const COLUMNS: ReadonlySet<string> = new Set(['steps', 'subagent_trajectories']);
/** Fields of a step that are in the text or have their own column. */
const STEP_COLUMNS: ReadonlySet<string> = new Set([
  ...['source', 'message', 'reasoning_content', 'tool_calls', 'observation', 'metrics'],
]);
const METRIC_COLUMNS: ReadonlySet<string> = new Set(['prompt_token_ids', 'completion_token_ids', 'logprobs']);
const CALL_COLUMNS: ReadonlySet<string> = new Set(['tool_call_id', 'function_name', 'arguments']);
const RESULT_COLUMNS: ReadonlySet<string> = new Set(['content', 'source_call_id']);
/** Maximum nesting of subagents. */
const DEEPEST = 16;

export const atif: LogFormat = {
  name: 'atif',
  title: 'ATIF trajectories (Harbor, Terminal-Bench)',
  source:
    'harbor-framework/harbor, docs/rfcs/0001-trajectory-format.md v1.0 to v1.8 and harbor.models.trajectories of 0.20.0 (read November 2026)',
  rule: '"schema_version": "ATIF-v1.…" and a list in "steps"',
  reads:
    'messages, reasoning, tool calls with their results, token ids and log-probabilities, start and end, subagents as rollouts of their own',
  ignores:
    'prompt_token_ids that do not continue the step before; trajectories in other files (kept as references)',
  detect: (head: FileHead) => head.records.some(isTrajectory),
  open: (file: FileContext) => ({
    read: (record) => {
      if (!Array.isArray(record['steps'])) {
        return refused(
          'missing_field',
          `a trajectory needs a list in "steps"; found ${found(record['steps'])}`,
        );
      }
      const lines = trajectories(record).map(({ trajectory, agent }) =>
        readTrajectory(trajectory, agent, file),
      );
      return lines;
    },
  }),
};

function isTrajectory(record: JsonObject): boolean {
  return VERSION.test(stringOf(record['schema_version']) ?? '') && Array.isArray(record['steps']);
}

interface Found {
  readonly trajectory: JsonObject;
  /** Name of a subagent. */
  readonly agent?: string;
}

/** The trajectory and those embedded in it, in order. */
function trajectories(record: JsonObject, depth = 0): readonly Found[] {
  const embedded = record['subagent_trajectories'];
  const subagents = (depth < DEEPEST && Array.isArray(embedded) ? embedded : [])
    .filter(isObject)
    .flatMap((trajectory) => trajectories(trajectory, depth + 1));
  const agent = isObject(record['agent']) ? stringOf(record['agent']['name']) : undefined;
  return [{ trajectory: record, ...(depth === 0 ? {} : { agent: agent ?? 'subagent' }) }, ...subagents];
}

function readTrajectory(trajectory: JsonObject, agent: string | undefined, file: FileContext): ParsedLine {
  const { steps: list } = trajectory;
  const steps = (Array.isArray(list) ? list : []).filter(isObject);
  if (steps.length === 0) return refused('no_messages', 'a trajectory has no steps');
  const warnings: LineIssue[] = [];
  const lost = (Array.isArray(list) ? list.length : 0) - steps.length;
  if (lost > 0) warnings.push(warned('unread_step', `${lost} steps are not objects; not read`));
  const firstPlayed = steps.findIndex(
    (step) => step['source'] === 'agent' && step['is_copied_context'] !== true,
  );
  const asked = firstPlayed < 0 ? steps : steps.slice(0, firstPlayed);
  const played = firstPlayed < 0 ? [] : steps.slice(firstPlayed);
  const body = bodyOfTask(played.flatMap(messagesOfStep), {}, asked.flatMap(messagesOfStep));
  const generations = played.filter(({ source }) => source === 'agent').map(generationOf);
  const known = generations.filter(({ ids }) => Array.isArray(ids));
  const tokens = tokensOfGenerations(known, warnings);
  if (tokens !== undefined) warnings.push(UNALIGNED);
  const times = steps.flatMap((step) => secondsOfDate(step['timestamp']) ?? []);
  return {
    kind: 'rollout',
    warnings,
    rollout: {
      ...body,
      turns: turnsWithUsage(turnsOfGenerations(body.turns, generations), played),
      context: contextWith(
        body.context,
        requestsOfTurns(body.turns, played.filter(({ source }) => source === 'agent').map(requestOfStep)),
      ),
      kind: file.layout.kind ?? 'eval',
      step: file.layout.step,
      groupRule: 'prompt',
      ...(agent === undefined ? {} : { role: agent }),
      tokens,
      startedAt: times.length === 0 ? undefined : times.reduce((a, b) => Math.min(a, b)),
      endedAt: times.length === 0 ? undefined : times.reduce((a, b) => Math.max(a, b)),
      extra: { ...without(trajectory, COLUMNS), steps: steps.map(restOfStep) },
    },
  };
}

function messagesOfStep(step: JsonObject): readonly JsonObject[] {
  const { source, message, observation } = step;
  const isAgent = source === 'agent';
  const calls = (isAgent && Array.isArray(step['tool_calls']) ? step['tool_calls'] : []).filter(isObject);
  const said: JsonObject = {
    role: isAgent ? 'assistant' : source === 'system' ? 'system' : 'user',
    content: message,
    ...(isAgent ? { reasoning_content: step['reasoning_content'] } : {}),
    ...(calls.length === 0
      ? {}
      : {
          tool_calls: calls.map((call) => ({
            id: call['tool_call_id'],
            name: call['function_name'],
            arguments: call['arguments'],
          })),
        }),
  };
  const list = isObject(observation) ? observation['results'] : undefined;
  // Skips a result that is only a reference to a subagent's trajectory, if the step has no call.
  const results = (Array.isArray(list) ? list : [])
    .filter(isObject)
    .filter(
      ({ content, source_call_id }) => (content ?? source_call_id ?? null) !== null || calls.length > 0,
    );
  const isOnly = calls.length === 1 && results.length === 1;
  return [
    said,
    ...results.map((result) => ({
      role: 'tool',
      content: result['content'],
      // '' matches no call.
      tool_call_id: stringOf(result['source_call_id']) ?? (isOnly ? calls[0]?.['tool_call_id'] : ''),
    })),
  ];
}

/** Logged token counts of turns without ids. */
function turnsWithUsage(turns: readonly Turn[], played: readonly JsonObject[]): readonly Turn[] {
  const ofAgent = played.filter(({ source }) => source === 'agent');
  if (ofAgent.length !== turns.length) return turns;
  return turns.map((turn, i) => {
    const metrics = ofAgent[i]?.['metrics'];
    const count = isObject(metrics) ? indexOf(metrics['completion_tokens']) : undefined;
    return turn.policyTokens !== undefined || count === undefined ? turn : { ...turn, policyTokens: count };
  });
}

function generationOf(step: JsonObject): Generation {
  const metrics = isObject(step['metrics']) ? step['metrics'] : {};
  return {
    prompt: metrics['prompt_token_ids'],
    ids: metrics['completion_token_ids'],
    logprobs: metrics['logprobs'],
  };
}

function requestOfStep({ metrics }: JsonObject): LoggedRequest | null {
  return isObject(metrics)
    ? requestOfTokens('steps[].metrics.prompt_tokens', metrics['prompt_tokens'])
    : null;
}

/** Fields of a step beside its text: times, usage, model, metadata of calls and results. */
function restOfStep(step: JsonObject): JsonObject {
  const { metrics, tool_calls: calls, observation } = step;
  const results = isObject(observation) ? observation['results'] : undefined;
  const rests = (list: unknown, columns: ReadonlySet<string>): readonly JsonObject[] =>
    (Array.isArray(list) ? list : [])
      .filter(isObject)
      .map((entry) => without(entry, columns))
      .filter((rest) => Object.values(rest).some((value) => value !== null));
  const ofCalls = rests(calls, CALL_COLUMNS);
  const ofResults = rests(results, RESULT_COLUMNS);
  return {
    ...without(step, STEP_COLUMNS),
    ...(isObject(metrics) ? { metrics: restOfMetrics(metrics) } : {}),
    ...(ofCalls.length === 0 ? {} : { tool_calls: ofCalls }),
    ...(ofResults.length === 0 ? {} : { results: ofResults }),
  };
}

/** Log-probabilities without token ids have no column. */
function restOfMetrics(metrics: JsonObject): JsonObject {
  const { completion_token_ids: ids, logprobs } = metrics;
  const isShown = Array.isArray(ids) || logprobs === undefined || logprobs === null;
  return { ...without(metrics, METRIC_COLUMNS), ...(isShown ? {} : { logprobs }) };
}
