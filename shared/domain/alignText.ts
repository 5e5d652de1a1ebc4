/**
 * Removed, added and kept text between two ranges, for display. Code and tool output are compared by lines
 * and, inside changed lines, by words; prose by words.
 *
 * Common words are kept only if they help a reader: a lone "the" between two changed sentences counts as
 * changed.
 */

import { type Checkpoint, type CommonRuns, commonRuns } from './editScript.ts';
import type { TextRange, Utf16Offset } from './model.ts';
import { isSpace, linesOf, type Units, unitFrom, Vocabulary, wordsOf } from './textUnits.ts';

export const EQUAL = 0;
export const REMOVED = 1;
export const ADDED = 2;
/** Numbers per edit in `Edits`. */
export const EDIT_SIZE = 5;

/**
 * Flat runs of five: kind (0 equal, 1 removed, 2 added), aStart, aEnd, bStart, bEnd; UTF-16 offsets. The runs
 * of `a` tile its range, and those of `b` tile its range. In a change, removed precedes added. A removed run
 * is empty in `b`, an added one in `a`. The texts of an equal run are equal.
 */
export type Edits = Int32Array;

/** One side of a comparison; `words` are the words of `range`. */
export interface TextSide {
  readonly text: string;
  readonly range: TextRange;
  readonly words: Units;
  /** The text is a JSON string, in which `\n` ends a line. */
  readonly isEscaped: boolean;
}

export type TextMode = 'lines' | 'words';

/**
 * Shorter common text between two larger changes is coincidence: a bracket, a blank line; "the", "so it is".
 */
const CHANCE: Readonly<Record<TextMode, number>> = { lines: 4, words: 20 };

export interface TextOptions {
  readonly mode: TextMode;
  /** The vocabulary that numbered the words. */
  readonly vocabulary: Vocabulary;
  readonly checkpoint: Checkpoint;
}

export function textEdits(a: TextSide, b: TextSide, { mode, vocabulary, checkpoint }: TextOptions): Edits {
  const writer = new EditWriter(a, b);
  const compareWords = (toA: Utf16Offset, toB: Utf16Offset): void => {
    const inA = part(a.words, writer.atA, toA);
    const inB = part(b.words, writer.atB, toB);
    const runs = commonRuns(inA.ids, inB.ids, checkpoint);
    writer.writeRuns(inA, inB, withoutChance(inA, inB, runs, CHANCE.words));
    writer.change(toA, toB);
  };
  if (mode === 'lines') {
    const inA = linesOf(a.text, a.range, a.isEscaped, vocabulary);
    const inB = linesOf(b.text, b.range, b.isEscaped, vocabulary);
    const runs = commonRuns(inA.ids, inB.ids, checkpoint);
    const telling = withoutChance(inA, inB, runs, CHANCE.lines, [a, b]);
    for (let i = 0; i < telling.length; i += 3) {
      const [x = 0, y = 0, length = 0] = telling.subarray(i, i + 3);
      compareWords(inA.starts[x] ?? 0, inB.starts[y] ?? 0);
      writer.equal(inA.ends[x + length - 1] ?? 0, inB.ends[y + length - 1] ?? 0);
    }
  }
  compareWords(a.range.end, b.range.end);
  return writer.finish();
}

/** Edits between two whole texts that are no JSON strings. */
export function plainEdits(a: string, b: string, mode: TextMode): Edits {
  const vocabulary = new Vocabulary();
  const sideOf = (text: string): TextSide => {
    const range = { start: 0, end: text.length };
    return { text, range, words: wordsOf(text, range, false, vocabulary), isEscaped: false };
  };
  return textEdits(sideOf(a), sideOf(b), { mode, vocabulary, checkpoint: () => undefined });
}

/** One text in place of the other, with nothing in common. */
export function replacement(a: TextRange, b: TextRange): Edits {
  const removed = a.end > a.start ? [REMOVED, a.start, a.end, b.start, b.start] : [];
  const added = b.end > b.start ? [ADDED, a.end, a.end, b.start, b.end] : [];
  return Int32Array.from([...removed, ...added]);
}

/** Share of both texts in equal runs, 0 … 1. Returns 1 for two empty texts. */
export function equalShare(edits: Edits): number {
  let equal = 0;
  let all = 0;
  for (let i = 0; i < edits.length; i += EDIT_SIZE) {
    const [kind, aStart = 0, aEnd = 0, bStart = 0, bEnd = 0] = edits.subarray(i, i + EDIT_SIZE);
    all += aEnd - aStart + bEnd - bStart;
    if (kind === EQUAL) equal += aEnd - aStart + bEnd - bStart;
  }
  return all === 0 ? 1 : equal / all;
}

/** Number of UTF-16 units removed or added. */
export function changedChars(edits: Edits): number {
  let changed = 0;
  for (let i = 0; i < edits.length; i += EDIT_SIZE) {
    const [kind, aStart = 0, aEnd = 0, bStart = 0, bEnd = 0] = edits.subarray(i, i + EDIT_SIZE);
    if (kind !== EQUAL) changed += aEnd - aStart + bEnd - bStart;
  }
  return changed;
}

/** The same edits with the sides swapped. */
export function mirroredEdits(edits: Edits): Edits {
  const mirrored = new Int32Array(edits.length);
  let to = 0;
  const put = (kind: number, at: number): void => {
    const [, aStart = 0, aEnd = 0, bStart = 0, bEnd = 0] = edits.subarray(at, at + EDIT_SIZE);
    mirrored.set([kind, bStart, bEnd, aStart, aEnd], to);
    to += EDIT_SIZE;
  };
  for (let i = 0; i < edits.length; i += EDIT_SIZE) {
    if (edits[i] === EQUAL) put(EQUAL, i);
    else if (edits[i] === REMOVED && edits[i + EDIT_SIZE] === ADDED) {
      // The part that becomes "removed" comes first and ends at the start of the other.
      const [, aStart = 0, aEnd = 0] = edits.subarray(i, i + EDIT_SIZE);
      const [, , , bStart = 0, bEnd = 0] = edits.subarray(i + EDIT_SIZE, i + 2 * EDIT_SIZE);
      mirrored.set([REMOVED, bStart, bEnd, aStart, aStart, ADDED, bEnd, bEnd, aStart, aEnd], to);
      to += 2 * EDIT_SIZE;
      i += EDIT_SIZE;
    } else put(edits[i] === REMOVED ? ADDED : REMOVED, i);
  }
  return mirrored;
}

function part(units: Units, from: Utf16Offset, to: Utf16Offset): Units {
  const first = unitFrom(units, from);
  const last = unitFrom(units, to);
  return {
    count: last - first,
    starts: units.starts.subarray(first, last),
    ends: units.ends.subarray(first, last),
    ids: units.ids.subarray(first, last),
  };
}

interface Run {
  readonly a: number;
  readonly b: number;
  readonly length: number;
  readonly weight: number;
}

/**
 * Drops runs shorter than `chance` that are also shorter than the changes on both sides. A dropped run merges
 * with its neighbours into one change, so the previous run is checked again.
 */
function withoutChance(
  a: Units,
  b: Units,
  runs: CommonRuns,
  chance: number,
  texts?: readonly [TextSide, TextSide],
): CommonRuns {
  const inked = [inkBefore(a, texts?.[0].text), inkBefore(b, texts?.[1].text)] as const;
  const ink = (side: 0 | 1, from: number, to: number): number =>
    (inked[side][to] ?? 0) - (inked[side][from] ?? 0);
  /** Size of the change between a run (or the beginning) and the next (or the end). */
  const changeBetween = (before: Run | undefined, after: Run | undefined): number =>
    Math.max(
      ink(0, before === undefined ? 0 : before.a + before.length, after?.a ?? a.count),
      ink(1, before === undefined ? 0 : before.b + before.length, after?.b ?? b.count),
    );
  const kept: Run[] = [];
  const dropChance = (next: Run | undefined): void => {
    for (let run = kept.at(-1); run !== undefined; run = kept.at(-1)) {
      const isChance =
        run.weight < chance &&
        run.weight < changeBetween(kept.at(-2), run) &&
        run.weight < changeBetween(run, next);
      if (!isChance) return;
      kept.pop();
    }
  };
  for (let i = 0; i < runs.length; i += 3) {
    const [x = 0, y = 0, length = 0] = runs.subarray(i, i + 3);
    const next = { a: x, b: y, length, weight: ink(0, x, x + length) };
    dropChance(next);
    kept.push(next);
  }
  dropChance(undefined);
  return new Int32Array(kept.flatMap((run) => [run.a, run.b, run.length]));
}

/** Prefix sums of unit lengths. With the text: of lengths without white space. */
function inkBefore({ count, starts, ends }: Units, text: string | undefined): Int32Array {
  const sums = new Int32Array(count + 1);
  for (let i = 0; i < count; i++) {
    const [start = 0, end = 0] = [starts[i], ends[i]];
    let ink = end - start;
    if (text !== undefined) {
      for (let at = start; at < end; at++) if (isSpace(text.charCodeAt(at))) ink--;
    }
    sums[i + 1] = (sums[i] ?? 0) + ink;
  }
  return sums;
}

class EditWriter {
  private readonly a: TextSide;
  private readonly b: TextSide;
  private readonly edits: number[] = [];
  /** Everything before these offsets has been written. */
  atA: Utf16Offset;
  atB: Utf16Offset;

  constructor(a: TextSide, b: TextSide) {
    this.a = a;
    this.b = b;
    this.atA = a.range.start;
    this.atB = b.range.start;
  }

  writeRuns(a: Units, b: Units, runs: CommonRuns): void {
    for (let i = 0; i < runs.length; i += 3) {
      const [x = 0, y = 0, length = 0] = runs.subarray(i, i + 3);
      for (let at = 0; at < length; at++) {
        this.change(a.starts[x + at] ?? 0, b.starts[y + at] ?? 0);
        this.equal(a.ends[x + at] ?? 0, b.ends[y + at] ?? 0);
      }
    }
  }

  equal(toA: Utf16Offset, toB: Utf16Offset): void {
    if (toA === this.atA) return;
    const { edits } = this;
    const last = edits.length - EDIT_SIZE;
    if (edits[last] === EQUAL) {
      edits[last + 2] = toA;
      edits[last + 4] = toB;
    } else edits.push(EQUAL, this.atA, toA, this.atB, toB);
    this.atA = toA;
    this.atB = toB;
  }

  /** Writes the text between common words. White space at its ends may still be common. */
  change(toA: Utf16Offset, toB: Utf16Offset): void {
    const [textA, textB] = [this.a.text, this.b.text];
    let [headA, headB] = [this.atA, this.atB];
    for (; headA < toA && headB < toB; headA++, headB++) {
      const code = textA.charCodeAt(headA);
      if (code !== textB.charCodeAt(headB) || !isSpace(code)) break;
    }
    this.equal(headA, headB);
    let [tailA, tailB] = [toA, toB];
    for (; tailA > headA && tailB > headB; tailA--, tailB--) {
      const code = textA.charCodeAt(tailA - 1);
      if (code !== textB.charCodeAt(tailB - 1) || !isSpace(code)) break;
    }
    if (tailA > headA) this.edits.push(REMOVED, headA, tailA, headB, headB);
    if (tailB > headB) this.edits.push(ADDED, tailA, tailA, headB, tailB);
    [this.atA, this.atB] = [tailA, tailB];
    this.equal(toA, toB);
  }

  finish(): Edits {
    return new Int32Array(this.edits);
  }
}
