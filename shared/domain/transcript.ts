/**
 * Who wrote what in the text of a response: the blocks between which the policy spoke.
 *
 * special dialect   <|im_end|>\n<|im_start|>user\n<tool_response>\n42\n</tool_response><|im_end|>\n<|im_start|>assistant\n
 * bare dialect      \nuser\n<tool_response>\n42\n</tool_response>\nassistant\n
 *
 * In the bare dialect a role is just a word on a line, so the reading is deliberately narrow:
 * `user` opens a block when a tool response follows, or when an `assistant` line closes it and
 * no tool call stands between (an environment never calls tools; a policy that has lost its
 * format does write "user" lines of its own, and those stay its own).
 */
import type { SegmentKind, TextRange } from './model.ts';

export interface EnvironmentPart {
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
  /** End of the last policy span; what follows is end-of-message markup. */
  readonly end: number;
}

const RESPONSE_OPEN = '<tool_response>';
const RESPONSE_CLOSE = '</tool_response>';

export function readTranscript(text: string): Transcript {
  return text.includes('<|im_start|>') || text.includes('<|im_end|>')
    ? readSpecial(text)
    : { blocks: readBare(text), end: text.length };
}

// ── special tokens kept ─────────────────────────────────────────────────────────────────────────

const HEADER = /(?:<\|im_end\|>)?\s*<\|im_start\|>(\w+)\n?/g;
const TAIL = /(?:<\|im_end\|>|<\|endoftext\|>)\s*$/;

function readSpecial(text: string): Transcript {
  const end = TAIL.exec(text)?.index ?? text.length;
  const blocks: EnvironmentBlock[] = [];
  const headers = [...text.matchAll(HEADER)];
  headers.forEach((header, i) => {
    if (header[1] === 'assistant') return;
    const content = header.index + header[0].length;
    const next = headers[i + 1];
    const contentEnd = Math.min(next?.index ?? end, Math.max(end, content));
    const handsOver = next?.[1] === 'assistant';
    blocks.push({
      start: header.index,
      end: next === undefined ? text.length : handsOver ? next.index + next[0].length : next.index,
      parts:
        header[1] === 'tool'
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

// ── special tokens stripped ─────────────────────────────────────────────────────────────────────

const ASSISTANT_LINE = /(?:^|\n|(?<=[.!?>)\]}"'`*]))assistant(?:\n|$)/g;
/** What may stand before a role word: where the template writes no newline, the end of a sentence or a tag does. */
const BEFORE_ROLE = new Set('\n.!?>)]}"\'`*');

function readBare(text: string): EnvironmentBlock[] {
  const blocks: EnvironmentBlock[] = [];
  if (!text.includes('user\n') && !text.includes(RESPONSE_OPEN)) return blocks;
  let position = 0;
  for (let at = nextUserLine(text, position); at !== undefined; at = nextUserLine(text, position)) {
    const block = readBareBlock(text, at.start, at.contentStart);
    if (block === undefined) {
      position = at.contentStart;
      continue;
    }
    blocks.push(block);
    position = block.end;
  }
  return blocks;
}

function nextUserLine(text: string, from: number): { start: number; contentStart: number } | undefined {
  for (let at = text.indexOf('user\n', from); at >= 0; at = text.indexOf('user\n', at + 1)) {
    const contentStart = at + 'user\n'.length;
    const before = at === 0 ? '\n' : text.charAt(at - 1);
    // Whatever precedes the word, a tool response right behind it settles the matter.
    if (!BEFORE_ROLE.has(before) && !text.startsWith(RESPONSE_OPEN, contentStart)) continue;
    return { start: at > 0 && before === '\n' ? at - 1 : at, contentStart };
  }
  return undefined;
}

function readBareBlock(text: string, start: number, contentStart: number): EnvironmentBlock | undefined {
  const parts: EnvironmentPart[] = [];
  let position = contentStart;
  while (startsResponse(text, position)) {
    const part = readResponse(text, position, text.length);
    parts.push(part);
    position = part.outerEnd;
  }
  ASSISTANT_LINE.lastIndex = Math.max(position - 1, 0);
  const header = ASSISTANT_LINE.exec(text);
  const between = header === null ? text.length : header.index;
  if (text.slice(position, between).trim() === '') {
    if (parts.length === 0) return undefined;
    if (header === null) return { start, end: text.length, parts, handsOver: false };
    return { start, end: header.index + header[0].length, parts, handsOver: true };
  }
  // Words between: an injected message, if an assistant line closes it and no call stands in it.
  if (header === null || text.slice(position, between).includes('<tool_call>')) {
    return parts.length === 0 ? undefined : { start, end: position, parts, handsOver: true };
  }
  const inner = withoutEdgeNewlines(text, position, between);
  parts.push({ kind: 'user', inner, outerEnd: between });
  return { start, end: header.index + header[0].length, parts, handsOver: true };
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

/** What may stand behind the close that really ends a response; tools can print the tag themselves. */
const AFTER_CLOSE = /\s*(?:assistant(?:\n|$)|<tool_response>|<\|im_end\|>|$)/y;

function readResponse(text: string, at: number, limit: number): EnvironmentPart {
  const open = text.indexOf(RESPONSE_OPEN, at) + RESPONSE_OPEN.length;
  let first: number | undefined;
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
    if (text.indexOf(RESPONSE_OPEN, after) >= 0) break;
  }
  if (first !== undefined) {
    const outerEnd = first + RESPONSE_CLOSE.length;
    return { kind: 'tool-response', inner: withoutEdgeNewlines(text, open, first), outerEnd };
  }
  // Cut off in the middle of a response.
  return { kind: 'tool-response', inner: withoutEdgeNewlines(text, open, limit), outerEnd: limit };
}

/** The template puts one newline on either side; more belong to the content. */
function withoutEdgeNewlines(text: string, start: number, end: number): TextRange {
  const from = start < end && text.charAt(start) === '\n' ? start + 1 : start;
  const to = end > from && text.charAt(end - 1) === '\n' ? end - 1 : end;
  return { start: from, end: to };
}
