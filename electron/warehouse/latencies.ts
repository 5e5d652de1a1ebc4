/** How long the tool calls of a run took, counted by the engine, as `electron/columns/latencies.ts` counts them in a library. */
import { z } from 'zod';
import type { LatencyBySource, LatencyDistribution } from '../../shared/api/contract.ts';
import type { FilterNode } from '../../shared/domain/filter/node.ts';
import { binsWithCalls, LATENCY_BINS, LATENCY_EDGES, latencyBinOf } from '../../shared/domain/latencyBins.ts';
import type { OnShare, QueryParams, Warehouse } from './connection.ts';
import { filterCondition, type OwnRollouts } from './filterSql.ts';
import { nearestRank } from './steps.ts';
import { checkVersion } from './tables.ts';

export interface LatencyQuestion {
  readonly run: string;
  /** The first and the last step to count. Absent: those of the run. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  readonly filter: FilterNode;
  readonly own?: OwnRollouts;
}

const calls = z.number().int().nonnegative();
/** The source of latencies. Null: all latencies. */
const SOURCE = z.object({ source: z.enum(['logged', 'derived']).nullable() });
const BIN = SOURCE.extend({ edge: z.number(), calls, total: z.number() });
const RANKS = SOURCE.extend({ calls, p50: z.number(), p95: z.number(), longest: z.number() });

/** @throws ApiError `bad_request` when the filter needs a library */
export async function warehouseLatencies(
  warehouse: Warehouse,
  { run, from, to, filter, own }: LatencyQuestion,
  signal?: AbortSignal,
  onShare?: OnShare,
): Promise<LatencyDistribution> {
  const { sql, params } = filterCondition(filter, own);
  await checkVersion(warehouse, signal);
  const given: QueryParams = { run, ...params, from: from ?? 0, to: to ?? Number.MAX_SAFE_INTEGER };
  const rollouts = `rollout WHERE run = {run:String} AND ifNull(step, 0) BETWEEN {from:Int64} AND {to:Int64} AND (${sql})`;
  // A library has latencies in single precision.
  const timed = `(SELECT toFloat64(toFloat32(ms)) AS latency, if(said = 'logged', 'logged', 'derived') AS of_source
    FROM (SELECT calls.latency_ms AS every_ms, calls.latency_source AS every_source FROM ${rollouts})
    ARRAY JOIN every_ms AS ms, every_source AS said WHERE isNotNull(ms))`;
  let answered = 0;
  const ask = async <T>(schema: z.ZodType<T>, question: string): Promise<readonly T[]> => {
    const rows = await warehouse.parsed(schema, question, given, signal, (share) =>
      onShare?.((answered + share) / 3),
    );
    answered += 1;
    return rows;
  };
  const [all] = await ask(z.object({ calls }), `SELECT sum(length(outcomes)) AS calls FROM ${rollouts}`);
  const binned = await ask(
    BIN,
    `SELECT of_source AS source, roundDown(latency, [0, ${LATENCY_EDGES.join(', ')}]) AS edge, count() AS calls, sum(latency) AS total
    FROM ${timed} GROUP BY of_source, edge`,
  );
  const known = binned.reduce((sum, bin) => sum + bin.calls, 0);
  const counted = { calls: all?.calls ?? 0, known };
  if (known === 0) return { ...counted, bins: [], sources: [] };
  const ranks = await ask(
    RANKS,
    `SELECT if(grouping(of_source) = 1, NULL, of_source) AS source, count() AS calls, ${nearestRank('latency', 0.5)} AS p50,
      ${nearestRank('latency', 0.95)} AS p95, max(latency) AS longest
    FROM ${timed} GROUP BY GROUPING SETS ((of_source), ())`,
  );
  const countsOf = (of: LatencyBySource['source']): Float64Array => {
    const counts = new Float64Array(LATENCY_BINS);
    for (const { source, edge, calls } of binned) if (source === of) counts[latencyBinOf(edge)] = calls;
    return counts;
  };
  const whole = ranks.find(({ source }) => source === null);
  if (whole === undefined) throw warehouse.otherForm('the latencies of all calls are missing');
  const total = binned.reduce((sum, bin) => sum + bin.total, 0);
  return {
    ...counted,
    bins: binsWithCalls(countsOf('logged'), countsOf('derived')),
    summary: { meanMs: total / known, p50Ms: whole.p50, p95Ms: whole.p95, maxMs: whole.longest },
    sources: (['logged', 'derived'] as const).flatMap((source): readonly LatencyBySource[] => {
      const of = ranks.find((each) => each.source === source);
      return of === undefined
        ? []
        : [{ source, calls: of.calls, p50Ms: of.p50, p95Ms: of.p95, maxMs: of.longest }];
    }),
  };
}
