import { scoresOf } from '../domain/scores.ts';
import { bodyOf, type KnownFacts, problemOf } from './body.ts';
import {
  booleanOf,
  dateOf,
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
import { promptOfMessages } from './messages.ts';
import { found, refused, warned } from './records.ts';
import { flatItems, generationsOf, messageOfItem, responseOfItems } from './responseItems.ts';
import { type Stop, stopOf } from './stop.ts';
import { UNALIGNED } from './tokenColumns.ts';

const COLUMNS: ReadonlySet<string> = new Set([
  ...['responses_create_params', 'response', 'reward', '_ng_task_index', '_ng_rollout_index'],
]);
/** Numbers and booleans that are not parts of the reward. All others are results of the environment's verifier. */
const NO_SCORES: ReadonlySet<string> = new Set([
  ...['reward', '_ng_task_index', '_ng_rollout_index', 'id', 'num_agent_messages', 'terminated', 'truncated'],
]);
const PARAMETER_COLUMNS: ReadonlySet<string> = new Set(['input']);
const RESPONSE_COLUMNS: ReadonlySet<string> = new Set(['output', 'created_at']);
const GROUND_TRUTHS = ['ground_truth', 'expected_answer', 'answer'] as const;

export const responsesApi: LogFormat = {
  name: 'nemo-gym',
  runIs: 'file',
  title: 'NeMo-Gym rollouts (Responses API)',
  source: 'NVIDIA-NeMo/Gym, nemo_gym/rollout_collection.py at 07d6b0d0 (compared November 2026)',
  rule: 'a record with objects in "responses_create_params" and "response", the latter with a list in "output"',
  reads:
    'messages, reasoning, tool calls, reward and its parts, task and rollout index, token ids and log-probabilities of generations',
  ignores: 'the second copy of the tools in "response"; fields that are null',
  detect: (head: FileHead) => head.records.some(isRollout),
  open: (file: FileContext) => ({ read: (record) => read(record, file) }),
};

function isRollout(record: JsonObject): boolean {
  const { response } = record;
  return (
    isObject(record['responses_create_params']) && isObject(response) && Array.isArray(response['output'])
  );
}

function read(record: JsonObject, file: FileContext): ParsedLine {
  const parameters = record['responses_create_params'];
  const { response } = record;
  if (!isObject(response) || !Array.isArray(response['output'])) {
    const what = isObject(response)
      ? `${found(response['output'])} in "response.output"`
      : `${found(response)} in "response"`;
    return refused(
      'missing_field',
      `a NeMo-Gym rollout needs a list of items in "response.output"; found ${what}`,
    );
  }
  const asked = isObject(parameters) ? parameters : {};
  const warnings: LineIssue[] = [];
  const items = flatItems(response['output'], warnings);
  const task = idOf(record['_ng_task_index']);
  const facts = { ...factsOf(record, response), ...(task === undefined ? {} : { problemId: task }) };
  const prompt = promptOf(asked, warnings);
  const problem = {
    ...problemOf(prompt.text, prompt.segments, facts),
    isTruthPartial: true,
  } as const;
  const body = bodyOf(problem, responseOfItems(items), facts);
  const generations = generationsOf(items);
  const tokens = tokensOfGenerations(generations, warnings);
  if (tokens !== undefined) warnings.push(UNALIGNED);
  const reward = rewardOf(record['reward']);
  if (isUnread(record['reward'], reward)) {
    warnings.push(warned('unread_value', `"reward" is ${found(record['reward'])}; the reward is unknown`));
  }
  const scores = scoresOf(
    Object.entries(record).filter(
      ([name, value]) => ['number', 'boolean'].includes(typeof value) && !NO_SCORES.has(name),
    ),
  );
  const messages = indexOf(record['num_agent_messages'] ?? response['num_agent_messages']);
  if (messages !== undefined && messages !== body.turns.length) {
    const message = `"num_agent_messages" is ${messages}, but ${body.turns.length} turns were found in the items`;
    warnings.push(warned('turn_count', message));
  }
  return {
    kind: 'rollout',
    warnings,
    rollout: {
      ...body,
      turns: turnsOfGenerations(body.turns, generations),
      context: contextWith(
        body.context,
        requestsOfGenerations(body.turns, generations, 'response.output[].prompt_token_ids'),
      ),
      kind: file.layout.kind ?? 'eval',
      step: file.layout.step,
      groupKey: task,
      groupRule: task === undefined ? 'prompt' : 'logged',
      ordinal: indexOf(record['_ng_rollout_index']),
      reward,
      ...(scores === undefined ? {} : { scores }),
      isCorrect: booleanOf(record['is_correct']) ?? booleanOf(record['accuracy']),
      tokens,
      startedAt: dateOf(response['created_at']),
      extra: extraOf(record, asked, response),
    },
  };
}

function factsOf(record: JsonObject, response: JsonObject): KnownFacts {
  const truth = GROUND_TRUTHS.map((field) => textOf(record[field]) ?? textOf(response[field])).find(
    (text) => text !== undefined,
  );
  return {
    groundTruth: truth,
    answer: textOf(record['extracted_answer']),
    stop: stopOfResponse(record, response),
    isUnmarked: true,
  };
}

/** `truncated`: the environment ended the rollout at its turn limit. */
function stopOfResponse(record: JsonObject, response: JsonObject): Stop {
  const details = response['incomplete_details'];
  if (isObject(response['error'])) return stopOf('error');
  if (isObject(details)) return stopOf(details['reason']);
  return record['truncated'] === true ? stopOf('truncated', () => 'turn-limit') : {};
}

/** The input is a text or a list of items, which may include earlier turns. */
function promptOf(asked: JsonObject, warnings: LineIssue[]): ReturnType<typeof promptOfMessages> {
  const { input, instructions } = asked;
  const system = stringOf(instructions);
  const said: readonly JsonObject[] = Array.isArray(input)
    ? flatItems(input, warnings).map(messageOfItem)
    : input === undefined || input === null
      ? []
      : [{ role: 'user', content: textOf(input) }];
  return promptOfMessages(system === undefined ? said : [{ role: 'system', content: system }, ...said]);
}

function extraOf(record: JsonObject, asked: JsonObject, response: JsonObject): JsonObject {
  const parameters = withoutNulls(without(asked, PARAMETER_COLUMNS));
  const answered = withoutNulls(without(response, RESPONSE_COLUMNS));
  const hasSameTools = textOf(parameters['tools']) === textOf(answered['tools']);
  return {
    ...without(record, COLUMNS),
    responses_create_params: parameters,
    response: hasSameTools ? without(answered, new Set(['tools'])) : answered,
  };
}

/** Most parameters of the API are null, which means "not given". */
function withoutNulls(record: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== null));
}
