/**
 * Alignment of two to four rollouts. Each is aligned with the baseline (a star). Items that the baseline
 * lacks are aligned among the other lanes, gap by gap.
 *
 *   baseline   t1      t2   t3
 *   lane 1     u1      ·    u2      ◄── pairs with the baseline: alignPair, nothing else
 *   lane 2     v1  v2  v3   v4
 *   lane 3     w1  w2  ·    w3      ◄── v2 and w2 share a gap: one row, if they are similar
 *
 * Invariants (property-tested): every turn and segment of a lane appears once and in order. A lane's edits
 * against the baseline are those of `alignPair`, whatever the other lanes.
 */
import {
  type AlignableRollout,
  type AlignOptions,
  alignProfiles,
  checkpointOf,
  type Edits,
  type PairAlignment,
  type ProfiledRollout,
  type Relation,
} from './align.ts';
import { type SegmentProfile, segmentWorth } from './alignSegments.ts';
import { readTurns, type TurnProfile, turnWorth } from './alignTurns.ts';
import type { Checkpoint } from './editScript.ts';
import type { TurnNumber } from './model.ts';
import { type Item, pairInOrder } from './orderedPairs.ts';
import { Vocabulary } from './textUnits.ts';

export const MAX_LANES = 4;

/** One entry per lane in each list. */
export interface LaneRow {
  readonly turns: readonly (TurnNumber | undefined)[];
  /** Every lane has the turn, with segments equal to the baseline's. */
  readonly isEqual: boolean;
  readonly blocks: readonly LaneBlock[];
}

/** Aligned segments, one entry per lane in each list. */
export interface LaneBlock {
  readonly segments: readonly (number | undefined)[];
  /**
   * Relation to the baseline's segment; `only` if the baseline has none, undefined if the lane has none. The
   * baseline's own entry is `equal`.
   */
  readonly relations: readonly (Relation | undefined)[];
  /** From the baseline's segment to the lane's, for `similar`. */
  readonly edits: readonly (Edits | undefined)[];
}

export interface LaneAlignment {
  readonly rows: readonly LaneRow[];
  /** The baseline (`a`) against each lane (`b`); undefined for the baseline itself. */
  readonly pairs: readonly (PairAlignment | undefined)[];
}

/**
 * @param baseline index into `lanes`
 * @throws AlignmentCancelled; RangeError for no lane, more than four, or an invalid baseline
 */
export function alignLanes(
  lanes: readonly AlignableRollout[],
  baseline: number,
  options: AlignOptions = {},
): LaneAlignment {
  if (lanes.length < 1 || lanes.length > MAX_LANES)
    throw new RangeError(`expected 1 to ${MAX_LANES} lanes, found ${lanes.length}`);
  const vocabulary = new Vocabulary();
  const checkpoint = checkpointOf(options);
  const profiles = lanes.map((rollout) => ({ rollout, turns: readTurns(rollout, vocabulary, checkpoint) }));
  const base = profiles[baseline];
  if (base === undefined)
    throw new RangeError(`expected a baseline below ${lanes.length}, found ${baseline}`);
  const pairs = profiles.map((reading, lane) =>
    lane === baseline ? undefined : alignProfiles(base, reading, vocabulary, checkpoint),
  );
  return { rows: laneRows(profiles, baseline, pairs, checkpoint), pairs };
}

/** The item of each lane in a row; undefined if a lane has none. */
type Row<T> = readonly (T | undefined)[];

function laneRows(
  profiles: readonly ProfiledRollout[],
  baseline: number,
  pairs: readonly (PairAlignment | undefined)[],
  checkpoint: Checkpoint,
): readonly LaneRow[] {
  const relations = pairs.map(relationsOf);
  const turnPartners = pairs.map((pair) => new Map(pair?.rows.map(({ a, b }) => [b, a])));
  const rows = starRows<TurnProfile>({
    lanes: profiles.map(({ turns }) => turns),
    baseline,
    key: ({ turn }) => turn,
    partner: (lane, turn) => turnPartners[lane]?.get(turn),
    worth: turnWorth,
    checkpoint,
  });
  return rows.map((row) => {
    const blocks = starRows<SegmentProfile>({
      lanes: row.map((turn) => turn?.segments ?? []),
      baseline,
      key: ({ index }) => index,
      partner: (lane, segment) => relations[lane]?.get(segment)?.a,
      worth: segmentWorth,
      checkpoint,
    }).map((segments) => blockOf(segments, baseline, relations));
    return {
      turns: row.map((turn) => turn?.turn),
      isEqual: blocks.every((block) => block.relations.every((relation) => relation === 'equal')),
      blocks,
    };
  });
}

type SegmentRelation = PairAlignment['rows'][number]['segments'][number];

/** Keyed by the lane's segment. */
function relationsOf(pair: PairAlignment | undefined): ReadonlyMap<number, SegmentRelation> {
  const bySegment = new Map<number, SegmentRelation>();
  for (const { segments } of pair?.rows ?? []) {
    for (const segment of segments) if (segment.b !== undefined) bySegment.set(segment.b, segment);
  }
  return bySegment;
}

function blockOf(
  segments: Row<SegmentProfile>,
  baseline: number,
  relations: readonly ReadonlyMap<number, SegmentRelation>[],
): LaneBlock {
  const found = segments.map((segment, lane) =>
    segment === undefined || lane === baseline ? undefined : relations[lane]?.get(segment.index),
  );
  return {
    segments: segments.map((segment) => segment?.index),
    relations: segments.map((segment, lane) => {
      if (segment === undefined) return undefined;
      return lane === baseline ? 'equal' : (found[lane]?.relation ?? 'only');
    }),
    edits: found.map((relation) => relation?.edits),
  };
}

interface Star<T> {
  readonly lanes: readonly (readonly T[])[];
  readonly baseline: number;
  readonly key: (item: T) => number;
  /** Key of the baseline's item that a lane's item is paired with. */
  readonly partner: (lane: number, key: number) => number | undefined;
  readonly worth: (a: T, b: T) => number;
  readonly checkpoint: Checkpoint;
}

/**
 * Rows of the baseline's items with their partners. Items that only other lanes have get rows of their own
 * before.
 */
function starRows<T extends Item>({ lanes, baseline, key, partner, worth, checkpoint }: Star<T>): Row<T>[] {
  const next = lanes.map(() => 0);
  const rows: Row<T>[] = [];
  const base = lanes[baseline] ?? [];
  const places = new Map(base.map((item, place) => [key(item), place]));
  /** Per lane: the baseline position of each item, undefined in a gap. */
  const placesOf = lanes.map((items, lane) =>
    items.map((item) => (lane === baseline ? undefined : places.get(partner(lane, key(item)) ?? -1))),
  );
  /** The item of a lane that is paired with a baseline position. */
  const partners = placesOf.map((found) => {
    const byPlace = new Map<number, number>();
    found.forEach((place, i) => {
      if (place !== undefined) byPlace.set(place, i);
    });
    return byPlace;
  });
  for (let place = 0; place <= base.length; place++) {
    const gaps = lanes.map((items, lane) => {
      if (lane === baseline) return [];
      const end = place < base.length ? partners[lane]?.get(place) : items.length;
      if (end === undefined) return []; // unpaired items precede the lane's next pair
      const gap = items.slice(next[lane], end);
      next[lane] = end;
      return gap;
    });
    rows.push(...gapRows(gaps, worth, checkpoint));
    if (place === base.length) break;
    rows.push(
      lanes.map((items, lane) => {
        if (lane === baseline) return base[place];
        const at = partners[lane]?.get(place);
        if (at === undefined) return undefined;
        next[lane] = at + 1;
        return items[at];
      }),
    );
  }
  return rows;
}

/**
 * Aligns the items of a gap, lane after lane. Each lane is paired with the rows so far, by its worth beside
 * the first item of each row.
 */
function gapRows<T extends Item>(
  gaps: readonly (readonly T[])[],
  worth: (a: T, b: T) => number,
  checkpoint: Checkpoint,
): Row<T>[] {
  let rows: { readonly lead: T; readonly row: (T | undefined)[] }[] = [];
  gaps.forEach((items, lane) => {
    const alone = (item: T): (typeof rows)[number] => {
      const row: (T | undefined)[] = gaps.map(() => undefined);
      row[lane] = item;
      return { lead: item, row };
    };
    const merged: typeof rows = [];
    let [nextRow, nextItem] = [0, 0];
    const passOver = (toRow: number, toItem: number): void => {
      merged.push(...rows.slice(nextRow, toRow), ...items.slice(nextItem, toItem).map(alone));
      [nextRow, nextItem] = [toRow + 1, toItem + 1];
    };
    const leads = rows.map(({ lead }) => lead);
    for (const [x, y] of pairInOrder(leads, items, { worth, checkpoint })) {
      passOver(x, y);
      const found = rows[x];
      if (found === undefined) continue;
      found.row[lane] = items[y];
      merged.push(found);
    }
    passOver(rows.length, items.length);
    rows = merged;
  });
  return rows.map(({ row }) => row);
}
