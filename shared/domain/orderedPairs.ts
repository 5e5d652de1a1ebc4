/**
 * Pairs the items of two lists in order (without crossings) for maximum total worth.
 *
 *   equal ends ──► few cells: dynamic programming over all of them
 *              └─► many: anchors (items that share marks no other item has), then the gaps between anchors,
 *                  each over all cells or, if those are still too many, over a band around its diagonal
 *
 * Memory is bounded by `MAX_CELLS` per gap and linear in the items beyond that, time by `MOST_CELLS` over all gaps.
 */
import type { Checkpoint } from './editScript.ts';

/** Maximum size of a table that is computed whole: 256 × 256 items. */
const MAX_CELLS = 1 << 16;
/**
 * Maximum cells of all gaps together. Lists of up to 2,048 items never reach it; for 20,000 unequal turns, a table of
 * `MAX_CELLS` in each gap would take 20 s.
 */
const MOST_CELLS = 8 * MAX_CELLS;
/** Exclusive common marks that make two unequal items an anchor. */
const ANCHOR_MARKS = 3;
/** An anchor must also have at least this worth, because hashes alone could mislead. */
const ANCHOR_WORTH = 0.5;
/** Equality counts as this many marks. */
const EQUAL_MARKS = 16;

export interface Item {
  /** Equal exactly for equal items. */
  readonly identity: number;
  /** Hashes of the item's contents. A mark that only two items share makes them candidates for an anchor. */
  readonly marks: Uint32Array;
}

export interface PairingOptions<T> {
  /** Worth of a pair, about 1 for equal items. 0 or less: never paired. */
  readonly worth: (a: T, b: T) => number;
  readonly checkpoint: Checkpoint;
  /** Maximum cells of all gaps. Less than the default for one of many pairings. */
  readonly mostCells?: number;
}

/** Pairs of indices, ascending in both. */
export type OrderedPairs = readonly (readonly [a: number, b: number])[];

export function pairInOrder<T extends Item>(
  a: readonly T[],
  b: readonly T[],
  { worth, checkpoint, mostCells = MOST_CELLS }: PairingOptions<T>,
): OrderedPairs {
  const pairs: (readonly [number, number])[] = [];
  const least = Math.min(a.length, b.length);
  let head = 0;
  for (; head < least && a[head]?.identity === b[head]?.identity; head++) pairs.push([head, head]);
  const isMany = (a.length - head) * (b.length - head) > MAX_CELLS;
  // In few items an equal end may be worth less than another pair. In lists of one length it is at one place.
  const mayTrim = isMany || a.length === b.length;
  let tail = 0;
  while (mayTrim && tail < least - head && a.at(-1 - tail)?.identity === b.at(-1 - tail)?.identity) tail++;
  const endA = a.length - tail;
  const endB = b.length - tail;

  const worthAt = (i: number, j: number): number => {
    const [x, y] = [a[i], b[j]];
    return x === undefined || y === undefined ? 0 : worth(x, y);
  };
  const mostOfGap = Math.min(MAX_CELLS, mostCells);
  const isMuch = (endA - head) * (endB - head) > mostOfGap;
  const anchors = isMuch ? anchorsOf(a.slice(head, endA), b.slice(head, endB)) : [];
  const gaps: Gap[] = [];
  let [fromA, fromB] = [head, head];
  for (const [x, y] of anchors) {
    const [i, j] = [x + head, y + head];
    if (worthAt(i, j) < ANCHOR_WORTH) continue;
    gaps.push({ fromA, toA: i, fromB, toB: j });
    [fromA, fromB] = [i + 1, j + 1];
  }
  gaps.push({ fromA, toA: endA, fromB, toB: endB });
  const cells = gaps.reduce((sum, gap) => sum + Math.min(MAX_CELLS, rowsOf(gap) * columnsOf(gap)), 0);
  for (const gap of gaps) {
    checkpoint();
    // Too many cells are shared out by rows, so that every gap keeps a band of about the same width.
    const share = cells <= mostCells ? mostOfGap : (mostCells * rowsOf(gap)) / (endA - head);
    for (const pair of bestPairs(gap, Math.min(mostOfGap, share), worthAt)) pairs.push(pair);
    // The gap ends at an anchor, or at the equal ends of both lists.
    if (gap.toA < endA && gap.toB < endB) pairs.push([gap.toA, gap.toB]);
  }
  for (let i = 0; i < tail; i++) pairs.push([endA + i, endB + i]);
  return pairs;
}

/** Shares `MOST_CELLS` among pairings of lists of these lengths, if they would need more together. */
export function sharedCells(lengths: readonly (readonly [a: number, b: number])[]): readonly number[] {
  const cells = lengths.map(([a, b]) => Math.min(MAX_CELLS, a * b));
  const total = cells.reduce((sum, own) => sum + own, 0);
  return cells.map((own) => (total <= MOST_CELLS ? MOST_CELLS : (MOST_CELLS * own) / total));
}

/** Items between two anchors. Ends are exclusive. */
interface Gap {
  readonly fromA: number;
  readonly toA: number;
  readonly fromB: number;
  readonly toB: number;
}

const rowsOf = ({ fromA, toA }: Gap): number => toA - fromA;
const columnsOf = ({ fromB, toB }: Gap): number => toB - fromB;

/** Pairs of items that share marks (or are equal) exclusively, as many marks as keep their order. */
function anchorsOf(a: readonly Item[], b: readonly Item[]): OrderedPairs {
  const [onlyInA, onlyInB] = [onlyOwners(a), onlyOwners(b)];
  const votes = a.map(() => new Map<number, number>());
  for (const [mark, i] of onlyInA) {
    const j = onlyInB.get(mark);
    if (i < 0 || j === undefined || j < 0) continue;
    const counts = votes[i];
    const weight = typeof mark === 'string' ? EQUAL_MARKS : 1;
    counts?.set(j, (counts.get(j) ?? 0) + weight);
  }
  const favourites = votes.map(favouriteOf);
  const wooers = b.map(() => new Map<number, number>());
  favourites.forEach((favourite, i) => {
    if (favourite !== undefined) wooers[favourite.item]?.set(i, favourite.votes);
  });
  const candidates = favourites.flatMap((favourite, i) =>
    favourite !== undefined &&
    favourite.votes >= ANCHOR_MARKS &&
    favouriteOf(wooers[favourite.item] ?? new Map())?.item === i
      ? [{ a: i, b: favourite.item, weight: favourite.votes }]
      : [],
  );
  return heaviestRising(candidates, b.length);
}

/** Mark → the only item with it; -1: several have it. Identities form a separate kind of mark. */
function onlyOwners(items: readonly Item[]): ReadonlyMap<number | string, number> {
  const owners = new Map<number | string, number>();
  items.forEach(({ identity, marks }, i) => {
    const own = (mark: number | string): void => void owners.set(mark, owners.has(mark) ? -1 : i);
    own(`=${identity}`);
    for (const mark of marks) own(mark);
  });
  return owners;
}

function favouriteOf(
  votes: ReadonlyMap<number, number>,
): { readonly item: number; readonly votes: number } | undefined {
  let best: { item: number; votes: number } | undefined;
  for (const [item, count] of votes) {
    if (best === undefined || count > best.votes) best = { item, votes: count };
  }
  return best;
}

interface Candidate {
  readonly a: number;
  readonly b: number;
  readonly weight: number;
}

/**
 * The heaviest subsequence that ascends in `b`; candidates ascend in `a`. A Fenwick tree holds the best end
 * per `b`.
 */
function heaviestRising(candidates: readonly Candidate[], length: number): OrderedPairs {
  const tree = new Int32Array(length + 1).fill(-1);
  const total = new Float64Array(candidates.length);
  const before = new Int32Array(candidates.length).fill(-1);
  const heavier = (one: number, other: number): boolean =>
    one >= 0 && (other < 0 || (total[one] ?? 0) > (total[other] ?? 0));
  let best = -1;
  candidates.forEach(({ b, weight }, i) => {
    let end = -1;
    for (let at = b; at > 0; at -= at & -at) {
      const found = tree[at] ?? -1;
      if (heavier(found, end)) end = found;
    }
    before[i] = end;
    total[i] = weight + (end < 0 ? 0 : (total[end] ?? 0));
    for (let at = b + 1; at <= length; at += at & -at) {
      if (heavier(i, tree[at] ?? -1)) tree[at] = i;
    }
    if (heavier(i, best)) best = i;
  });
  const chosen: (readonly [number, number])[] = [];
  for (let i = best; i >= 0; i = before[i] ?? -1) {
    const candidate = candidates[i];
    if (candidate !== undefined) chosen.push([candidate.a, candidate.b]);
  }
  return chosen.reverse();
}

const NONE = 0;
const SKIP_A = 1;
const SKIP_B = 2;
const PAIR = 3;

/**
 * Dynamic programming over all cells of a gap, or a band of them. Row i holds the best total over
 * the last i items of `a` and the last j of `b`, for the j of its window; totals grow with i and j. It runs
 * from the end, so that the traceback runs forward and, at equal worth, pairs first with first.
 */
function bestPairs(gap: Gap, maxCells: number, worthAt: (i: number, j: number) => number): OrderedPairs {
  const { toA, toB } = gap;
  const rows = rowsOf(gap);
  const columns = columnsOf(gap);
  if (rows <= 0 || columns <= 0) return [];
  /** Columns of a row, including the 0th. At least 3, so that even very long lists may pair i with i ± 1. */
  const width = Math.min(columns + 1, Math.max(3, Math.floor(maxCells / rows)));
  const isWhole = width === columns + 1;
  const firstOf = (row: number): number =>
    isWhole ? 0 : Math.min(columns + 1 - width, Math.max(0, Math.round((row * columns) / rows - width / 2)));

  const moves = new Uint8Array((rows + 1) * width);
  let above = new Float64Array(width);
  let here = new Float64Array(width);
  moves.fill(SKIP_B, 0, width);
  moves[0] = NONE;
  for (let row = 1; row <= rows; row++) {
    const first = firstOf(row);
    const shift = first - firstOf(row - 1);
    for (let at = 0; at < width; at++) {
      const column = first + at;
      // Right of the window above, its last total still applies, because skipping items of `b` costs nothing.
      const up = above[Math.min(width - 1, at + shift)] ?? 0;
      let best = up;
      let move = SKIP_A;
      const left = at > 0 ? (here[at - 1] ?? 0) : -1;
      if (left > best) {
        best = left;
        move = SKIP_B;
      }
      const diagonal = at + shift - 1;
      if (column > 0 && diagonal >= 0) {
        const value = worthAt(toA - row, toB - column);
        const total = (above[Math.min(width - 1, diagonal)] ?? 0) + value;
        if (value > 0 && total >= best) {
          best = total;
          move = PAIR;
        }
      }
      here[at] = best;
      moves[row * width + at] = move;
    }
    [above, here] = [here, above];
  }

  const pairs: (readonly [number, number])[] = [];
  let row = rows;
  let column = columns;
  while (row > 0 && column > 0) {
    const first = firstOf(row);
    if (column >= first + width) column = first + width - 1; // skipping them costs nothing, see `up`
    if (column < first) break;
    switch (moves[row * width + column - first]) {
      case PAIR:
        pairs.push([toA - row--, toB - column--]);
        break;
      case SKIP_A:
        row--;
        break;
      default:
        column--;
    }
  }
  return pairs;
}
