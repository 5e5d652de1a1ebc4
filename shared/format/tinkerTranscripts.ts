/**
 * Transcripts in tinker-cookbook's `train_logtree.json`: a tree of HTML-like nodes in which conversations
 * carry their messages as data.
 *
 *   {"title":"RL Iteration 10","root":{"tag":"body","children":[{"tag":"section","children":[{"tag":"h2","children":["Prompt"]},
 *    {"tag":"div","data":{"type":"conversation","messages":[{"role":"user","content":"6·7?"}]}}]}, …
 *
 * Environments log a "Prompt" and then a "Policy Response", each a conversation. Multi-turn environments do
 * so once per turn, and each prompt repeats the conversation so far. Hence:
 * - A conversation without an answer is the prompt of the conversation of assistant messages after it.
 * - A prompt that begins with the last prompt and its answer continues that rollout.
 * - A conversation of prompt and answer is a rollout by itself.
 *
 * (`tinker_cookbook/utils/logtree.py` and `logtree_formatters.py`)
 */
import { bodyOfMessages } from './body.ts';
import { isObject, type JsonObject, jsonText, stringOf } from './fields.ts';
import type { FileContext, LineIssue, ParsedLine, ParsedRollout } from './format.ts';
import { leadingMessages } from './messages.ts';
import { refused, warned } from './records.ts';

interface Conversation {
  readonly messages: readonly JsonObject[];
  /** Headings above it, outermost first. */
  readonly headings: readonly string[];
}

interface Transcript {
  readonly prompt: readonly JsonObject[];
  readonly said: readonly JsonObject[];
  readonly headings: readonly string[];
}

/** Nodes examined by detection. A tree of many groups has its first conversation long before. */
const DETECTION_LIMIT = 20_000;

export function isTranscript(record: JsonObject): boolean {
  if (!isObject(record['root']) && !Array.isArray(record['children'])) return false;
  return conversationsOf(record, DETECTION_LIMIT, 1).length > 0;
}

export function joinKeyOfTrajectory(kind: string, step: number, group: number, trajectory: number): string {
  return `tinker:${kind}:${step}:${group}:${trajectory}`;
}

export function readTranscripts(record: JsonObject, file: FileContext): ParsedLine | readonly ParsedLine[] {
  const { transcripts, unanswered } = transcriptsOf(conversationsOf(record));
  if (transcripts.length === 0) {
    return refused('no_messages', `${unanswered} conversations, none with a message of the policy`);
  }
  const { layout } = file;
  return transcripts.map((transcript, i): ParsedLine => {
    const body = bodyOfMessages(transcript.said, {}, transcript.prompt);
    const warnings: LineIssue[] = [];
    if (transcript.prompt.length === 0)
      warnings.push(warned('no_prompt', 'no prompt precedes this response'));
    if (i === 0 && unanswered > 0) {
      warnings.push(
        warned('unanswered', `${unanswered} conversations of the file have no response; not read`),
      );
    }
    const kind: ParsedRollout['kind'] = layout.kind ?? 'train';
    const section = transcript.headings.join(' › ');
    const place = placeOf(transcript.headings);
    return {
      kind: 'rollout',
      warnings,
      rollout: {
        ...body,
        kind,
        step: layout.step,
        groupRule: 'prompt',
        joinKeys:
          place === undefined || layout.step === undefined
            ? undefined
            : [joinKeyOfTrajectory(kind, layout.step, place.group, place.trajectory)],
        extra: { ...(section === '' ? {} : { section }) },
      },
    };
  });
}

/** In document order. A loop, because trees are as deep as their authors nest sections. */
function conversationsOf(
  record: JsonObject,
  limit = Number.POSITIVE_INFINITY,
  enough = limit,
): readonly Conversation[] {
  const out: Conversation[] = [];
  const open: { node: unknown; headings: readonly string[] }[] = [
    { node: record['root'] ?? record, headings: [] },
  ];
  for (let seen = 0; open.length > 0 && seen < limit && out.length < enough; seen++) {
    const next = open.pop();
    if (next === undefined || !isObject(next.node)) continue;
    const { data, children } = next.node;
    if (isObject(data) && data['type'] === 'conversation' && Array.isArray(data['messages'])) {
      out.push({ messages: data['messages'].filter(isObject).map(plainMessage), headings: next.headings });
      continue;
    }
    if (!Array.isArray(children)) continue;
    const heading = children.map(headingOf).find((text) => text !== undefined);
    const headings = heading === undefined ? next.headings : [...next.headings, heading];
    for (let i = children.length - 1; i >= 0; i--) open.push({ node: children[i], headings });
  }
  return out;
}

function headingOf(node: unknown): string | undefined {
  if (!isObject(node) || !/^h[1-6]$/.test(stringOf(node['tag']) ?? '')) return undefined;
  const { children } = node;
  const text = Array.isArray(children) ? children.filter((child) => typeof child === 'string').join('') : '';
  return text === '' ? stringOf(node['text']) : text;
}

/** Converts parts of reasoning and tool calls to a chat message's fields. */
function plainMessage(message: JsonObject): JsonObject {
  const { content } = message;
  if (!Array.isArray(content)) return message;
  const parts = content.filter(isObject);
  const thinking = parts.flatMap((part) =>
    part['type'] === 'thinking' ? [stringOf(part['thinking']) ?? ''] : [],
  );
  const calls = parts.flatMap((part) =>
    part['type'] === 'tool_call'
      ? [
          {
            type: 'function',
            function: { name: part['function_name'], arguments: part['function_arguments'] },
          },
        ]
      : [],
  );
  const rest = content.flatMap((part: unknown): unknown[] => {
    if (!isObject(part)) return [part];
    if (part['type'] === 'thinking' || part['type'] === 'tool_call') return [];
    return [part['type'] === 'unparsed_tool_call' ? { type: 'text', text: part['raw_text'] } : part];
  });
  return {
    ...message,
    content: rest,
    ...(thinking.length === 0 ? {} : { reasoning_content: thinking.join('\n') }),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  };
}

function transcriptsOf(conversations: readonly Conversation[]): {
  transcripts: readonly Transcript[];
  unanswered: number;
} {
  const transcripts: Transcript[] = [];
  let unanswered = 0;
  let pending: Conversation | undefined;
  for (const conversation of conversations) {
    const { messages, headings } = conversation;
    if (messages.at(-1)?.['role'] !== 'assistant') {
      if (pending !== undefined) unanswered++;
      pending = conversation;
      continue;
    }
    const asked = leadingMessages(messages);
    if (asked.length > 0) {
      if (pending !== undefined) unanswered++;
      transcripts.push({ prompt: asked, said: messages.slice(asked.length), headings });
    } else {
      const prompt = pending?.messages ?? [];
      const last = transcripts.at(-1);
      const known = last === undefined ? [] : [...last.prompt, ...last.said];
      if (last !== undefined && known.length < prompt.length && beginsWith(prompt, known)) {
        transcripts.pop();
        transcripts.push({ ...last, said: [...last.said, ...prompt.slice(known.length), ...messages] });
      } else transcripts.push({ prompt, said: messages, headings });
    }
    pending = undefined;
  }
  return { transcripts, unanswered: unanswered + (pending === undefined ? 0 : 1) };
}

function beginsWith(messages: readonly JsonObject[], known: readonly JsonObject[]): boolean {
  return known.every((message, i) => {
    const other = messages[i];
    return (
      other !== undefined &&
      other['role'] === message['role'] &&
      jsonText(other['content']) === jsonText(message['content'])
    );
  });
}

/** Headings such as "Group 3" and "Trajectory 0". */
function placeOf(headings: readonly string[]): { group: number; trajectory: number } | undefined {
  const path = headings.join('\n');
  const group = /\bgroup(?:_idx)?[ =:#]*(\d{1,9})\b/i.exec(path)?.[1];
  const trajectory = /\btraj(?:ectory|_idx)?[ =:#]*(\d{1,9})\b/i.exec(path)?.[1];
  return group === undefined || trajectory === undefined
    ? undefined
    : { group: Number(group), trajectory: Number(trajectory) };
}
