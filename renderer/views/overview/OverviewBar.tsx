/** The bar above the charts: filter, smoothing, runs, metrics, the brushed range, and the progress of requests. */

import { X } from 'lucide-react';
import { useState } from 'react';
import type { LoggedMetric, RunDetail } from '../../../shared/api/contract.ts';
import { bothFilters } from '../../../shared/domain/filter/print.ts';
import { chartCsv } from '../../charts/chartCsv.ts';
import { dashOf, hasValue, rangeText, STROKES, type StepRange } from '../../charts/panelModel.ts';
import { useFilterLink } from '../../data/filterLink.ts';
import { useLive } from '../../data/follows.ts';
import { pathOfRoute } from '../../data/route.ts';
import { useUrlQuery } from '../../data/useRoute.ts';
import { keyOf } from '../../shell/keys/keysInForce.ts';
import { Button, IconButton, Segmented } from '../../ui/Controls.tsx';
import { saveText } from '../../ui/exportText.ts';
import { Link } from '../../ui/Link.tsx';
import { plainLogText } from '../../ui/LogText.tsx';
import { count, counted, decimal, percent } from '../../ui/numbers.ts';
import { FilterBox } from '../../widgets/filter/FilterBox.tsx';
import { useJobOf, useUnreadOf } from '../../widgets/PartlyRead.tsx';
import type { Estimate, MixEffect } from './mixModel.ts';
import { MetricPicker, RunPicker, SplitPicker } from './OverviewPickers.tsx';
import { listText, type OverviewLink, refsText, refText, WINDOWS } from './overviewLink.ts';
import { type StageSpan, stageChange } from './stageModel.ts';
import type { Overview, Split } from './useOverview.ts';

interface OverviewBarProps {
  readonly run: RunDetail;
  readonly overview: Overview;
  readonly link: OverviewLink;
  readonly logged: readonly LoggedMetric[];
  readonly reading: string;
  /** The step under the pointer, else the one shown at rest. */
  readonly at: number | undefined;
  readonly onStep: (step: number | undefined) => void;
  readonly onRange: (range: StepRange | undefined) => void;
}

export function OverviewBar(props: OverviewBarProps) {
  const { run, overview, link } = props;
  const [, setQuery] = useUrlQuery();
  const { range } = link;
  const { applied } = useFilterLink();
  // No chart has data before the steps are loaded.
  const smoothing = link.window === 1 ? 'none' : `${link.window} steps`;
  const isBeingRead = useJobOf(run) !== undefined || overview.all.isRunning;
  // A followed run is read again and again, and its charts stay as they are meanwhile.
  const isFollowed = useLive(run.runKey).follow !== undefined;
  const unread = useUnreadOf();
  const isWhole = !isFollowed && unread(run).length === 0;
  const isKnown = (isFollowed || !isBeingRead) && !overview.all.data.includes(undefined);
  const hidden = isKnown ? overview.hidden : [];
  const saveAll = () =>
    saveText(
      `${run.name}-charts.csv`.replaceAll(/[^\w.-]+/g, '-'),
      chartCsv(overview.source, overview.panels),
      'text/csv',
    );
  return (
    <div className="overview-bar">
      <div className="filters">
        <FilterBox
          runId={run.runId}
          runKey={run.runKey}
          what="charts"
          within={range === undefined ? '' : `step:${range.from}..${range.to}`}
        />
        <label className="overview-field">
          Smoothing
          <input
            type="range"
            min={0}
            max={WINDOWS.length - 1}
            value={WINDOWS.indexOf(link.window)}
            aria-valuetext={smoothing}
            title="Mean over this many steps; the unsmoothed values stay in grey"
            onChange={({ target }) => {
              const window = WINDOWS[Number(target.value)] ?? 1;
              setQuery({ smooth: window === 1 ? undefined : String(window) });
            }}
          />
          <output>{smoothing}</output>
        </label>
        {overview.seconds !== undefined && (
          <Segmented
            label="Axis"
            chosen={link.isTime ? 'time' : 'steps'}
            onChoose={(axis) => setQuery({ axis: axis === 'time' ? axis : undefined })}
            choices={[
              { id: 'steps', label: 'Steps', title: 'Steps at equal distances' },
              { id: 'time', label: 'Time', title: 'Steps at the logged start of their first rollout' },
            ]}
          />
        )}
        <RunPicker
          run={run}
          compared={link.runs}
          onCompare={(refs) => setQuery({ runs: refsText(refs), split: undefined, by: undefined })}
        />
        {link.runs.length === 0 && (
          <SplitPicker
            split={link.split}
            filter={applied}
            // Turns the filter into the split, so that both of its sides are shown.
            onSplit={(split) =>
              setQuery(
                split === 'filter'
                  ? { split, by: applied, q: undefined }
                  : { split, by: undefined, ...(link.split === 'filter' ? { q: link.splitFilter } : {}) },
              )
            }
          />
        )}
        <MetricPicker
          logged={props.logged}
          chosen={link.metrics}
          onChoose={(names) => setQuery({ metrics: listText(names) })}
        />
        <Button onClick={saveAll} title="The numbers of all charts as one CSV file">
          Download CSV
        </Button>
      </div>
      <div className="overview-line">
        {overview.runs.length > 1 && <RunLegend overview={overview} link={link} />}
        {overview.split !== undefined && <ClassLegend split={overview.split} at={props.at} />}
        <StageStrip spans={overview.stages} range={range} onStep={props.onStep} onRange={props.onRange} />
        {range !== undefined && (
          <span className="range-chip">
            steps {range.from === range.to ? range.from : `${range.from}–${range.to}`}
            <button
              type="button"
              aria-pressed={link.isZoomed}
              onClick={() => setQuery({ zoom: link.isZoomed ? undefined : '1', steps: rangeText(range) })}
            >
              {link.isZoomed ? 'show all steps' : 'zoom'}
            </button>
            <IconButton
              label="Clear the range"
              keys={keyOf('place.up')}
              onClick={() => props.onRange(undefined)}
            >
              <X size={12} />
            </IconButton>
          </span>
        )}
        <SeriesProgress overview={overview} runKey={run.runKey} range={range} />
        {overview.missing.length > 0 && <span className="is-wrong">{overview.missing.join('; ')}</span>}
        <span className="end overview-reading">{props.reading}</span>
        <span className="dim">
          {range === undefined && 'Drag to select steps, click a point for its rollouts'}
          {range === undefined && hidden.length > 0 && ' · '}
          {hidden.length > 0 && (
            <span title={hidden.join('; ')}>
              {counted(hidden.length, 'chart')} hidden: no data in{' '}
              {isWhole ? 'this log' : 'what was read so far'}
            </span>
          )}
        </span>
      </div>
      {overview.split?.mix !== undefined && <MixLine mix={overview.split.mix} />}
    </div>
  );
}

function LegendLine({ at }: { readonly at: number }) {
  return (
    <svg width={26} height={8} aria-hidden="true">
      <line
        x2={26}
        y1={4}
        y2={4}
        stroke={`var(--run-${at + 1})`}
        strokeWidth={2.4}
        strokeDasharray={dashOf(STROKES[at] ?? 'solid')}
      />
    </svg>
  );
}

/** The stroke of each class, and its number of rollouts at a step. */
function ClassLegend({ split, at }: { readonly split: Split; readonly at: number | undefined }) {
  const whole = at === undefined ? undefined : split.sizes.get(at);
  return (
    <ul className="run-legend" aria-label="Classes">
      {split.classes.map(({ name, all }, i) => {
        const rollouts = all?.find(({ step }) => step === at)?.rollouts;
        return (
          <li key={name}>
            <LegendLine at={i} />
            <span className="run-legend-name" title={plainLogText(name)}>
              {plainLogText(name)}
            </span>
            {rollouts !== undefined && whole !== undefined && (
              <span className="dim">
                {whole === 0
                  ? `none matches at step ${at}`
                  : `${count(rollouts)} of ${counted(whole, 'rollout')} at step ${at}`}
              </span>
            )}
          </li>
        );
      })}
    </ul>
  );
}

/** A change in mean reward, split into changed class shares and changed rewards within classes. */
function MixLine({ mix }: { readonly mix: MixEffect }) {
  const [isOpen, setOpen] = useState(false);
  const missing = missingInterval(mix);
  const isUndecided = [mix.mix, mix.within].every(
    ({ value, margin }) => margin !== undefined && Math.abs(value) <= margin,
  );
  return (
    <div className="overview-line mix-line">
      <span>
        Mean reward {decimal(mix.before)} → {decimal(mix.after)} from step {mix.from} to {mix.to} (
        {changeText(mix.change)})
      </span>
      <span>
        <b>{changeText(mix.mix)}</b> because the shares of the classes changed
      </span>
      <span>
        <b>{changeText(mix.within)}</b> within the classes
      </span>
      {missing !== undefined && <span>{missing}</span>}
      {isUndecided && (
        <span>
          Both intervals contain 0, so these steps do not tell the two apart. Drag over other steps, or press
          Shift and ← or → in a chart.
        </span>
      )}
      <button
        type="button"
        className="is-link"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
        onKeyDown={(event) => {
          if (event.key !== 'Escape' || !isOpen) return;
          event.stopPropagation();
          setOpen(false);
        }}
      >
        How it is computed
      </button>
      {isOpen && (
        <p>
          Each class adds (change of its share) × (its mean reward over both steps) to the first number, and
          (change of its mean reward) × (its share over both steps) to the second. A class that is missing at
          one step counts in the first. {count(mix.rollouts[0])} and {counted(mix.rollouts[1], 'rollout')}{' '}
          have a known reward. ± is a 95 % interval with problems as clusters, because rollouts of one problem
          depend on each other. A problem that occurs at both steps counts once, with its change. With few
          problems the interval is wider: it uses Student’s t with one degree of freedom less than the step
          with fewer problems has of them. It is missing where a class has a single problem at a step.
          Recomputed; decomposition by Kitagawa (1955).
        </p>
      )}
    </div>
  );
}

/** Why a part of the change has no interval. Undefined: each has one, or they are not known yet. */
function missingInterval({ change, mix, within, from, to, problems }: MixEffect): string | undefined {
  if (problems === undefined || [change, mix, within].every(({ margin }) => margin !== undefined))
    return undefined;
  return `A number without ± may be chance, because a class has a single problem at step ${from} or ${to}`;
}

function changeText({ value, margin }: Estimate): string {
  const change = `${value < 0 ? '−' : '+'}${decimal(Math.abs(value))}`;
  return margin === undefined ? change : `${change} ± ${decimal(margin)}`;
}

/** The stroke of each run, shown once for all charts. */
function RunLegend({ overview, link }: Pick<OverviewBarProps, 'overview' | 'link'>) {
  const [, setQuery] = useUrlQuery();
  return (
    <ul className="run-legend" aria-label="Runs">
      {overview.runs.map(({ ref, name }, i) => (
        <li key={refText(ref)}>
          <LegendLine at={i} />
          <span className="run-legend-name" title={plainLogText(name)}>
            {plainLogText(name)}
          </span>
          {i > 0 && (
            <IconButton
              label={`Remove ${name}`}
              onClick={() =>
                setQuery({ runs: refsText(link.runs.filter((one) => refText(one) !== refText(ref))) })
              }
            >
              <X size={12} />
            </IconButton>
          )}
        </li>
      ))}
    </ul>
  );
}

/** The number of rollouts in the charts. While it loads: progress and a stop button. */
function SeriesProgress({
  overview,
  runKey,
  range,
}: {
  readonly overview: Overview;
  readonly runKey: string;
  readonly range: StepRange | undefined;
}) {
  const { applied } = useFilterLink();
  const state = overview.isFiltered ? overview.matching : overview.all;
  if (state.error !== null && !state.isRunning) {
    return (
      <span role="alert" className="is-wrong">
        ✕ {state.error.message} <Button onClick={state.restart}>Try again</Button>
      </span>
    );
  }
  if (state.isStopped) {
    return (
      <span className="dim">
        Stopped. <Button onClick={state.restart}>Compute</Button>
      </span>
    );
  }
  const isWaiting = state.data.includes(undefined);
  if (isWaiting && state.isRunning) {
    const { progress, isElsewhere } = state;
    return (
      <span className="overview-progress waiting" role="status">
        <progress aria-label="Rollouts read" value={progress?.share} max={1} />
        {isElsewhere ? 'the warehouse counts' : 'reading'}
        {progress === undefined
          ? '…'
          : isElsewhere
            ? `: ${percent(progress.share, 0)} %`
            : `: ${count(progress.stepsDone)} of ${count(progress.steps)} steps`}
        <Button onClick={state.stop}>Cancel</Button>
      </span>
    );
  }
  if (!overview.isFiltered || overview.matches === undefined) return null;
  const isGrey = overview.panels.some(({ lines }) =>
    lines.some((line) => line.underOf === 'all rollouts' && hasValue(line)),
  );
  return (
    <span role="status">
      {overview.rollouts === undefined
        ? counted(overview.matches, 'rollout')
        : `${count(overview.matches)} of ${counted(overview.rollouts, 'rollout')}`}
      {isGrey && <span className="dim"> · unfiltered shown in grey</span>}{' '}
      <Link className="is-link" href={listOf(runKey, applied, range)}>
        List them
      </Link>
    </span>
  );
}

/** The rollouts of the brushed steps that match the filter. */
function listOf(runKey: string, filter: string, range: StepRange | undefined): string {
  const steps = range === undefined ? '' : `step:${range.from}..${range.to}`;
  const query = new URLSearchParams({ tab: 'rollouts', q: bothFilters(filter, steps) });
  return `${pathOfRoute({ view: 'run', runKey })}?${query}`;
}

interface StageStripProps {
  readonly spans: readonly StageSpan[];
  readonly range: StepRange | undefined;
  readonly onStep: (step: number | undefined) => void;
  readonly onRange: (range: StepRange | undefined) => void;
}

/** The stages of a run. Pointing at one moves the crosshair to its first step, a click brushes it. */
function StageStrip({ spans, range, onStep, onRange }: StageStripProps) {
  if (spans.length === 0) return null;
  return (
    <fieldset className="stage-strip" aria-label="Stages">
      {spans.map((span) => {
        const isChosen = range?.from === span.from && range.to === span.to;
        const change = stageChange(span);
        return (
          <button
            type="button"
            key={`${span.from} ${span.name}`}
            className="stage-chip"
            aria-pressed={isChosen}
            title={`${span.name}, steps ${span.from} to ${span.to}${change === '' ? '' : `: ${change}`}`}
            onPointerEnter={() => onStep(span.from)}
            onPointerLeave={() => onStep(undefined)}
            onFocus={() => onStep(span.from)}
            onBlur={() => onStep(undefined)}
            onClick={() => onRange(isChosen ? undefined : { from: span.from, to: span.to })}
          >
            {span.name} <span>{span.from === span.to ? span.from : `${span.from}–${span.to}`}</span>
          </button>
        );
      })}
    </fieldset>
  );
}
