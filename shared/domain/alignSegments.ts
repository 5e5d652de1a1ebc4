/** Pairs the segments of two turns and computes the edits of each pair. */
import { type Edits, equalShare, type TextMode, textEdits } from './alignText.ts';
import { sharedLength } from './divergence.ts';
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

/** Minimum likeness at which two segments count as versions of one another. */
const LEAST_LIKENESS: Readonly<Record<'code' | 'output' | 'prose', number>> = {
  code: 0.15,
  output: 0.5,
  prose: 0.15,
};
/**
 * Segments that share at most this much of their text are not versions of one another, whatever words they
 * share.
 */
const LEAST_SHARE = 0.1;
/**
 * Minimum common beginning, in characters, for two texts to count as forked: sampling diverged inside them,
 * and a reader wants to see where. Shorter common beginnings ("Let me") are habit.
 */
const FORKED_HEAD = 32;
/** Minimum worth of pairing two forked texts. */
const FORKED = 0.2;
/** Worth of pairing counterparts regardless of text: two answers, or two outputs of versions of one call. */
const COUNTERPART = 0.3;

/** A segment as alignment uses it. Equal identities mean equal kind, tool and inner text. */
export interface SegmentProfile extends Item {
  readonly index: number;
  readonly kind: SegmentKind;
  /** Tool of a call or response. Unknown if the call was malformed. */
  readonly tool?: string;
  /** The call of a response. */
  readonly call?: SegmentProfile;
  readonly text: string;
  readonly range: TextRange;
  readonly words: Units;
  /** The text is a JSON string. */
  readonly isEscaped: boolean;
  /**
   * The first `FORKED_HEAD` characters of prose. Absent for shorter texts, and for calls and outputs, whose
   * beginnings are always alike.
   */
  readonly head?: string;
}

export interface SegmentContext {
  readonly tool: string | undefined;
  readonly call: SegmentProfile | undefined;
  readonly vocabulary: Vocabulary;
}

export function readSegment(
  response: string,
  { kind, inner }: Segment,
  index: number,
  { tool, call, vocabulary }: SegmentContext,
): SegmentProfile {
  const end = Math.max(0, Math.min(inner.end, response.length));
  const range = { start: Math.max(0, Math.min(inner.start, end)), end };
  const isEscaped = kind === 'tool-call';
  const words = wordsOf(response, range, isEscaped, vocabulary);
  const hasHead = partOf(kind) === 'prose' && range.end - range.start >= FORKED_HEAD;
  const said = vocabulary.idOfPart(response, range.start, range.end);
  return {
    index,
    kind,
    ...(tool === undefined ? {} : { tool }),
    ...(call === undefined ? {} : { call }),
    text: response,
    range,
    words,
    isEscaped,
    ...(hasHead ? { head: response.slice(range.start, range.start + FORKED_HEAD) } : {}),
    identity: vocabulary.idOf(`\u0000segment ${said} ${kind} ${tool ?? ''}`),
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
): readonly SegmentPair[] {
  const rows: SegmentPair[] = [];
  let [nextA, nextB] = [0, 0];
  const unrelated = new Set<number>();
  const passOver = (toA: number, toB: number): void => {
    for (const segment of a.slice(nextA, toA)) rows.push({ a: segment.index, relation: 'only', likeness: 0 });
    for (const segment of b.slice(nextB, toB)) rows.push({ b: segment.index, relation: 'only', likeness: 0 });
    [nextA, nextB] = [toA, toB];
  };
  for (const [x, y] of pairInOrder(a, b, { worth: segmentWorth, checkpoint })) {
    const [inA, inB] = [a[x], b[y]];
    if (inA === undefined || inB === undefined) continue;
    const pair = compared(inA, inB, vocabulary, checkpoint);
    // Outputs whose calls turned out to be unrelated are paired only if they are similar themselves.
    const isOfUnrelated = inA.call !== undefined && unrelated.has(inA.call.index);
    const isVersion = isOfUnrelated
      ? likenessOf(inA.marks, inB.marks) >= LEAST_LIKENESS.output
      : isCounterpart(inA, inB) || isFork(inA, inB) || pair.likeness >= LEAST_SHARE;
    if (pair.relation !== 'equal' && !isVersion) {
      unrelated.add(inA.index);
      continue; // skip the segments that follow, too
    }
    passOver(x, y);
    rows.push(pair);
    [nextA, nextB] = [x + 1, y + 1];
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
  const worth = likeness >= LEAST_LIKENESS[partOf(a.kind)] ? likeness : 0;
  return isFork(a, b) ? Math.max(FORKED, worth) : worth;
}

/** Whether two texts share a beginning and then differ. */
const isFork = (a: SegmentProfile, b: SegmentProfile): boolean =>
  a.kind === b.kind && a.head !== undefined && a.head === b.head;

/** Share of the shorter text that the common beginning of two forked texts covers, 0 … 1; 0 for others. */
export function forkedShare(a: SegmentProfile, b: SegmentProfile): number {
  if (!isFork(a, b)) return 0;
  const [inA, inB] = [innerText(a), innerText(b)];
  return sharedLength(inA, inB) / Math.min(inA.length, inB.length);
}

/** Two answers, or the responses to two versions of one call, are compared however much they differ. */
function isCounterpart(a: SegmentProfile, b: SegmentProfile): boolean {
  if (a.kind === 'answer') return b.kind === 'answer';
  return a.call !== undefined && b.call !== undefined && segmentWorth(a.call, b.call) > 0;
}

/** An unknown tool (of a malformed call) matches any tool. */
const isSameTool = (a: SegmentProfile, b: SegmentProfile): boolean =>
  a.tool === b.tool || a.tool === undefined || b.tool === undefined;

function partOf(kind: SegmentKind): 'code' | 'output' | 'prose' {
  if (kind === 'tool-call') return 'code';
  return kind === 'tool-response' ? 'output' : 'prose';
}

function compared(
  a: SegmentProfile,
  b: SegmentProfile,
  vocabulary: Vocabulary,
  checkpoint: Checkpoint,
): SegmentPair {
  const pair = { a: a.index, b: b.index };
  // A tool call may be named on one side only, with the same text.
  if (a.identity === b.identity || innerText(a) === innerText(b))
    return { ...pair, relation: 'equal', likeness: 1 };
  const mode: TextMode = partOf(a.kind) === 'prose' ? 'words' : 'lines';
  const edits = textEdits(a, b, { mode, vocabulary, checkpoint });
  return { ...pair, relation: 'similar', likeness: equalShare(edits), edits };
}

const innerText = ({ text, range }: SegmentProfile): string => text.slice(range.start, range.end);
