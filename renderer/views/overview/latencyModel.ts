/** The distribution of tool call latencies: labels, chart series and table. */
import type { LatencyBin, LatencyBySource, LatencyDistribution } from '../../../shared/api/contract.ts';
import { csvFile } from '../../../shared/domain/delimited.ts';
import type { HistogramSeries } from '../../charts/LogHistogram.tsx';
import type { LogBin, LogMark } from '../../charts/logHistogram.ts';
import type { StepRange } from '../../charts/panelModel.ts';
import { count, counted, duration as lasting, percent } from '../../ui/numbers.ts';

type Source = LatencyBySource['source'];

/** From the bottom up. Names and colours match the chart of latency sources. */
const SERIES: readonly (HistogramSeries & { readonly source: Source })[] = [
  { source: 'logged', name: 'logged', color: 'var(--right)' },
  { source: 'derived', name: 'from the text', color: 'var(--h3)', isOutlined: true },
];

/** Only sources that occur. */
export function latencySeries({ sources }: LatencyDistribution): typeof SERIES {
  return SERIES.filter(({ source }) => sources.some((one) => one.source === source));
}

export function histogramBins({ bins }: LatencyDistribution, series: typeof SERIES): readonly LogBin[] {
  return bins.map((bin) => ({
    from: bin.fromMs,
    ...(bin.toMs === undefined ? {} : { to: bin.toMs }),
    counts: series.map(({ source }) => bin[source]),
  }));
}

/** The mean of the paper's load experiment (shared/domain/DOMAIN.md#training-schedule-and-scale). */
const PUBLISHED_MEAN = {
  at: 300,
  label: 'rStar2-Agent, mean 300 ms',
  source: 'rStar2-Agent technical report, arXiv 2508.20722, §3',
} as const satisfies LogMark;

export function latencyMarks({ summary }: LatencyDistribution): readonly LogMark[] {
  if (summary === undefined) return [];
  return [
    { at: summary.p50Ms, label: `p50 ${lasting(summary.p50Ms)}` },
    { at: summary.p95Ms, label: `p95 ${lasting(summary.p95Ms)}` },
    { at: summary.maxMs, label: `max ${lasting(summary.maxMs)}` },
    PUBLISHED_MEAN,
  ];
}

export function binLabel({ fromMs, toMs }: Pick<LatencyBin, 'fromMs' | 'toMs'>): string {
  if (toMs === undefined) return `${lasting(fromMs)} and more`;
  return fromMs === 0 ? `below ${lasting(toMs)}` : `${lasting(fromMs)} to ${lasting(toMs)}`;
}

export function binReadout(distribution: LatencyDistribution, at: number): string {
  const bin = distribution.bins[at];
  if (bin === undefined) return '';
  const calls = bin.logged + bin.derived;
  const series = latencySeries(distribution);
  const parts =
    series.length < 2
      ? []
      : series.flatMap(({ source, name }) =>
          bin[source] === 0 ? [] : [`${counted(bin[source], 'call')} ${name}`],
        );
  const share = percent(calls / distribution.known, 1);
  return [`${binLabel(bin)}: ${counted(calls, 'call')}, ${share} %`, ...parts].join(' · ');
}

/** The number of calls, and how many of them have a known latency. */
export function restLabel({ calls, known, summary }: LatencyDistribution): string {
  if (summary === undefined) return `The latency of ${counted(calls, 'call')} is unknown`;
  const of = known === calls ? counted(calls, 'call') : `${count(known)} of ${counted(calls, 'call')}`;
  return `${of}, mean ${lasting(summary.meanMs)}`;
}

/** Rollouts whose slowest call is in the bin. The filter language only has the slowest call of a rollout. */
export function binFilter({ fromMs, toMs }: Pick<LatencyBin, 'fromMs' | 'toMs'>, range?: StepRange): string {
  return [
    ...(range === undefined
      ? []
      : [range.from === range.to ? `step:${range.from}` : `step:${range.from}..${range.to}`]),
    `latency_ms:>=${fromMs}`,
    ...(toMs === undefined ? [] : [`latency_ms:<${toMs}`]),
  ].join(' ');
}

/**
 * @param source run, filter and steps of the data
 * @returns a row for each bin, in milliseconds; the last bin has no end; the head line includes the percentiles
 */
export function latencyCsv(
  source: string,
  { bins, calls, known, summary, sources }: LatencyDistribution,
): string {
  const said = [
    source,
    `${known} of ${calls} calls have a latency`,
    ...(summary === undefined
      ? []
      : [
          `mean ${summary.meanMs} ms, p50 ${summary.p50Ms} ms, p95 ${summary.p95Ms} ms, max ${summary.maxMs} ms`,
        ]),
    ...sources.map(
      (one) =>
        `${one.source}: ${one.calls} calls, p50 ${one.p50Ms} ms, p95 ${one.p95Ms} ms, max ${one.maxMs} ms`,
    ),
  ];
  return csvFile(
    said.join(' · '),
    ['from_ms', 'to_ms', ...SERIES.map(({ name }) => `calls, ${name}`)],
    bins.map((bin) => [bin.fromMs, bin.toMs, bin.logged, bin.derived]),
  );
}
