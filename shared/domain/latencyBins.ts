/**
 * Latency bins on a logarithmic scale: ten per decade at the preferred numbers of ISO 3 (R 10), which are
 * short decimals. Unit: milliseconds.
 */
const DECADE = [1, 1.25, 1.6, 2, 2.5, 3.15, 4, 5, 6.3, 8] as const;
/** From 1 ms to 1000 s. */
const DECADES = 6;

/** Bin boundaries, ascending. The first bin is below the first edge, the last bin from the last edge on. */
export const LATENCY_EDGES: readonly number[] = [
  ...Array.from({ length: DECADES }, (_, decade) =>
    // Rounds to the written decimals: 3.15 × 100 is 315, not 315.00000000000006.
    DECADE.map((number) => Math.round(number * 100 * 10 ** decade) / 100),
  ).flat(),
  10 ** DECADES,
];

/** Bins count from 0. */
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

/** Lower end inclusive, upper end exclusive. The last bin has no upper end. */
function latencyBinEnds(bin: number): { readonly fromMs: number; readonly toMs?: number } {
  const [from, to] = [LATENCY_EDGES[bin - 1] ?? 0, LATENCY_EDGES[bin]];
  return to === undefined ? { fromMs: from } : { fromMs: from, toMs: to };
}

/**
 * The bins from the first to the last that holds a call.
 * @param logged calls with a logged latency, by bin
 * @param derived calls whose latency is parsed from the response, by bin
 */
export function binsWithCalls(logged: Float64Array, derived: Float64Array) {
  const all = logged.map((n, bin) => n + (derived[bin] ?? 0));
  const first = all.findIndex((n) => n > 0);
  const last = all.findLastIndex((n) => n > 0);
  return Array.from({ length: last - first + 1 }, (_, i) => {
    const bin = first + i;
    return { ...latencyBinEnds(bin), logged: logged[bin] ?? 0, derived: derived[bin] ?? 0 };
  });
}
