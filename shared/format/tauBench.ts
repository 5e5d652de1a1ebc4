/**
 * tau-bench: results of a run, one JSON array, one element per task and trial.
 *
 * Written by `run` in `tau_bench/run.py` (sierra-research/tau-bench 59a200c6). An element:
 *
 *   {"task_id":3,"reward":1.0,"info":{"task":{"user_id":"u1","instruction":"You want to …","actions":[
 *     {"name":"cancel_order","kwargs":{"order_id":"#7"}}],"outputs":[]},"user_cost":0.01},
 *    "traj":[{"role":"system","content":"# Policy …"},{"role":"user","content":"Hi!"},…],"trial":0}
 *
 * - Only the simulated user knows the instruction: it is the problem's user scenario. The prompt is the
 *   policy of the domain. The user's first message differs between trials, so it belongs to the rollout.
 * - A trial that raised is written with an empty `traj` and `info.error`. `info.reward_info` is null if the limit of
 *   steps ended the trial.
 */
import { idOf, indexOf, isObject, isUnread, type JsonObject, rewardOf, stringOf, without } from './fields.ts';
import type { FileContext, FileHead, LineIssue, LogFormat, ParsedLine } from './format.ts';
import { isMessageList, restOfMessages, roleOf } from './messageShape.ts';
import { found, refused, warned } from './records.ts';
import { type Stop, stopOf } from './stop.ts';
import { bodyOfTask, expectedActions, messagesIn } from './taskBody.ts';

const COLUMNS: ReadonlySet<string> = new Set(['task_id', 'reward', 'traj', 'trial']);

export const tauBench: LogFormat = {
  name: 'tau-bench',
  runIs: 'file',
  title: 'tau-bench results (JSON array)',
  source: 'sierra-research/tau-bench, tau_bench/run.py at 59a200c6 (compared November 2026)',
  rule: 'a record with "task_id", "reward" and a list of messages in "traj"',
  reads:
    'messages, tool calls, task as the problem, its instruction as the user scenario, expected actions as the ground truth, reward, trial, how the trial ended',
  ignores: 'nothing; there are no tokens and no training step in it',
  detect: (head: FileHead) =>
    head.records.some((record) => 'task_id' in record && 'reward' in record && isMessageList(record['traj'])),
  open: (file: FileContext) => ({ read: (record) => readTrial(record, file) }),
};

function readTrial(record: JsonObject, file: FileContext): ParsedLine {
  const list = record['traj'];
  const task = idOf(record['task_id']);
  if (!Array.isArray(list)) {
    return refused('missing_field', `a tau-bench trial needs messages in "traj"; found ${found(list)}`);
  }
  if (task === undefined) {
    return refused('missing_field', `a tau-bench trial needs "task_id"; found ${found(record['task_id'])}`);
  }
  const warnings: LineIssue[] = [];
  const messages = messagesIn(list, warnings);
  const info = isObject(record['info']) ? record['info'] : {};
  const scenario = isObject(info['task']) ? info['task'] : {};
  const instruction = stringOf(scenario['instruction']);
  const hasFailed = messages.length === 0 && info['error'] !== undefined;
  if (messages.length === 0) {
    warnings.push(warned('no_messages', 'the trial has no messages, so it has no text'));
  }
  const reward = rewardOf(record['reward']);
  if (isUnread(record['reward'], reward)) {
    warnings.push(warned('unread_value', `"reward" is ${found(record['reward'])}; the reward is unknown`));
  }
  const facts = {
    problemId: task,
    userScenario: instruction,
    groundTruth: expectedActions(scenario['actions']),
    stop: hasFailed ? stopOf('error') : endOf(info, messages),
  };
  const first = messages.findIndex((message) => roleOf(message) !== 'system');
  const policy = messages.slice(0, first < 0 ? messages.length : first);
  const rest = restOfMessages(messages);
  return {
    kind: 'rollout',
    warnings,
    rollout: {
      ...bodyOfTask(messages.slice(policy.length), facts, policy),
      kind: file.layout.kind ?? 'eval',
      step: file.layout.step,
      groupKey: task,
      groupRule: 'logged',
      ordinal: indexOf(record['trial']),
      reward,
      extra: { ...without(record, COLUMNS), ...(rest === undefined ? {} : { messages: rest }) },
    },
  };
}

/** The simulated user ends the dialogue with this mark. */
const USER_STOP = '###STOP###';

/**
 * The environment is done, and computes `reward_info`, when the user writes its mark or the policy calls a tool that
 * ends the task. A trial without it ran into the limit of steps (`solve` in `tau_bench/agents/tool_calling_agent.py`).
 */
function endOf(info: JsonObject, messages: readonly JsonObject[]): Stop {
  const last = messages.at(-1);
  if (last === undefined) return {};
  if (info['reward_info'] === null) return { stopReason: 'turn-limit', stopReasonSource: 'derived' };
  const isUserStop = roleOf(last) === 'user' && stringOf(last['content'])?.includes(USER_STOP) === true;
  return isUserStop ? { stopReasonLogged: USER_STOP } : {};
}
