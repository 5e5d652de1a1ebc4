/**
 * Responses of inference servers with token log-probabilities: OpenAI chat and legacy completions, vLLM,
 * SGLang /generate, llama.cpp, with or without the request (shared/format/FORMATS.md#openai-logprobs; the
 * shapes: `openaiShapes.ts`, `tokenLogprobs.ts`). A record:
 *
 *   {"object":"chat.completion","choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant",
 *    "content":" But"},"logprobs":{"content":[{"token":" But","logprob":-1.6,"bytes":[32,66,117,116],
 *    "top_logprobs":[{"token":" So","logprob":-0.7,"bytes":[32,83,111]}]}]}}]}
 *
 * - Several choices are the rollouts of one prompt group. Single responses are grouped by equal prompts, and
 *   not at all if the request was not logged.
 * - The response is the decoded tokens if they contain all of the message and more (a reasoning parser
 *   removed `<think>…</think>`, a stop string was cut off). Otherwise it is the message, and the tokens stay
 *   unaligned.
 * - A log-probability of -9999.0 means unknown.
 * - `echo` (the prompt before the completion) is not undone, because a response does not reveal it.
 */

import { indexIn } from '../domain/linearSearch.ts';
import { readPrompt } from '../domain/prompt.ts';
import {
  bodyOfAnswer,
  bodyOfMessages,
  bodyOfText,
  type KnownFacts,
  problemOf,
  type RolloutBody,
} from './body.ts';
import { isObject, type JsonObject, jsonText, rewardOf, stringOf } from './fields.ts';
import type {
  FileContext,
  FileHead,
  LineIssue,
  LogFormat,
  ParsedLine,
  ParsedTokens,
  RecordReader,
} from './format.ts';
import { textOfContent } from './messages.ts';
import { readExchange, type Sample } from './openaiShapes.ts';
import { found, readStep, refused, warned } from './records.ts';
import { stopOf } from './stop.ts';
import { turnsWithTokens, UNALIGNED } from './tokenColumns.ts';

export const openaiLogprobs: LogFormat = {
  name: 'openai-logprobs',
  title: 'Answers of an inference server (OpenAI, vLLM, SGLang, llama.cpp)',
  source: 'API references of OpenAI, vLLM, SGLang and llama.cpp (compared November 2026)',
  rule: 'choices with messages or texts, SGLang\'s "meta_info" beside "text", or "logprobs.content" beside a message; at the top, in "response" or in "response.body"',
  reads:
    'every choice as a rollout, its tokens with log-probabilities and alternatives, finish_reason, tool calls, the request beside it',
  ignores: 'prompt_logprobs (kept as an extra field)',
  detect: (head: FileHead) => head.records.some((record) => readExchange(record) !== undefined),
  open: (file: FileContext): RecordReader => ({ read: (record, number) => read(record, number, file) }),
};

/** Messages or text; neither if the request was not logged. */
interface Prompt {
  readonly messages?: readonly JsonObject[];
  readonly text?: string;
}

function read(record: JsonObject, number: number, file: FileContext): ParsedLine | readonly ParsedLine[] {
  const exchange = readExchange(record);
  if (exchange === undefined || exchange.samples.length === 0) return refusal(record);
  const { samples, unread } = exchange;
  const key = exchange.id ?? `record ${number}`;
  const isNamed = exchange.id !== undefined;
  const promptAt = promptsOf(exchange.request, samples.length);
  return samples.map((sample, i): ParsedLine => {
    const { prompt, at } = promptAt(sample.index ?? i);
    const isKnown = prompt.messages !== undefined || prompt.text !== undefined;
    const part = exchange.isBatch ? i : at;
    const name = part === undefined ? key : `${key}/${part}`;
    const facts: KnownFacts = {
      stop: stopOf(sample.finish),
      isUnmarked: true,
    };
    const said = responseOf(prompt, sample, facts);
    const warnings = [...said.warnings];
    if (!isKnown) {
      const message = 'the request is not in the log: the prompt is unknown';
      warnings.push(warned('no_prompt', message));
    }
    if (i === 0 && unread > 0) {
      const message = `${unread} of ${samples.length + unread} choices have neither message nor text; not read`;
      warnings.push(warned('unread_choice', message));
    }
    const misread: LineIssue[] = [];
    const step = readStep(record['step'], 'step', file, misread);
    if (i === 0) warnings.push(...misread);
    const byPrompt = samples.length === 1 && isKnown;
    return {
      kind: 'rollout',
      warnings,
      rollout: {
        ...said.body,
        kind: file.layout.kind ?? 'eval',
        step,
        // Without an id and a prompt, ingest names problem and group after the record.
        groupKey: byPrompt || !(isKnown || isNamed) ? undefined : name,
        ...(isKnown || isNamed || part === undefined ? {} : { role: String(part) }),
        groupRule: byPrompt ? 'prompt' : isNamed ? 'logged' : 'order',
        ordinal: samples.length > 1 && part === undefined ? sample.index : undefined,
        turns: turnsWithTokens(said.body, said.tokens),
        tokens: said.tokens,
        reward: rewardOf(record['reward']) ?? rewardOf(record['score']),
        extra: { ...exchange.extra, ...sample.extra, ...said.extra },
      },
    };
  });
}

interface SampledResponse {
  readonly body: RolloutBody;
  readonly tokens?: ParsedTokens;
  readonly warnings: readonly LineIssue[];
  readonly extra: JsonObject;
}

/** The response with aligned tokens, if both agree. */
function responseOf(prompt: Prompt, sample: Sample, facts: KnownFacts): SampledResponse {
  const { tokens, text: spelled } = sample.logprobs;
  const body = bodyOfSample(prompt, sample, facts);
  if (tokens === undefined) return { body, warnings: [], extra: {} };
  if (spelled === undefined) return { body, tokens, warnings: [UNALIGNED], extra: {} };
  if (spelled === body.response) return { body, tokens, warnings: [], extra: {} };
  if (!containsAll(spelled, sample)) {
    const message = `the tokens decode to ${spelled.length} characters that differ from the ${body.response.length} of the message; their signals are not aligned with the text`;
    return {
      body,
      tokens: { ...tokens, ends: undefined },
      warnings: [warned('unaligned_tokens', message)],
      extra: {},
    };
  }
  const calls = sample.message?.['tool_calls'];
  return {
    body: bodyOfSpelled(prompt, spelled, facts),
    tokens,
    warnings: [],
    // The text contains the calls, but not their ids.
    extra: Array.isArray(calls) && calls.length > 0 ? { tool_calls: calls } : {},
  };
}

/** Whether the decoded tokens contain the whole message, so that showing them loses nothing. */
function containsAll(spelled: string, sample: Sample): boolean {
  const { message } = sample;
  const content = (sample.text ?? textOfContent(message?.['content'])).trim();
  const inner = spelled.trim();
  if (!inner.startsWith(content) && !inner.endsWith(content) && !withoutLastToken(inner).endsWith(content)) {
    return false;
  }
  const reasoning = textOfContent(message?.['reasoning_content'] ?? message?.['reasoning']).trim();
  if (indexIn(spelled, reasoning) < 0) return false;
  const calls = message?.['tool_calls'];
  return !Array.isArray(calls) || calls.length === 0 || spelled.includes('<tool_call>');
}

/** `…</s>`, `…<|im_end|>`: the tokens include the end-of-sequence token, the content does not. */
function withoutLastToken(text: string): string {
  return text.endsWith('>') ? text.slice(0, Math.max(text.lastIndexOf('<'), 0)).trimEnd() : text;
}

function bodyOfSample(prompt: Prompt, sample: Sample, facts: KnownFacts): RolloutBody {
  const { message } = sample;
  if (message === undefined) return bodyOfSpelled(prompt, sample.text ?? '', facts);
  if (prompt.text === undefined) return bodyOfMessages([answering(message)], facts, prompt.messages ?? []);
  const body = bodyOfMessages([answering(message)], facts, []);
  return { ...body, problem: problemOf(prompt.text, readPrompt(prompt.text).segments, facts) };
}

/** An assistant message, with a refusal as its content and an old `function_call` as a tool call. */
function answering(message: JsonObject): JsonObject {
  const { content, refusal, function_call: call, tool_calls: calls } = message;
  const hasCalls = Array.isArray(calls) && calls.length > 0;
  return {
    ...message,
    role: 'assistant',
    content: content ?? (typeof refusal === 'string' ? refusal : null),
    ...(isObject(call) && !hasCalls ? { tool_calls: [{ type: 'function', function: call }] } : {}),
  };
}

function bodyOfSpelled(prompt: Prompt, text: string, facts: KnownFacts): RolloutBody {
  return prompt.messages === undefined
    ? bodyOfText(prompt.text ?? '', text, facts)
    : bodyOfAnswer(prompt.messages, text, facts);
}

interface PromptOfChoice {
  readonly prompt: Prompt;
  /** Its place in a list of prompts. */
  readonly at?: number;
}

/** @returns the prompt of a choice, by its index. A list of prompts gets n choices each, in order */
function promptsOf(request: JsonObject, choices: number): (index: number) => PromptOfChoice {
  const { messages, prompt } = request;
  const same = (shared: Prompt) => () => ({ prompt: shared });
  if (Array.isArray(messages)) return same({ messages: messages.filter(isObject) });
  const text = stringOf(prompt) ?? (Array.isArray(request['choices']) ? undefined : textAsked(request));
  if (text !== undefined) return same({ text });
  if (!Array.isArray(prompt) || prompt.length === 0) return same({});
  if (prompt.every(isObject)) return same({ messages: prompt });
  if (choices % prompt.length !== 0) return same({});
  return (index) => {
    const at = Math.floor(index / (choices / prompt.length));
    return { prompt: { text: stringOf(prompt[at]) }, ...(prompt.length > 1 ? { at } : {}) };
  };
}

/** SGLang's request has its prompt in `text`. Its response also has `text`, next to `meta_info`. */
function textAsked(request: JsonObject): string | undefined {
  return 'sampling_params' in request && !('meta_info' in request) ? stringOf(request['text']) : undefined;
}

function refusal(record: JsonObject): ParsedLine {
  const { error, response } = record;
  const failure = isObject(error) ? error['message'] : error;
  if (failure !== undefined && failure !== null) {
    return refused('failed_request', `the server answered with an error: ${jsonText(failure).slice(0, 200)}`);
  }
  const place = response === undefined ? '"choices"' : '"response"';
  const value = response === undefined ? record['choices'] : response;
  const message = `a record needs choices with a message or a text, or a text with "meta_info" or "logprobs"; found ${found(value)} in ${place}`;
  return refused('no_answer', message);
}
