/** Which segments of two turns are the same thing, and how the text of each pair differs. */
import { type Edits, equalShare, type TextMode, textEdits } from './alignText.ts';
import { sharedLength } from './divergence.ts';
import type { Checkpoint } from './editScript.ts';
import { likenessOf, sketchOf } from './likeness.ts';
import type { Segment, SegmentKind, TextRange } from './model.ts';
import { type Item, pairInOrder } from './orderedPairs.ts';
import { type Units, type Vocabulary, wordsOf } from './textUnits.ts';

/**
 * `equal`: the inner texts are equal. `similar`: the same kind (and tool) with different text; edits say
 * where. `only`: the other side has no counterpart.
 */
export type Relation = 'equal' | 'similar' | 'only';

/** Indices into the segments of the two rollouts; at least one is there. */
export interface SegmentPair {
  readonly a?: number;
  readonly b?: number;
  readonly relation: Relation;
  /** Share of both inner texts that is equal, 0 … 1: 1 for `equal`, 0 for `only`. */
  readonly likeness: number;
  /** For `similar`: of the inner ranges. */
  readonly edits?: Edits;
}

/** Likeness from which two segments are taken for versions of one another. */
const LEAST_LIKENESS: Readonly<Record<'code' | 'output' | 'prose', number>> = {
  code: 0.15,
  output: 0.5,
  prose: 0.15,
};
/** Segments that share no more of their text than this are not versions of one another, whatever words they share. */
const LEAST_SHARE = 0.1;
/**
 * Characters two texts begin with alike when one went another way from there: the sampling parted inside
 * them, and a reader wants to see where. Shorter beginnings ("Let me") are habit.
 */
const FORKED_HEAD = 32;
/** Worth of pairing such two, at least. */
const FORKED = 0.2;
/** Worth of pairing what belongs together whatever it says: two answers, two outputs of versions of one call. */
const COUNTERPART = 0.3;

/** A segment as alignment sees it; equal identities mean equal kind, tool and inner text. */
export interface SegmentProfile extends Item {
  readonly index: number;
  readonly kind: SegmentKind;
  /** Of a call or response; unknown where the call was malformed. */
  readonly tool?: string;
  /** Of a response. */
  readonly call?: SegmentProfile;
  readonly text: string;
  readonly range: TextRange;
  readonly words: Units;
  /** JSON text. */
  readonly isEscaped: boolean;
  /** The first `FORKED_HEAD` characters of prose; absent of shorter texts, and of calls and outputs, which begin alike anyway. */
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

/** Every segment of either side once and in order; between two pairs, those of `a` alone come first. */
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
    // Outputs whose calls turned out to be unrelated stand side by side only for their own sake.
    const isOfUnrelated = inA.call !== undefined && unrelated.has(inA.call.index);
    const isVersion = isOfUnrelated
      ? likenessOf(inA.marks, inB.marks) >= LEAST_LIKENESS.output
      : isCounterpart(inA, inB) || isFork(inA, inB) || pair.likeness >= LEAST_SHARE;
    if (pair.relation !== 'equal' && !isVersion) {
      unrelated.add(inA.index);
      continue; // passed over with what follows
    }
    passOver(x, y);
    rows.push(pair);
    [nextA, nextB] = [x + 1, y + 1];
  }
  passOver(a.length, b.length);
  return rows;
}

/** At most 1; above 0 where two segments may be paired. */
export function segmentWorth(a: SegmentProfile, b: SegmentProfile): number {
  if (a.identity === b.identity) return 1;
  if (a.kind !== b.kind || !isSameTool(a, b)) return 0;
  const likeness = likenessOf(a.marks, b.marks);
  if (isCounterpart(a, b)) return COUNTERPART + (1 - COUNTERPART) * likeness;
  const worth = likeness >= LEAST_LIKENESS[partOf(a.kind)] ? likeness : 0;
  return isFork(a, b) ? Math.max(FORKED, worth) : worth;
}

/** Whether two texts begin alike and go on differently. */
const isFork = (a: SegmentProfile, b: SegmentProfile): boolean =>
  a.kind === b.kind && a.head !== undefined && a.head === b.head;

/** Of two texts that begin alike and go on differently: how much of the shorter is that beginning, 0 … 1; 0 for others. */
export function forkedShare(a: SegmentProfile, b: SegmentProfile): number {
  if (!isFork(a, b)) return 0;
  const [inA, inB] = [innerText(a), innerText(b)];
  return sharedLength(inA, inB) / Math.min(inA.length, inB.length);
}

/** Two answers, or the responses to two versions of one call: to be compared however much they differ. */
function isCounterpart(a: SegmentProfile, b: SegmentProfile): boolean {
  if (a.kind === 'answer') return b.kind === 'answer';
  return a.call !== undefined && b.call !== undefined && segmentWorth(a.call, b.call) > 0;
}

/** A tool that is not known (the call was malformed) may be any. */
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
  // Of a tool call one may be named and the other not, with the same text.
  if (a.identity === b.identity || innerText(a) === innerText(b))
    return { ...pair, relation: 'equal', likeness: 1 };
  const mode: TextMode = partOf(a.kind) === 'prose' ? 'words' : 'lines';
  const edits = textEdits(a, b, { mode, vocabulary, checkpoint });
  return { ...pair, relation: 'similar', likeness: equalShare(edits), edits };
}

const innerText = ({ text, range }: SegmentProfile): string => text.slice(range.start, range.end);
