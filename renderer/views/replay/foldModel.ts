/** Folding of long segments. The hidden amount is always counted exactly. */

import { endOfCost } from '../../../shared/domain/drawingCost.ts';
import type { SegmentKind } from '../../../shared/domain/model.ts';
import { outcomeMark, replayText, type SegmentView, type TurnView } from '../../data/segmentViews.ts';

export interface Fold {
  readonly isFoldable: boolean;
  /** The beginning that stays visible when folded. Ends at a line end if there is one. */
  readonly head: string;
  readonly lines: number;
  readonly characters: number;
}

interface Limit {
  readonly lines: number;
  readonly characters: number;
}

/** Prose is read, so its limit is high. Output is skimmed. The prompt is the same for all siblings. */
const LIMITS: Readonly<Record<SegmentKind | 'prompt', Limit>> = {
  prompt: { lines: 12, characters: 1_500 },
  system: { lines: 3, characters: 320 },
  reasoning: { lines: 400, characters: 24_000 },
  text: { lines: 400, characters: 24_000 },
  answer: { lines: 400, characters: 24_000 },
  user: { lines: 40, characters: 6_000 },
  'tool-call': { lines: 120, characters: 10_000 },
  'tool-response': { lines: 40, characters: 6_000 },
};

export function countLines(text: string): number {
  let lines = 1;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines += 1;
  return lines;
}

/** Offset just before line `lines` ends. */
function endOfLine(text: string, lines: number): number {
  let at = -1;
  for (let i = 0; i < lines; i += 1) {
    at = text.indexOf('\n', at + 1);
    if (at < 0) return text.length;
  }
  return at;
}

/** Changes of direction and font cost as much as this many letters. */
const MOST_CHANGES = 24_000;

export function foldOf(text: string, kind: SegmentKind | 'prompt'): Fold {
  const limit = LIMITS[kind];
  const lines = countLines(text);
  // Folding a line or two is a nuisance, so fold only what exceeds the limit by a fifth.
  const isLong = lines > limit.lines * 1.2 || text.length > limit.characters * 1.2;
  const { end: changes } = endOfCost(isLong ? text.slice(0, limit.characters) : text, MOST_CHANGES, {
    letter: 0,
    line: 0,
  });
  const isFoldable = isLong || changes < text.length;
  if (!isFoldable) return { isFoldable, head: text, lines, characters: text.length };
  let end = Math.min(endOfLine(text, limit.lines), limit.characters, changes);
  const lineEnd = text.lastIndexOf('\n', end);
  if (lineEnd > end / 2) end = lineEnd;
  // Do not split a surrogate pair.
  if (/[\uD800-\uDBFF]/.test(text.charAt(end - 1))) end -= 1;
  return { isFoldable, head: text.slice(0, end), lines, characters: text.length };
}

/** A search hit opens a folded text only up to these costs, because nobody has asked for all of it. */
const [MOST_CHANGES_AT_ONCE, MOST_BEYOND_ASCII] = [36_000, 100_000];

/** Whether the whole text takes less than about a second. Letters beyond ASCII take up to 20 µs each. */
export function isQuicklyDrawn(text: string): boolean {
  const { end } = endOfCost(text, MOST_CHANGES_AT_ONCE, { letter: 0.015, line: 0.09 });
  if (end < text.length) return false;
  return text.length < MOST_BEYOND_ASCII || text.replaceAll(/[\0-\x7f]+/g, '').length < MOST_BEYOND_ASCII;
}

/** Responses of failed calls in a turn that are shown folded at first. */
export function failedResponses(turn: TurnView | undefined, isRaw: boolean): readonly SegmentView[] {
  return (turn?.segments ?? []).filter(
    (view) =>
      view.answeredCall !== undefined &&
      outcomeMark(view.answeredCall.outcome).isError &&
      foldOf(replayText(view, isRaw), view.segment.kind).isFoldable,
  );
}
