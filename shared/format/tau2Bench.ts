/**
 * tau2-bench: results of a run, one JSON object with all tasks and all simulations.
 *
 * Written by `run_tasks` in `src/tau2/run.py` (sierra-research/tau2-bench 59d0fb96):
 *
 *   {"timestamp":"…","info":{"num_trials":1,"environment_info":{"domain_name":"…","policy":"…"},…},
 *    "tasks":[{"id":"t1","ticket":"…","user_scenario":{"persona":null,"instructions":{"reason_for_call":"…"}},
 *              "evaluation_criteria":{"actions":[…]}}],
 *    "simulations":[{"id":"s1","task_id":"t1","trial":0,"termination_reason":"user_stop",
 *                    "reward_info":{"reward":1.0},"messages":[{"role":"assistant","content":"Hi!"},…]}]}
 *
 * - The simulated user has tools of its own (`requestor` "user"). Their calls are part of the user's messages
 *   rather than calls of the policy.
 * - The conversation opens with the assistant, so the prompt is the policy of the domain. The ticket, persona and
 *   instructions of the simulated user are the problem's user scenario.
 * - Times have no zone; they are read as UTC.
 */

import { scoresOf } from '../domain/scores.ts';
import {
  idOf,
  indexOf,
  isObject,
  isUnread,
  type JsonObject,
  rewardOf,
  stringOf,
  textOf,
  without,
} from './fields.ts';
import type { FileContext, FileHead, LineIssue, LogFormat, ParsedLine } from './format.ts';
import { contextWith, type LoggedRequest, requestOfTokens, requestsOfTurns } from './loggedContext.ts';
import { restOfMessages, roleOf } from './messageShape.ts';
import { found, refused, warned } from './records.ts';
import { stopOf } from './stop.ts';
import { bodyOfTask, expectedActions, messagesIn } from './taskBody.ts';
import { durationOf, timingOf } from './timing.ts';

const RUN_COLUMNS: ReadonlySet<string> = new Set(['tasks', 'simulations']);
const COLUMNS: ReadonlySet<string> = new Set([
  'task_id',
  'trial',
  'messages',
  'start_time',
  'end_time',
  'duration',
  'termination_reason',
]);
const TASK_COLUMNS: ReadonlySet<string> = new Set(['id', 'ticket', 'user_scenario']);
/**
 * `raw_data` is the provider's response that the message was made from; the others repeat id and position.
 */
const REPEATED: ReadonlySet<string> = new Set(['raw_data', 'id', 'turn_idx']);

export const tau2Bench: LogFormat = {
  name: 'tau2-bench',
  runIs: 'file',
  title: 'tau2-bench results (one JSON object)',
  source: 'sierra-research/tau2-bench, src/tau2/run.py at 59d0fb96 (compared November 2026)',
  rule: 'an object with lists in "tasks" and "simulations"',
  reads:
    'every simulation as a rollout, its task as the problem, tool calls of the policy, reward and its parts, check of the database, trial, termination',
  ignores: "raw_data, the provider's copy of each message",
  detect: (head: FileHead) =>
    head.records.some((record) => Array.isArray(record['simulations']) && Array.isArray(record['tasks'])),
  open: (file: FileContext) => ({ read: (record) => readResults(record, file) }),
};

interface Task {
  /** Its fields that are not read. */
  readonly rest: JsonObject;
  readonly userScenario: string | undefined;
  readonly groundTruth: string | undefined;
}

function readResults(record: JsonObject, file: FileContext): ParsedLine | readonly ParsedLine[] {
  const simulations = record['simulations'];
  if (!Array.isArray(simulations)) {
    return refused(
      'missing_field',
      `tau2-bench results need a list in "simulations"; found ${found(simulations)}`,
    );
  }
  // Read once, because a task may have thousands of simulations.
  const tasks = new Map<string, Task>();
  for (const task of Array.isArray(record['tasks']) ? record['tasks'].filter(isObject) : []) {
    const id = idOf(task['id']);
    const criteria = isObject(task['evaluation_criteria']) ? task['evaluation_criteria'] : {};
    if (id !== undefined)
      tasks.set(id, {
        rest: without(task, TASK_COLUMNS),
        userScenario: scenarioOf(task),
        groundTruth: expectedActions(criteria['actions']),
      });
  }
  const info = isObject(record['info']) ? record['info'] : {};
  const environment = isObject(info['environment_info']) ? info['environment_info'] : {};
  const policy = stringOf(environment['policy']);
  const rollouts: ParsedLine[] = [];
  for (const simulation of simulations) {
    const rollout = isObject(simulation)
      ? readSimulation(simulation, tasks, policy, environment, file)
      : undefined;
    if (rollout !== undefined) rollouts.push(rollout);
  }
  const lost = simulations.length - rollouts.length;
  if (rollouts.length === 0) {
    return refused('no_rollouts', `none of the ${lost} simulations has a task id and messages`);
  }
  const warnings =
    lost === 0
      ? []
      : [
          warned(
            'unread_simulation',
            `${lost} of ${simulations.length} simulations have no task id or no messages`,
          ),
        ];
  return [{ kind: 'run', run: { config: without(record, RUN_COLUMNS) }, warnings }, ...rollouts];
}

function readSimulation(
  simulation: JsonObject,
  tasks: ReadonlyMap<string, Task>,
  policy: string | undefined,
  environment: JsonObject,
  file: FileContext,
): ParsedLine | undefined {
  const taskId = idOf(simulation['task_id']);
  const list = simulation['messages'];
  if (taskId === undefined || !Array.isArray(list)) return undefined;
  const warnings: LineIssue[] = [];
  const messages = messagesIn(list, warnings);
  const task = tasks.get(taskId);
  if (task === undefined) {
    warnings.push(warned('unknown_task', `no task "${taskId}" in "tasks"; the problem has no text`));
  }
  const rewardInfo = isObject(simulation['reward_info']) ? simulation['reward_info'] : {};
  const reward = rewardOf(rewardInfo['reward']);
  if (isUnread(rewardInfo['reward'], reward)) {
    warnings.push(warned('unread_value', `the reward is ${found(rewardInfo['reward'])}; it is unknown`));
  }
  const facts = {
    problemId: taskId,
    userScenario: task?.userScenario,
    groundTruth: task?.groundTruth,
    source: stringOf(environment['domain_name']),
    stop: stopOf(simulation['termination_reason']),
  };
  const rest = restOfMessages(messages, REPEATED);
  const body = bodyOfTask(messages, facts, policy === undefined ? [] : [{ role: 'system', content: policy }]);
  const scores = scoresOf(checksOf(rewardInfo));
  return {
    kind: 'rollout',
    warnings,
    rollout: {
      ...body,
      context: contextWith(
        body.context,
        requestsOfTurns(
          body.turns,
          messages.filter((message) => roleOf(message) === 'assistant').map(requestOfMessage),
        ),
      ),
      kind: file.layout.kind ?? 'eval',
      step: file.layout.step,
      groupKey: taskId,
      groupRule: 'logged',
      ordinal: indexOf(simulation['trial']),
      reward,
      ...(scores === undefined ? {} : { scores }),
      startedAt: secondsOf(simulation['start_time']),
      endedAt: secondsOf(simulation['end_time']),
      ...timingOf({ durationMs: 1000 * (durationOf(simulation['duration']) ?? Number.NaN) }),
      extra: {
        ...without(simulation, COLUMNS),
        ...(task === undefined ? {} : { task: task.rest }),
        ...(rest === undefined ? {} : { messages: rest }),
      },
    },
  };
}

function requestOfMessage({ usage }: JsonObject): LoggedRequest | null {
  return isObject(usage) ? requestOfTokens('messages[].usage.prompt_tokens', usage['prompt_tokens']) : null;
}

/** Parts of the reward and the check of the database. Single assertions and actions are in the extra fields only. */
function checksOf(rewardInfo: JsonObject): readonly (readonly [string, unknown])[] {
  const { reward_breakdown: parts, db_check: database } = rewardInfo;
  return [
    ...(isObject(database) ? [['db_match', database['db_match']] as const] : []),
    ...(isObject(parts) ? Object.entries(parts) : []),
  ];
}

function scenarioOf(task: JsonObject | undefined): string | undefined {
  const scenario = isObject(task?.['user_scenario']) ? task['user_scenario'] : {};
  const instructions = scenario['instructions'];
  const parts = [
    stringOf(task?.['ticket']),
    textOf(scenario['persona'])?.trim(),
    ...(isObject(instructions)
      ? Object.entries(instructions).flatMap(([name, value]) =>
          value === null ? [] : [`${name}: ${textOf(value) ?? ''}`],
        )
      : [textOf(instructions)]),
  ].filter((part) => part !== undefined && part !== '');
  return parts.length === 0 ? undefined : parts.join('\n\n');
}

function secondsOf(value: unknown): number | undefined {
  const text = stringOf(value);
  if (text === undefined || !/^\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:?\d\d)?$/.test(text)) return undefined;
  const hasZone = /(?:Z|[+-]\d\d:?\d\d)$/.test(text);
  // Python writes microseconds; a JavaScript date has milliseconds.
  const milliseconds = Date.parse(`${text.replace(/(\.\d{3})\d+/, '$1')}${hasZone ? '' : 'Z'}`);
  return Number.isNaN(milliseconds) ? undefined : milliseconds / 1000;
}
