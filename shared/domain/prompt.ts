/**
 * Parses the prompt of a rollout, rendered by a chat template, as turn 0.
 *
 * `system\nYou are …\nuser\nWhat is 6·7?\nassistant\n<reason>` (bare) or the same with
 * `<|im_start|>`/`<|im_end|>`. The generation prompt's `<reason>` or `<think>` belongs to the prompt, so the
 * response begins inside reasoning (shared/domain/DOMAIN.md#prompt-template).
 */
import type { Segment, SegmentKind, TextRange } from './model.ts';
import { rememberLast } from './rememberLast.ts';

export interface ParsedPrompt {
  readonly segments: readonly Segment[];
  readonly startsInReasoning: boolean;
}

const SPECIAL_HEADER = /(?:<\|im_end\|>\s{0,8})?<\|im_start\|>(system|user|assistant|tool)\n?/g;
const BARE_HEADER = /(?:^|\n|(?<=[.!?>)\]}"'`*]))(system|user|assistant)\n/g;

export const readPrompt = rememberLast((text: string): ParsedPrompt => {
  const trimmed = text.trimEnd();
  const startsInReasoning = trimmed.endsWith('<reason>') || trimmed.endsWith('<think>');
  const isSpecial = text.includes('<|im_start|>');
  const headers = [...text.matchAll(isSpecial ? SPECIAL_HEADER : BARE_HEADER)].filter(
    // A bare `system` counts only at the start of a prompt; elsewhere it is a word.
    (header) => isSpecial || header[1] !== 'system' || header.index === 0,
  );
  const segments: Segment[] = [];
  let cursor = 0;
  const add = (kind: SegmentKind, inner: TextRange, outerEnd: number): void => {
    segments.push({ kind, turn: 0, outer: { start: cursor, end: outerEnd }, inner });
    cursor = outerEnd;
  };
  const first = headers[0];
  if (first === undefined || first.index > 0) {
    const end = first?.index ?? text.length;
    const inner = withoutEdges(text, 0, end);
    if (inner.start < inner.end) add('user', inner, end);
  }
  headers.forEach((header, i) => {
    const start = header.index + header[0].length;
    const end = headers[i + 1]?.index ?? text.length;
    const inner = withoutEdges(text, start, end);
    const isGenerationPrompt = header[1] === 'assistant' && i === headers.length - 1;
    if (isGenerationPrompt || inner.start === inner.end) return;
    add(kindOfRole(header[1]), inner, end);
  });
  const last = segments.pop();
  if (last !== undefined) segments.push({ ...last, outer: { start: last.outer.start, end: text.length } });
  else if (text !== '') add('user', { start: 0, end: text.length }, text.length);
  return { segments, startsInReasoning };
});

function kindOfRole(role: string | undefined): SegmentKind {
  switch (role) {
    case 'system':
      return 'system';
    case 'assistant':
      return 'text';
    case 'tool':
      return 'tool-response';
    default:
      return 'user';
  }
}

function withoutEdges(text: string, start: number, end: number): TextRange {
  let from = start;
  let to = end;
  while (to > from && text.charAt(to - 1) === '\n') to--;
  while (from < to && text.charAt(from) === '\n') from++;
  return { start: from, end: to };
}
