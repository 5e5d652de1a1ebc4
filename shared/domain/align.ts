/**
 * Alignment of two rollouts.
 *
 *   responses ──► common prefix and divergence (divergence.ts)
 *   turns ──► pairs by shape and contents (alignTurns.ts)
 *     segments of paired turns ──► pairs by kind, tool and text (alignSegments.ts)
 *       text of paired segments ──► edits by line and word (alignText.ts)
 *
 * Rows compare the inner text of segments. They omit markup and white space around it; differences there
 * appear only in the divergence.
 *
 * Invariants (property-tested): every turn and segment of either side is in one row, in order. Edits tile
 * both inner texts and turn `a` into `b`. A rollout aligned with itself costs 0 and has no divergence.
 * `alignPair(b, a)` is `alignPair(a, b)` mirrored, at the same cost.
 *
 * Time is nearly linear in the texts. If an exact comparison would take longer, the bounds of `editScript.ts`
 * and `orderedPairs.ts` apply: the alignment is then valid but perhaps not the shortest.
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
import { sharedCells } from './orderedPairs.ts';
import { Vocabulary } from './textUnits.ts';

export type { Relation, SegmentPair } from './alignSegments.ts';
export type { Edits } from './alignText.ts';
export type { CommonPrefix, Divergence, ForkPosition } from './divergence.ts';

/** Ranges beyond the response are clipped to its end. */
export interface AlignableRollout extends Sampled {
  readonly toolCalls: readonly ToolCall[];
}

/** At least one side is present. */
interface TurnPair {
  readonly a?: TurnNumber;
  readonly b?: TurnNumber;
  /** Both sides are present and all their segments are equal. */
  readonly isEqual: boolean;
  /** Between two pairs, segments only in `a` precede those only in `b`. */
  readonly segments: readonly SegmentPair[];
}

export interface PairAlignment {
  /** Between two pairs, turns only in `a` precede those only in `b`. */
  readonly rows: readonly TurnPair[];
  readonly prefix: CommonPrefix;
  /** Absent: the responses are equal. */
  readonly divergence?: Divergence;
  /** UTF-16 units of inner text that only one side has, plus 1 per segment without a counterpart. */
  readonly cost: number;
}

export interface AlignOptions {
  /** Polled often. Once it returns true, `AlignmentCancelled` is thrown. */
  readonly isCancelled?: () => boolean;
  /** Share of the work done, 0 … 1. Called only for comparisons of many rollouts. */
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
  return alignProfiles(
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

/** A rollout with its turns, profiled with the vocabulary of the alignment. */
export interface ProfiledRollout {
  readonly rollout: AlignableRollout;
  readonly turns: readonly TurnProfile[];
}

/**
 * Always compares the two sides in one canonical order and mirrors the result if needed. Of several best
 * alignments, both sides then get the same one.
 */
export function alignProfiles(
  a: ProfiledRollout,
  b: ProfiledRollout,
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
  const align = (inA: TurnProfile | undefined, inB: TurnProfile | undefined, mostCells = 0): void => {
    const segments = alignSegments(
      inA?.segments ?? [],
      inB?.segments ?? [],
      vocabulary,
      checkpoint,
      mostCells,
    );
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
  const pairs = pairTurns(a, b, checkpoint);
  const cells = sharedCells(pairs.map(([x, y]) => [a[x]?.segments.length ?? 0, b[y]?.segments.length ?? 0]));
  pairs.forEach(([x, y], i) => {
    passOver(x, y);
    align(a[x], b[y], cells[i]);
  });
  passOver(a.length, b.length);
  return rows;
}

/** Returns 0 only if the order of the sides cannot affect the result. */
function canonicalOrder(a: ProfiledRollout, b: ProfiledRollout): number {
  const [one, other] = [a.rollout, b.rollout];
  if (one.response !== other.response) return one.response < other.response ? -1 : 1;
  const [oneOutline, otherOutline] = [outline(a), outline(b)];
  if (oneOutline === otherOutline) return 0;
  return oneOutline < otherOutline ? -1 : 1;
}

const outline = ({ turns }: ProfiledRollout): string =>
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

/** Moves rows only in `a` before rows only in `b`, between two pairs. */
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

function costOf(rows: readonly TurnPair[], a: ProfiledRollout, b: ProfiledRollout): number {
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

const innerLengths = ({ turns }: ProfiledRollout): ReadonlyMap<number, number> =>
  new Map(
    turns.flatMap(({ segments }) => segments.map(({ index, range }) => [index, range.end - range.start])),
  );
