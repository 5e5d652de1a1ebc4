/**
 * Turns the packed edits of a response into marks on the displayed text:
 *
 *   edits (offsets in the responses) ──displayEdits──► edits on the readable texts (code without JSON escapes)
 *     ──► marks of one side (split) | woven pieces (unified, prose) | woven lines (unified, code and output)
 */
import { ADDED, EDIT_SIZE, type Edits, EQUAL, REMOVED } from '../../../shared/domain/alignText.ts';
import type { TextRange, Utf16Offset } from '../../../shared/domain/model.ts';
import { changedNumbers } from '../../../shared/domain/numberSpans.ts';
import type { PlacedStretch } from '../../editor/codePlaces.ts';

/** A displayed text and its position in the response. */
export interface DisplayText {
  readonly text: string;
  /** If the text is a literal part of the response: its start there. */
  readonly base: Utf16Offset;
  /** If the text is escaped in the response: its unescaped stretches. */
  readonly places?: readonly PlacedStretch[];
}

/** Two texts, and edits with offsets into these texts. */
export interface TextDiff {
  readonly a: string;
  readonly b: string;
  readonly edits: Edits;
}

/** @param isEnd round up inside an escape: the end of a change includes the whole character */
export function displayOffset(shown: DisplayText, offset: Utf16Offset, isEnd: boolean): number {
  const { text, base, places } = shown;
  if (places === undefined) return Math.max(0, Math.min(text.length, offset - base));
  let [low, high] = [0, places.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((places[middle]?.source ?? 0) <= offset) low = middle + 1;
    else high = middle;
  }
  const before = places[low - 1];
  const after = places[low];
  if (before === undefined) return 0;
  const sourceEnd = before.source + before.end - before.start;
  if (offset <= sourceEnd) return before.start + offset - before.source;
  // Between two stretches there are escapes. Nearly all are two characters for one, such as an escaped newline.
  const [from, to] = [before.end, after?.start ?? text.length];
  const width = (after?.source ?? sourceEnd + 2 * (to - from)) - sourceEnd;
  const inside = width === 2 * (to - from) ? (offset - sourceEnd) / 2 : isEnd ? to - from : 0;
  return Math.min(to, from + (isEnd ? Math.ceil(inside) : Math.floor(inside)));
}

export function displayEdits(a: DisplayText, b: DisplayText, edits: Edits): TextDiff {
  const out: number[] = [];
  let [atA, atB] = [0, 0];
  const change = (toA: number, toB: number): void => {
    if (toA > atA) out.push(REMOVED, atA, toA, atB, atB);
    if (toB > atB) out.push(ADDED, toA, toA, atB, toB);
    [atA, atB] = [toA, toB];
  };
  for (let i = 0; i < edits.length; i += EDIT_SIZE) {
    if (edits[i] !== EQUAL) continue;
    const [, aStart = 0, aEnd = 0, bStart = 0, bEnd = 0] = edits.subarray(i, i + EDIT_SIZE);
    const [fromA, fromB] = [displayOffset(a, aStart, true), displayOffset(b, bStart, true)];
    const [toA, toB] = [displayOffset(a, aEnd, false), displayOffset(b, bEnd, false)];
    // An equal run that is not displayed, or that cuts an escape, becomes part of the change.
    if (toA - fromA !== toB - fromB || toA <= fromA || fromA < atA || fromB < atB) continue;
    if (a.text.slice(fromA, toA) !== b.text.slice(fromB, toB)) continue;
    change(fromA, fromB);
    out.push(EQUAL, fromA, toA, fromB, toB);
    [atA, atB] = [toA, toB];
  }
  change(a.text.length, b.text.length);
  return { a: a.text, b: b.text, edits: new Int32Array(out) };
}

export type Side = 'a' | 'b';

/** A mark on a stretch of text. */
export interface Mark extends TextRange {
  readonly kind: 'changed' | 'number' | 'fork';
}

/** Marks of one side: text that the other side lacks, and numbers that differ there. */
export function sideMarks({ a, b, edits }: TextDiff, side: Side): readonly Mark[] {
  const marks: Mark[] = [];
  const [kind, at] = side === 'a' ? [REMOVED, 1] : [ADDED, 3];
  for (let i = 0; i < edits.length; i += EDIT_SIZE) {
    if (edits[i] === kind)
      marks.push({ kind: 'changed', start: edits[i + at] ?? 0, end: edits[i + at + 1] ?? 0 });
  }
  for (const change of changedNumbers(edits, a, b)) {
    const { start, end } = change[side];
    marks.push({ kind: 'number', start, end });
  }
  return marks;
}

export interface Piece extends TextRange {
  readonly isChanged: boolean;
  readonly isNumber: boolean;
  readonly isFork: boolean;
}

/** Cuts a range wherever a mark begins or ends. Marks may overlap. */
export function piecesOf(range: TextRange, marks: readonly Mark[]): readonly Piece[] {
  if (marks.length === 0)
    return range.end > range.start ? [{ ...range, isChanged: false, isNumber: false, isFork: false }] : [];
  const edges = marks
    .filter(({ start, end }) => start < range.end && end > range.start)
    .flatMap(({ kind, start, end }) => [
      { kind, at: Math.max(start, range.start), by: 1 },
      { kind, at: Math.min(end, range.end), by: -1 },
    ])
    .sort((x, y) => x.at - y.at);
  const open = { changed: 0, number: 0, fork: 0 };
  const pieces: Piece[] = [];
  let start = range.start;
  const cutAt = (end: number): void => {
    if (end <= start) return;
    const [isChanged, isNumber, isFork] = [open.changed > 0, open.number > 0, open.fork > 0];
    pieces.push({ start, end, isChanged, isNumber, isFork });
    start = end;
  };
  for (const { kind, at, by } of edges) {
    cutAt(at);
    open[kind] += by;
  }
  cutAt(range.end);
  return pieces;
}

/** A piece of the unified text of two sides. */
export interface WovenPiece extends Piece {
  readonly side: Side;
  readonly kind: 'equal' | 'removed' | 'added';
}

export function wovenPieces(diff: TextDiff): readonly WovenPiece[] {
  const { edits } = diff;
  const woven: WovenPiece[] = [];
  const numbers = {
    a: sideMarks(diff, 'a').filter(({ kind }) => kind === 'number'),
    b: sideMarks(diff, 'b').filter(({ kind }) => kind === 'number'),
  };
  const next = { a: 0, b: 0 };
  /** Marks in a range that is behind those before. Marks do not overlap. */
  const marksIn = (side: Side, range: TextRange): readonly Mark[] => {
    const marks = numbers[side];
    while ((marks[next[side]]?.end ?? Number.POSITIVE_INFINITY) <= range.start) next[side] += 1;
    let end = next[side];
    while ((marks[end]?.start ?? Number.POSITIVE_INFINITY) < range.end) end += 1;
    return marks.slice(next[side], end);
  };
  for (let i = 0; i < edits.length; i += EDIT_SIZE) {
    const [code, aStart = 0, aEnd = 0, bStart = 0, bEnd = 0] = edits.subarray(i, i + EDIT_SIZE);
    const side = code === ADDED ? 'b' : 'a';
    const range = side === 'a' ? { start: aStart, end: aEnd } : { start: bStart, end: bEnd };
    const kind = code === EQUAL ? 'equal' : code === REMOVED ? 'removed' : 'added';
    const marks = code === EQUAL ? [] : marksIn(side, range);
    for (const piece of piecesOf(range, marks)) woven.push({ ...piece, side, kind });
  }
  return woven;
}

/** Lines as Monaco's tokenizer counts them, without their line ends. */
export function linesOf(text: string): readonly TextRange[] {
  const lines: TextRange[] = [];
  let start = 0;
  for (const { index, 0: end } of text.matchAll(/\r\n|\r|\n/g)) {
    lines.push({ start, end: index });
    start = index + end.length;
  }
  lines.push({ start, end: text.length });
  return lines;
}

/** Index pairs of equal lines within equal runs, in order. */
function equalLines({ a, b, edits }: TextDiff): readonly (readonly [a: number, b: number])[] {
  const [inA, inB] = [linesOf(a), linesOf(b)];
  const byStart = new Map(inB.map(({ start }, index) => [start, index]));
  const pairs: (readonly [number, number])[] = [];
  let line = 0;
  for (let i = 0; i < edits.length; i += EDIT_SIZE) {
    const [kind, aStart = 0, aEnd = 0, bStart = 0] = edits.subarray(i, i + EDIT_SIZE);
    if (kind !== EQUAL) continue;
    while (line < inA.length && (inA[line]?.start ?? 0) < aStart) line += 1;
    for (let own = inA[line]; own !== undefined && own.end <= aEnd; own = inA[line]) {
      const other = byStart.get(own.start - aStart + bStart);
      const isWhole = other !== undefined && inB[other]?.end === own.end - aStart + bStart;
      if (isWhole) pairs.push([line, other]);
      line += 1;
    }
  }
  return pairs;
}

export interface LineOfSide {
  readonly side: Side;
  /** Index into the lines of that side. */
  readonly line: number;
  readonly sign: '' | '−' | '+';
}

export function wovenLines(diff: TextDiff): readonly LineOfSide[] {
  const lines: LineOfSide[] = [];
  let [nextA, nextB] = [0, 0];
  const until = (toA: number, toB: number): void => {
    for (; nextA < toA; nextA += 1) lines.push({ side: 'a', line: nextA, sign: '−' });
    for (; nextB < toB; nextB += 1) lines.push({ side: 'b', line: nextB, sign: '+' });
  };
  for (const [x, y] of equalLines(diff)) {
    until(x, y);
    lines.push({ side: 'a', line: x, sign: '' });
    [nextA, nextB] = [x + 1, y + 1];
  }
  until(linesOf(diff.a).length, linesOf(diff.b).length);
  return lines;
}

export function sideLines(diff: TextDiff, side: Side): readonly LineOfSide[] {
  const at = side === 'a' ? 0 : 1;
  const equal = new Set(equalLines(diff).map((pair) => pair[at]));
  const sign = side === 'a' ? '−' : '+';
  return linesOf(diff[side]).map((_, line) => ({ side, line, sign: equal.has(line) ? '' : sign }));
}

/** Equal prose between two changes is elided if it is longer than this. */
const LONG_EQUAL = 900;
/** Characters of it that stay visible at either end. */
const AROUND = 220;
export const LONG_LINES = 14;
export const LINES_AROUND = 3;

export type Run<T> =
  | { readonly kind: 'shown'; readonly items: readonly T[] }
  | { readonly kind: 'left-out'; readonly from: number; readonly count: number };

/** Elides long unchanged runs except for their ends. */
export function withoutLongRuns<T>(
  items: readonly T[],
  isEqual: (item: T) => boolean,
  { longest, around }: { readonly longest: number; readonly around: number },
): readonly Run<T>[] {
  const runs: Run<T>[] = [];
  const equal = items.map(isEqual);
  let shownFrom = 0;
  for (let at = 0; at < items.length; ) {
    let end = at;
    while (equal[end] === true) end += 1;
    if (end - at > longest) {
      const from = at === 0 ? 0 : at + around;
      const to = end === items.length ? end : end - around;
      if (from > shownFrom) runs.push({ kind: 'shown', items: items.slice(shownFrom, from) });
      runs.push({ kind: 'left-out', from, count: to - from });
      shownFrom = to;
    }
    at = Math.max(end, at + 1);
  }
  if (shownFrom < items.length) runs.push({ kind: 'shown', items: items.slice(shownFrom) });
  return runs;
}

/** The part of an equal stretch of prose to elide, cut at words. Undefined if the stretch is short. */
export function leftOutOf(
  text: string,
  { start, end }: TextRange,
  at: { readonly isFirst: boolean; readonly isLast: boolean },
): TextRange | undefined {
  if (end - start <= LONG_EQUAL) return undefined;
  const space = /\s/;
  let from = at.isFirst ? start : start + AROUND;
  let to = at.isLast ? end : end - AROUND;
  while (from > start && from < to && !space.test(text.charAt(from))) from += 1;
  while (to < end && to > from && !space.test(text.charAt(to - 1))) to -= 1;
  return from < to ? { start: from, end: to } : undefined;
}
