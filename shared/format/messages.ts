/**
 * A response given as messages (OpenAI's shape) becomes one text with segments. The text is
 * put together in the Hermes manner, so that SQL and the raw view see what a trainer would
 * have sampled; structure comes from the messages themselves, never from searching that text.
 */
import type { Segment, SegmentKind, ToolCall, TurnNumber } from '../domain/model.ts';
import { segmentMessage } from '../domain/segment.ts';
import { readCallPayload } from '../domain/toolCallPayload.ts';
import { readToolResponse } from '../domain/toolOutcome.ts';
import { isObject, type JsonObject, stringOf } from './fields.ts';

export interface MessageResponse {
  readonly text: string;
  readonly segments: readonly Segment[];
  readonly toolCalls: readonly ToolCall[];
  readonly turns: TurnNumber;
  readonly endsInUnansweredCall: boolean;
}

/** A run of segments with exact ranges in the text they make up. */
export class SegmentedText {
  text = '';
  readonly segments: Segment[] = [];

  /** @returns the index of the new segment */
  add(kind: SegmentKind, turn: TurnNumber, content: string, before = '', after = ''): number {
    const outerStart = this.text.length;
    const start = outerStart + before.length;
    this.text += before + content + after;
    const inner = { start, end: start + content.length };
    this.segments.push({ kind, turn, outer: { start: outerStart, end: this.text.length }, inner });
    return this.segments.length - 1;
  }

  /** Takes over segments of a text of their own. */
  append(text: string, segments: readonly Segment[]): number {
    const base = this.text.length;
    const first = this.segments.length;
    const shift = (range: { start: number; end: number }) => ({
      start: range.start + base,
      end: range.end + base,
    });
    for (const segment of segments) {
      this.segments.push({ ...segment, outer: shift(segment.outer), inner: shift(segment.inner) });
    }
    this.text += text;
    return first;
  }
}

/** Messages before the first assistant message: the prompt. */
export function leadingMessages(messages: readonly JsonObject[]): readonly JsonObject[] {
  const first = messages.findIndex((message) => message['role'] === 'assistant');
  return first < 0 ? messages : messages.slice(0, first);
}

export function promptOfMessages(messages: readonly JsonObject[]): {
  text: string;
  segments: readonly Segment[];
} {
  const prompt = new SegmentedText();
  messages.forEach((message, i) => {
    const role = stringOf(message['role']);
    const kind =
      role === 'system' || role === 'developer' ? 'system' : role === 'assistant' ? 'text' : 'user';
    prompt.add(kind, 0, textOfContent(message['content']), i === 0 ? '' : '\n\n');
  });
  return prompt;
}

/** @param messages from the first assistant message on */
export function responseOfMessages(messages: readonly JsonObject[]): MessageResponse {
  const response = new ResponseOfMessages();
  for (const message of messages) response.take(message);
  return response.finish();
}

interface OpenCall {
  readonly id: string | undefined;
  readonly index: number;
}

class ResponseOfMessages {
  private readonly out = new SegmentedText();
  private readonly toolCalls: ToolCall[] = [];
  private open: OpenCall[] = [];
  private turn: TurnNumber = 0;

  take(message: JsonObject): void {
    switch (message['role']) {
      case 'assistant':
        this.turn++;
        this.assistant(message);
        break;
      case 'tool':
      case 'function':
      case 'ipython':
        this.response(message);
        break;
      default:
        this.out.add('user', Math.max(this.turn, 1), textOfContent(message['content']), this.separator());
    }
  }

  finish(): MessageResponse {
    const turns = Math.max(this.turn, 1);
    return {
      text: this.out.text,
      segments: this.out.segments,
      toolCalls: this.toolCalls,
      turns,
      endsInUnansweredCall: this.toolCalls.some((call) => call.turn === turns && call.outcome === 'missing'),
    };
  }

  private assistant(message: JsonObject): void {
    const reasoning = textOfContent(message['reasoning_content'] ?? message['reasoning']);
    if (reasoning !== '') {
      this.out.add('reasoning', this.turn, reasoning, `${this.separator()}<think>\n`, '\n</think>');
    }
    const content = textOfContent(message['content']);
    if (content.trim() !== '') this.content(content);
    const calls = Array.isArray(message['tool_calls']) ? message['tool_calls'] : [];
    for (const call of calls) this.call(call);
  }

  private content(content: string): void {
    const { segments, toolCalls } = segmentMessage(content, this.turn, false);
    const separator = this.separator();
    this.out.text += separator;
    const first = this.out.append(content, segments);
    widenOver(this.out.segments, first, separator.length);
    for (const call of toolCalls) {
      this.open.push({ id: undefined, index: this.toolCalls.length });
      this.toolCalls.push({ ...call, callSegment: call.callSegment + first });
    }
  }

  private call(call: unknown): void {
    const body = isObject(call) && isObject(call['function']) ? call['function'] : call;
    if (!isObject(body)) return;
    const args = stringOf(body['arguments']) ?? JSON.stringify(body['arguments'] ?? {});
    const isJson = isParsable(args);
    const payload = `{"name": ${JSON.stringify(body['name'] ?? null)}, "arguments": ${isJson ? args : JSON.stringify(args)}}`;
    const before = `${this.separator()}<tool_call>\n`;
    const callSegment = this.out.add('tool-call', this.turn, payload, before, '\n</tool_call>');
    const read = readCallPayload(payload);
    this.open.push({ id: isObject(call) ? stringOf(call['id']) : undefined, index: this.toolCalls.length });
    this.toolCalls.push({
      turn: this.turn,
      callId: isObject(call) ? stringOf(call['id']) : undefined,
      name: stringOf(body['name']),
      arguments: read.arguments,
      code: read.code,
      outcome: isJson ? 'missing' : 'parse_error',
      callSegment,
    });
  }

  /** By call id, else the first call still waiting. */
  private response(message: JsonObject): void {
    const text = textOfContent(message['content']);
    const turn = Math.max(this.turn, 1);
    const before = `${this.separator()}<tool_response>\n`;
    const responseSegment = this.out.add('tool-response', turn, text, before, '\n</tool_response>');
    const id = stringOf(message['tool_call_id']);
    const byId = id === undefined ? -1 : this.open.findIndex((call) => call.id === id);
    // Without an id on either side the order says which call is meant, within the turn.
    const inOrder = this.open.findIndex(
      (call) => this.toolCalls[call.index]?.turn === turn && (id === undefined || call.id === undefined),
    );
    const at = byId >= 0 ? byId : inOrder;
    const [call] = at < 0 ? [] : this.open.splice(at, 1);
    const answered = call === undefined ? undefined : this.toolCalls[call.index];
    if (call === undefined || answered === undefined) return;
    const { outcome, latencyMs } = readToolResponse(text);
    this.toolCalls[call.index] = {
      ...answered,
      outcome: answered.outcome === 'parse_error' ? 'parse_error' : outcome,
      latencyMs,
      responseSegment,
    };
  }

  private separator(): string {
    return this.out.text === '' ? '' : '\n';
  }
}

/** The first segment also takes the separator before it, so that outer ranges go on tiling the text. */
function widenOver(segments: Segment[], index: number, by: number): void {
  const segment = segments[index];
  if (segment === undefined || by === 0) return;
  segments[index] = { ...segment, outer: { start: segment.outer.start - by, end: segment.outer.end } };
}

function isParsable(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Content is a string, null, or parts; parts that are no text are named, not dropped. */
export function textOfContent(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content))
    return content === undefined || content === null ? '' : JSON.stringify(content);
  return content
    .map((part: unknown) => {
      if (typeof part === 'string') return part;
      if (!isObject(part)) return JSON.stringify(part);
      return stringOf(part['text']) ?? `[${stringOf(part['type']) ?? 'part'}]`;
    })
    .join('');
}
