/**
 * Streamed answers of inference servers: `chat.completion.chunk` objects and streamed `text_completion` objects, one
 * per line, or as server-sent events (`data: {…}` lines that end with `data: [DONE]`).
 *
 *   data: {"id":"chatcmpl-1","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"role":"assistant","content":"4"},
 *          "logprobs":{"content":[{"token":"4","logprob":-0.1,"bytes":[52],"top_logprobs":[]}]},"finish_reason":null}]}
 *   data: {"id":"chatcmpl-1","object":"chat.completion.chunk","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}
 *   data: [DONE]
 *
 * Shapes: vllm-project/vllm:vllm/entrypoints/openai/chat_completion/protocol.py at 002032e,
 * `ChatCompletionStreamResponse` and `ChatCompletionResponseStreamChoice` (shared/format/FORMATS.md#openai-stream).
 * - Chunks of several requests alternate in one file. Those of one `id` are one answer (`LogFormat.parts`), unless a
 *   finished choice begins again.
 * - The joined answer has the shape of one that was not streamed, and `openaiLogprobs.ts` reads it.
 * - A streamed text completion looks like a whole one. Only chunks before the last have no finish reason.
 */
import { indexOf, isObject, type JsonObject, stringOf, textField } from './fields.ts';
import {
  type FileContext,
  type FileHead,
  type KeyedPart,
  type LogFormat,
  PARTS_KEY,
  type ParsedLine,
  type RecordReader,
} from './format.ts';
import { openaiLogprobs } from './openaiLogprobs.ts';
import { refused, warned } from './records.ts';

const CHAT = 'chat.completion.chunk';
const TEXT = 'text_completion';

export const openaiStream: LogFormat = {
  name: 'openai-stream',
  title: 'Streamed answers of an inference server (OpenAI, vLLM, SGLang, llama.cpp)',
  source:
    'vllm-project/vllm, chat_completion/protocol.py at 002032e, and the API reference of OpenAI (read November 2026)',
  rule: 'records with "object": "chat.completion.chunk", or "text_completion" with a choice that has no finish_reason; as lines, or as events ("data: …")',
  reads: 'chunks of one id joined into one answer, every choice as a rollout; then as openai-logprobs',
  ignores: 'the request, of which a stream has the prompt at most; fields of events other than "data"',
  detect: (head: FileHead) => head.records.some(isChunk),
  parts: partsOf,
  open: (file: FileContext): RecordReader => {
    const answers = openaiLogprobs.open(file);
    return {
      read: (record, number) => {
        const collected = record[PARTS_KEY];
        const all = (Array.isArray(collected) ? collected : [record]).filter(isObject);
        return answersIn(all).flatMap((chunks, i) => {
          const answer = joined(chunks, i);
          if (answer === undefined) {
            // The last chunk of a stream has usage only, and the first of Azure has a content filter only.
            const isEmpty = chunks.every(({ choices }) => Array.isArray(choices) && choices.length === 0);
            if (isEmpty) return [{ kind: 'skip' as const }];
            return [
              refused(
                'missing_field',
                'the chunks of a streamed answer have no choice with a delta or a text',
              ),
            ];
          }
          const read = answers.read(withPrompt(answer), number);
          return ('kind' in read ? [read] : read).map((line, choice) =>
            choice === 0 ? withWarnings(line, chunks) : line,
          );
        });
      },
    };
  },
};

function isChunk(record: JsonObject): boolean {
  const { object, choices } = record;
  if (!Array.isArray(choices)) return false;
  if (object === CHAT) return true;
  const isOpen = (choice: unknown): boolean =>
    isObject(choice) && typeof choice['text'] === 'string' && stringOf(choice['finish_reason']) === undefined;
  return object === TEXT && choices.some(isOpen);
}

function partsOf(record: JsonObject): readonly KeyedPart[] | undefined {
  const { id, object, choices } = record;
  if (typeof id !== 'string' || !Array.isArray(choices) || (object !== CHAT && object !== TEXT))
    return undefined;
  return [{ key: id, part: record }];
}

/**
 * Splits the chunks of one id where a finished choice begins again. Some servers use few different ids (Ollama:
 * `chatcmpl-` and one of 999 numbers), so a long log repeats them.
 */
function answersIn(chunks: readonly JsonObject[]): readonly (readonly JsonObject[])[] {
  const answers: JsonObject[][] = [[]];
  const finished = new Set<number>();
  for (const chunk of chunks) {
    const { choices: list } = chunk;
    const choices = (Array.isArray(list) ? list : []).filter(isObject);
    const indexIn = (choice: JsonObject): number => indexOf(choice['index']) ?? 0;
    if (choices.some((choice) => finished.has(indexIn(choice)) && isBeginning(choice))) {
      answers.push([]);
      finished.clear();
    }
    answers.at(-1)?.push(chunk);
    for (const choice of choices)
      if (textField(choice, 'finish_reason') !== undefined) finished.add(indexIn(choice));
  }
  return answers;
}

/** The first delta of an answer names the role. */
const isBeginning = ({ delta, finish_reason: finish }: JsonObject): boolean =>
  isObject(delta) && typeof delta['role'] === 'string' && stringOf(finish) === undefined;

/** vLLM returns the rendered prompt on request (`return_prompt_text`). */
function withPrompt({ prompt_text: prompt, ...response }: JsonObject): JsonObject {
  if (typeof prompt === 'string') return { prompt, response };
  return prompt === undefined ? response : { prompt_text: prompt, ...response };
}

function withWarnings(line: ParsedLine, chunks: readonly JsonObject[]): ParsedLine {
  const finishes = chunks.flatMap(({ choices }) => (Array.isArray(choices) ? choices.filter(isObject) : []));
  const isFinished = finishes.some((choice) => stringOf(choice['finish_reason']) !== undefined);
  if (isFinished || line.kind !== 'rollout') return line;
  const message = 'no chunk has a finish_reason: the stream was cut, or is still being written';
  return { ...line, warnings: [...line.warnings, warned('unfinished_stream', message)] };
}

/** Deltas of one choice, in order. */
interface OpenChoice {
  readonly index: number;
  readonly texts: Map<string, string[]>;
  readonly calls: OpenCall[];
  readonly lists: Map<string, unknown[]>;
  readonly rest: Record<string, unknown>;
  role: string | undefined;
  isMessage: boolean;
}

interface OpenCall {
  readonly index: number | undefined;
  id: string | undefined;
  readonly name: string[];
  readonly args: string[];
}

const MESSAGE_TEXTS = ['content', 'reasoning', 'reasoning_content', 'refusal'] as const;

/**
 * The answer that was streamed. undefined if no chunk has a choice.
 * @param before answers with the same id, which is the group
 */
function joined(chunks: readonly JsonObject[], before: number): JsonObject | undefined {
  const choices = new Map<number, OpenChoice>();
  const answer: Record<string, unknown> = {};
  for (const chunk of chunks) {
    for (const [key, value] of Object.entries(chunk))
      if (key !== 'choices' && value !== null) answer[key] = value;
    const list = chunk['choices'];
    for (const choice of Array.isArray(list) ? list : []) {
      if (isObject(choice) && (isObject(choice['delta']) || typeof choice['text'] === 'string'))
        addChoice(choices, choice);
    }
  }
  if (choices.size === 0) return undefined;
  const sorted = [...choices.values()].sort((a, b) => a.index - b.index);
  return {
    ...answer,
    ...(before === 0 ? {} : { id: `${stringOf(answer['id']) ?? ''} (${before + 1})` }),
    object: sorted.some(({ isMessage }) => isMessage) ? 'chat.completion' : TEXT,
    choices: sorted.map(choiceOf),
  };
}

function addChoice(choices: Map<number, OpenChoice>, choice: JsonObject): void {
  const { index: position, delta, text, logprobs, token_ids: ids, ...rest } = choice;
  const index = indexOf(position) ?? 0;
  const known: OpenChoice = choices.get(index) ?? {
    ...{ index, texts: new Map(), calls: [], lists: new Map(), rest: {} },
    ...{ role: undefined, isMessage: false },
  };
  choices.set(index, known);
  for (const [key, value] of Object.entries(rest)) if (value !== null) known.rest[key] = value;
  if (typeof text === 'string') append(known.texts, 'text', [text]);
  if (Array.isArray(ids)) append(known.lists, 'token_ids', ids);
  if (isObject(logprobs)) {
    for (const [key, value] of Object.entries(logprobs))
      if (Array.isArray(value)) append(known.lists, `logprobs.${key}`, value);
  }
  if (isObject(delta)) addDelta(known, delta);
}

function addDelta(choice: OpenChoice, delta: JsonObject): void {
  choice.isMessage = true;
  choice.role ??= stringOf(delta['role']);
  for (const key of MESSAGE_TEXTS) {
    const text = delta[key];
    if (typeof text === 'string') append(choice.texts, key, [text]);
  }
  const { tool_calls: list, function_call: legacy } = delta;
  const calls = [...(Array.isArray(list) ? list : []), ...(isObject(legacy) ? [{ function: legacy }] : [])];
  for (const call of calls) {
    if (!isObject(call)) continue;
    const known = openCall(choice.calls, call);
    const { name, arguments: args }: JsonObject = isObject(call['function']) ? call['function'] : {};
    known.name.push(stringOf(name) ?? '');
    known.args.push(stringOf(args) ?? '');
  }
}

/** The call that a delta continues. Some servers give every call the index 0, or none: a new id is a new call. */
function openCall(calls: OpenCall[], delta: JsonObject): OpenCall {
  const index = indexOf(delta['index']);
  const id = textField(delta, 'id');
  const known = index === undefined ? calls.at(-1) : calls.findLast((call) => call.index === index);
  if (known !== undefined && (id === undefined || known.id === undefined || known.id === id)) {
    known.id ??= id;
    return known;
  }
  const call: OpenCall = { index, id, name: [], args: [] };
  calls.push(call);
  return call;
}

function append<T>(lists: Map<string, T[]>, key: string, values: readonly T[]): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [...values]);
  else for (const value of values) list.push(value);
}

function choiceOf({ index, texts, calls, lists, rest, role, isMessage }: OpenChoice): JsonObject {
  const logprobs = [...lists].filter(([key]) => key.startsWith('logprobs.'));
  const text = (key: string): string | undefined => texts.get(key)?.join('');
  const message: Record<string, unknown> = { role: role ?? 'assistant', content: text('content') ?? null };
  for (const key of ['reasoning', 'reasoning_content', 'refusal']) {
    const joinedText = text(key);
    if (joinedText !== undefined) message[key] = joinedText;
  }
  if (calls.length > 0) {
    message['tool_calls'] = calls
      .toSorted((a, b) => (a.index ?? 0) - (b.index ?? 0))
      .map((call) => ({
        ...{ id: call.id, type: 'function' },
        function: { name: call.name.join(''), arguments: call.args.join('') },
      }));
  }
  return {
    index,
    ...(isMessage ? { message } : { text: text('text') ?? '' }),
    ...(logprobs.length === 0
      ? {}
      : {
          logprobs: Object.fromEntries(logprobs.map(([key, list]) => [key.slice('logprobs.'.length), list])),
        }),
    ...(lists.has('token_ids') ? { token_ids: lists.get('token_ids') } : {}),
    ...rest,
  };
}
