/** The distribution of tool call latencies for the brushed steps, under the filter. A bar opens its rollouts. */

import { useMemo, useRef, useState } from 'react';
import type { LatencyDistribution, RunDetail } from '../../../shared/api/contract.ts';
import { bothFilters } from '../../../shared/domain/filter/print.ts';
import { isCopyOfWarehouse } from '../../../shared/domain/warehouseCopies.ts';
import { figureSvg, standaloneSvg } from '../../charts/exportChart.ts';
import { LogHistogram } from '../../charts/LogHistogram.tsx';
import type { StepRange } from '../../charts/panelModel.ts';
import { useFilterLink } from '../../data/filterLink.ts';
import { type LongState, useLongQuery } from '../../data/useLongQuery.ts';
import { goTo } from '../../data/useRoute.ts';
import { useSteps } from '../../data/warehouse.ts';
import { Button } from '../../ui/Controls.tsx';
import { compact, count, counted, duration as lasting } from '../../ui/numbers.ts';
import { ChartMenu, chartFileName, type Look } from '../../widgets/charts/ChartMenu.tsx';
import {
  binFilter,
  binLabel,
  binReadout,
  histogramBins,
  latencyCsv,
  latencyMarks,
  latencySeries,
  restLabel,
} from './latencyModel.ts';

const TITLE = 'How long tool calls took';
const DESCRIBE =
  'Calls whose latency is known, on a logarithmic scale, ten bars to a decade; percentiles are the nearest rank. rStar2-Agent reports 0.3 s on average (§3)';
const OPENS = 'the rollouts whose slowest call took this long';

interface LatencyPanelProps {
  readonly run: RunDetail;
  /** Ascending. A frozen list freezes its charts as well. */
  readonly steps: readonly number[];
  readonly range: StepRange | undefined;
}

export function LatencyPanel({ run, steps, range }: LatencyPanelProps) {
  const { applied: filter } = useFilterLink();
  const last = steps.at(-1);
  const { elsewhere, isAsking } = useSteps(run.runKey, run.runId);
  const asked = {
    ...(range === undefined ? {} : { from: range.from }),
    ...(last === undefined ? {} : { to: Math.min(last, range?.to ?? last) }),
    filter,
  };
  const isWhole = elsewhere.size === 0;
  const isReady = !isAsking || !isCopyOfWarehouse(run.directory);
  const here = useLongQuery('run.latencies', isWhole ? { runId: run.runId, ...asked } : undefined, isReady);
  const there = useLongQuery('warehouse.latencies', isWhole ? undefined : { run: run.runKey, ...asked });
  const state = isWhole ? here : there;
  const { data: answer, error, isRunning } = state;
  if (answer !== undefined && answer.known > 0 && error === null)
    return (
      <div className={state.isFormer ? 'latency-panel is-stale' : 'latency-panel'} aria-busy={state.isFormer}>
        <Distribution {...{ run, filter, range }} distribution={answer} />
        {state.isFormer && <Waiting state={state} />}
      </div>
    );
  return (
    <figure className="chart panel">
      <figcaption className="chart-head">
        <h2 title={DESCRIBE}>{TITLE}</h2>
      </figcaption>
      {error !== null && !isRunning ? (
        <p role="alert" className="is-wrong">
          ✕ {error.message} <Button onClick={() => void state.restart()}>Try again</Button>
        </p>
      ) : state.isStopped ? (
        <p className="dim">
          Stopped. <Button onClick={() => void state.restart()}>Compute</Button>
        </p>
      ) : answer !== undefined ? (
        <p className="dim">{restLabel(answer)}</p>
      ) : (
        <Waiting state={state} />
      )}
    </figure>
  );
}

function Waiting({ state }: { readonly state: LongState<LatencyDistribution> }) {
  return (
    <p className="overview-progress waiting" role="status">
      <progress aria-label="Steps counted" value={state.progress?.share} max={1} /> counting…{' '}
      <Button onClick={state.stop}>Cancel</Button>
    </p>
  );
}

interface DistributionProps extends Pick<LatencyPanelProps, 'run' | 'range'> {
  readonly filter: string;
  readonly distribution: LatencyDistribution;
}

function Distribution({ run, filter, range, distribution }: DistributionProps) {
  const [isTable, setTable] = useState(false);
  const svg = useRef<SVGSVGElement>(null);
  const { series, bins, marks } = useMemo(() => {
    const shown = latencySeries(distribution);
    return { series: shown, bins: histogramBins(distribution, shown), marks: latencyMarks(distribution) };
  }, [distribution]);
  const open = (at: number) => {
    const bin = distribution.bins[at];
    if (bin === undefined) return;
    const q = bothFilters(filter, binFilter(bin, range));
    goTo({ view: 'run', runKey: run.runKey }, `?${new URLSearchParams({ tab: 'rollouts', q })}`);
  };
  const steps = range === undefined ? 'all steps' : `steps ${range.from} to ${range.to}`;
  const source = [run.name, steps, ...(filter === '' ? [] : [`filter ${filter}`])].join(' · ');
  const caption = {
    title: `${TITLE} (calls)`,
    subtitle: `from rollouts · ${source} · ${restLabel(distribution)}`,
    legend: series.map((one) => ({ ...one, isArea: true })),
    xLabel: 'latency, log',
  };
  const histogram = {
    title: TITLE,
    describe: DESCRIBE,
    unit: `calls, ${steps}`,
    ...{ bins, series, marks },
    formatX: lasting,
    formatCount: compact,
    reading: (at: number) => binReadout(distribution, at),
    opens: OPENS,
    onOpen: open,
  };
  const drawing = (look: Look) => {
    if (look === 'screen') return svg.current === null ? undefined : standaloneSvg(svg.current, caption);
    return figureSvg((size) => <LogHistogram {...histogram} rest="" size={size} />, caption);
  };
  return (
    <LogHistogram
      {...histogram}
      rest={
        <>
          {series.map(({ source: of, name, color, isOutlined }) => (
            <span key={of} className="panel-name">
              <svg style={{ width: 10 }} height={8} aria-hidden="true">
                <rect
                  x={0.5}
                  y={0.5}
                  width={9}
                  height={7}
                  fill={color}
                  fillOpacity={isOutlined ? 0.42 : 1}
                  stroke={color}
                />
              </svg>
              {name} <b>{compact(distribution.sources.find((one) => one.source === of)?.calls ?? 0)}</b>
            </span>
          ))}
          <span>{restLabel(distribution)}</span>
        </>
      }
      svgRef={svg}
      menu={
        <ChartMenu
          title={TITLE}
          isTable={isTable}
          onTable={setTable}
          fileName={chartFileName(run.name, TITLE)}
          drawing={drawing}
          csv={() => latencyCsv(source, distribution)}
          provenance="from rollouts"
        />
      }
      {...(isTable ? { table: <Numbers distribution={distribution} /> } : {})}
    />
  );
}

/** The numbers of the drawing, and those of each source. */
function Numbers({ distribution }: Pick<DistributionProps, 'distribution'>) {
  const series = latencySeries(distribution);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scroll container must be focusable to be scrolled by keys
    <section className="panel-table" style={{ height: 150 }} tabIndex={0} aria-label={`${TITLE}, numbers`}>
      <table>
        <thead>
          <tr>
            <th scope="col">latency</th>
            {series.map(({ source, name }) => (
              <th scope="col" key={source}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {(['p50Ms', 'p95Ms', 'maxMs'] as const).map((rank) => (
            <tr key={rank}>
              <th scope="row">{rank.replace('Ms', '')}</th>
              {series.map(({ source }) => {
                const found = distribution.sources.find((one) => one.source === source);
                return <td key={source}>{found === undefined ? '' : lasting(found[rank])}</td>;
              })}
            </tr>
          ))}
          {distribution.bins.map((bin) => (
            <tr key={bin.fromMs} title={counted(bin.logged + bin.derived, 'call')}>
              <th scope="row">{binLabel(bin)}</th>
              {series.map(({ source }) => (
                <td key={source}>{count(bin[source])}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
