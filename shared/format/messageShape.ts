/**
 * Parses one chat message in any dialect. Producers agree on little more than "a list of messages":
 *
 *   {"role":"assistant","content":"…","tool_calls":[{"id":"c1","function":{"name":"f","arguments":"{}"}}]}   OpenAI
 *   … "tool_calls":[{"id":"c1","name":"f","arguments":{}}]      flat (tau2-bench, Inspect)
 *   … "tool_calls":["{\"id\": \"c1\", \"function\": {…}}"]      a call as JSON text (verifiers)
 *   … "function_call":{"name":"f","arguments":"{}"}             OpenAI before tools
 *   … "content":[{"type":"thinking",…},{"type":"tool_use",…}]   Anthropic; results in a user message
 *   … "content":[{"functionCall":{"name":"f","args":{}}}]        Gemini
 *   … "content":[{"type":"tool-call","toolCallId":"c1","toolName":"f","input":{}}]   AI SDK; results in a tool message
 *   {"from":"gpt","value":"…"}                                  ShareGPT
 */
import { tryParseJson } from '../domain/parseJson.ts';
import { readCallPayload } from '../domain/toolCallPayload.ts';
import { isObject, type JsonObject, jsonText, stringOf, textField, textOf } from './fields.ts';

export type MessageRole = 'system' | 'user' | 'assistant' | 'tool';

/** One part of a message, in message order. */
type MessagePiece =
  | { readonly kind: 'reasoning' | 'text'; readonly text: string }
  /** Withheld reasoning has no text of the policy. The provider may give a summary of it. */
  | { readonly kind: 'redacted'; readonly summary?: string }
  | { readonly kind: 'call'; readonly call: LoggedCall }
  | { readonly kind: 'result'; readonly result: LoggedResult };

export interface LoggedCall {
  readonly id?: string;
  readonly name?: string;
  /** In Hermes form: `{"name": …, "arguments": …}`, or the raw text if it is not JSON. */
  readonly payload: string;
  readonly isWellFormed: boolean;
}

export interface LoggedResult {
  readonly id?: string;
  /** The message's own id, where some logs put the call's id. */
  readonly messageId?: string;
  readonly text: string;
  /** The log marks the tool response as failed. */
  readonly hasFailed: boolean;
}

export interface ReadMessage {
  readonly role: MessageRole;
  /** Result of a tool of the simulated user rather than the policy (tau2-bench). */
  readonly isForUser: boolean;
  readonly pieces: readonly MessagePiece[];
}

const ROLES: ReadonlyMap<string, MessageRole> = new Map([
  ...(['system', 'developer'] as const).map((role) => [role, 'system'] as const),
  ...(['user', 'human'] as const).map((role) => [role, 'user'] as const),
  ...['assistant', 'gpt', 'model', 'ai', 'bot', 'agent', 'function_call', 'tool_call'].map(
    (role) => [role, 'assistant'] as const,
  ),
  ...['tool', 'function', 'ipython', 'environment', 'observation', 'tool_response', 'function_response'].map(
    (role) => [role, 'tool'] as const,
  ),
]);
/** ShareGPT roles whose whole text is a call. */
const CALL_ROLES: ReadonlySet<string> = new Set(['function_call', 'tool_call']);

/** Fields that are parsed. The others are metadata (cost, time stamps). */
const READ_FIELDS: ReadonlySet<string> = new Set([
  ...['role', 'from', 'content', 'value', 'tool_calls', 'function_call', 'tool_call_id', 'tool_call_ids'],
  ...['call_id', 'reasoning', 'reasoning_content', 'requestor', 'error', 'is_error'],
]);

const CONTENT_FIELDS = ['content', 'value', 'tool_calls', 'function_call', 'reasoning_content'] as const;

/** Whether a value has the shape of a message: an author and content. */
function isMessage(value: unknown): value is JsonObject {
  return (
    isObject(value) && roleName(value) !== '' && CONTENT_FIELDS.some((field) => value[field] !== undefined)
  );
}

const isOfKnownAuthor = (value: unknown): boolean => isMessage(value) && ROLES.has(roleName(value));

/** The role that a log's word for an author usually stands for. */
export const usualRole = (word: string): MessageRole | undefined => ROLES.get(word.toLowerCase());

/**
 * Messages of a producer that has its own names for role and text, such as `{"who":"user","say":"…"}`. One key must hold
 * a known role in every message, and one other key a text.
 *
 * @returns the messages under the usual names, or undefined if the two keys cannot be told
 */
export function withUsualNames(messages: readonly JsonObject[]): readonly JsonObject[] | undefined {
  if (messages.some(isOfKnownAuthor)) return messages;
  const [first] = messages;
  if (first === undefined) return undefined;
  const texts = Object.keys(first).filter((key) => messages.every((one) => typeof one[key] === 'string'));
  const roles = texts.filter((key) => messages.every((one) => usualRole(String(one[key])) !== undefined));
  const [role, ...otherRoles] = roles;
  const [content, ...otherTexts] = texts.filter((key) => key !== role);
  if (role === undefined || content === undefined || otherRoles.length + otherTexts.length > 0)
    return undefined;
  return messages.map(({ [role]: author, [content]: text, ...rest }) => ({
    ...rest,
    role: author,
    content: text,
  }));
}

/** Entries examined for detection; the rest of a long list is assumed to be alike. */
const LOOKED_AT = 64;

/** A list of messages only, for detection: at least one author must be known. */
export function isMessageList(value: unknown): value is readonly unknown[] {
  if (!Array.isArray(value) || value.length === 0) return false;
  const first = value.slice(0, LOOKED_AT);
  return first.every(isMessage) && first.some(isOfKnownAuthor);
}

/** A list with at least one message, for parsing, which can report the rest. */
export function hasMessages(value: unknown): value is readonly unknown[] {
  return Array.isArray(value) && value.some(isOfKnownAuthor);
}

/** Unknown roles count as text that the policy did not write. */
export function roleOf(message: JsonObject): MessageRole {
  return ROLES.get(roleName(message)) ?? 'user';
}

function roleName(message: JsonObject): string {
  return (stringOf(message['role']) ?? stringOf(message['from']) ?? '').toLowerCase();
}

export function readMessage(message: JsonObject): ReadMessage {
  const role = roleOf(message);
  const isForUser = message['requestor'] === 'user';
  const content = message['content'] ?? message['value'];
  if (role === 'tool') {
    const results = (Array.isArray(content) ? content : []).filter(isObject).flatMap((part) => {
      const piece = pieceOfPart(part);
      return piece?.kind === 'result' ? piece : [];
    });
    if (results.length > 0) return { role, isForUser, pieces: results };
    const result = resultOf(message, textOfContent(content));
    return { role, isForUser, pieces: [{ kind: 'result', result }] };
  }
  const pieces: MessagePiece[] = [];
  if (role === 'assistant') {
    const reasoning = textOfContent(message['reasoning_content'] ?? message['reasoning']);
    if (reasoning !== '') pieces.push({ kind: 'reasoning', text: reasoning });
  }
  if (CALL_ROLES.has(roleName(message))) {
    for (const call of listOfCalls(textOfContent(content))) pieces.push({ kind: 'call', call });
  } else addContent(content, pieces);
  const said = role === 'user' ? pieces.flatMap(asToolResponses) : pieces;
  for (const call of listOfCalls(message['tool_calls'])) said.push({ kind: 'call', call });
  const legacy = message['function_call'];
  if (legacy !== undefined && legacy !== null) said.push({ kind: 'call', call: readCall(legacy) });
  return { role, isForUser, pieces: said };
}

/** Joins adjacent text parts, because producers split text anywhere. */
function addContent(content: unknown, pieces: MessagePiece[]): void {
  const parts: readonly unknown[] = Array.isArray(content) ? content : [content];
  let text = '';
  const flush = (): void => {
    if (text !== '') pieces.push({ kind: 'text', text });
    text = '';
  };
  for (const part of parts) {
    const structured = isObject(part) ? pieceOfPart(part) : undefined;
    if (structured === undefined) {
      text += textOfPart(part);
      continue;
    }
    flush();
    pieces.push(structured);
  }
  flush();
}

function pieceOfPart(part: JsonObject): MessagePiece | undefined {
  switch (part['type']) {
    case 'thinking':
    case 'reasoning':
    case 'redacted_thinking': {
      if (!isRedacted(part)) return { kind: 'reasoning', text: reasoningOf(part) };
      const summary = textOfContent(part['summary']);
      return summary === '' ? { kind: 'redacted' } : { kind: 'redacted', summary };
    }
    case 'tool_use':
    case 'tool-call':
      return { kind: 'call', call: readCall(part) };
    case 'tool_result':
      return { kind: 'result', result: resultOf(part, textOfContent(part['content'])) };
    case 'tool-result':
      return { kind: 'result', result: resultOfAiSdk(part) };
    default:
      return pieceOfGemini(part);
  }
}

/** Gemini's parts have no type. */
function pieceOfGemini(part: JsonObject): MessagePiece | undefined {
  const call = part['functionCall'] ?? part['function_call'];
  if (isObject(call)) return { kind: 'call', call: readCall(call) };
  const result = part['functionResponse'] ?? part['function_response'];
  if (isObject(result))
    return {
      kind: 'result',
      result: resultOf({ tool_call_id: result['id'] }, textOf(result['response']) ?? ''),
    };
  const { text } = part;
  return part['thought'] === true && typeof text === 'string' ? { kind: 'reasoning', text } : undefined;
}

/** Version 5 has `output: {type, value}`, version 4 `result` and `isError`. */
function resultOfAiSdk(part: JsonObject): LoggedResult {
  const { toolCallId: id, output, result, isError } = part;
  const type = isObject(output) ? stringOf(output['type']) : undefined;
  const value = isObject(output) && type !== undefined ? output['value'] : (output ?? result);
  return {
    ...(typeof id === 'string' ? { id } : {}),
    text: type === 'content' ? textOfContent(value) : (textOf(value) ?? ''),
    hasFailed: isError === true || type?.startsWith('error') === true,
  };
}

function reasoningOf(part: JsonObject): string {
  return (
    stringOf(part['thinking']) ??
    stringOf(part['reasoning']) ??
    textOfContent(part['text'] ?? part['summary'])
  );
}

/**
 * The provider withheld the reasoning. What it gives instead, a cipher or a summary, is not the policy's text.
 *
 *   {"type":"redacted_thinking","data":"…"}, {"type":"thinking","thinking":"","signature":"…"}     Anthropic
 *   {"type":"reasoning","encrypted_content":"…","summary":[…]}                                     OpenAI
 *   {"type":"reasoning","reasoning":"…","redacted":true,"summary":"…"}                             Inspect
 */
function isRedacted(part: JsonObject): boolean {
  if (part['type'] === 'redacted_thinking' || part['redacted'] === true) return true;
  const hasCipher = textField(part, part['type'] === 'thinking' ? 'signature' : 'encrypted_content');
  return hasCipher !== undefined && reasoningOf({ ...part, summary: undefined }) === '';
}

/** Parts that are not text are named rather than dropped. */
function textOfPart(part: unknown): string {
  if (part === undefined || part === null) return '';
  if (typeof part === 'string') return part;
  if (!isObject(part)) return jsonText(part);
  const type = stringOf(part['type']);
  return (
    stringOf(part['text']) ?? stringOf(part['refusal']) ?? (type === undefined ? jsonText(part) : `[${type}]`)
  );
}

/** Content is a string, null, or parts. */
export function textOfContent(content: unknown): string {
  if (typeof content === 'string') return content;
  return Array.isArray(content) ? content.map(textOfPart).join('') : textOfPart(content);
}

/** The whole message as one text, for a prompt. */
export function textOfMessage(message: JsonObject): string {
  return readMessage(message)
    .pieces.map((piece) => {
      if (piece.kind === 'call') return `<tool_call>\n${piece.call.payload}\n</tool_call>`;
      if (piece.kind === 'redacted') return '';
      return piece.kind === 'result' ? piece.result.text : piece.text;
    })
    .join('\n');
}

function resultOf(message: JsonObject, text: string): LoggedResult {
  const ids = message['tool_call_ids'];
  const error = message['error'];
  return {
    id:
      stringOf(message['tool_call_id']) ??
      stringOf(message['call_id']) ??
      stringOf(message['tool_use_id']) ??
      (Array.isArray(ids) ? stringOf(ids[0]) : undefined),
    messageId: stringOf(message['id']),
    text: text === '' && isObject(error) ? (stringOf(error['message']) ?? '') : text,
    hasFailed:
      message['is_error'] === true ||
      error === true ||
      isObject(error) ||
      (typeof error === 'string' && error !== ''),
  };
}

/** A list of calls, a single call, or either as JSON text. */
function listOfCalls(value: unknown): readonly LoggedCall[] {
  if (value === undefined || value === null || value === '') return [];
  const parsed = typeof value === 'string' ? (tryParseJson(value) ?? value) : value;
  return (Array.isArray(parsed) ? parsed : [parsed]).map(readCall);
}

/** Argument fields of OpenAI and most others, Anthropic, LangChain, Gemini, tau-bench. */
const ARGUMENT_FIELDS = ['arguments', 'input', 'args', 'parameters', 'kwargs'] as const;

function readCall(value: unknown): LoggedCall {
  const call = typeof value === 'string' ? tryParseJson(value) : value;
  if (!isObject(call)) {
    const payload = typeof value === 'string' ? value : jsonText(value);
    return { payload, name: readCallPayload(payload).name, isWellFormed: false };
  }
  const body = isObject(call['function']) ? call['function'] : call;
  const name = stringOf(body['name']) ?? stringOf(call['function']) ?? stringOf(call['toolName']);
  const field = ARGUMENT_FIELDS.find((key) => body[key] !== undefined && body[key] !== null);
  const args = field === undefined ? {} : body[field];
  // Some servers write an empty string for "no arguments".
  const isText = typeof args === 'string' && args.trim() !== '';
  const parses = !isText || tryParseJson(args) !== undefined;
  const text = isText && parses ? args : jsonText(args);
  return {
    id: stringOf(call['id']) ?? stringOf(call['call_id']) ?? stringOf(call['toolCallId']),
    name,
    payload: `{"name": ${JSON.stringify(name ?? null)}, "arguments": ${text}}`,
    isWellFormed:
      name !== undefined && parses && (call['parse_error'] === undefined || call['parse_error'] === null),
  };
}

const RESPONSE_OPEN = '<tool_response>';
const RESPONSE_CLOSE = '</tool_response>';

/** Hermes chat templates return tool results in a user message of only `<tool_response>` blocks. */
function asToolResponses(piece: MessagePiece): readonly MessagePiece[] {
  if (piece.kind !== 'text') return [piece];
  const text = piece.text.trim();
  if (!text.startsWith(RESPONSE_OPEN) || !text.endsWith(RESPONSE_CLOSE)) return [piece];
  const results: MessagePiece[] = [];
  for (let at = 0; at < text.length; ) {
    const start = text.indexOf(RESPONSE_OPEN, at);
    const end = start < 0 ? -1 : text.indexOf(RESPONSE_CLOSE, start);
    if (end < 0 || text.slice(at, start).trim() !== '') return [piece];
    const inner = text.slice(start + RESPONSE_OPEN.length, end).replace(/^\n|\n$/g, '');
    results.push({ kind: 'result', result: { text: inner, hasFailed: false } });
    at = end + RESPONSE_CLOSE.length;
  }
  return results;
}

/**
 * Metadata of messages (cost, usage, time stamps), each with the position of its message; undefined if none exists.
 * @param ignored fields that only repeat the text
 */
export function restOfMessages(
  messages: readonly JsonObject[],
  ignored: ReadonlySet<string> = new Set(),
): readonly JsonObject[] | undefined {
  const rests: JsonObject[] = [];
  messages.forEach((message, i) => {
    const rest: Record<string, unknown> = {};
    const isTool = roleOf(message) === 'tool';
    for (const [key, value] of Object.entries(message)) {
      // A tool's name is in its call. Of an error object only the text is shown.
      const isShown = READ_FIELDS.has(key) && !(key === 'error' && isObject(value));
      const isRead = isShown || (isTool && key === 'name');
      if (!isRead && !ignored.has(key) && value !== null) rest[key] = value;
    }
    if (!ROLES.has(roleName(message))) rest['role'] = message['role'] ?? message['from'];
    if (Object.keys(rest).length > 0) rests.push({ message: i, ...rest });
  });
  return rests.length === 0 ? undefined : rests;
}
