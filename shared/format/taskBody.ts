/**
 * Rollouts whose ending the text does not tell: tasks end in a state of the environment (a
 * booked flight, a patched repository), questions are answered in a plain sentence. Finding no
 * marked answer there says nothing about how the rollout ended, so that stays unknown.
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
  return withoutGuessedEnd(bodyOfMessages(messages, facts, prompt));
}

export function withoutGuessedEnd(body: RolloutBody): RolloutBody {
  const isGuess = body.stopReason === 'no-answer' && body.stopReasonSource === 'derived';
  return isGuess ? { ...body, stopReason: undefined, stopReasonSource: undefined } : body;
}

/** The messages of a list; entries that are none are counted in a warning. */
export function messagesIn(list: readonly unknown[], warnings: LineIssue[]): readonly JsonObject[] {
  const messages = list.filter(isObject);
  const lost = list.length - messages.length;
  if (lost > 0) {
    warnings.push(warned('unread_message', `${lost} of ${list.length} messages are no objects; not read`));
  }
  return messages;
}

/** The actions a task expects, one per line, as a ground truth that can be read. */
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
