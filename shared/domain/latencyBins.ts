/**
 * Bins of latencies on a logarithmic scale: ten to a decade at the preferred numbers of ISO 3 (R 10), which people can
 * read and a filter can say exactly. Unit: milliseconds.
 */
const DECADE = [1, 1.25, 1.6, 2, 2.5, 3.15, 4, 5, 6.3, 8] as const;
/** From 1 ms to a thousand seconds. */
const DECADES = 6;

/** Where the bins end, in order: the first bin lies below the first edge, the last from the last edge on. */
export const LATENCY_EDGES: readonly number[] = [
  ...Array.from({ length: DECADES }, (_, decade) =>
    // Decimals as they are written: 3.15 times 100 is 315, and not 315.00000000000006.
    DECADE.map((number) => Math.round(number * 100 * 10 ** decade) / 100),
  ).flat(),
  10 ** DECADES,
];

/** Bins are counted from 0. */
export const LATENCY_BINS = LATENCY_EDGES.length + 1;

/** @param ms not NaN */
export function latencyBinOf(ms: number): number {
  let low = 0;
  let high = LATENCY_EDGES.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ms >= (LATENCY_EDGES[middle] ?? 0)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** From, inclusive, and to, exclusive; the last bin has no end. */
export function latencyBinEnds(bin: number): { readonly fromMs: number; readonly toMs?: number } {
  const [from, to] = [LATENCY_EDGES[bin - 1] ?? 0, LATENCY_EDGES[bin]];
  return to === undefined ? { fromMs: from } : { fromMs: from, toMs: to };
}
