/** The overview of a run: small multiples on one step axis, with one crosshair and one range. */

import { ChevronDown, ChevronUp } from 'lucide-react';
import { Fragment, type ReactNode, useEffect, useMemo, useRef, useState } from 'react';
import type { RunDetail } from '../../../shared/api/contract.ts';
import { rangeText, readingOf, type StepRange } from '../../charts/panelModel.ts';
import { useRequest } from '../../data/useRequest.ts';
import { useUrlQuery } from '../../data/useRoute.ts';
import { useCommands } from '../../shell/keys/commands.ts';
import { counted, duration } from '../../ui/numbers.ts';
import { WaitingState } from '../../ui/States.tsx';
import { SavingChart } from '../../widgets/charts/SavingChart.tsx';
import { OverviewBar } from './OverviewBar.tsx';
import { CHARTS, type ChartSpec } from './overviewCharts.ts';
import { overviewLinkOf } from './overviewLink.ts';
import { type StageSpan, stageChange } from './stageModel.ts';
import { type Overview, useOverview } from './useOverview.ts';
import './overview.css';

interface OverviewChartsProps {
  readonly run: RunDetail;
  /** Ascending. */
  readonly steps: readonly number[];
  readonly specs?: readonly ChartSpec[];
  /** The charts fill the page. */
  readonly isWhole?: boolean;
  /** Charts over another axis than steps, each placed after the chart with this id. */
  readonly besides?: Readonly<Record<string, (range: StepRange | undefined) => ReactNode>>;
}

export function OverviewCharts({
  run,
  steps,
  specs = CHARTS,
  isWhole = false,
  besides = {},
}: OverviewChartsProps) {
  const overview = useOverview(run, steps, specs);
  const [query, setQuery] = useUrlQuery();
  const link = useMemo(() => overviewLinkOf(query), [query]);
  const logged = useRequest('metric.list', { runId: run.runId }).data?.metrics ?? [];
  const [step, setStep] = useState<number>();
  const setRange = (range: StepRange | undefined) =>
    setQuery({ steps: range === undefined ? undefined : rangeText(range), zoom: undefined });
  useCommands(link.range === undefined ? {} : { 'place.up': () => setRange(undefined) });
  const { panels, axis, last, stages } = overview;
  const marks = useMemo(
    () => stages.filter(({ from }) => from > (axis[0] ?? 0)).map(({ from, name }) => ({ step: from, name })),
    [stages, axis],
  );
  const Rows = isWhole ? WholePage : ChartRows;
  const at = step ?? last;
  const since = at === undefined || !link.isTime ? undefined : overview.seconds?.get(at);
  const reading =
    at === undefined
      ? ''
      : `The figures above the curves are those of step ${at}${step === undefined ? atRest(overview) : ''}${since === undefined ? '' : `, ${duration(since * 1000)} after the first`}${stageAt(stages, step)}`;

  return (
    <>
      <OverviewBar {...{ run, overview, link, logged, reading, at }} onStep={setStep} onRange={setRange} />
      {panels.length === 0 ? (
        <div className="overview-grid">
          {overview.all.isRunning && <WaitingState title="Reading the steps…" />}
        </div>
      ) : (
        <Rows>
          {panels.map((panel) => (
            <Fragment key={panel.id}>
              <SavingChart
                title={panel.title}
                unit={panel.unit}
                shownUnit={panel.shownUnit}
                describe={panel.describe}
                provenance={panel.provenance}
                axis={axis}
                seconds={link.isTime ? overview.seconds : undefined}
                lines={panel.lines}
                isStacked={panel.isStacked}
                references={panel.references}
                isNameless={
                  (overview.runs.length > 1 || overview.split !== undefined) &&
                  panel.provenance === 'from rollouts'
                }
                format={panel.format}
                marks={marks}
                step={step}
                last={last}
                onStep={setStep}
                range={link.isZoomed ? undefined : link.range}
                onRange={setRange}
                source={overview.source}
                fileName={run.name}
              />
              {besides[panel.id]?.(link.range)}
            </Fragment>
          ))}
        </Rows>
      )}
    </>
  );
}

function WholePage({ children }: { readonly children: ReactNode }) {
  return (
    <section className="overview-grid is-whole" aria-label="By step">
      {children}
    </section>
  );
}

/** Why the figures at rest are those of the last step, and whether some are of an earlier one. */
function atRest({ panels, axis, last }: Overview): string {
  const isEarlier = panels.some(({ lines }) =>
    lines.some((line) => line.role !== 'under' && readingOf(line, undefined, last)?.from !== undefined),
  );
  const which = last === axis.at(-1) ? 'the last' : 'the last with matching rollouts';
  return `, ${which}${isEarlier ? ', or of the step named beside them' : ''}`;
}

/** The stage that a step belongs to. At its first step also the changes it brings. */
function stageAt(stages: readonly StageSpan[], step: number | undefined): string {
  const stage = step === undefined ? undefined : stages.findLast(({ from }) => from <= step);
  if (stage === undefined) return '';
  if (stage.from !== step) return ` · ${stage.name}`;
  const change = stageChange(stage);
  return ` · ${stage.name} begins${change === '' ? '' : `: ${change}`}`;
}

/** Share of the page's height. The charts lead to the list below, so it must stay visible. */
const MOST_SHARE = 0.56;
/** Below the last row. */
const PADDING = 12;

/** Shows as many whole rows of charts as fit, and the number of charts below, since a clipped chart is useless. */
function ChartRows({ children }: { readonly children: ReactNode }) {
  const grid = useRef<HTMLElement>(null);
  const [below, setBelow] = useState(0);
  const [isScrolled, setScrolled] = useState(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: must run again when the charts change, since their heights differ
  useEffect(() => {
    const element = grid.current;
    const page = element?.parentElement;
    if (!element || !page) return;
    const look = () => {
      const top = element.getBoundingClientRect().top - element.scrollTop;
      const ends = [...element.children].map((chart) => chart.getBoundingClientRect().bottom - top);
      const room = page.clientHeight * MOST_SHARE;
      const fitting = ends.filter((end) => end + PADDING <= room);
      element.style.maxHeight = `${Math.ceil(Math.max(...(fitting.length > 0 ? fitting : ends.slice(0, 1)))) + PADDING}px`;
      const edge = element.scrollTop + element.clientHeight;
      setBelow(ends.filter((end) => end > edge + 1).length);
      setScrolled(element.scrollTop > 0);
    };
    look();
    const observer = new ResizeObserver(look);
    for (const one of [page, ...element.children]) observer.observe(one);
    element.addEventListener('scroll', look);
    return () => {
      observer.disconnect();
      element.removeEventListener('scroll', look);
    };
  }, [children]);
  const scrollOn = () => {
    const element = grid.current;
    if (element === null) return;
    element.scrollTo({ top: below > 0 ? element.scrollTop + element.clientHeight - PADDING : 0 });
  };
  return (
    <>
      <section ref={grid} className="overview-grid" aria-label="By step">
        {children}
      </section>
      {(below > 0 || isScrolled) && (
        <button type="button" className="more-charts" onClick={scrollOn}>
          {below > 0 ? <ChevronDown size={13} /> : <ChevronUp size={13} />}
          {below > 0 ? `${counted(below, 'more chart')} below` : 'Back to the first charts'}
        </button>
      )}
    </>
  );
}
