/**
 * Tool-integrated reasoning (ToRA and its descendants): the policy writes code into its text, and the
 * interpreter's output is inserted after it.
 *
 *   prose ```python … ``` ```output … ``` prose ```python … ``` ```output … ``` prose
 *   └──────────── turn 1 ──────────────┘ └──────────── turn 2 ────────────┘ └ turn 3 ┘
 *
 * Invariants (property-tested): outer ranges tile the text; inner ⊆ outer; every opened ```python block is a
 * tool call. A block without output counts as not run: `missing`.
 */
import type { Segment, SegmentKind, TextRange, ToolCall, ToolOutcome, TurnNumber } from './model.ts';
import { checkSegments, type SegmentedResponse } from './segment.ts';

const FENCE = '```';
/** The rest of an opening fence's line after its three backticks. */
const OPENING = /```(python3?|py|output)[^\S\n]*(?:\n|$)/giy;

const SPOKEN = /\S/g;

/** Whether a text contains interpreter output. Code alone is an answer in many other logs. */
export function isToolIntegrated(text: string): boolean {
  return /```output[^\S\n]*(?:\n|$)/i.test(text);
}

export function segmentToolIntegrated(text: string): SegmentedResponse {
  const segments: Segment[] = [];
  const toolCalls: ToolCall[] = [];
  let turn: TurnNumber = 1;
  /** Start of the next segment. */
  let cursor = 0;
  /** The call that waits for its output. */
  let open: number | undefined;

  const add = (kind: SegmentKind, inner: TextRange, end: number): number => {
    checkSegments(segments.length + 1);
    segments.push({ kind, turn, outer: { start: cursor, end }, inner });
    cursor = end;
    return segments.length - 1;
  };
  /** Adds prose up to `end`. White space alone joins the segment before or after. */
  const addProse = (end: number): void => {
    const inner = trimmed(text, cursor, end);
    if (inner.start < inner.end) {
      add('text', inner, end);
      open = undefined;
      return;
    }
    const last = segments.pop();
    if (last === undefined) return;
    segments.push({ ...last, outer: { start: last.outer.start, end } });
    cursor = end;
  };

  for (
    let fence = text.indexOf(FENCE);
    fence >= 0;
    fence = text.indexOf(FENCE, Math.max(cursor, fence + 1))
  ) {
    OPENING.lastIndex = fence;
    const match = OPENING.exec(text);
    if (match === null) continue;
    const isOutput = match[1]?.toLowerCase() === 'output';
    const start = fence + match[0].length;
    const block = blockFrom(text, start);
    addProse(fence);
    const segment = add(isOutput ? 'tool-response' : 'tool-call', block.inner, block.end);
    if (!isOutput) {
      open = toolCalls.length;
      const code = text.slice(block.inner.start, block.inner.end);
      const outcome: ToolOutcome = 'missing';
      toolCalls.push({ turn, name: 'python', code, outcome, callSegment: segment });
      continue;
    }
    const call = open === undefined ? undefined : toolCalls[open];
    if (call !== undefined && open !== undefined) {
      const outcome = outcomeOfOutput(text.slice(block.inner.start, block.inner.end));
      toolCalls[open] = { ...call, outcome, responseSegment: segment };
    }
    open = undefined;
    // Text after white space: the policy continues.
    SPOKEN.lastIndex = cursor;
    if (SPOKEN.test(text)) turn++;
  }
  if (cursor < text.length) {
    addProse(text.length);
    // Only white space.
    if (segments.length === 0) add('text', { start: text.length, end: text.length }, text.length);
  }
  return { segments, toolCalls, turns: turn };
}

/**
 * Tool outcome from the interpreter's output: the exception's last line, a whole traceback, or a timeout
 * note.
 */
export function outcomeOfOutput(output: string): ToolOutcome {
  const lines = output.trim().split('\n');
  const first = lines[0]?.trim() ?? '';
  const last = lines.at(-1)?.trim() ?? '';
  if (first === '') return 'ok_empty';
  if (
    [first, last].some((line) =>
      /^(?:execution |code )?time(?:d[ -]?out|out)(?:[ _]?error|expired)?\b/i.test(line),
    )
  )
    return 'timeout';
  const isException =
    /^Traceback \(most recent call last\)/m.test(output) ||
    [first, last].some(
      (line) =>
        /^(?:[A-Za-z_][\w.]*)?(?:Error|Exception)\b\s*(?:[:(]|$)/.test(line) ||
        /^(?:runtime |syntax )?errors?\b\s*:/i.test(line),
    );
  return isException ? 'exception' : 'ok_stdout';
}

/** Up to the closing fence. A truncated block ends at the end of the text or at the next opening fence. */
function blockFrom(text: string, start: number): { readonly inner: TextRange; readonly end: number } {
  let close = text.indexOf(FENCE, start);
  // Three backticks in the middle of a line belong to the program or its output.
  while (close > start && text.charAt(close - 1) !== '\n' && !closesLine(text, close)) {
    close = text.indexOf(FENCE, close + 1);
  }
  if (close < 0) return { inner: withoutNewlines(text, start, text.length), end: text.length };
  OPENING.lastIndex = close;
  const isNextBlock = OPENING.test(text);
  const end = isNextBlock ? close : close + FENCE.length;
  return { inner: withoutNewlines(text, start, close), end };
}

/** A model that omits the line break before the closing fence still closes the block. */
function closesLine(text: string, fence: number): boolean {
  const after = text.charAt(fence + FENCE.length);
  return after === '' || after === '\n' || after === '\r';
}

function withoutNewlines(text: string, start: number, end: number): TextRange {
  let [from, to] = [start, end];
  while (from < to && /[\r\n]/.test(text.charAt(from))) from++;
  while (to > from && /[\r\n]/.test(text.charAt(to - 1))) to--;
  return { start: from, end: to };
}

function trimmed(text: string, start: number, end: number): TextRange {
  let [from, to] = [start, end];
  while (from < to && /\s/.test(text.charAt(from))) from++;
  while (to > from && /\s/.test(text.charAt(to - 1))) to--;
  return { start: from, end: to };
}
