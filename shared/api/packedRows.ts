/**
 * Packed rows of a comparison for the wire. Number arrays replace one object per row, block and edit, because
 * two rollouts of 2,000 turns have some twenty thousand of them.
 */
import type { Relation } from '../domain/align.ts';
import type { ComparedBlock, ComparedLane, ComparedRow, Comparison } from './compareRows.ts';

/** Sizes: `L` lanes, `R` rows, `B` blocks in all rows, `E` numbers of all edits. */
export interface PackedComparison {
  readonly laneCount: number;
  /** R × L: turn index; -1: the lane has none. */
  readonly turns: Int32Array;
  /** R: 1 if every lane has the turn, with equal segments. */
  readonly areEqual: Uint8Array;
  /** R: number of blocks up to the end of the row. */
  readonly blockEnds: Int32Array;
  /** B × L: segment index; -1: the lane has none. */
  readonly segments: Int32Array;
  /** B × L: index into `RELATIONS`; 255: none. */
  readonly relations: Uint8Array;
  /** B × L: end of this edit in `edits`. An empty range means no edit, because an edit is never empty. */
  readonly editEnds: Int32Array;
  /** E: edits as `alignText.ts` packs them. */
  readonly edits: Int32Array;
  readonly lanes: readonly (ComparedLane | null)[];
}

const RELATIONS: readonly Relation[] = ['equal', 'similar', 'only'];
const NONE = 255;

export function packComparison({ rows, lanes }: Comparison): PackedComparison {
  const laneCount = lanes.length;
  const blocks = rows.flatMap((row) => row.blocks);
  const all = blocks.flatMap(({ edits }) => edits);
  const edits = new Int32Array(all.reduce((sum, edit) => sum + (edit?.length ?? 0), 0));
  let end = 0;
  const editEnds = Int32Array.from(all, (edit) => {
    if (edit !== null) edits.set(edit, end);
    end += edit?.length ?? 0;
    return end;
  });
  let blockEnd = 0;
  return {
    laneCount,
    turns: Int32Array.from(
      rows.flatMap(({ turns }) => turns),
      (turn) => turn ?? -1,
    ),
    areEqual: Uint8Array.from(rows, ({ isEqual }) => Number(isEqual)),
    blockEnds: Int32Array.from(rows, (row) => {
      blockEnd += row.blocks.length;
      return blockEnd;
    }),
    segments: Int32Array.from(
      blocks.flatMap(({ segments }) => segments),
      (segment) => segment ?? -1,
    ),
    relations: Uint8Array.from(
      blocks.flatMap(({ relations }) => relations),
      (relation) => (relation === null ? NONE : RELATIONS.indexOf(relation)),
    ),
    editEnds,
    edits,
    lanes,
  };
}

/** The returned edits are views of the packed array. */
export function unpackComparison(packed: PackedComparison): Comparison {
  const { laneCount, turns, areEqual, blockEnds, segments, relations, editEnds, edits, lanes } = packed;
  const each = <T>(at: number, value: (i: number) => T): T[] =>
    Array.from({ length: laneCount }, (_, lane) => value(at * laneCount + lane));
  const known = (number: number | undefined): number | null =>
    number === undefined || number < 0 ? null : number;
  const blockAt = (block: number): ComparedBlock => ({
    segments: each(block, (i) => known(segments[i])),
    relations: each(block, (i) => RELATIONS[relations[i] ?? NONE] ?? null),
    edits: each(block, (i) => {
      const from = i === 0 ? 0 : (editEnds[i - 1] ?? 0);
      const to = editEnds[i] ?? from;
      return from === to ? null : edits.subarray(from, to);
    }),
  });
  const rows = Array.from(blockEnds, (end, row): ComparedRow => {
    const from = row === 0 ? 0 : (blockEnds[row - 1] ?? 0);
    return {
      turns: each(row, (i) => known(turns[i])),
      isEqual: areEqual[row] === 1,
      blocks: Array.from({ length: end - from }, (_, i) => blockAt(from + i)),
    };
  });
  return { rows, lanes };
}
