/**
 * Two rollouts side by side.
 *
 *   responses ──► common prefix and divergence (divergence.ts)
 *   turns ──► pairs by shape and contents (alignTurns.ts)
 *     segments of paired turns ──► pairs by kind, tool and text (alignSegments.ts)
 *       text of paired segments ──► edits by line and word (alignText.ts)
 *
 * What is compared is the inner text of segments. Markup and white space around them are in no row; where
 * they differ, only the divergence says so.
 *
 * Laws (property-tested): every turn and every segment of either side stands in one row, in order; edits tile
 * both inner texts and make `b` of `a`; a rollout aligned with itself costs 0 and has no divergence;
 * `alignPair(b, a)` is `alignPair(a, b)` mirrored, at the same cost.
 *
 * Time is near linear in the texts. Where an exact comparison would not be, the bounds of `editScript.ts` and
 * `orderedPairs.ts` hold: the alignment is then still one, though perhaps not the shortest.
 */
import { alignSegments, type SegmentPair } from './alignSegments.ts';
import { changedChars, mirroredEdits } from './alignText.ts';
import { pairTurns, readTurns, type TurnProfile } from './alignTurns.ts';
import {
  type CommonPrefix,
  commonPrefix,
  type Divergence,
  divergenceOf,
  type Sampled,
} from './divergence.ts';
import type { Checkpoint } from './editScript.ts';
import type { ToolCall, TurnNumber } from './model.ts';
import { Vocabulary } from './textUnits.ts';

export type { Relation, SegmentPair } from './alignSegments.ts';
export type { Edits } from './alignText.ts';
export type { CommonPrefix, Divergence, ForkPlace } from './divergence.ts';

/** Ranges beyond the response are cut off at its end. */
export interface AlignableRollout extends Sampled {
  readonly toolCalls: readonly ToolCall[];
}

/** At least one side is there. */
interface TurnPair {
  readonly a?: TurnNumber;
  readonly b?: TurnNumber;
  /** Both sides are there and all their segments are equal. */
  readonly isEqual: boolean;
  /** Between two pairs, segments of `a` alone come before those of `b` alone. */
  readonly segments: readonly SegmentPair[];
}

export interface PairAlignment {
  /** Between two pairs, turns of `a` alone come before those of `b` alone. */
  readonly rows: readonly TurnPair[];
  readonly prefix: CommonPrefix;
  /** Absent: the responses are equal. */
  readonly divergence?: Divergence;
  /** UTF-16 units of inner text that one side has and the other has not, and 1 per segment without counterpart. */
  readonly cost: number;
}

export interface AlignOptions {
  /** Asked often; once it says so, `AlignmentCancelled` is thrown. */
  readonly isCancelled?: () => boolean;
  /** How much of the work is done, 0 … 1; of questions about many rollouts only. */
  readonly onShare?: (share: number) => void;
}

export class AlignmentCancelled extends Error {
  override readonly name = 'AlignmentCancelled';
  /** A failure code of the API. */
  readonly code = 'cancelled';
  constructor() {
    super('the alignment was cancelled');
  }
}

/** @throws AlignmentCancelled */
export function alignPair(
  a: AlignableRollout,
  b: AlignableRollout,
  options: AlignOptions = {},
): PairAlignment {
  const vocabulary = new Vocabulary();
  const checkpoint = checkpointOf(options);
  return alignReadings(
    { rollout: a, turns: readTurns(a, vocabulary, checkpoint) },
    { rollout: b, turns: readTurns(b, vocabulary, checkpoint) },
    vocabulary,
    checkpoint,
  );
}

export function checkpointOf({ isCancelled }: AlignOptions): Checkpoint {
  if (isCancelled === undefined) return () => {};
  return () => {
    if (isCancelled()) throw new AlignmentCancelled();
  };
}

/** A rollout and its turns as read with the vocabulary of the alignment. */
export interface Reading {
  readonly rollout: AlignableRollout;
  readonly turns: readonly TurnProfile[];
}

/**
 * Always compares in one and the same order of the two sides and mirrors the result when that is not the
 * order asked for: whichever of several best alignments is found, it is the same one from either side.
 */
export function alignReadings(
  a: Reading,
  b: Reading,
  vocabulary: Vocabulary,
  checkpoint: Checkpoint,
): PairAlignment {
  const isMirrored = canonicalOrder(a, b) > 0;
  const rows = isMirrored
    ? mirrored(turnRows(b.turns, a.turns, vocabulary, checkpoint))
    : turnRows(a.turns, b.turns, vocabulary, checkpoint);
  const prefix = commonPrefix(a.rollout, b.rollout);
  const divergence = divergenceOf(a.rollout, b.rollout, prefix);
  return { rows, prefix, ...(divergence === undefined ? {} : { divergence }), cost: costOf(rows, a, b) };
}

function turnRows(
  a: readonly TurnProfile[],
  b: readonly TurnProfile[],
  vocabulary: Vocabulary,
  checkpoint: Checkpoint,
): readonly TurnPair[] {
  const rows: TurnPair[] = [];
  let [nextA, nextB] = [0, 0];
  const align = (inA: TurnProfile | undefined, inB: TurnProfile | undefined): void => {
    const segments = alignSegments(inA?.segments ?? [], inB?.segments ?? [], vocabulary, checkpoint);
    rows.push({
      ...(inA === undefined ? {} : { a: inA.turn }),
      ...(inB === undefined ? {} : { b: inB.turn }),
      isEqual: segments.every(({ relation }) => relation === 'equal'),
      segments,
    });
  };
  const passOver = (toA: number, toB: number): void => {
    for (const turn of a.slice(nextA, toA)) align(turn, undefined);
    for (const turn of b.slice(nextB, toB)) align(undefined, turn);
    [nextA, nextB] = [toA + 1, toB + 1];
  };
  for (const [x, y] of pairTurns(a, b, checkpoint)) {
    passOver(x, y);
    align(a[x], b[y]);
  }
  passOver(a.length, b.length);
  return rows;
}

/** 0 only for sides between which nothing depends on the order. */
function canonicalOrder(a: Reading, b: Reading): number {
  const [one, other] = [a.rollout, b.rollout];
  if (one.response !== other.response) return one.response < other.response ? -1 : 1;
  const [oneOutline, otherOutline] = [outline(a), outline(b)];
  if (oneOutline === otherOutline) return 0;
  return oneOutline < otherOutline ? -1 : 1;
}

const outline = ({ turns }: Reading): string =>
  turns
    .flatMap(({ turn, segments }) =>
      segments.map(({ kind, tool, range, call }) =>
        [turn, kind, tool ?? '', range.start, range.end, call?.index ?? ''].join(' '),
      ),
    )
    .join('\n');

function mirrored(rows: readonly TurnPair[]): readonly TurnPair[] {
  return firstSideFirst(
    rows.map(({ a, b, isEqual, segments }) => ({
      ...(b === undefined ? {} : { a: b }),
      ...(a === undefined ? {} : { b: a }),
      isEqual,
      segments: firstSideFirst(segments.map(mirroredSegment)),
    })),
  );
}

function mirroredSegment({ a, b, relation, likeness, edits }: SegmentPair): SegmentPair {
  return {
    ...(b === undefined ? {} : { a: b }),
    ...(a === undefined ? {} : { b: a }),
    relation,
    likeness,
    ...(edits === undefined ? {} : { edits: mirroredEdits(edits) }),
  };
}

/** Between two pairs, what `a` has alone moves before what `b` has alone. */
function firstSideFirst<T extends { readonly a?: number; readonly b?: number }>(rows: readonly T[]): T[] {
  const ordered: T[] = [];
  let aloneInB: T[] = [];
  for (const row of rows) {
    if (row.a === undefined) {
      aloneInB.push(row);
      continue;
    }
    if (row.b !== undefined) {
      ordered.push(...aloneInB);
      aloneInB = [];
    }
    ordered.push(row);
  }
  return ordered.concat(aloneInB);
}

function costOf(rows: readonly TurnPair[], a: Reading, b: Reading): number {
  const lengthsA = innerLengths(a);
  const lengthsB = innerLengths(b);
  let cost = 0;
  for (const { segments } of rows) {
    for (const pair of segments) {
      if (pair.edits !== undefined) cost += changedChars(pair.edits);
      if (pair.relation !== 'only') continue;
      cost += 1 + (lengthsA.get(pair.a ?? -1) ?? 0) + (lengthsB.get(pair.b ?? -1) ?? 0);
    }
  }
  return cost;
}

const innerLengths = ({ turns }: Reading): ReadonlyMap<number, number> =>
  new Map(
    turns.flatMap(({ segments }) => segments.map(({ index, range }) => [index, range.end - range.start])),
  );
