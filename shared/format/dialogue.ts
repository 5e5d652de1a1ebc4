/**
 * Messages in the inputs and outputs that tracers log for a model call. A tracer logs values as the program passed
 * them, so their shape is the provider's or the framework's:
 *
 *   [{"role": "user", "content": "6·7?"}]                                        OpenAI, Anthropic
 *   {"messages": [[{"lc": 1, "id": ["langchain", "schema", "messages", "HumanMessage"], "kwargs": {"content": "6·7?"}}]]}
 *   {"generations": [[{"text": "42", "message": {"id": [… "AIMessage"], "kwargs": {"content": "42"}}}]]}   LangChain
 *   [{"type": "human", "content": "6·7?"}]                                       LangChain, as plain objects
 *   {"choices": [{"message": {"role": "assistant", "content": "42"}, "finish_reason": "stop"}]}            OpenAI
 *   {"candidates": [{"content": {"role": "model", "parts": [{"text": "42"}]}, "finishReason": "STOP"}]}    Gemini
 *   [{"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"}]  Responses API
 *   [{"toolCallId": "c", "toolName": "f", "input": "{}"}], or {"text": "42", "toolCalls": […]}   AI SDK
 *   "6·7?", or any of these as JSON text
 *
 * AI SDK: vercel/ai, the span attributes `ai.response.text` and `ai.response.toolCalls` of its telemetry.
 * LangChain: langchain-ai/langchain:libs/core/langchain_core/load/dump.py (`dumpd`) and messages/base.py (`message_to_dict`).
 */

import { tryParseJson } from '../domain/parseJson.ts';
import { isObject, type JsonObject, jsonText, stringOf } from './fields.ts';
import { roleOf } from './messageShape.ts';
import { messagesOfItems } from './responseItems.ts';

type Author = 'user' | 'assistant';

/** Maximum nesting of objects and JSON texts. */
const DEEPEST = 8;

/** Fields that contain the messages of an input (`user`) or an output (`assistant`). The first one present is used. */
const HOLDERS: Readonly<Record<Author, readonly string[]>> = {
  user: ['messages', 'input', 'prompts', 'prompt', 'contents', 'question', 'query'],
  assistant: [
    'choices',
    'generations',
    'candidates',
    'messages',
    'message',
    'output',
    'outputs',
    'content',
    'text',
    'response',
    'answer',
  ],
};

/** @param author of a bare text */
export function dialogueOf(value: unknown, author: Author, depth = 0): readonly JsonObject[] {
  if (value === undefined || value === null || value === '' || depth > DEEPEST) return [];
  if (typeof value === 'string') {
    const parsed = /^\s*[[{]/.test(value) ? tryParseJson(value) : undefined;
    if (isObject(parsed) || Array.isArray(parsed)) {
      const inner = messagesIn(parsed, author, depth + 1);
      if (inner !== undefined) return inner;
    }
    return [{ role: author, content: value }];
  }
  return messagesIn(value, author, depth) ?? [{ role: author, content: jsonText(value) }];
}

/** undefined: the value has no messages in a known shape. */
function messagesIn(value: unknown, author: Author, depth: number): readonly JsonObject[] | undefined {
  if (Array.isArray(value)) return messagesOfList(value, author, depth);
  if (!isObject(value) || depth > DEEPEST) return undefined;
  const message = messageOf(value, author);
  if (message !== undefined) return [message];
  const holder = HOLDERS[author].find((key) => value[key] !== undefined && value[key] !== null);
  if (holder === undefined) return undefined;
  const held = value[holder];
  const inner = ['choices', 'generations', 'candidates'].includes(holder)
    ? dialogueOf(firstOf(held), author, depth + 1)
    : dialogueOf(held, author, depth + 1);
  // Anthropic's system prompt is a text, or a list of parts.
  const system = value['system'] ?? value['instructions'];
  const isKnown = typeof system === 'string' || (Array.isArray(system) && system.length > 0);
  return isKnown && author === 'user' ? [{ role: 'system', content: system }, ...inner] : inner;
}

/**
 * The first choice, because the others are other samples. Unwraps nested lists, because LangChain logs a batch of
 * one per call.
 */
function firstOf(value: unknown): unknown {
  let first = value;
  for (let depth = 0; Array.isArray(first) && depth < DEEPEST; depth++) first = first[0];
  return first;
}

const ITEM_TYPES = /^(?:message|reasoning|[a-z_]+_call|[a-z_]+_call_output)$/;

function messagesOfList(
  list: readonly unknown[],
  author: Author,
  depth: number,
): readonly JsonObject[] | undefined {
  if (list.length === 0) return [];
  if (Array.isArray(list[0])) return depth > DEEPEST ? undefined : messagesOfList(list[0], author, depth + 1);
  const entries = list.filter(isObject);
  if (entries.some(isItem) && entries.every((entry) => isItem(entry) || hasRole(entry)))
    return messagesOfItems(entries);
  if (entries.length > 0 && entries.every(isCallOfAiSdk))
    return [{ role: author, content: null, tool_calls: entries }];
  // Anthropic's answer: the parts of one message.
  if (entries.length > 0 && entries.every(isPart)) return [{ role: author, content: list }];
  return list.flatMap((entry) =>
    isObject(entry)
      ? (messageOf(entry, author) ??
        messagesIn(entry, author, depth + 1) ?? [{ role: author, content: jsonText(entry) }])
      : dialogueOf(entry, author, depth + 1),
  );
}

const isPart = (entry: JsonObject): boolean =>
  entry['role'] === undefined &&
  ['text', 'tool_use', 'thinking', 'image'].includes(stringOf(entry['type']) ?? '');

const isCallOfAiSdk = (entry: JsonObject): boolean =>
  typeof entry['toolName'] === 'string' && typeof entry['toolCallId'] === 'string' && !hasRole(entry);

/** An item of the Responses API that no message list has. */
const isItem = (entry: JsonObject): boolean => ITEM_TYPES.test(stringOf(entry['type']) ?? '');

const hasRole = (entry: JsonObject): boolean => typeof entry['role'] === 'string';

const CLASSES: Readonly<Record<string, string>> = {
  ...{
    human: 'user',
    ai: 'assistant',
    system: 'system',
    tool: 'tool',
    function: 'tool',
    developer: 'system',
  },
};
/** LangChain's message classes. `AIMessageChunk` is a streamed answer. */
const CLASS = /^(human|ai|system|tool|function)(?:message(?:chunk)?)?$/i;

/** Converts a message of OpenAI, Anthropic, Gemini or LangChain to OpenAI's shape. undefined: another shape. */
function messageOf(value: JsonObject, author: Author): JsonObject | undefined {
  const { id, kwargs, type, data, message } = value;
  if (Array.isArray(id) && isObject(kwargs)) return langchainMessage(stringOf(id.at(-1)) ?? '', kwargs);
  if (typeof type === 'string' && CLASS.test(type)) {
    if (isObject(data)) return langchainMessage(type, data);
    if (value['content'] !== undefined) return langchainMessage(type, value);
  }
  const role = stringOf(value['role']);
  if (role !== undefined) {
    const parts = value['parts'];
    if (Array.isArray(parts) && value['content'] === undefined) return { role, content: parts };
    return { ...value, content: value['content'] ?? stringOf(value['refusal']) ?? null };
  }
  // A choice, or a generation.
  if (isObject(message)) return messageOf(message, author) ?? { role: author, ...message };
  const calls = value['tool_calls'] ?? value['toolCalls'];
  const text = stringOf(value['text']) ?? (calls === undefined ? undefined : '');
  const hasOnlyText = text !== undefined && (type === undefined || type === 'Generation');
  return hasOnlyText && author === 'assistant'
    ? { ...value, role: author, content: value['content'] ?? text, tool_calls: calls }
    : undefined;
}

function langchainMessage(name: string, fields: JsonObject): JsonObject {
  const kind = CLASS.exec(name)?.[1]?.toLowerCase() ?? '';
  const role = CLASSES[kind] ?? stringOf(fields['role']) ?? 'user';
  const { content, status, tool_call_id } = fields;
  const more = isObject(fields['additional_kwargs']) ? fields['additional_kwargs'] : {};
  const lists = [fields['tool_calls'], fields['invalid_tool_calls'], more['tool_calls']].map((calls) =>
    Array.isArray(calls) ? calls : [],
  );
  const [valid, invalid, raw] = lists;
  const parsed = [
    ...(valid ?? []),
    ...(invalid ?? []).map((call) => (isObject(call) ? { ...call, parse_error: true } : call)),
  ];
  const calls = parsed.length > 0 ? parsed : (raw ?? []);
  const reasoning = more['reasoning_content'];
  return {
    role,
    // Calls are logged twice: as parts of the content, and in a list.
    content:
      calls.length > 0 && Array.isArray(content) ? content.filter((part) => !isCallPart(part)) : content,
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
    ...(reasoning === undefined ? {} : { reasoning_content: reasoning }),
    ...(role !== 'tool' ? {} : { tool_call_id, ...(status === 'error' ? { is_error: true } : {}) }),
  };
}

const isCallPart = (part: unknown): boolean =>
  isObject(part) && ['tool_use', 'tool_call', 'function_call'].includes(stringOf(part['type']) ?? '');

/** The logged finish reason in an output of OpenAI's, LangChain's, Anthropic's or Gemini's shape. */
export function finishOf(output: unknown): string | undefined {
  const value = typeof output === 'string' && /^\s*[[{]/.test(output) ? tryParseJson(output) : output;
  if (!isObject(value)) return undefined;
  const own = stringOf(value['finish_reason']) ?? stringOf(value['stop_reason']);
  const choice = firstOf(value['choices'] ?? value['generations'] ?? value['candidates']);
  const incomplete = value['incomplete_details'];
  if (own === undefined && isObject(incomplete)) return stringOf(incomplete['reason']);
  if (own !== undefined || !isObject(choice)) return own;
  const info = isObject(choice['generation_info']) ? choice['generation_info'] : {};
  return (
    stringOf(choice['finish_reason']) ?? stringOf(choice['finishReason']) ?? stringOf(info['finish_reason'])
  );
}

export const isFromPolicy = (message: JsonObject): boolean => roleOf(message) === 'assistant';
