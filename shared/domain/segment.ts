/**
 * Splits the text of a response into turns, segments and tool calls.
 *
 * Two dialects of the same transcript:
 *
 *   special  `…</tool_call><|im_end|>\n<|im_start|>user\n<tool_response>\n…`
 *   bare     `…</tool_call>\nuser\n<tool_response>\n…`  (verl dumps: special tokens stripped,
 *            role names remain as bare words; shared/domain/DOMAIN.md#transcripts)
 *
 *   text ──► environment blocks (who wrote what) ──► policy spans ──► tags ──► segments + calls
 *
 * Invariants (property-tested): outer ranges tile the text; inner ⊆ outer; every `<tool_call>` that the
 * policy opened is a tool call, well-formed or not.
 */

import type { Segment, SegmentKind, TextRange, ToolCall, TurnNumber } from './model.ts';
import { tryParseJson } from './parseJson.ts';
import { readCallPayload } from './toolCallPayload.ts';
import { type ParsedToolResponse, readToolResponse } from './toolOutcome.ts';
import { type EnvironmentBlock, readTranscript } from './transcript.ts';

export interface SegmentedResponse {
  readonly segments: readonly Segment[];
  readonly toolCalls: readonly ToolCall[];
  /** Assistant messages, including empty ones; at least 1. */
  readonly turns: TurnNumber;
}

export interface SegmentOptions {
  /** The prompt ended in `<reason>` or `<think>`, so the response begins inside reasoning. */
  readonly startsInReasoning: boolean;
}

/**
 * Each takes a kilobyte while a record is read, and a small compressed file may hold millions. A rollout of 350,000 tool
 * calls has 700,000.
 */
const MOST_SEGMENTS = 800_000;

/** @throws Error when a response has too many segments */
export function checkSegments(count: number): void {
  if (count > MOST_SEGMENTS) throw new Error(`it has more than ${MOST_SEGMENTS} messages and tool calls`);
}

/** Tried only at a `<`: searching that character first is several times faster than the pattern alone. */
const TAG = /<(\/?)(tool_call|answer|reason|think)>/y;
const CALL_OPEN = '<tool_call>';
const CALL_CLOSE = '</tool_call>';

interface OpenCall {
  readonly segment: number;
  readonly payload: TextRange;
  readonly isClosed: boolean;
}

export function segmentResponse(text: string, options: SegmentOptions): SegmentedResponse {
  const writer = new SegmentWriter(text);
  const finder = new Finder(text);
  const toolCalls: ToolCall[] = [];
  const transcript = readTranscript(text);
  let turn: TurnNumber = 1;
  let position = 0;

  const readSpan = (end: number): OpenCall[] =>
    readPolicySpan(finder, { start: position, end }, turn, writer, {
      startsInReasoning: options.startsInReasoning && turn === 1,
    });

  for (const block of transcript.blocks) {
    const calls = readSpan(block.start);
    pairCalls(writer, calls, writeBlock(block, turn, writer), turn, toolCalls);
    position = block.end;
    if (block.handsOver) turn++;
  }
  pairCalls(writer, readSpan(transcript.end), [], turn, toolCalls);

  return {
    segments: writer.finish(turn),
    toolCalls,
    turns: turn,
  };
}

/**
 * Segments one assistant message of a message list, whose turn is known. Calls are returned unanswered
 * (`missing` or `malformed`); the caller pairs them.
 */
export function segmentMessage(text: string, turn: TurnNumber, startsInReasoning: boolean): SegmentedMessage {
  const writer = new SegmentWriter(text);
  const toolCalls: ToolCall[] = [];
  const calls = readPolicySpan(new Finder(text), { start: 0, end: text.length }, turn, writer, {
    startsInReasoning,
  });
  pairCalls(writer, calls, [], turn, toolCalls);
  return { segments: writer.finish(turn), toolCalls };
}

export type SegmentedMessage = Pick<SegmentedResponse, 'segments' | 'toolCalls'>;

/**
 * Forward search that caches misses and distant hits, so that hostile text cannot make the scan quadratic.
 */
class Finder {
  readonly text: string;
  private readonly known = new Map<string, { from: number; at: number }>();

  constructor(text: string) {
    this.text = text;
  }

  next(needle: string, from: number, limit: number): number | undefined {
    const known = this.known.get(needle);
    let at: number;
    if (known !== undefined && known.from <= from && (known.at < 0 || known.at >= from)) at = known.at;
    else {
      at = this.text.indexOf(needle, from);
      this.known.set(needle, { from, at });
    }
    return at < 0 || at >= limit ? undefined : at;
  }
}

/** Collects segments whose outer ranges tile the text: each begins where the previous one ended. */
class SegmentWriter {
  readonly text: string;
  private readonly segments: Segment[] = [];
  private cursor = 0;

  constructor(text: string) {
    this.text = text;
  }

  get count(): number {
    return this.segments.length;
  }

  innerText(index: number): string {
    const inner = this.segments[index]?.inner;
    return inner === undefined ? '' : this.text.slice(inner.start, inner.end);
  }

  add(kind: SegmentKind, turn: TurnNumber, end: number, inner: TextRange): void {
    checkSegments(this.segments.length + 1);
    this.segments.push({ kind, turn, outer: { start: this.cursor, end }, inner });
    this.cursor = end;
  }

  /** Extends the last segment over markup or white space without content. */
  absorb(end: number): void {
    const last = this.segments.pop();
    if (last === undefined) return; // the next segment starts at the cursor and covers it
    this.segments.push({ ...last, outer: { start: last.outer.start, end } });
    this.cursor = end;
  }

  finish(turn: TurnNumber): readonly Segment[] {
    const length = this.text.length;
    if (this.cursor < length) {
      if (this.segments.length > 0) this.absorb(length);
      else this.add('text', turn, length, { start: length, end: length });
    }
    return this.segments;
  }
}

function readPolicySpan(
  finder: Finder,
  span: TextRange,
  turn: TurnNumber,
  writer: SegmentWriter,
  options: SegmentOptions,
): OpenCall[] {
  const { text } = finder;
  const calls: OpenCall[] = [];
  let isReasoning = options.startsInReasoning;
  let position = span.start;
  let sawReasoningTag = isReasoning;

  /** Writes the text between the last tag and `end` as reasoning or text. White space alone is no segment. */
  const flush = (end: number, outerEnd: number, kind: SegmentKind): void => {
    const inner = trimmed(text, { start: position, end });
    if (inner.start < inner.end) writer.add(kind, turn, outerEnd, inner);
    else writer.absorb(outerEnd);
    position = outerEnd;
  };

  let next = span.start;
  for (;;) {
    const at = text.indexOf('<', next);
    if (at < 0 || at >= span.end) break;
    TAG.lastIndex = at;
    const match = TAG.exec(text);
    next = at + (match?.[0].length ?? 1);
    if (match === null) continue;
    const after = next;
    const isClose = match[1] === '/';
    switch (match[2]) {
      case 'reason':
      case 'think': {
        if (!isClose) {
          flush(at, at, isReasoning ? 'reasoning' : 'text');
          position = after;
          isReasoning = true;
        } else {
          // A closing tag without an opening one: the opening tag was in the generation prompt.
          const kind = isReasoning || !sawReasoningTag ? 'reasoning' : 'text';
          flush(at, after, kind);
          isReasoning = false;
        }
        sawReasoningTag = true;
        break;
      }
      case 'answer': {
        if (isClose || (isReasoning && closesReasoningLater(finder, after, span.end))) break; // prose that mentions the tag
        const close = finder.next('</answer>', after, span.end);
        const nextCall = finder.next(CALL_OPEN, after, span.end);
        // A tag that is never closed is no answer.
        if (close === undefined || (nextCall !== undefined && nextCall < close)) break;
        flush(at, at, isReasoning ? 'reasoning' : 'text');
        const outerEnd = close + '</answer>'.length;
        writer.add('answer', turn, outerEnd, trimmed(text, { start: after, end: close }));
        position = outerEnd;
        isReasoning = false;
        next = outerEnd;
        break;
      }
      case 'tool_call': {
        if (isClose) {
          // A second closing tag right after a call is markup; elsewhere the policy wrote it.
          if (writer.count > 0 && text.slice(position, at).trim() === '') {
            writer.absorb(after);
            position = after;
          }
          break;
        }
        flush(at, at, isReasoning ? 'reasoning' : 'text');
        const extent = callExtent(finder, after, span.end);
        const payload = trimmed(text, extent.payload);
        calls.push({ segment: writer.count, payload, isClosed: extent.isClosed });
        writer.add('tool-call', turn, extent.end, payload);
        position = extent.end;
        next = extent.end;
        break;
      }
    }
  }
  flush(span.end, span.end, isReasoning ? 'reasoning' : 'text');
  return calls;
}

/**
 * Payload of an opened call. It ends at the closing tag. In an unclosed call, a JSON object ends at its last brace,
 * else at the next tag or the end of the turn. An unclosed tag without an object has an empty payload.
 */
function callExtent(
  finder: Finder,
  start: number,
  limit: number,
): { readonly payload: TextRange; readonly end: number; readonly isClosed: boolean } {
  const { text } = finder;
  const close = finder.next(CALL_CLOSE, start, limit);
  const nested = finder.next(CALL_OPEN, start, limit);
  if (close !== undefined) {
    const isWhole = nested === undefined || nested > close || isJsonObject(text.slice(start, close));
    if (isWhole) return { payload: { start, end: close }, end: close + CALL_CLOSE.length, isClosed: true };
  }
  const bound = Math.min(
    nested ?? limit,
    ...TAGS_THAT_END.map((tag) => finder.next(tag, start, limit) ?? limit),
  );
  // A tag without an object after it is markup without a call. The text after it is the policy's.
  const end = text.slice(start, bound).trimStart().startsWith('{')
    ? (balancedObjectEnd(text, start, bound) ?? bound)
    : start;
  return { payload: { start, end }, end, isClosed: false };
}

/** An unclosed call ends at these tags, because they open or close something else. */
const TAGS_THAT_END = ['<answer>', '</answer>', '<reason>', '</reason>', '<think>', '</think>'] as const;

function isJsonObject(text: string): boolean {
  const value = tryParseJson(text);
  return typeof value === 'object' && value !== null;
}

/** End of the JSON object at the start of the range. Undefined if none exists or it never closes. */
function balancedObjectEnd(text: string, start: number, limit: number): number | undefined {
  let i = start;
  while (i < limit && /\s/.test(text.charAt(i))) i++;
  if (text.charAt(i) !== '{') return undefined;
  let depth = 0;
  let inString = false;
  for (; i < limit; i++) {
    const c = text.charAt(i);
    if (inString) {
      if (c === '\\') i++;
      else if (c === '"') inString = false;
    } else if (c === '"') inString = true;
    else if (c === '{') depth++;
    else if (c === '}' && --depth === 0) return i + 1;
  }
  return undefined;
}

function closesReasoningLater(finder: Finder, from: number, limit: number): boolean {
  const nearest = (...tags: string[]): number =>
    Math.min(...tags.map((tag) => finder.next(tag, from, limit) ?? limit));
  return nearest('</reason>', '</think>') < nearest('<reason>', '<think>');
}

function writeBlock(block: EnvironmentBlock, turn: TurnNumber, writer: SegmentWriter): number[] {
  const responses: number[] = [];
  for (const part of block.parts) {
    if (part.kind === 'tool-response') responses.push(writer.count);
    writer.add(part.kind, turn, part.outerEnd, part.inner);
  }
  // The role header of the next turn is markup of this block.
  writer.absorb(block.end);
  return responses;
}

/**
 * Responses answer calls in order. A trainer that skips malformed calls sends fewer responses than calls.
 * Then a response that mentions a failed decoding belongs to a malformed call, any other to the next
 * well-formed one.
 */
function pairCalls(
  writer: SegmentWriter,
  calls: readonly OpenCall[],
  responses: readonly number[],
  turn: TurnNumber,
  into: ToolCall[],
): void {
  const read = calls.map((call) => {
    const payload = readCallPayload(writer.text.slice(call.payload.start, call.payload.end));
    return { call, payload, isMalformed: !call.isClosed || !payload.isWellFormed };
  });
  const answers = new Map<number, { readonly segment: number; readonly reading: ParsedToolResponse }>();
  const indicesOf = (isWanted: (isMalformed: boolean) => boolean) =>
    read.flatMap(({ isMalformed }, i) => (isWanted(isMalformed) ? [i] : [])).values();
  const inOrder = indicesOf(() => true);
  const waiting =
    responses.length >= calls.length
      ? { malformed: inOrder, others: inOrder }
      : {
          malformed: indicesOf((isMalformed) => isMalformed),
          others: indicesOf((isMalformed) => !isMalformed),
        };
  for (const segment of responses) {
    const reading = readToolResponse(writer.innerText(segment));
    const index = waiting[reading.outcome === 'parse_error' ? 'malformed' : 'others'].next().value;
    if (index !== undefined) answers.set(index, { segment, reading });
  }
  read.forEach(({ call, payload, isMalformed }, i) => {
    const answer = answers.get(i);
    into.push({
      turn,
      name: payload.name,
      arguments: payload.arguments,
      code: payload.code,
      outcome:
        answer === undefined
          ? isMalformed
            ? 'malformed'
            : 'missing'
          : payload.isWellFormed
            ? answer.reading.outcome // closed or not, a tool has run it
            : 'parse_error',
      latencyMs: answer?.reading.latencyMs,
      callSegment: call.segment,
      responseSegment: answer?.segment,
    });
  });
}

/** White space around a text range belongs to the transcript's layout rather than the content. */
function trimmed(text: string, range: TextRange): TextRange {
  let { start, end } = range;
  while (start < end && isSpace(text.charCodeAt(start))) start++;
  while (end > start && isSpace(text.charCodeAt(end - 1))) end--;
  return { start, end };
}

const isSpace = (c: number): boolean => c === 0x20 || (c >= 0x09 && c <= 0x0d);
