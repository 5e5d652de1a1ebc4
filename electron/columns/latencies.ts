/** The distribution of tool call latencies over steps: binned counts and exact percentiles. */
import type { LatencyBySource, LatencyDistribution } from '../../shared/api/contract.ts';
import { binsWithCalls, LATENCY_BINS, latencyBinOf } from '../../shared/domain/latencyBins.ts';
import type { Checkpoint } from '../threads/task.ts';
import type { StepTable } from './stepTable.ts';

/** In the order of the counts below. */
const SOURCES = ['logged', 'derived'] as const;
const NO_BIN = 0xff;

export interface CountedStep {
  readonly table: StepTable;
  /** One byte per rollout; 1 includes it. Absent: all rollouts. */
  readonly mask?: Uint8Array;
}

export function latencyDistribution(
  steps: readonly CountedStep[],
  checkpoint: Checkpoint,
): LatencyDistribution {
  const [logged, derived] = [new Float64Array(LATENCY_BINS), new Float64Array(LATENCY_BINS)];
  const counts = [logged, derived];
  let calls = 0;
  let total = 0;
  // Two passes: the second collects only the bins that contain a rank, because a long run has millions of
  // latencies.
  steps.forEach((step, i) => {
    checkpoint(i, 2 * steps.length);
    const found = step.mask === undefined ? binned(step.table).counted : counted(step, binned(step.table));
    calls += found.calls;
    total += found.total;
    counts.forEach((ofSource, source) => {
      const own = found.counts[source];
      for (let bin = 0; bin < LATENCY_BINS; bin++) ofSource[bin] = (ofSource[bin] ?? 0) + (own?.[bin] ?? 0);
    });
  });
  const all = counts.reduce(
    (sum, one) => sum.map((n, bin) => n + (one[bin] ?? 0)),
    new Float64Array(LATENCY_BINS),
  );
  const known = all.reduce((sum, n) => sum + n, 0);
  if (known === 0) return { calls, known, bins: [], sources: [] };

  const ranked = [all, ...counts].map(ranksOf);
  const inBin = new Map(
    ranked.flatMap((ranks) => ranks.map(({ bin }) => [bin, SOURCES.map((): number[] => [])] as const)),
  );
  steps.forEach((step, i) => {
    checkpoint(steps.length + i, 2 * steps.length);
    collect(step, inBin);
  });
  const sorted = new Map(
    [...inBin].map(([bin, bySource]) => {
      const own = bySource.map(ascending);
      const [only, ...others] = own.filter(({ length }) => length > 0);
      return [
        bin,
        [others.length === 0 && only !== undefined ? only : ascending(bySource.flat()), ...own],
      ] as const;
    }),
  );
  /** @param of 0: all; otherwise a source, from 1 */
  const valuesOf = (of: number): readonly number[] =>
    (ranked[of] ?? []).map(({ bin, below }) => sorted.get(bin)?.[of]?.[below] ?? Number.NaN);
  const [p50Ms = 0, p95Ms = 0, maxMs = 0] = valuesOf(0);
  return {
    ...{ calls, known, bins: binsWithCalls(logged, derived) },
    summary: { meanMs: total / known, p50Ms, p95Ms, maxMs },
    sources: SOURCES.flatMap((source, i): readonly LatencyBySource[] => {
      const ofSource = counts[i]?.reduce((sum, n) => sum + n, 0) ?? 0;
      const [p50 = 0, p95 = 0, max = 0] = valuesOf(i + 1);
      return ofSource === 0 ? [] : [{ source, calls: ofSource, p50Ms: p50, p95Ms: p95, maxMs: max }];
    }),
  };
}

interface Rank {
  readonly bin: number;
  /** Number of values in the bin before this rank. */
  readonly below: number;
}

/** Ranks of the median, the 95th percentile and the maximum (nearest rank). Empty without values. */
function ranksOf(counts: Float64Array): readonly Rank[] {
  const count = counts.reduce((sum, n) => sum + n, 0);
  if (count === 0) return [];
  return [0.5, 0.95, 1].map((share) => {
    let below = Math.max(0, Math.ceil(share * count) - 1);
    let bin = 0;
    while (below >= (counts[bin] ?? 0)) below -= counts[bin++] ?? 0;
    return { bin, below };
  });
}

const ascending = (values: readonly number[]): Float64Array => Float64Array.from(values).sort();

interface Counted {
  readonly calls: number;
  /** Sum of the known latencies, in milliseconds. */
  readonly total: number;
  /** Indexed by source, then by bin. */
  readonly counts: readonly Float64Array[];
}

interface BinnedStep {
  /** Bin of each call. */
  readonly bins: Uint8Array;
  /** Counts over all rollouts. */
  readonly counted: Counted;
}

/** A changed step is another table, so entries need no invalidation. */
const BINNED = new WeakMap<StepTable, BinnedStep>();

/** Bins of a step's calls, with counts. Computed once, so that an unfiltered chart scans no calls. */
function binned(table: StepTable): BinnedStep {
  const known = BINNED.get(table);
  if (known !== undefined) return known;
  const bins = Uint8Array.from(table.column('callLatencyMs'), (ms) =>
    Number.isNaN(ms) ? NO_BIN : latencyBinOf(ms),
  );
  const made = { bins, counted: counted({ table }, { bins }) };
  BINNED.set(table, made);
  return made;
}

/** Index into SOURCES of a call with a latency. */
const sourceOf = (isLogged: number | undefined): number => (isLogged === 1 ? 0 : 1);

function counted({ table, mask }: CountedStep, { bins }: Pick<BinnedStep, 'bins'>): Counted {
  const rollout = table.column('callRollout');
  const isLogged = table.column('callLatencyLogged');
  const latencyMs = table.column('callLatencyMs');
  const counts = SOURCES.map(() => new Float64Array(LATENCY_BINS));
  let calls = 0;
  let total = 0;
  for (let call = 0; call < bins.length; call++) {
    if (mask !== undefined && mask[rollout[call] ?? 0] === 0) continue;
    calls++;
    const bin = bins[call] ?? NO_BIN;
    const ofSource = counts[sourceOf(isLogged[call])];
    if (bin === NO_BIN || ofSource === undefined) continue;
    ofSource[bin] = (ofSource[bin] ?? 0) + 1;
    total += latencyMs[call] ?? 0;
  }
  return { calls, total, counts };
}

/** Collects the latencies of the requested bins by source. */
function collect({ table, mask }: CountedStep, inBin: ReadonlyMap<number, readonly number[][]>): void {
  const { bins } = binned(table);
  const rollout = table.column('callRollout');
  const isLogged = table.column('callLatencyLogged');
  const latencyMs = table.column('callLatencyMs');
  const isWanted = new Uint8Array(NO_BIN + 1);
  for (const bin of inBin.keys()) isWanted[bin] = 1;
  for (let call = 0; call < bins.length; call++) {
    const bin = bins[call] ?? NO_BIN;
    if (isWanted[bin] === 0 || (mask !== undefined && mask[rollout[call] ?? 0] === 0)) continue;
    inBin.get(bin)?.[sourceOf(isLogged[call])]?.push(latencyMs[call] ?? 0);
  }
}
