/**
 * Finds the response of an inference server in a record, and its request: alone, in a logged pair, or in the
 * output of a batch API.
 *
 *   {choices: […]}                                    alone
 *   {request: {messages: […]}, response: {choices}}   a pair; also {messages: […], response: {…}}
 *   {custom_id, response: {body: {choices}}, error}   batch output
 */
import { isObject, type JsonObject, stringOf, without } from './fields.ts';
import { LIST_KEY } from './format.ts';
import { type ParsedLogprobs, readChatTokens, readLogprobs, readSglangLogprobs } from './tokenLogprobs.ts';

/** One sampled response: a message or a text. */
export interface Sample {
  readonly message?: JsonObject;
  readonly text?: string;
  readonly logprobs: ParsedLogprobs;
  readonly finish?: string;
  /** `index` of the choice. */
  readonly index?: number;
  /** Remaining fields of the choice. */
  readonly extra: JsonObject;
}

export interface Exchange {
  readonly samples: readonly Sample[];
  /** Number of samples that could not be read. */
  readonly unread: number;
  readonly request: JsonObject;
  readonly id?: string;
  /**
   * A list of responses holds one prompt's samples, or one response per prompt. Different lengths mean the
   * latter.
   */
  readonly isBatch: boolean;
  /** Fields of record and response outside the samples. */
  readonly extra: JsonObject;
}

const WRAPPER: ReadonlySet<string> = new Set(['request', 'response', 'body', 'messages', 'prompt']);
const ENVELOPE: ReadonlySet<string> = new Set(['body', 'choices']);
const ANSWER: ReadonlySet<string> = new Set([
  ...['choices', 'messages', 'prompt', 'text', 'message', 'content', 'logprobs', 'meta_info', 'output_ids'],
  ...['completion_probabilities', 'tokens'],
]);
const REQUEST: ReadonlySet<string> = new Set(['messages', 'prompt', 'body', 'text']);
const CHOICE: ReadonlySet<string> = new Set(['message', 'text', 'logprobs', 'index']);
const MESSAGE: ReadonlySet<string> = new Set([
  ...['role', 'content', 'tool_calls', 'function_call', 'reasoning_content', 'reasoning'],
]);
const META: ReadonlySet<string> = new Set(['output_token_logprobs', 'output_top_logprobs']);

/** undefined: the record contains no server response. */
export function readExchange(record: JsonObject): Exchange | undefined {
  const list = record[LIST_KEY];
  if (Array.isArray(list)) {
    // A message alone belongs to a conversation rather than a server response.
    const samples = list.flatMap((entry: unknown) =>
      isObject(entry) && isAnswer(entry) ? samplesOf(entry) : [],
    );
    return samples.length === 0
      ? undefined
      : { samples, unread: list.length - samples.length, request: {}, isBatch: isBatch(list), extra: {} };
  }
  const answer = answerOf(record);
  if (answer === undefined) return undefined;
  const samples = samplesOf(answer);
  const { choices } = answer;
  return {
    samples,
    unread: Array.isArray(choices) ? choices.length - samples.length : 0,
    request: requestOf(record),
    isBatch: false,
    id: stringOf(answer['id']) ?? stringOf(record['custom_id']),
    extra: extraOf(record, answer),
  };
}

function isBatch(list: readonly unknown[]): boolean {
  const lengths = list.map((entry) =>
    isObject(entry) && isObject(entry['meta_info']) ? entry['meta_info']['prompt_tokens'] : undefined,
  );
  return new Set(lengths).size > 1;
}

function answerOf(record: JsonObject): JsonObject | undefined {
  const { response } = record;
  const body = isObject(response) ? response['body'] : undefined;
  for (const candidate of [body, response, record]) {
    if (isObject(candidate) && isAnswer(candidate)) return candidate;
  }
  return undefined;
}

function isAnswer(value: JsonObject): boolean {
  const { choices, logprobs, meta_info: meta, completion_probabilities: probabilities } = value;
  if (Array.isArray(choices)) {
    const isListed = stringOf(value['object'])?.endsWith('completion') === true;
    return (
      choices.length > 0 &&
      choices.every((choice: unknown) => {
        if (!isObject(choice)) return false;
        const isSampled = isListed || 'finish_reason' in choice || 'logprobs' in choice;
        return isSampled && (isObject(choice['message']) || typeof choice['text'] === 'string');
      })
    );
  }
  if (isObject(meta)) {
    const isSglang =
      'finish_reason' in meta || 'output_token_logprobs' in meta || 'completion_tokens' in meta;
    return isSglang && typeof value['text'] === 'string';
  }
  if (Array.isArray(probabilities)) return typeof value['content'] === 'string';
  const content = isObject(logprobs) ? logprobs['content'] : undefined;
  const hasTokens = Array.isArray(content) && isObject(content[0]) && 'logprob' in content[0];
  return hasTokens && ['message', 'content', 'text'].some((key) => value[key] !== undefined);
}

function samplesOf(answer: JsonObject): readonly Sample[] {
  const { choices, message, meta_info: meta } = answer;
  if (Array.isArray(choices)) return choices.flatMap((choice: unknown) => sampleOfChoice(choice));
  if (isObject(meta)) {
    const finish = meta['finish_reason'];
    const text = stringOf(answer['text']);
    if (text === undefined) return [];
    return [
      {
        text,
        logprobs: readSglangLogprobs(meta),
        finish: stringOf(isObject(finish) ? finish['type'] : finish),
        extra: { meta_info: without(meta, META) },
      },
    ];
  }
  const text = stringOf(message) ?? stringOf(answer['content']) ?? stringOf(answer['text']);
  const probabilities = answer['completion_probabilities'];
  const logprobs =
    probabilities === undefined ? readLogprobs(answer['logprobs']) : readChatTokens(probabilities);
  const finish =
    stringOf(answer['finish_reason']) ?? (answer['stop_type'] === 'limit' ? 'length' : undefined);
  if (isObject(message)) return [{ message, logprobs, finish, extra: messageExtra(message) }];
  return text === undefined ? [] : [{ text, logprobs, finish, extra: {} }];
}

function sampleOfChoice(choice: unknown): readonly Sample[] {
  if (!isObject(choice)) return [];
  const { message, index } = choice;
  const text = stringOf(choice['text']);
  if (!isObject(message) && text === undefined) return [];
  return [
    {
      ...(isObject(message) ? { message } : { text }),
      logprobs: readLogprobs(choice['logprobs']),
      finish: stringOf(choice['finish_reason']),
      ...(typeof index === 'number' && Number.isSafeInteger(index) && index >= 0 ? { index } : {}),
      extra: { ...nonEmpty(without(choice, CHOICE)), ...(isObject(message) ? messageExtra(message) : {}) },
    },
  ];
}

/** Non-empty fields of the message that are not text: `parsed`, `audio`, `annotations`. */
function messageExtra(message: JsonObject): JsonObject {
  const rest = nonEmpty(without(message, MESSAGE));
  return Object.keys(rest).length === 0 ? {} : { message: rest };
}

function requestOf(record: JsonObject): JsonObject {
  const { request, body } = record;
  if (isObject(request)) return isObject(request['body']) ? request['body'] : request;
  if (isObject(body) && ('messages' in body || 'prompt' in body)) return body;
  return record;
}

function extraOf(record: JsonObject, answer: JsonObject): JsonObject {
  const request = requestOf(record);
  const envelope = isObject(record['response']) && answer !== record['response'] ? record['response'] : {};
  const asked = request === record ? {} : nonEmpty(without(request, REQUEST));
  const around = answer === record ? {} : nonEmpty(without(envelope, ENVELOPE));
  return {
    ...(answer === record ? {} : nonEmpty(without(record, WRAPPER))),
    ...nonEmpty(without(answer, ANSWER)),
    ...(Object.keys(asked).length === 0 ? {} : { request: asked }),
    ...(Object.keys(around).length === 0 ? {} : { response: around }),
  };
}

/** APIs list every field; null and [] mean "none". */
function nonEmpty(record: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(record).filter(
      ([, value]) => value !== null && !(Array.isArray(value) && value.length === 0),
    ),
  );
}
