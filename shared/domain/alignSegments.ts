/** Pairs the segments of two turns and computes the edits of each pair. */
import { type Edits, equalShare, replacement, type TextMode, textEdits } from './alignText.ts';
import type { Checkpoint } from './editScript.ts';
import { likenessOf, sketchOf } from './likeness.ts';
import type { Segment, SegmentKind, TextRange } from './model.ts';
import { type Item, pairInOrder } from './orderedPairs.ts';
import { type Units, type Vocabulary, wordsOf } from './textUnits.ts';

/**
 * `equal`: the inner texts are equal. `similar`: same kind (and tool), different text; edits give the
 * differences. `only`: the other side has no counterpart.
 */
export type Relation = 'equal' | 'similar' | 'only';

/** Indices into the segments of the two rollouts; at least one is present. */
export interface SegmentPair {
  readonly a?: number;
  readonly b?: number;
  readonly relation: Relation;
  /** Equal share of both inner texts, 0 … 1: 1 for `equal`, 0 for `only`. */
  readonly likeness: number;
  /** Edits of the inner ranges, for `similar`. */
  readonly edits?: Edits;
}

/** Least worth of two segments of one kind and tool: they stand beside one another however much they differ. */
const LEAST = 0.02;
/** Least worth of two texts that begin alike: sampling diverged inside them, and a reader wants to see where. */
const SAME_BEGINNING = 0.5;
/** Worth of pairing counterparts regardless of text: two answers, or two outputs of versions of one call. */
const COUNTERPART = 0.3;
/**
 * Texts that share at most this much are not versions of one another, whatever words they share. One replaces the
 * other as a whole, because marking the shared words would say more about chance than about the texts.
 */
const LEAST_SHARE = 0.1;
/**
 * Two texts begin alike if they share this many characters, about four words, or half of the shorter one. The pairs of
 * `fixtures/alignment` are aligned alike with 20 to 30, but answers of one turn that share "To solve this problem, we"
 * belong beside the first turn of the other rollout.
 */
const HEAD_CHARS = 20;

/** A segment as alignment uses it. Equal identities mean equal kind, tool and inner text, both malformed or neither. */
export interface SegmentProfile extends Item {
  readonly index: number;
  readonly kind: SegmentKind;
  /** Tool of a call or response. Unknown if the call was malformed. */
  readonly tool?: string;
  /** A call that no tool could read. It equals no call that was read, although both may have the same text inside. */
  readonly isMalformed: boolean;
  /** The call of a response. */
  readonly call?: SegmentProfile;
  readonly text: string;
  readonly range: TextRange;
  readonly words: Units;
  /** The text is a JSON string. */
  readonly isEscaped: boolean;
  /**
   * The first `HEAD_CHARS` characters of prose after white space. Absent for blank texts, and for calls and outputs,
   * whose beginnings are always alike.
   */
  readonly head?: string;
}

export interface SegmentContext {
  readonly tool: string | undefined;
  readonly isMalformed: boolean;
  readonly call: SegmentProfile | undefined;
  readonly vocabulary: Vocabulary;
}

export function readSegment(
  response: string,
  { kind, inner }: Segment,
  index: number,
  { tool, isMalformed, call, vocabulary }: SegmentContext,
): SegmentProfile {
  const end = Math.max(0, Math.min(inner.end, response.length));
  const range = { start: Math.max(0, Math.min(inner.start, end)), end };
  const isEscaped = kind === 'tool-call';
  const words = wordsOf(response, range, isEscaped, vocabulary);
  const head = isProse(kind) ? headOf(response, range) : '';
  const said = vocabulary.idOfPart(response, range.start, range.end);
  return {
    index,
    kind,
    ...(tool === undefined ? {} : { tool }),
    isMalformed,
    ...(call === undefined ? {} : { call }),
    text: response,
    range,
    words,
    isEscaped,
    ...(head === '' ? {} : { head }),
    identity: vocabulary.idOf(
      `\u0000segment ${said} ${kind} ${tool ?? ''}${isMalformed ? ' malformed' : ''}`,
    ),
    marks: sketchOf(words, vocabulary),
  };
}

/**
 * Returns every segment of either side once and in order. Between two pairs, those only in `a` come first.
 */
export function alignSegments(
  a: readonly SegmentProfile[],
  b: readonly SegmentProfile[],
  vocabulary: Vocabulary,
  checkpoint: Checkpoint,
  mostCells: number,
): readonly SegmentPair[] {
  const rows: SegmentPair[] = [];
  let [nextA, nextB] = [0, 0];
  const passOver = (toA: number, toB: number): void => {
    for (const segment of a.slice(nextA, toA)) rows.push({ a: segment.index, relation: 'only', likeness: 0 });
    for (const segment of b.slice(nextB, toB)) rows.push({ b: segment.index, relation: 'only', likeness: 0 });
    [nextA, nextB] = [toA + 1, toB + 1];
  };
  for (const [x, y] of pairInOrder(a, b, { worth: segmentWorth, checkpoint, mostCells })) {
    passOver(x, y);
    const [inA, inB] = [a[x], b[y]];
    if (inA !== undefined && inB !== undefined) rows.push(compared(inA, inB, vocabulary, checkpoint));
  }
  passOver(a.length, b.length);
  return rows;
}

/** At most 1. Above 0 if two segments may be paired. */
export function segmentWorth(a: SegmentProfile, b: SegmentProfile): number {
  if (a.identity === b.identity) return 1;
  if (a.kind !== b.kind || !isSameTool(a, b)) return 0;
  const likeness = likenessOf(a.marks, b.marks);
  if (isCounterpart(a, b)) return COUNTERPART + (1 - COUNTERPART) * likeness;
  return Math.max(beginAlike(a, b) ? SAME_BEGINNING : LEAST, likeness);
}

/** Whether two texts of prose share a beginning. */
export function beginAlike(a: SegmentProfile, b: SegmentProfile): boolean {
  if (a.head === undefined || b.head === undefined) return false;
  const shorter = Math.min(lengthOf(a), lengthOf(b));
  const needed = Math.min(HEAD_CHARS, Math.ceil(shorter / 2));
  return a.head.slice(0, needed) === b.head.slice(0, needed);
}

const lengthOf = ({ range }: SegmentProfile): number => range.end - range.start;

function headOf(text: string, { start, end }: TextRange): string {
  // Text after white space; a long run of it has no beginning.
  const first = text.slice(start, Math.min(end, start + 4 * HEAD_CHARS)).trimStart();
  return first.slice(0, HEAD_CHARS);
}

/** Two answers, or the responses to two versions of one call, are compared however much they differ. */
function isCounterpart(a: SegmentProfile, b: SegmentProfile): boolean {
  if (a.kind === 'answer') return b.kind === 'answer';
  return a.call !== undefined && b.call !== undefined && segmentWorth(a.call, b.call) > 0;
}

/** An unknown tool (of a malformed call) matches any tool. */
const isSameTool = (a: SegmentProfile, b: SegmentProfile): boolean =>
  a.tool === b.tool || a.tool === undefined || b.tool === undefined;

const isProse = (kind: SegmentKind): boolean => kind !== 'tool-call' && kind !== 'tool-response';

function compared(
  a: SegmentProfile,
  b: SegmentProfile,
  vocabulary: Vocabulary,
  checkpoint: Checkpoint,
): SegmentPair {
  const pair = { a: a.index, b: b.index };
  // A tool call may be named on one side only, with the same text.
  if (a.identity === b.identity || (innerText(a) === innerText(b) && a.isMalformed === b.isMalformed))
    return { ...pair, relation: 'equal', likeness: 1 };
  const mode: TextMode = isProse(a.kind) ? 'words' : 'lines';
  const edits = textEdits(a, b, { mode, vocabulary, checkpoint });
  const likeness = equalShare(edits);
  return likeness >= LEAST_SHARE || beginAlike(a, b)
    ? { ...pair, relation: 'similar', likeness, edits }
    : { ...pair, relation: 'similar', likeness: 0, edits: replacement(a.range, b.range) };
}

const innerText = ({ text, range }: SegmentProfile): string => text.slice(range.start, range.end);
