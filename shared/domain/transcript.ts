/**
 * Attributes the text of a response to its authors: environment blocks between the policy's spans.
 *
 * special dialect   <|im_end|>\n<|im_start|>user\n<tool_response>\n42\n</tool_response><|im_end|>\n<|im_start|>assistant\n
 * bare dialect      \nuser\n<tool_response>\n42\n</tool_response>\nassistant\n
 *
 * In the bare dialect a role is a word on a line, so the rule is narrow. `user` opens a block if a tool
 * response follows, or if an `assistant` line closes it without a tool call between. An environment never
 * calls tools. A policy that has lost its format does write "user" lines, and those remain the policy's.
 */
import type { SegmentKind, TextRange } from './model.ts';

interface EnvironmentPart {
  readonly kind: SegmentKind & ('tool-response' | 'user');
  readonly inner: TextRange;
  readonly outerEnd: number;
}

export interface EnvironmentBlock extends TextRange {
  readonly parts: readonly EnvironmentPart[];
  /** An assistant header follows: the next turn begins at `end`. */
  readonly handsOver: boolean;
}

export interface Transcript {
  readonly blocks: readonly EnvironmentBlock[];
  /** End of the last policy span; end-of-message markup follows. */
  readonly end: number;
}

const RESPONSE_OPEN = '<tool_response>';
const RESPONSE_CLOSE = '</tool_response>';

export function readTranscript(text: string): Transcript {
  // One search over the text instead of one per token, because this runs for every rollout of a log.
  return text.includes('<|im_') ? readSpecial(text) : { blocks: readBare(text), end: text.length };
}

// ── special tokens kept ─────────────────────────────────────────────────────────────────────────

const HEADER = /<\|im_start\|>(\w+)\n?/g;
const MESSAGE_END = '<|im_end|>';
const TEXT_END = '<|endoftext|>';

interface Header {
  readonly role: string | undefined;
  /** Includes the end of the message before it. */
  readonly start: number;
  readonly end: number;
}

function readSpecial(text: string): Transcript {
  const end = endOfMessages(text);
  const headers: Header[] = [];
  for (const match of text.matchAll(HEADER)) {
    // The newline after a header belongs to it, not to the white space before the next one.
    const start = Math.max(startOfMarkup(text, match.index), headers.at(-1)?.end ?? 0);
    headers.push({ role: match[1], start, end: match.index + match[0].length });
  }
  const blocks: EnvironmentBlock[] = [];
  headers.forEach((header, i) => {
    if (header.role === 'assistant') return;
    const content = header.end;
    const next = headers[i + 1];
    const contentEnd = Math.min(next?.start ?? end, Math.max(end, content));
    const handsOver = next?.role === 'assistant';
    blocks.push({
      start: header.start,
      end: next === undefined ? text.length : handsOver ? next.end : next.start,
      parts:
        header.role === 'tool'
          ? [
              {
                kind: 'tool-response',
                inner: withoutEdgeNewlines(text, content, contentEnd),
                outerEnd: contentEnd,
              },
            ]
          : readUserContent(text, content, contentEnd),
      handsOver,
    });
  });
  return { blocks, end };
}

/** A manual backward scan: a pattern that begins with white space would be tried at every blank of a text. */
function startOfMarkup(text: string, header: number): number {
  let start = header;
  while (start > 0 && /\s/.test(text.charAt(start - 1))) start--;
  const isEnd = text.startsWith(MESSAGE_END, start - MESSAGE_END.length);
  return isEnd ? start - MESSAGE_END.length : start;
}

function endOfMessages(text: string): number {
  const trimmed = text.trimEnd();
  for (const token of [MESSAGE_END, TEXT_END])
    if (trimmed.endsWith(token)) return trimmed.length - token.length;
  return text.length;
}

// ── special tokens stripped ─────────────────────────────────────────────────────────────────────

const ASSISTANT_LINE = /(?:^|\n|(?<=[.!?>)\]}"'`*\d]))assistant(?:\n|$)/g;
/**
 * Characters that may precede a role word: without a newline in the template, a sentence or tag ends there.
 */
const BEFORE_ROLE = new Set('\n.!?>)]}"\'`*0123456789');

const USER = 'user';

function readBare(text: string): EnvironmentBlock[] {
  const blocks: EnvironmentBlock[] = [];
  const nextAssistant = assistantLines(text);
  const nextCall = callsIn(text);
  let position = 0;
  for (let at = nextUserLine(text, position); at !== undefined; at = nextUserLine(text, position)) {
    const block = readBareBlock(text, at.start, at.contentStart, nextAssistant, nextCall);
    if (block === undefined) {
      position = at.contentStart;
      continue;
    }
    blocks.push(block);
    position = block.end;
  }
  return blocks;
}

/**
 * Searches the newline, which is rarer than the word's first letter. Searching the word itself is six times
 * slower.
 */
function nextUserLine(text: string, from: number): { start: number; contentStart: number } | undefined {
  const first = from + USER.length;
  for (let newline = text.indexOf('\n', first); newline >= 0; newline = text.indexOf('\n', newline + 1)) {
    const at = newline - USER.length;
    if (!text.startsWith(USER, at)) continue;
    const contentStart = newline + 1;
    const before = at === 0 ? '\n' : text.charAt(at - 1);
    // A tool response right after the word decides, whatever precedes it.
    if (!BEFORE_ROLE.has(before) && !text.startsWith(RESPONSE_OPEN, contentStart)) continue;
    return { start: at > 0 && before === '\n' ? at - 1 : at, contentStart };
  }
  return undefined;
}

const CALL_OPEN = '<tool_call>';

/**
 * Caches the next call, so that repeated queries search once. Positions must not decrease.
 *
 * @returns the length of the text if no call follows
 */
function callsIn(text: string): (from: number) => number {
  let found = -1;
  return (from) => {
    if (found < from) {
      const at = text.indexOf(CALL_OPEN, from);
      found = at === -1 ? text.length : at;
    }
    return found;
  };
}

const INK = /\S/g;

/**
 * Finds the first character that is not white space.
 *
 * @returns the length of the text if only white space follows
 */
function firstInk(text: string, from: number): number {
  INK.lastIndex = from;
  return INK.exec(text)?.index ?? text.length;
}

interface AssistantLine {
  readonly index: number;
  readonly end: number;
}

/** Finds assistant lines in order and caches the last one, so repeated queries search once. */
function assistantLines(text: string): (from: number) => AssistantLine | undefined {
  let searchedFrom = -1;
  let found: AssistantLine | undefined;
  return (from) => {
    const isKnown = searchedFrom >= 0 && from >= searchedFrom && (found === undefined || found.index >= from);
    if (!isKnown) {
      ASSISTANT_LINE.lastIndex = from;
      const match = ASSISTANT_LINE.exec(text);
      found = match === null ? undefined : { index: match.index, end: match.index + match[0].length };
      searchedFrom = from;
    }
    return found;
  };
}

function readBareBlock(
  text: string,
  start: number,
  contentStart: number,
  nextAssistant: (from: number) => AssistantLine | undefined,
  nextCall: (from: number) => number,
): EnvironmentBlock | undefined {
  const parts: EnvironmentPart[] = [];
  let position = contentStart;
  while (startsResponse(text, position)) {
    const part = readResponse(text, position, text.length);
    parts.push(part);
    position = part.outerEnd;
  }
  const header = nextAssistant(Math.max(position - 1, 0));
  const between = header?.index ?? text.length;
  if (firstInk(text, position) >= between) {
    if (parts.length === 0) return undefined;
    if (header === undefined) return { start, end: text.length, parts, handsOver: false };
    return { start, end: header.end, parts, handsOver: true };
  }
  // Text between: an injected message, if an assistant line closes it and it contains no call.
  if (header === undefined || nextCall(position) + CALL_OPEN.length <= between) {
    return parts.length === 0 ? undefined : { start, end: position, parts, handsOver: true };
  }
  const inner = withoutEdgeNewlines(text, position, between);
  parts.push({ kind: 'user', inner, outerEnd: between });
  return { start, end: header.end, parts, handsOver: true };
}

// ── tool responses ──────────────────────────────────────────────────────────────────────────────

function readUserContent(text: string, start: number, end: number): EnvironmentPart[] {
  const parts: EnvironmentPart[] = [];
  let position = start;
  while (position < end) {
    if (startsResponse(text, position)) {
      const part = readResponse(text, position, end);
      parts.push(part);
      position = part.outerEnd;
      continue;
    }
    if (text.slice(position, end).trim() !== '') {
      parts.push({ kind: 'user', inner: withoutEdgeNewlines(text, position, end), outerEnd: end });
    }
    break;
  }
  return parts;
}

const RESPONSE_START = /\s*<tool_response>/y;

function startsResponse(text: string, at: number): boolean {
  RESPONSE_START.lastIndex = at;
  return RESPONSE_START.test(text);
}

/** Text that may follow the real closing tag of a response; tools can print the tag themselves. */
const AFTER_CLOSE = /\s*(?:assistant(?:\n|$)|<tool_response>|<\|im_end\|>|$)/y;

/** Closing tags examined before the first one is accepted as the end. */
const MOST_CLOSES = 64;

function readResponse(text: string, at: number, limit: number): EnvironmentPart {
  const open = text.indexOf(RESPONSE_OPEN, at) + RESPONSE_OPEN.length;
  let first: number | undefined;
  let closes = 0;
  for (
    let close = text.indexOf(RESPONSE_CLOSE, open);
    close >= 0 && close < limit;
    close = text.indexOf(RESPONSE_CLOSE, close + 1)
  ) {
    first ??= close;
    const after = close + RESPONSE_CLOSE.length;
    AFTER_CLOSE.lastIndex = after;
    if (after >= limit || AFTER_CLOSE.test(text)) {
      return { kind: 'tool-response', inner: withoutEdgeNewlines(text, open, close), outerEnd: after };
    }
    // Tools print the tag by accident, not thousands of times.
    if (++closes >= MOST_CLOSES) break;
  }
  if (first !== undefined) {
    const outerEnd = first + RESPONSE_CLOSE.length;
    return { kind: 'tool-response', inner: withoutEdgeNewlines(text, open, first), outerEnd };
  }
  // Truncated in the middle of a response.
  return { kind: 'tool-response', inner: withoutEdgeNewlines(text, open, limit), outerEnd: limit };
}

/** The template adds one newline on either side; more belong to the content. */
function withoutEdgeNewlines(text: string, start: number, end: number): TextRange {
  const from = start < end && text.charAt(start) === '\n' ? start + 1 : start;
  const to = end > from && text.charAt(end - 1) === '\n' ? end - 1 : end;
  return { start: from, end: to };
}
