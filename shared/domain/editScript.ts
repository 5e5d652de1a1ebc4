/**
 * Common runs of two sequences of units, in order: a longest common subsequence if affordable, else runs
 * anchored on rare passages.
 *
 *   span ──► trim equal ends ──► drop units the other side lacks ──► Myers, up to MAX_EDITS edits
 *                                                                      │ too many
 *              sub-spans ◄── split at passages unique on both sides ◄──┘
 *                                                                      │ no such passage, or budget used up
 *                                                              replaced whole
 *
 * The first three steps are lossless: they find a longest common subsequence. After that the result is still
 * common and in order, but perhaps not the longest. Time is bounded by `STEPS_PER_UNIT` steps per unit and
 * `MAX_STEPS` in all, for any input.
 */

/** A span is compared exactly up to this many edits. Spans of at most this many units always are. */
const MAX_EDITS = 512;
const STEPS_PER_UNIT = 256;
const MIN_STEPS = 1 << 20;
/** About a quarter of a second. */
const MAX_STEPS = 1 << 26;
/** Lengths of the passages that split a span, longest first, because long passages are better evidence. */
const PASSAGES = [8, 3, 1] as const;
/** Approximate cost of a search for passages, in steps per unit. */
const STEPS_OF_A_LOOK = 16;

/** Called regularly; may throw to cancel the work. */
export type Checkpoint = () => void;

/** Flat runs of three: index in `a`, index in `b`, common units. Increasing in both, never empty. */
export type CommonRuns = Int32Array;

/** @param a ids, equal for equal units */
export function commonRuns(a: Int32Array, b: Int32Array, checkpoint: Checkpoint): CommonRuns {
  return new Comparison(a, b, checkpoint).run();
}

/** Indices into the two sequences that are still to be compared. */
interface Span {
  readonly a: Int32Array;
  readonly b: Int32Array;
}

class Comparison {
  private readonly a: Int32Array;
  private readonly b: Int32Array;
  /** Per id: the last search (from 1) that found it on this side. */
  private readonly inA: Int32Array;
  private readonly inB: Int32Array;
  private looks = 0;
  private readonly checkpoint: Checkpoint;
  private steps: number;
  private readonly runs: number[] = [];

  constructor(a: Int32Array, b: Int32Array, checkpoint: Checkpoint) {
    const numbers = new Map<number, number>();
    this.a = renumbered(a, numbers);
    this.b = renumbered(b, numbers);
    this.inA = new Int32Array(numbers.size);
    this.inB = new Int32Array(numbers.size);
    this.checkpoint = checkpoint;
    this.steps = Math.min(STEPS_PER_UNIT * (a.length + b.length) + MIN_STEPS, MAX_STEPS);
  }

  run(): CommonRuns {
    const waiting: Span[] = [];
    /** Spans leave the stack in text order, so that runs are written in order. */
    const postpone = (spans: readonly Span[]): void => {
      for (let i = spans.length - 1; i >= 0; i--) {
        const span = spans[i];
        if (span !== undefined) waiting.push(span);
      }
    };
    postpone(this.trimmed({ a: indices(this.a.length), b: indices(this.b.length) }));
    for (let span = waiting.pop(); span !== undefined; span = waiting.pop()) {
      this.checkpoint();
      if (isDecided(span)) this.write(span);
      else postpone(this.parts(span));
    }
    return new Int32Array(this.runs);
  }

  private isSame(x: number | undefined, y: number | undefined): boolean {
    return this.a[x ?? -1] === this.b[y ?? -1];
  }

  /** Equal ends become decided spans; the text between them becomes another span. */
  private trimmed({ a, b }: Span): Span[] {
    const least = Math.min(a.length, b.length);
    let head = 0;
    while (head < least && this.isSame(a[head], b[head])) head++;
    let tail = 0;
    while (tail < least - head && this.isSame(a[a.length - 1 - tail], b[b.length - 1 - tail])) tail++;
    this.steps -= head + tail;
    const ends = { a: a.length - tail, b: b.length - tail };
    return [
      decided(a.subarray(0, head), b.subarray(0, head)),
      { a: a.subarray(head, ends.a), b: b.subarray(head, ends.b) },
      decided(a.subarray(ends.a), b.subarray(ends.b)),
    ].filter((span) => span.a.length > 0 && span.b.length > 0);
  }

  private parts(span: Span): Span[] {
    const shared = this.withCounterpart(span);
    if (shared.a.length === 0 || shared.b.length === 0 || this.steps <= 0) return [];
    const exact = this.longest(shared);
    if (exact !== undefined) return [exact];
    for (const length of PASSAGES) {
      if (this.steps <= 0) return [];
      const anchors = this.anchors(shared, length);
      if (anchors.length > 0) return this.split(shared, anchors);
    }
    return [];
  }

  /** Drops units that the other side lacks, because no common subsequence contains them. */
  private withCounterpart({ a, b }: Span): Span {
    const { inA, inB } = this;
    const look = ++this.looks;
    for (const x of a) inA[this.a[x] ?? -1] = look;
    for (const y of b) inB[this.b[y] ?? -1] = look;
    this.steps -= a.length + b.length;
    return {
      a: a.filter((x) => inB[this.a[x] ?? -1] === look),
      b: b.filter((y) => inA[this.b[y] ?? -1] === look),
    };
  }

  /** Myers' greedy algorithm (1986) with its trace kept. Undefined if it takes more than MAX_EDITS edits. */
  private longest({ a, b }: Span): Span | undefined {
    const left = a.map((x) => this.a[x] ?? -1);
    const right = b.map((y) => this.b[y] ?? -1);
    const most = Math.min(MAX_EDITS, left.length + right.length);
    const reach = new Int32Array(2 * most + 3);
    const zero = most + 1;
    const trace: Int32Array[] = [];
    for (let edits = 0; edits <= most; edits++) {
      trace.push(reach.slice(zero - edits - 1, zero + edits + 2));
      for (let k = -edits; k <= edits; k += 2) {
        const below = reach[zero + k - 1] ?? 0;
        const above = reach[zero + k + 1] ?? 0;
        let x = k === -edits || (k !== edits && below < above) ? above : below + 1;
        const from = x;
        while (x < left.length && x - k < right.length && left[x] === right[x - k]) x++;
        this.steps -= 1 + x - from;
        reach[zero + k] = x;
        if (x === left.length && x - k === right.length) return traced({ a, b }, trace, edits);
      }
      if (this.steps <= 0) return undefined;
      if (edits % 64 === 63) this.checkpoint();
    }
    return undefined;
  }

  /** Positions (in `span`) of passages that occur once on either side; as many as keep their order. */
  private anchors({ a, b }: Span, length: number): readonly (readonly [number, number])[] {
    this.steps -= STEPS_OF_A_LOOK * (a.length + b.length);
    const inA = this.onlyPlaces(a, this.a, length);
    const inB = this.onlyPlaces(b, this.b, length);
    const pairs: (readonly [number, number])[] = [];
    for (const [hash, x] of inA) {
      const y = inB.get(hash);
      if (x < 0 || y === undefined || y < 0) continue;
      let same = 0;
      while (same < length && this.isSame(a[x + same], b[y + same])) same++;
      if (same === length) pairs.push([x, y]);
    }
    pairs.sort((one, other) => one[0] - other[0]);
    return longestRising(pairs);
  }

  /** Hash of a passage → its position; -1: occurs more than once. */
  private onlyPlaces(span: Int32Array, ids: Int32Array, length: number): Map<number, number> {
    const places = new Map<number, number>();
    for (let at = 0; at + length <= span.length; at++) {
      let hash = 0;
      for (let i = 0; i < length; i++) {
        hash = Math.imul(hash ^ (ids[span[at + i] ?? -1] ?? -1), 0x9e3779b1);
        hash ^= hash >>> 15;
      }
      places.set(hash, places.has(hash) ? -1 : at);
    }
    return places;
  }

  private split({ a, b }: Span, anchors: readonly (readonly [number, number])[]): Span[] {
    const spans: Span[] = [];
    let fromA = 0;
    let fromB = 0;
    for (let i = 0; i < anchors.length; i++) {
      const [x, y] = anchors[i] ?? [0, 0];
      if (x < fromA || y < fromB) continue; // inside the end that was trimmed before
      spans.push(...this.trimmed({ a: a.subarray(fromA, x), b: b.subarray(fromB, y) }));
      let endA = x;
      let endB = y;
      while (endA < a.length && endB < b.length && this.isSame(a[endA], b[endB])) {
        endA++;
        endB++;
      }
      spans.push(decided(a.subarray(x, endA), b.subarray(y, endB)));
      this.steps -= endA - x;
      fromA = endA;
      fromB = endB;
    }
    spans.push(...this.trimmed({ a: a.subarray(fromA), b: b.subarray(fromB) }));
    return spans;
  }

  private write({ a, b }: Span): void {
    const { runs } = this;
    for (let i = 0; i < a.length; i++) {
      const x = a[i] ?? 0;
      const y = b[i] ?? 0;
      const last = runs.length - 3;
      const [lastA = 0, lastB = 0, length = 0] = last < 0 ? [] : [runs[last], runs[last + 1], runs[last + 2]];
      if (last >= 0 && lastA + length === x && lastB + length === y) runs[last + 2] = length + 1;
      else runs.push(x, y, 1);
    }
  }
}

/** A span whose sides are equal unit by unit. */
interface DecidedSpan extends Span {
  readonly isDecided: true;
}

const decided = (a: Int32Array, b: Int32Array): DecidedSpan => ({ a, b, isDecided: true });
const isDecided = (span: Span): boolean => 'isDecided' in span;

function indices(length: number): Int32Array {
  const all = new Int32Array(length);
  for (let i = 0; i < length; i++) all[i] = i;
  return all;
}

/** Ids in order of first occurrence, so that the result does not depend on earlier numbering. */
function renumbered(ids: Int32Array, numbers: Map<number, number>): Int32Array {
  return ids.map((id) => {
    const known = numbers.get(id);
    if (known !== undefined) return known;
    numbers.set(id, numbers.size);
    return numbers.size - 1;
  });
}

/**
 * Walks Myers' trace back from the end. `trace[d]` is the reach before the d-th round, diagonals -d-1 … d+1.
 */
function traced({ a, b }: Span, trace: readonly Int32Array[], edits: number): DecidedSpan {
  const matchedA: number[] = [];
  const matchedB: number[] = [];
  let x = a.length;
  let y = b.length;
  for (let d = edits; d >= 0; d--) {
    const reach = trace[d] ?? new Int32Array(0);
    const k = x - y;
    const below = reach[k - 1 + d + 1] ?? 0;
    const above = reach[k + 1 + d + 1] ?? 0;
    const comesDown = k === -d || (k !== d && below < above);
    const fromX = d === 0 ? 0 : comesDown ? above : below;
    const fromY = d === 0 ? 0 : fromX - (comesDown ? k + 1 : k - 1);
    while (x > fromX && y > fromY) {
      matchedA.push(a[--x] ?? 0);
      matchedB.push(b[--y] ?? 0);
    }
    x = fromX;
    y = fromY;
  }
  return decided(new Int32Array(matchedA.reverse()), new Int32Array(matchedB.reverse()));
}

/** The longest subsequence of pairs, ascending in the first number, that also ascends in the second. */
export function longestRising(
  pairs: readonly (readonly [number, number])[],
): readonly (readonly [number, number])[] {
  const ends: number[] = []; // ends[length - 1]: the pair with the least second number that ends such a subsequence
  const before = new Int32Array(pairs.length).fill(-1);
  for (let i = 0; i < pairs.length; i++) {
    const value = pairs[i]?.[1] ?? 0;
    let low = 0;
    let high = ends.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((pairs[ends[middle] ?? 0]?.[1] ?? 0) < value) low = middle + 1;
      else high = middle;
    }
    before[i] = low === 0 ? -1 : (ends[low - 1] ?? -1);
    ends[low] = i;
  }
  const chosen: (readonly [number, number])[] = [];
  for (let i = ends.at(-1) ?? -1; i >= 0; i = before[i] ?? -1) {
    const pair = pairs[i];
    if (pair !== undefined) chosen.push(pair);
  }
  return chosen.reverse();
}
