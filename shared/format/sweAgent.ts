/**
 * SWE-agent trajectories: `{instance}.traj`, one JSON object.
 *
 * Written by `save_trajectory` in `sweagent/agent/agents.py` (SWE-agent/SWE-agent 3ea751c0). Versions up to
 * 0.7 write the state as text and no tool calls:
 *
 *   {"environment":"main","trajectory":[{"action":"ls","observation":"a.py","response":"…","thought":"…",
 *    "execution_time":0.2,"state":{"working_dir":"/repo"}}],
 *    "history":[{"role":"system","content":"…"},{"role":"user","content":"demo …","is_demo":true},
 *    {"role":"user","content":"Here's the issue …"},{"role":"assistant","content":"I will look.",
 *     "tool_calls":[{"id":"c1","function":{"name":"bash","arguments":"{\"command\": \"ls\"}"}}]},
 *    {"role":"tool","content":"a.py","tool_call_ids":["c1"]}],"info":{"exit_status":"submitted","submission":"diff …"}}
 *
 * - Without tool calls, the action is a fenced block at the end of the message. It becomes the tool call,
 *   named after its first word, and the next message becomes its response.
 * - Demonstrations belong to the prompt. The patch is the answer. No trajectory tells whether it resolves the
 *   issue.
 */
import type { StopReason } from '../domain/model.ts';
import { tryParseJson } from '../domain/parseJson.ts';
import { booleanOf, idOf, isObject, type JsonObject, stringOf, without } from './fields.ts';
import type { FileContext, FileHead, LineIssue, LogFormat, ParsedLine } from './format.ts';
import { isMessageList, restOfMessages, roleOf, textOfContent } from './messageShape.ts';
import { found, refused, warned } from './records.ts';
import { stopOf } from './stop.ts';
import { bodyOfTask, messagesIn } from './taskBody.ts';

const COLUMNS: ReadonlySet<string> = new Set(['history', 'messages', 'trajectory', 'info', 'instance_id']);
const INFO_COLUMNS: ReadonlySet<string> = new Set(['submission']);
const STEP_COLUMNS: ReadonlySet<string> = new Set([
  ...['action', 'observation', 'response', 'thought', 'messages', 'query', 'tool_calls', 'tool_call_ids'],
]);
/** Copies of the content and of the call. */
const REPEATED: ReadonlySet<string> = new Set(['thought', 'action', 'message_type', 'agent']);

/** In `submitted (exit_cost)`, the stop reason is the cause in parentheses. Checked in this order. */
const STOP_REASONS: readonly (readonly [RegExp, StopReason])[] = [
  [/exit_cost|limits?_?exceeded/i, 'turn-limit'],
  [/exit_context/i, 'length'],
  [/exit_forfeit/i, 'no-answer'],
  [/timeout|execution_time|early_exit|skipped|interrupt/i, 'aborted'],
  [/error|exit_format|exit_api|exception/i, 'error'],
  [/^submitted/i, 'answer'],
];

export const sweAgent: LogFormat = {
  name: 'swe-agent',
  title: 'SWE-agent trajectory (.traj)',
  source: 'SWE-agent/SWE-agent, sweagent/agent/agents.py at 3ea751c0 and before 1.0 (compared November 2026)',
  rule: 'an object "info" with "exit_status", "submission" or "model_stats", and messages in "history" or "messages", or steps with "action" and "observation" in "trajectory"',
  reads:
    'messages, tool calls or fenced actions, demonstrations as part of the prompt, the patch as the answer, exit status',
  ignores: 'the copies of messages in the steps of "trajectory"; a reward is not in it',
  detect: (head: FileHead) =>
    head.records.some(
      (record) => isOfRun(record['info']) && (listOf(record) !== undefined || hasSteps(record)),
    ),
  open: (file: FileContext) => ({ read: (record) => readTrajectory(record, file) }),
};

function isOfRun(info: unknown): boolean {
  return isObject(info) && ['exit_status', 'submission', 'model_stats'].some((field) => field in info);
}

function listOf(record: JsonObject): readonly unknown[] | undefined {
  return [record['history'], record['messages']].find(isMessageList);
}

function hasSteps(record: JsonObject): boolean {
  const steps = record['trajectory'];
  return (
    Array.isArray(steps) && steps.some((step) => isObject(step) && 'action' in step && 'observation' in step)
  );
}

function readTrajectory(record: JsonObject, file: FileContext): ParsedLine {
  const warnings: LineIssue[] = [];
  const steps = Array.isArray(record['trajectory']) ? messagesIn(record['trajectory'], warnings) : [];
  const list = listOf(record);
  if (list === undefined && steps.length === 0) {
    const message = `an SWE-agent trajectory needs messages in "history"; found ${found(record['history'])}`;
    return refused('missing_field', message);
  }
  if (list === undefined) {
    warnings.push(warned('no_history', 'no messages in "history"; built from the steps, without a prompt'));
  }
  const messages = list === undefined ? messagesOfSteps(steps) : withSteps(messagesIn(list, warnings), steps);
  const info = isObject(record['info']) ? record['info'] : {};
  const status = stringOf(info['exit_status']);
  const submission = stringOf(info['submission']);
  const instance =
    idOf(record['instance_id']) ?? idOf(info['instance_id']) ?? replayedInstance(record['replay_config']);
  const first = messages.findIndex(
    (message) => roleOf(message) === 'assistant' && message['is_demo'] !== true,
  );
  const promptLength = first < 0 ? messages.length : first;
  const facts = {
    problemId: instance,
    answer: submission === '' ? undefined : submission,
    stop: stopOf(status, (word) => STOP_REASONS.find(([pattern]) => pattern.test(word))?.[1]),
  };
  const body = bodyOfTask(asCalls(messages.slice(promptLength)), facts, messages.slice(0, promptLength));
  const rest = restOfMessages(messages, REPEATED);
  return {
    kind: 'rollout',
    warnings,
    rollout: {
      ...body,
      kind: file.layout.kind ?? 'eval',
      step: file.layout.step,
      groupKey: instance,
      groupRule: instance === undefined ? 'prompt' : 'logged',
      isCorrect: booleanOf(record['resolved'] ?? info['resolved']),
      extra: {
        ...without(record, COLUMNS),
        info: without(info, INFO_COLUMNS),
        ...(steps.length === 0 ? {} : { steps: steps.map((step) => without(step, STEP_COLUMNS)) }),
        ...(rest === undefined ? {} : { messages: rest }),
      },
    },
  };
}

/** The instance to solve; written as an object, later as JSON text. */
function replayedInstance(config: unknown): string | undefined {
  const read = typeof config === 'string' ? tryParseJson(config) : config;
  const statement = isObject(read) ? read['problem_statement'] : undefined;
  return isObject(statement) ? idOf(statement['id']) : undefined;
}

/** The observation of the last action (`submit`) is often only in the steps. */
function withSteps(messages: readonly JsonObject[], steps: readonly JsonObject[]): readonly JsonObject[] {
  const last = messages.at(-1);
  const observation = stringOf(steps.at(-1)?.['observation']) ?? '';
  if (last === undefined || roleOf(last) !== 'assistant' || observation.trim() === '') return messages;
  const said = messages.filter((message) => roleOf(message) === 'assistant' && message['is_demo'] !== true);
  if (said.length !== steps.length) return messages;
  return [...messages, { role: 'tool', content: observation }];
}

function messagesOfSteps(steps: readonly JsonObject[]): readonly JsonObject[] {
  return steps.flatMap((step): JsonObject[] => [
    {
      role: 'assistant',
      content: step['response'] ?? step['thought'],
      action: step['action'],
      tool_calls: step['tool_calls'],
    },
    { role: 'tool', content: step['observation'] },
  ]);
}

/** Turns fenced actions into tool calls, and the next message into the response. */
function asCalls(messages: readonly JsonObject[]): readonly JsonObject[] {
  let isWaiting = false;
  return messages.map((message) => {
    if (roleOf(message) === 'assistant') {
      const acting = withActionAsCall(message);
      isWaiting = acting !== message;
      return acting;
    }
    const isObservation = isWaiting && roleOf(message) === 'user';
    isWaiting = false;
    return isObservation ? { ...message, role: 'tool' } : message;
  });
}

const FENCE = '```';

function withActionAsCall(message: JsonObject): JsonObject {
  const action = stringOf(message['action'])?.trim() ?? '';
  const calls = message['tool_calls'];
  if (action === '' || (Array.isArray(calls) && calls.length > 0)) return message;
  const content = textOfContent(message['content']);
  const end = content.lastIndexOf(FENCE);
  const start = end <= 0 ? -1 : content.lastIndexOf(FENCE, end - 1);
  const fenced = start < 0 ? '' : content.slice(start + FENCE.length, end).trim();
  // The opening fence may name a language. An action that differs from the fenced block stays text.
  if (fenced !== action && !fenced.endsWith(`\n${action}`)) return message;
  const name = /^\S+/.exec(action)?.[0] ?? action;
  const after = content.slice(end + FENCE.length);
  return {
    ...message,
    content: content.slice(0, start).trimEnd() + (after.trim() === '' ? '' : after),
    tool_calls: [{ name, arguments: { command: action } }],
  };
}
