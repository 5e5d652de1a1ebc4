/**
 * Converts a response of messages (OpenAI's shape) to one text with segments. The text is in Hermes form, so
 * that SQL and the raw view show what a trainer would have sampled. The structure comes from the messages,
 * never from searching that text.
 */
import type { Segment, SegmentKind, ToolCall, TurnNumber } from '../domain/model.ts';
import type { RedactedReasoning } from '../domain/policyContext.ts';
import { rememberLast } from '../domain/rememberLast.ts';
import { checkSegments, segmentMessage } from '../domain/segment.ts';
import { readCallPayload } from '../domain/toolCallPayload.ts';
import { readToolResponse } from '../domain/toolOutcome.ts';
import type { JsonObject } from './fields.ts';
import {
  type LoggedCall,
  type LoggedResult,
  type MessageRole,
  type ReadMessage,
  readMessage,
  roleOf,
  textOfMessage,
} from './messageShape.ts';

export { textOfContent } from './messageShape.ts';

export interface MessageResponse {
  readonly text: string;
  readonly segments: readonly Segment[];
  readonly toolCalls: readonly ToolCall[];
  readonly turns: TurnNumber;
  /** Reasoning that a provider withheld. Absent: none. */
  readonly redacted?: readonly RedactedReasoning[];
}

/** Consecutive segments with exact ranges in their joint text. */
class SegmentedText {
  text = '';
  readonly segments: Segment[] = [];

  /** @returns the index of the new segment */
  add(kind: SegmentKind, turn: TurnNumber, content: string, before = '', after = ''): number {
    checkSegments(this.segments.length + 1);
    const outerStart = this.text.length;
    const start = outerStart + before.length;
    this.text += before + content + after;
    const inner = { start, end: start + content.length };
    this.segments.push({ kind, turn, outer: { start: outerStart, end: this.text.length }, inner });
    return this.segments.length - 1;
  }

  /** Appends a text with its own segments. */
  append(text: string, segments: readonly Segment[]): number {
    checkSegments(this.segments.length + segments.length);
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
  const first = messages.findIndex((message) => roleOf(message) === 'assistant');
  return first < 0 ? messages : messages.slice(0, first);
}

const PROMPT_KINDS: Readonly<Record<MessageRole, SegmentKind>> = {
  system: 'system',
  user: 'user',
  assistant: 'text',
  tool: 'tool-response',
};

export const promptOfMessages = rememberLast(
  (
    messages: readonly JsonObject[],
  ): {
    text: string;
    segments: readonly Segment[];
  } => {
    const prompt = new SegmentedText();
    messages.forEach((message, i) => {
      prompt.add(PROMPT_KINDS[roleOf(message)], 0, textOfMessage(message), i === 0 ? '' : '\n\n');
    });
    return prompt;
  },
);

/** @param messages from the first assistant message on */
export function responseOfMessages(messages: readonly JsonObject[]): MessageResponse {
  const response = new ResponseOfMessages();
  for (const message of messages) response.take(readMessage(message));
  return response.finish();
}

/** Calls in the order of the log. Finds one that no response has answered yet in constant time, on average. */
class CallQueue {
  private readonly calls: { readonly index: number; readonly turn: TurnNumber }[] = [];
  private readonly answered: ReadonlySet<number>;
  /** Every call before it is answered. */
  private head = 0;
  /** Every call of `turn` before it is answered. */
  private headOfTurn = 0;
  private turn: TurnNumber = 0;
  /** Calls that are not answered. */
  open = 0;

  /** @param answered indices of calls; shared by all queues, because a call is in several */
  constructor(answered: ReadonlySet<number>) {
    this.answered = answered;
  }

  add(index: number, turn: TurnNumber): void {
    this.calls.push({ index, turn });
    this.open++;
  }

  first(): number | undefined {
    this.head = this.next(this.head);
    return this.calls[this.head]?.index;
  }

  /** @param turn that of the last call, or a later one */
  firstOf(turn: TurnNumber): number | undefined {
    if (turn !== this.turn) {
      this.turn = turn;
      this.headOfTurn = this.calls.length;
      while (this.calls[this.headOfTurn - 1]?.turn === turn) this.headOfTurn--;
    }
    this.headOfTurn = this.next(this.headOfTurn);
    return this.calls[this.headOfTurn]?.index;
  }

  private next(from: number): number {
    let at = from;
    for (
      let call = this.calls[at];
      call !== undefined && this.answered.has(call.index);
      call = this.calls[at]
    )
      at++;
    return at;
  }
}

/** Builds a response message by message. */
export class ResponseOfMessages {
  private readonly out = new SegmentedText();
  private readonly toolCalls: ToolCall[] = [];
  private readonly answered = new Set<number>();
  private readonly calls = new CallQueue(this.answered);
  private readonly callsById = new Map<string | undefined, CallQueue>();
  /** By index of the call. */
  private readonly ids: (string | undefined)[] = [];
  private readonly callsOfUser = new Set<string>();
  private readonly redacted: RedactedReasoning[] = [];
  private turn: TurnNumber = 0;

  take(message: ReadMessage): void {
    if (message.role === 'assistant') this.turn++;
    for (const piece of message.pieces) {
      if (piece.kind === 'result') this.result(piece.result, message.isForUser);
      else if (piece.kind === 'redacted') {
        const { summary } = piece;
        this.redacted.push({ turn: this.currentTurn, ...(summary === undefined ? {} : { summary }) });
      } else if (message.role !== 'assistant') this.environment(message.role, piece);
      else if (piece.kind === 'call') this.call(piece.call);
      else if (piece.kind === 'reasoning') {
        if (piece.text === '') continue;
        this.out.add('reasoning', this.turn, piece.text, `${this.separator()}<think>\n`, '\n</think>');
      } else if (piece.text.trim() !== '') this.content(piece.text);
    }
  }

  finish(): MessageResponse {
    return {
      text: this.out.text,
      segments: this.out.segments,
      toolCalls: this.toolCalls,
      turns: Math.max(this.turn, 1),
      ...(this.redacted.length === 0 ? {} : { redacted: this.redacted }),
    };
  }

  private get currentTurn(): TurnNumber {
    return Math.max(this.turn, 1);
  }

  private content(content: string): void {
    const { segments, toolCalls } = segmentMessage(content, this.turn, false);
    const separator = this.separator();
    this.out.text += separator;
    const first = this.out.append(content, segments);
    widenOver(this.out.segments, first, separator.length);
    for (const call of toolCalls) {
      this.wait(undefined);
      this.toolCalls.push({ ...call, callSegment: call.callSegment + first });
    }
  }

  private call(call: LoggedCall): void {
    const before = `${this.separator()}<tool_call>\n`;
    const callSegment = this.out.add('tool-call', this.turn, call.payload, before, '\n</tool_call>');
    const read = readCallPayload(call.payload);
    this.wait(call.id);
    this.toolCalls.push({
      turn: this.turn,
      callId: call.id,
      name: call.name,
      arguments: read.arguments,
      code: read.code,
      outcome: call.isWellFormed ? 'missing' : 'malformed',
      callSegment,
    });
  }

  /** Calls of a simulated user's tools do not belong to the policy, so they stay a `user` segment. */
  private environment(
    role: MessageRole,
    piece: Exclude<ReadMessage['pieces'][number], { kind: 'result' | 'redacted' }>,
  ): void {
    const kind = role === 'system' ? 'system' : 'user';
    if (piece.kind !== 'call') {
      this.out.add(kind, this.currentTurn, piece.text, this.separator());
      return;
    }
    if (piece.call.id !== undefined) this.callsOfUser.add(piece.call.id);
    const before = `${this.separator()}<user_tool_call>\n`;
    this.out.add(kind, this.currentTurn, piece.call.payload, before, '\n</user_tool_call>');
  }

  private result(result: LoggedResult, isForUser: boolean): void {
    const isOfUser = isForUser || (result.id !== undefined && this.callsOfUser.has(result.id));
    const [kind, tag] = isOfUser
      ? (['user', 'user_tool_response'] as const)
      : (['tool-response', 'tool_response'] as const);
    const before = `${this.separator()}<${tag}>\n`;
    const responseSegment = this.out.add(kind, this.currentTurn, result.text, before, `\n</${tag}>`);
    if (isOfUser) return;
    const index = this.answeredBy(result);
    const answered = index === undefined ? undefined : this.toolCalls[index];
    if (index === undefined || answered === undefined) return;
    const { outcome, latencyMs } = readToolResponse(result.text);
    const isSuccess = outcome === 'ok' || outcome === 'ok_stdout' || outcome === 'ok_empty';
    this.toolCalls[index] = {
      ...answered,
      outcome:
        answered.outcome === 'malformed' ? 'parse_error' : result.hasFailed && isSuccess ? 'error' : outcome,
      latencyMs,
      responseSegment,
    };
  }

  /** Marks the next call as open until a response answers it. */
  private wait(id: string | undefined): void {
    const index = this.toolCalls.length;
    this.ids[index] = id;
    const same = this.callsById.get(id) ?? new CallQueue(this.answered);
    this.callsById.set(id, same);
    for (const queue of [this.calls, same]) queue.add(index, this.turn);
  }

  /** Matches by call id. If either side has none: the first open call, of this turn before earlier ones. */
  private answeredBy({ id, messageId }: LoggedResult): number | undefined {
    const openOf = (name: string | undefined): CallQueue | undefined => {
      const queue = this.callsById.get(name);
      return queue === undefined || queue.open === 0 ? undefined : queue;
    };
    const named = [id, messageId].flatMap((name) => (name === undefined ? [] : (openOf(name) ?? [])))[0];
    // A response with an id that no call has answers only a call of this turn without one.
    const queue = named ?? (id === undefined ? this.calls : openOf(undefined));
    const index =
      queue?.firstOf(this.currentTurn) ??
      (named === undefined && id !== undefined ? undefined : queue?.first());
    if (index === undefined) return undefined;
    this.answered.add(index);
    for (const each of [this.calls, this.callsById.get(this.ids[index])]) if (each !== undefined) each.open--;
    return index;
  }

  private separator(): string {
    return this.out.text === '' ? '' : '\n';
  }
}

/** The first segment also covers the separator before it, so that outer ranges still tile the text. */
function widenOver(segments: Segment[], index: number, by: number): void {
  const segment = segments[index];
  if (segment === undefined || by === 0) return;
  segments[index] = { ...segment, outer: { start: segment.outer.start - by, end: segment.outer.end } };
}
