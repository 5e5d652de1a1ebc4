/**
 * rLLM: one episode per file, of training or of an evaluation. Every trajectory is a rollout.
 *
 *   episodes/train_step_5_epoch_0/episode_….json   {"training_step":5,"episode_id":"t12:3","task":{"question":"6·7?"},
 *     "task_hash":"ab12","is_correct":true,"termination_reason":"env_done","trajectories":[{"name":"agent","reward":1.0,
 *      "steps":[{"chat_completions":[…],"model_response":"42","prompt_ids":[1],"response_ids":[2],"logprobs":[-0.1]}]}]}
 *   episodes/episode_000000_{task id}.json         {"id":"t12:0","task":{"id":"t12","instruction":"6·7?","metadata":{…}},
 *     "termination_reason":null,"is_correct":true,"trajectories":[…],"eval_idx":0}
 *
 * rllm-org/rllm (shared/format/FORMATS.md#rllm).
 */
import {
  booleanOf,
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
import { requestsOfGenerations, tokensOfGenerations, turnsOfGenerations } from './generations.ts';
import { contextWith } from './loggedContext.ts';
import { textOfMessage } from './messageShape.ts';
import { found, readStep, refused, warned } from './records.ts';
import { stopOf } from './stop.ts';
import { bodyOfTask, messagesIn } from './taskBody.ts';
import { durationOf, timingOf } from './timing.ts';
import { UNALIGNED } from './tokenColumns.ts';

const COLUMNS: ReadonlySet<string> = new Set(['training_step', 'is_correct', 'trajectories', 'task']);
const TRAJECTORY_COLUMNS: ReadonlySet<string> = new Set(['reward', 'steps', 'task']);
const STEP_COLUMNS: ReadonlySet<string> = new Set([
  ...['observation', 'thought', 'action', 'model_response', 'chat_completions', 'model_output'],
  ...['prompt_ids', 'response_ids', 'logprobs'],
]);

export const rllm: LogFormat = {
  name: 'rllm',
  title: 'rLLM episode (one JSON object per file)',
  source:
    'rllm-org/rllm, rllm/utils/episode_logger.py at 9beb6e0 (August 2026) and rllm/eval/episode_store.py at 198c8e4 (compared November 2026)',
  rule: 'a list of objects with "steps" in "trajectories", and "episode_id", "task_hash" or "termination_reason"',
  reads:
    'every trajectory as a rollout: conversation, reward, correctness, task, step, termination, tokens of steps that have them',
  ignores: 'the copies of the conversation in all steps but the last',
  detect: (head: FileHead) => head.records.some(isEpisode),
  open: (file: FileContext) => ({ read: (record) => readEpisode(record, file) }),
};

function isEpisode(record: JsonObject): boolean {
  const { trajectories } = record;
  return (
    Array.isArray(trajectories) &&
    trajectories.some((entry) => isObject(entry) && Array.isArray(entry['steps'])) &&
    ('episode_id' in record || 'task_hash' in record || 'termination_reason' in record)
  );
}

interface Episode {
  readonly record: JsonObject;
  readonly file: FileContext;
  /** The id of an evaluation's task; in training the part before the colon of "t12:3", else the task's hash. */
  readonly task: string | undefined;
  readonly ordinal: number | undefined;
  /** Training step. */
  readonly step: number | undefined;
  readonly extra: JsonObject;
}

function readEpisode(record: JsonObject, file: FileContext): ParsedLine | readonly ParsedLine[] {
  const { trajectories } = record;
  if (!Array.isArray(trajectories)) {
    return refused('missing_field', `an rLLM episode needs "trajectories"; found ${found(trajectories)}`);
  }
  const whole = trajectories.filter(
    (entry): entry is JsonObject =>
      isObject(entry) && Array.isArray(entry['steps']) && entry['steps'].length > 0,
  );
  if (whole.length === 0) {
    return refused('no_rollouts', `none of the ${trajectories.length} trajectories of the episode has steps`);
  }
  const warnings: LineIssue[] = [];
  // Evaluations name the id differently; without a colon it is random.
  const id = /^(.+):(\d+)$/s.exec(idOf(record['episode_id'] ?? record['id']) ?? '');
  const { task } = record;
  const episode: Episode = {
    record,
    file,
    task:
      ('episode_id' in record ? id?.[1] : undefined) ??
      (isObject(task) ? idOf(task['id']) : undefined) ??
      id?.[1] ??
      idOf(record['task_hash']) ??
      idOf(record['episode_id']),
    ordinal: id?.[2] === undefined ? undefined : indexOf(Number(id[2])),
    step: readStep(record['training_step'], 'training_step', file, warnings),
    extra: without(record, COLUMNS),
  };
  const lost = trajectories.length - whole.length;
  if (lost > 0) {
    const message = `${lost} of ${trajectories.length} trajectories have no steps; not read`;
    warnings.push(warned('unread_trajectory', message));
  }
  const names = whole.map((trajectory) => stringOf(trajectory['name']));
  return whole.map((trajectory, i) => {
    // Several trajectories of one name share the episode's number, so it is not used as an ordinal.
    const isAlone = names.filter((name) => name === names[i]).length === 1;
    return readTrajectory(trajectory, { ...episode, ordinal: isAlone ? episode.ordinal : undefined }, [
      ...(i === 0 ? warnings : []),
    ]);
  });
}

function readTrajectory(trajectory: JsonObject, episode: Episode, warnings: LineIssue[]): ParsedLine {
  const { record, file } = episode;
  const list = Array.isArray(trajectory['steps']) ? trajectory['steps'] : [];
  const steps = messagesIn(list, warnings);
  const task = trajectory['task'] ?? record['task'];
  const row = rowOf(task);
  const name = stringOf(trajectory['name']) ?? '';
  const suffix = name === '' ? '' : `:${name}`;
  const facts = {
    problemId: episode.task === undefined ? undefined : `${episode.task}${suffix}`,
    groundTruth: textOf(row['ground_truth'] ?? row['answer']),
    source: stringOf(row['data_source']),
    stop: stopOf(record['termination_reason']),
  };
  const conversation = conversationOf(steps, warnings);
  const question = questionOf(task);
  const startsWithAnswer = conversation[0]?.['role'] === 'assistant';
  const body =
    startsWithAnswer && question !== undefined
      ? bodyOfTask(conversation, facts, [{ role: 'user', content: question }])
      : bodyOfTask(conversation, facts);
  const generations = steps.flatMap((step) =>
    Array.isArray(step['response_ids'])
      ? [{ prompt: step['prompt_ids'], ids: step['response_ids'], logprobs: step['logprobs'] }]
      : [],
  );
  const tokens = tokensOfGenerations(generations, warnings);
  if (tokens !== undefined) warnings.push(UNALIGNED);
  const { step } = episode;
  const isTraining = step !== undefined || isUnread(record['training_step'], step);
  return {
    kind: 'rollout',
    warnings,
    rollout: {
      ...body,
      turns: turnsOfGenerations(body.turns, generations),
      context: contextWith(
        body.context,
        requestsOfGenerations(body.turns, generations, 'steps[].prompt_ids'),
      ),
      kind: file.layout.kind ?? (isTraining ? 'train' : 'eval'),
      step,
      groupKey: facts.problemId,
      role: name === '' ? undefined : name,
      groupRule: episode.task === undefined ? 'prompt' : 'logged',
      ordinal: episode.ordinal,
      reward: rewardOf(trajectory['reward']),
      isCorrect: booleanOf(record['is_correct']),
      tokens,
      ...timingOf({ durationMs: totalMs(trajectory['timing']) ?? totalMs(record['timing']) }),
      extra: {
        ...episode.extra,
        ...renamed(without(trajectory, TRAJECTORY_COLUMNS), episode.extra),
        ...(task === undefined || task === null ? {} : { task }),
        steps: steps.map((entry) => without(entry, STEP_COLUMNS)),
      },
    },
  };
}

/** Seconds without a start: a duration without a position in time. */
function totalMs(timing: unknown): number | undefined {
  const seconds = isObject(timing) ? durationOf(timing['total']) : undefined;
  return seconds === undefined ? undefined : seconds * 1000;
}

/**
 * Episode and trajectory share some names (`timing`, `metadata`). Renames them, so that neither hides the
 * other.
 */
function renamed(own: JsonObject, taken: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(own).map(([name, value]) => [name in taken ? `trajectory_${name}` : name, value]),
  );
}

/** The row of the data set: the task itself, or its metadata in an evaluation. */
function rowOf(task: unknown): JsonObject {
  if (!isObject(task)) return {};
  return 'instruction' in task && isObject(task['metadata']) ? task['metadata'] : task;
}

function questionOf(task: unknown): string | undefined {
  if (!isObject(task)) return textOf(task);
  const names = ['question', 'problem', 'prompt', 'instruction'] as const;
  const question = names.map((name) => stringOf(task[name])).find((text) => text !== undefined);
  // The rest of a task holds the answer, too.
  return question ?? textOf(task['instruction']);
}

/** The last step's conversation if it contains the earlier ones, else one built step by step. */
function conversationOf(steps: readonly JsonObject[], warnings: LineIssue[]): readonly JsonObject[] {
  const chats = steps.map((step) =>
    Array.isArray(step['chat_completions']) ? step['chat_completions'].filter(isObject) : [],
  );
  const last = chats.at(-1) ?? [];
  if (last.length > 0 && chats.every((chat) => isPrefix(chat, last))) return last;
  if (last.length > 0) {
    const message =
      'the conversations of the steps do not continue each other; built from observations and answers';
    warnings.push(warned('joined_steps', message));
  }
  return steps.flatMap((step) => [...observed(step), answered(step)]);
}

function isPrefix(chat: readonly JsonObject[], of: readonly JsonObject[]): boolean {
  return (
    chat.length <= of.length &&
    chat.every((message, i) => {
      const other = of[i];
      return (
        other !== undefined &&
        message['role'] === other['role'] &&
        textOfMessage(message) === textOfMessage(other)
      );
    })
  );
}

function observed(step: JsonObject): readonly JsonObject[] {
  const text = textOf(step['observation']) ?? stringOf(step['input']) ?? '';
  return text === '' ? [] : [{ role: 'user', content: text }];
}

function answered(step: JsonObject): JsonObject {
  const texts = [textOf(step['model_response']), stringOf(step['output']), textOf(step['action'])];
  const content = texts.find((text) => text !== undefined && text !== '') ?? '';
  if (content === texts[0]) return { role: 'assistant', content };
  return { role: 'assistant', reasoning_content: step['thought'], content };
}
