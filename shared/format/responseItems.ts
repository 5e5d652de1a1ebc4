/**
 * Converts items of OpenAI's Responses API to messages. One generation consists of consecutive items
 * (reasoning, message, function calls) and is one turn.
 */
import { isObject, type JsonObject, stringOf, textOf } from './fields.ts';
import type { LineIssue } from './format.ts';
import type { Generation } from './generations.ts';
import { readMessage, textOfContent } from './messageShape.ts';
import { type MessageResponse, ResponseOfMessages } from './messages.ts';
import { warned } from './records.ts';

/** Flattens items that were logged turn by turn: `[[…], […]]`. */
export function flatItems(list: readonly unknown[], warnings: LineIssue[]): readonly JsonObject[] {
  const entries = list.flatMap((entry) => (Array.isArray(entry) ? entry : [entry]));
  const items = entries.filter(isObject);
  const lost = entries.length - items.length;
  if (lost > 0)
    warnings.push(warned('unread_item', `${lost} of ${entries.length} items are not objects; not read`));
  return items;
}

export function responseOfItems(items: readonly JsonObject[]): MessageResponse {
  const response = new ResponseOfMessages();
  for (const message of messagesOfItems(items)) response.take(readMessage(message));
  return response.finish();
}

/** Ids of prompt and generation, and log-probabilities, of the items that have them. */
export function generationsOf(items: readonly JsonObject[]): readonly Generation[] {
  return items.flatMap((item) =>
    Array.isArray(item['generation_token_ids'])
      ? [
          {
            prompt: item['prompt_token_ids'],
            ids: item['generation_token_ids'],
            logprobs: item['generation_log_probs'],
          },
        ]
      : [],
  );
}

type ItemKind = 'reasoning' | 'message' | 'call' | 'output';

/** An unknown type is shown as a message that names it. */
function kindOf(item: JsonObject): ItemKind {
  const type = stringOf(item['type']) ?? '';
  if (type === 'reasoning') return 'reasoning';
  if (type.endsWith('_call_output')) return 'output';
  return type.endsWith('_call') ? 'call' : 'message';
}

/** A single item, for a prompt. */
export function messageOfItem(item: JsonObject): JsonObject {
  switch (kindOf(item)) {
    case 'output':
      return { role: 'tool', tool_call_id: item['call_id'], content: textOfOutput(item['output']) };
    case 'message':
      return { role: item['role'] ?? 'assistant', content: contentOf(item) };
    default:
      return { role: 'assistant', content: [partOf(item)] };
  }
}

/**
 * Merges adjacent items of one generation into one assistant message. Tool outputs separate generations. In a log
 * without tool outputs, the order of the items decides where the next generation begins.
 */
export function messagesOfItems(items: readonly JsonObject[]): readonly JsonObject[] {
  const messages: JsonObject[] = [];
  const hasOutputs = items.some((item) => kindOf(item) === 'output');
  let parts: unknown[] = [];
  let before: ItemKind | undefined;
  const flush = (): void => {
    if (parts.length > 0) messages.push({ role: 'assistant', content: parts });
    parts = [];
    before = undefined;
  };
  for (const item of items) {
    const kind = kindOf(item);
    const isOfPolicy =
      kind !== 'output' && (kind !== 'message' || (item['role'] ?? 'assistant') === 'assistant');
    if (!isOfPolicy) {
      flush();
      messages.push(messageOfItem(item));
      continue;
    }
    if (!hasOutputs && beginsTurn(kind, before)) flush();
    parts.push(partOf(item));
    before = kind;
    if (Array.isArray(item['generation_token_ids'])) flush();
  }
  flush();
  return messages;
}

/** A model reasons, then speaks, then calls. A step back in that order begins the next generation. */
function beginsTurn(kind: ItemKind, before: ItemKind | undefined): boolean {
  if (before === undefined) return false;
  return (kind === 'reasoning' && before !== 'reasoning') || (kind === 'message' && before === 'call');
}

function partOf(item: JsonObject): JsonObject {
  switch (kindOf(item)) {
    case 'reasoning': {
      const content = textOfContent(item['content']);
      const { summary, encrypted_content } = item;
      // A summary beside a cipher is the provider's, and one without a cipher is the reasoning itself.
      return content === ''
        ? { type: 'reasoning', summary, encrypted_content }
        : { type: 'reasoning', text: content };
    }
    case 'call':
      return {
        type: 'tool_use',
        id: item['call_id'] ?? item['id'],
        name: item['name'] ?? item['type'],
        arguments: item['arguments'] ?? item['input'] ?? item['action'],
      };
    default:
      return { type: 'text', text: contentOf(item) };
  }
}

function contentOf(item: JsonObject): string {
  const text = textOfContent(item['content']);
  return text === '' && item['content'] === undefined ? `[${stringOf(item['type']) ?? 'item'}]` : text;
}

function textOfOutput(output: unknown): string {
  return Array.isArray(output) ? textOfContent(output) : (textOf(output) ?? '');
}
