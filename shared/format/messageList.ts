/**
 * Any record with a list of messages: the fallback format, tried after all others. It has many producers:
 * chat data sets, collected trajectories and home-made evaluation logs.
 *
 *   {"messages":[{"role":"user","content":"6·7?"},{"role":"assistant","content":"42"}],"reward":1,"task_id":"m3"}
 *   {"conversations":[{"from":"human","value":"6·7?"},{"from":"gpt","value":"42"}]}
 *   {"prompt":"6·7?","completion":"42","step":12}
 *   [{"role":"user","content":"6·7?"},{"role":"assistant","content":"42"}]
 *
 * Tables (Parquet, Arrow) have the lists as nested columns, or as JSON text. Only fields of well-known names are
 * parsed; all others stay extra fields.
 */
import type { RunKind } from '../domain/model.ts';
import { tryParseJson } from '../domain/parseJson.ts';
import { bodyOfMessages, bodyOfText, type KnownFacts, type RolloutBody } from './body.ts';
import {
  booleanOf,
  idOf,
  indexOf,
  isUnread,
  type JsonObject,
  numberOf,
  rewardOf,
  stringOf,
  textOf,
  whyUnread,
  without,
} from './fields.ts';
import {
  type FileContext,
  type FileHead,
  LIST_KEY,
  type LineIssue,
  type LogFormat,
  type ParsedLine,
} from './format.ts';
import { hasMessages, isMessageList, restOfMessages } from './messageShape.ts';
import { found, refused, warned } from './records.ts';
import { messagesIn } from './taskBody.ts';

/** Fields of a whole conversation. */
const LISTS = [
  'messages',
  'traj',
  'trajectory',
  'conversations',
  'conversation',
  'history',
  LIST_KEY,
] as const;
/** Fields of a response that has its prompt beside it. */
const RESPONSES = ['completion', 'response'] as const;

const REWARDS = ['reward', 'score', 'rewards'] as const;
const CORRECTNESS = ['is_correct', 'correct', 'success', 'resolved'] as const;
const STEPS = ['step', 'global_step', 'training_step'] as const;
/** Ids that name a problem, wherever it occurs. */
const ITEMS = ['task_id', 'example_id', 'item_id'] as const;
/** Ids of a group, which may be new at every step. */
const GROUPS = ['group', 'group_id', 'uid'] as const;
const ORDINALS = ['index', 'sample_idx', 'trial', 'rollout_idx'] as const;
const GROUND_TRUTHS = ['ground_truth', 'answer', 'target', 'label', 'gts'] as const;

export const messageList: LogFormat = {
  name: 'messages',
  title: 'any list of messages',
  source: 'no one producer: OpenAI, Anthropic and ShareGPT message lists, or prompt and completion',
  rule: 'a record that is a list of messages, has one under a usual name (a JSON text of one counts), or has "prompt" with "completion" or "response"',
  reads:
    'messages, tool calls; reward, correctness, step, group, position, ground truth and split under their usual names',
  ignores: 'nothing',
  detect: (head: FileHead) => head.records.some((record) => contentOf(record, isMessageList) !== undefined),
  open: (file: FileContext) => ({ read: (record) => read(record, file) }),
};

type Content =
  | { readonly fields: readonly string[]; readonly messages: readonly unknown[] }
  | { readonly fields: readonly string[]; readonly prompt: unknown; readonly response: unknown };

/** The messages of a record; undefined if it has none. */
function contentOf(record: JsonObject, isList: (value: unknown) => boolean): Content | undefined {
  for (const list of LISTS) {
    const messages = listIn(record[list], isList);
    if (isList(messages) && Array.isArray(messages)) return { fields: [list], messages };
  }
  const isSaid = (value: unknown): boolean => typeof value === 'string' || isList(value);
  const response = RESPONSES.find((field) => isSaid(record[field]));
  if (response === undefined || !isSaid(record['prompt'])) return undefined;
  return {
    fields: ['prompt', response],
    prompt: listIn(record['prompt'], isList),
    response: listIn(record[response], isList),
  };
}

/** The list of messages that a text holds as JSON, else the value. */
function listIn(value: unknown, isList: (value: unknown) => boolean): unknown {
  if (typeof value !== 'string' || !/^\s*\[\s*\{/.test(value)) return value;
  const list = tryParseJson(value);
  return isList(list) ? list : value;
}

function read(record: JsonObject, file: FileContext): ParsedLine {
  const content = contentOf(record, hasMessages);
  if (content === undefined) {
    const list = LISTS.find((field) => record[field] !== undefined);
    const what = list === undefined ? 'no field with one' : `${found(record[list])} in "${list}"`;
    return refused('no_messages', `expected a list of messages, each with a role; found ${what}`);
  }
  const warnings: LineIssue[] = [];
  const logged = new LoggedFields(record, content.fields);
  const problemId = logged.take(ITEMS, idOf);
  // Without a group's own id, the rollouts of a problem are a group.
  const group = logged.take(GROUPS, idOf) ?? problemId;
  const facts: KnownFacts = {
    ...(problemId === undefined ? {} : { problemId }),
    groundTruth: logged.take(GROUND_TRUTHS, textOf),
    isUnmarked: true,
  };
  const { body, rest } = bodyOfContent(content, facts, warnings);
  const step = logged.take(STEPS, indexOf) ?? file.layout.step;
  const reward = logged.take(REWARDS, scoreOf);
  const unread = REWARDS.find((field) => isUnread(record[field], scoreOf(record[field])));
  if (reward === undefined && unread !== undefined) {
    warnings.push(
      warned('unread_value', `"${unread}" is ${found(record[unread])}, ${whyUnread(record[unread])}`),
    );
  }
  const kind = logged.take(['split'], kindOfSplit);
  return {
    kind: 'rollout',
    warnings,
    rollout: {
      ...body,
      kind: kind ?? file.layout.kind ?? (step === undefined ? 'eval' : 'train'),
      step,
      groupKey: group,
      groupRule: group === undefined ? 'prompt' : 'logged',
      ordinal: logged.take(ORDINALS, indexOf),
      reward,
      isCorrect: logged.take(CORRECTNESS, correctnessOf),
      extra: { ...logged.rest(), ...(rest === undefined ? {} : { message_fields: rest }) },
    },
  };
}

/** Takes the first readable field. Others, and those of other types, remain extra fields. */
class LoggedFields {
  private readonly record: JsonObject;
  private readonly taken: Set<string>;

  constructor(record: JsonObject, taken: readonly string[]) {
    this.record = record;
    this.taken = new Set(taken);
  }

  take<T>(names: readonly string[], read: (value: unknown) => T | undefined): T | undefined {
    for (const name of names) {
      const value = this.taken.has(name) ? undefined : read(this.record[name]);
      if (value === undefined) continue;
      this.taken.add(name);
      return value;
    }
    return undefined;
  }

  rest(): JsonObject {
    return without(this.record, this.taken);
  }
}

function bodyOfContent(
  content: Content,
  facts: KnownFacts,
  warnings: LineIssue[],
): { readonly body: RolloutBody; readonly rest: readonly JsonObject[] | undefined } {
  if ('messages' in content) {
    const messages = messagesIn(content.messages, warnings);
    return { body: bodyOfMessages(messages, facts), rest: restOfMessages(messages) };
  }
  const { prompt, response } = content;
  if (typeof prompt === 'string' && typeof response === 'string') {
    return { body: bodyOfText(prompt, response, facts), rest: undefined };
  }
  const asked = Array.isArray(prompt) ? messagesIn(prompt, warnings) : [{ role: 'user', content: prompt }];
  const said = Array.isArray(response)
    ? messagesIn(response, warnings)
    : [{ role: 'assistant', content: response }];
  return { body: bodyOfMessages(said, facts, asked), rest: restOfMessages([...asked, ...said]) };
}

/** `rewards` of one rollout is a list of one. */
function scoreOf(value: unknown): number | undefined {
  return rewardOf(Array.isArray(value) && value.length === 1 ? value[0] : value);
}

function kindOfSplit(split: unknown): RunKind | undefined {
  const name = stringOf(split)?.toLowerCase() ?? '';
  if (name.startsWith('train')) return 'train';
  return /^(?:eval|val|test|dev)/.test(name) ? 'eval' : undefined;
}

function correctnessOf(value: unknown): boolean | undefined {
  const number = numberOf(value);
  return number === 0 || number === 1 ? number === 1 : booleanOf(value);
}
