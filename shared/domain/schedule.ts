/**
 * Schedule arithmetic over intervals `[start, end)` in seconds: concurrency, idle time and stragglers.
 * Definitions are Turnwise's own and stated on the screen; only concurrency and utilization are common terms.
 */

/** A count over time: `counts[i]` holds from `at[i]` up to `at[i + 1]`; the last one is 0. */
export interface InFlight {
  readonly at: Float64Array;
  readonly counts: Uint32Array;
}

/** Number of open intervals over time. An interval that ends where another begins does not overlap it. */
export function inFlight(starts: Float64Array, ends: Float64Array): InFlight {
  const opened = starts.slice().sort();
  const closed = ends.slice().sort();
  const at = new Float64Array(starts.length * 2);
  const counts = new Uint32Array(starts.length * 2);
  let points = 0;
  let open = 0;
  for (let i = 0, j = 0; j < closed.length; ) {
    const time = Math.min(opened[i] ?? Number.POSITIVE_INFINITY, closed[j] ?? Number.POSITIVE_INFINITY);
    while (i < opened.length && opened[i] === time) {
      open++;
      i++;
    }
    while (j < closed.length && closed[j] === time) {
      open--;
      j++;
    }
    if (points > 0 && counts[points - 1] === open) continue;
    at[points] = time;
    counts[points++] = open;
  }
  return { at: at.slice(0, points), counts: counts.slice(0, points) };
}

export function peakOf({ counts }: Pick<InFlight, 'counts'>): number {
  return counts.reduce((most, count) => Math.max(most, count), 0);
}

/** Seconds during which at least one interval is open. */
export function busySeconds(starts: ArrayLike<number>, ends: ArrayLike<number>): number {
  let busy = 0;
  let until = Number.NEGATIVE_INFINITY;
  for (const i of byStart(starts)) {
    const start = starts[i] ?? 0;
    const end = ends[i] ?? 0;
    busy += Math.max(0, end - Math.max(start, until));
    until = Math.max(until, end);
  }
  return busy;
}

/** Indices ordered by start. Stable. */
function byStart(starts: ArrayLike<number>): Uint32Array {
  const order = Uint32Array.from({ length: starts.length }, (_, i) => i);
  return order.sort((a, b) => (starts[a] ?? 0) - (starts[b] ?? 0) || a - b);
}

export interface PackedRows {
  /** Row of each interval, from 0. */
  readonly row: Uint32Array;
  readonly rows: number;
}

/** Packs intervals into rows without overlap. Each goes into the row that has been free the longest. */
export function packRows(starts: ArrayLike<number>, ends: ArrayLike<number>): PackedRows {
  const row = new Uint32Array(starts.length);
  // A heap of rows, ordered by the time they become free.
  const heap: { free: number; row: number }[] = [];
  let rows = 0;
  for (const i of byStart(starts)) {
    const start = starts[i] ?? 0;
    const end = ends[i] ?? 0;
    const [first] = heap;
    if (first !== undefined && first.free <= start) {
      row[i] = first.row;
      first.free = end;
      sink(heap);
    } else {
      row[i] = rows;
      heap.push({ free: end, row: rows++ });
      rise(heap);
    }
  }
  return { row, rows };
}

function rise(heap: { free: number; row: number }[]): void {
  for (let at = heap.length - 1; at > 0; ) {
    const above = (at - 1) >> 1;
    if (!swapped(heap, above, at)) return;
    at = above;
  }
}

function sink(heap: { free: number; row: number }[]): void {
  for (let at = 0; ; ) {
    const left = 2 * at + 1;
    const least =
      (heap[left + 1]?.free ?? Number.POSITIVE_INFINITY) < (heap[left]?.free ?? 0) ? left + 1 : left;
    if (!swapped(heap, at, least)) return;
    at = least;
  }
}

/** @returns whether the lower entry had to move up */
function swapped(heap: { free: number; row: number }[], upper: number, lower: number): boolean {
  const [high, low] = [heap[upper], heap[lower]];
  if (high === undefined || low === undefined || high.free <= low.free) return false;
  heap[upper] = low;
  heap[lower] = high;
  return true;
}

/** The tail begins after this share of all ends. */
const TAIL_SHARE = 0.9;
/** A straggler takes more than this many medians. */
export const STRAGGLER_MEDIANS = 2;

export interface StepTimes {
  /** Start of the first rollout, in seconds since 1970. */
  readonly startedAt: number;
  /** From the first start to the last end. */
  readonly wallSeconds: number;
  /** The time at which 90 % of the rollouts had ended (nearest rank), and the duration of the rest. */
  readonly tailFrom: number;
  readonly tailSeconds: number;
  /** Median duration, nearest rank. */
  readonly medianSeconds: number;
}

/** @returns undefined for no intervals */
export function stepTimes(starts: Float64Array, ends: Float64Array): StepTimes | undefined {
  if (starts.length === 0) return undefined;
  const ended = ends.slice().sort();
  const first = starts.reduce((least, start) => Math.min(least, start), Number.POSITIVE_INFINITY);
  const last = ended[ended.length - 1] ?? 0;
  const tailFrom = nearestRank(ended, TAIL_SHARE);
  return {
    startedAt: first,
    wallSeconds: last - first,
    tailFrom,
    tailSeconds: last - tailFrom,
    medianSeconds: nearestRank(ends.map((end, i) => end - (starts[i] ?? 0)).sort(), 0.5),
  };
}

/** The least value that at least this share of the values does not exceed. NaN for no values. */
export function nearestRank(sorted: ArrayLike<number>, share: number): number {
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
}

/** Ends in the tail and took more than twice the median. A rollout that merely began late is no straggler. */
export function isStraggler(start: number, end: number, times: StepTimes): boolean {
  return end > times.tailFrom && end - start > STRAGGLER_MEDIANS * times.medianSeconds;
}

/**
 * Mean calls in flight by Little's law: the total time of all calls divided by the time in which they were
 * made. An estimate, for calls whose start is unknown. Unknown latencies make it too low.
 */
export function meanInFlight(latencySeconds: number, wallSeconds: number): number {
  return wallSeconds > 0 ? latencySeconds / wallSeconds : Number.NaN;
}
