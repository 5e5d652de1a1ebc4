/**
 * Turns in which nothing is a version of anything else: what lanes have alone would stand below each other like a
 * staircase, so segments of one kind stand beside each other instead. They stay what they are: not paired.
 */
import type { ComparedBlock } from '../../../shared/api/contract.ts';
import type { ShownBlock } from './rowModel.ts';

const lanesOf = ({ segments }: ComparedBlock): readonly number[] =>
  segments.flatMap((segment, lane) => (segment === null ? [] : [lane]));

/** No segment of the block is paired with the baseline's. */
function isAlone({ segments, relations }: ComparedBlock, base: number): boolean {
  return segments.every((segment, lane) => segment === null || lane === base || relations[lane] === 'only');
}

const beside = (into: ShownBlock, block: ComparedBlock): ShownBlock => ({
  ...into,
  block: {
    segments: into.block.segments.map((segment, lane) => segment ?? block.segments[lane] ?? null),
    relations: into.block.relations.map((relation, lane) => relation ?? block.relations[lane] ?? null),
    edits: into.block.edits,
  },
});

/** @returns the blocks as they are where any of them is paired; the segments of each lane stay in order */
export function blocksBeside(blocks: readonly ShownBlock[], base: number): readonly ShownBlock[] {
  if (!blocks.every(({ block, isFolded }) => !isFolded && isAlone(block, base))) return blocks;
  const rows: ShownBlock[] = [];
  /** Per lane: the last row that has a segment of it. */
  const last = new Map<number, number>();
  for (const shown of blocks) {
    const lanes = lanesOf(shown.block);
    const least = Math.max(-1, ...lanes.map((lane) => last.get(lane) ?? -1)) + 1;
    const found = rows.findIndex(
      (row, at) =>
        at >= least && row.kind === shown.kind && lanes.every((lane) => row.block.segments[lane] === null),
    );
    const at = found < 0 ? rows.length : found;
    const former = rows[at];
    rows[at] = former === undefined ? shown : beside(former, shown.block);
    for (const lane of lanes) last.set(lane, at);
  }
  return rows;
}
