/**
 * Rollouts whose text does not show how they ended: tasks end in an environment state (a booked flight, a
 * patched repository), questions in a plain sentence. A missing marked answer proves nothing there, so the
 * stop reason stays unknown.
 */
import { bodyOfMessages, type KnownFacts, type RolloutBody } from './body.ts';
import { isObject, type JsonObject, jsonText } from './fields.ts';
import type { LineIssue } from './format.ts';
import { warned } from './records.ts';

export function bodyOfTask(
  messages: readonly JsonObject[],
  facts: KnownFacts = {},
  prompt?: readonly JsonObject[],
): RolloutBody {
  return bodyOfMessages(messages, { ...facts, isUnmarked: true }, prompt);
}

/** The messages of a list. Entries that are no messages are counted in a warning. */
export function messagesIn(list: readonly unknown[], warnings: LineIssue[]): readonly JsonObject[] {
  const messages = list.filter(isObject);
  const lost = list.length - messages.length;
  if (lost > 0) {
    warnings.push(warned('unread_message', `${lost} of ${list.length} messages are not objects; not read`));
  }
  return messages;
}

/** The expected actions of a task, one per line, as a readable ground truth. */
export function expectedActions(actions: unknown): string | undefined {
  if (!Array.isArray(actions) || actions.length === 0) return undefined;
  return actions
    .filter(isObject)
    .map((action) => {
      const requestor = action['requestor'] === 'user' ? 'user: ' : '';
      return `${requestor}${textOrJson(action['name'])} ${textOrJson(action['kwargs'] ?? action['arguments'] ?? {})}`;
    })
    .join('\n');
}

function textOrJson(value: unknown): string {
  return typeof value === 'string' ? value : jsonText(value);
}
