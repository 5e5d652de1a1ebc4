/** Turns responses of the host into the lines of the charts. */
import type { LoggedMetric, SeriesName, StepFacts } from '../../../shared/api/contract.ts';
import { bothFilters } from '../../../shared/domain/filter/print.ts';
import type { ChartNumbers } from '../../charts/chartCsv.ts';
import {
  hasValue,
  type LineRole,
  lineWithin,
  type PanelLine,
  STROKES,
  type StepRange,
  smoothed,
} from '../../charts/panelModel.ts';
import { asShare } from '../../ui/numbers.ts';
import { asCompact, type ChartSpec, type LineSpec } from './overviewCharts.ts';
import type { RunRef } from './overviewLink.ts';

export interface RunFacts {
  readonly ref: RunRef;
  readonly name: string;
  /** Facts of all rollouts. Undefined: loading. */
  readonly all: readonly StepFacts[] | undefined;
  /** Facts of matching rollouts. Undefined: loading, or there is no filter. */
  readonly matching: readonly StepFacts[] | undefined;
  /** The filter that defines the class, if the run is split. */
  readonly condition?: string;
}

export interface OverviewQuestion {
  /** The page's run first, then compared runs. If the run is split, its classes. */
  readonly runs: readonly RunFacts[];
  /** If the run is split: rollouts of all classes by step, and the series that the split itself determines. */
  readonly split?: { readonly sizes: ReadonlyMap<number, number>; readonly decides: readonly SeriesName[] };
  readonly isFiltered: boolean;
  /** Logged metrics of the page's run. */
  readonly logged: readonly LoggedMetric[];
  /** Names of logged metrics that get their own chart. */
  readonly chosen: readonly string[];
  readonly window: number;
  readonly zoom: StepRange | undefined;
  /** The charts to draw. */
  readonly specs: readonly ChartSpec[];
  readonly openStep: (ref: RunRef, step: number, filter: string, to?: LineSpec['leadsTo']) => void;
}

interface OverviewPanel extends ChartNumbers {
  readonly id: string;
  readonly describe: string;
  readonly isStacked: boolean;
  readonly format: (value: number) => string;
  readonly limit: ChartSpec['limit'];
  readonly references?: ChartSpec['references'];
  readonly shownUnit?: string;
  /** Source of the values. */
  readonly provenance: 'from rollouts' | 'logged';
}

export interface OverviewPanels {
  readonly panels: readonly OverviewPanel[];
  /** Titles of charts without any known value. */
  readonly hidden: readonly string[];
}

export function overviewPanels(question: OverviewQuestion): OverviewPanels {
  const fitting =
    question.split === undefined ? question.specs : specsOfClasses(question.specs, question.split.decides);
  const specs = isSideBySide(question) ? fitting.flatMap(oneLineEach) : fitting;
  const made = specs.map((spec) => panelOf(spec, question));
  const known = made.filter(({ lines }) => lines.some(hasValue));
  // A chart that has only the trainer's logged values does not replace another chart.
  const toldIds = new Set(
    known.filter(({ provenance }) => provenance === 'from rollouts').map(({ id }) => baseId(id)),
  );
  const isReplaced = (id: string) => {
    const { insteadOf } = question.specs.find((spec) => spec.id === baseId(id)) ?? {};
    return insteadOf !== undefined && toldIds.has(insteadOf);
  };
  const shown = known.filter(({ id }) => !isReplaced(id));
  const shownIds = new Set(shown.map(({ id }) => id));
  const hidden = made.filter(
    ({ id }) => !shownIds.has(id) && !isReplaced(id) && !hasStandIn(id, toldIds, question.specs),
  );
  return {
    panels: [...sharePanels(question), ...shown, ...loggedPanels(question)],
    hidden: hidden.map(({ title, unit }) => `${title} (${unit})`),
  };
}

/** The charts that are meaningful for classes of rollouts. */
function specsOfClasses(specs: readonly ChartSpec[], decided: readonly SeriesName[]): readonly ChartSpec[] {
  return specs.flatMap((spec) => {
    const lines = spec.lines.filter(({ series }) => series === undefined || !decided.includes(series));
    return spec.isOfGroups === true || lines.length === 0 ? [] : [{ ...spec, lines }];
  });
}

/** Several runs or classes are compared, so each line is a run or a class. */
const isSideBySide = ({ runs, split }: OverviewQuestion): boolean => runs.length > 1 || split !== undefined;

/** The size of each class. Without it, a changed mix would look like a changed policy. */
function sharePanels(question: OverviewQuestion): readonly OverviewPanel[] {
  const { split } = question;
  if (split === undefined) return [];
  const share: LineSpec = {
    name: 'share',
    of: ({ step, rollouts }) => {
      const all = split.sizes.get(step);
      return all === undefined || all === 0 ? undefined : rollouts / all;
    },
    color: 'var(--ink)',
    stroke: 'solid',
    describe: 'share of the rollouts of the step',
    filter: () => '',
    opens: 'the rollouts of the class',
  };
  const spec: ChartSpec = {
    id: 'split',
    title: 'Share of each class',
    unit: 'of rollouts',
    describe: 'How the rollouts of a step are divided into the classes of the split',
    format: asShare,
    lines: [share],
  };
  return [panelOf(spec, question)];
}

const baseId = (id: string): string => id.split('.')[0] ?? id;

function hasStandIn(id: string, toldIds: ReadonlySet<string>, specs: readonly ChartSpec[]): boolean {
  return specs.some((spec) => spec.insteadOf === baseId(id) && toldIds.has(spec.id));
}

/** With several runs each line is a run, so every measure gets its own chart. */
function oneLineEach(spec: ChartSpec): readonly ChartSpec[] {
  // A split may have left one line of several.
  if (spec.lines.length === 1) return [{ ...spec, title: spec.lines[0]?.alone ?? spec.title }];
  return spec.lines.map((only, i) => {
    const { isStacked: _isStacked, ...plain } = spec;
    return {
      ...plain,
      id: `${spec.id}.${i}`,
      title: only.alone ?? `${spec.title}: ${only.name}`,
      lines: [only],
    };
  });
}

function panelOf(spec: ChartSpec, question: OverviewQuestion): OverviewPanel {
  const isComparison = isSideBySide(question);
  const lines = question.runs.flatMap((run, at) =>
    spec.lines.flatMap((line) => linesOf(spec, line, run, isComparison ? at : undefined, question)),
  );
  const logged = isComparison ? [] : overlays(spec, question);
  return {
    id: spec.id,
    title: spec.title,
    unit: spec.unit,
    describe: spec.describe,
    isStacked: spec.isStacked === true,
    format: spec.format,
    limit: spec.limit,
    ...(spec.references === undefined ? {} : { references: spec.references }),
    ...(spec.shownUnit === undefined ? {} : { shownUnit: spec.shownUnit }),
    provenance: !lines.some(hasValue) && logged.length > 0 ? 'logged' : 'from rollouts',
    lines: [...lines, ...logged].map((line) => lineWithin(line, question.zoom)),
  };
}

function linesOf(
  spec: ChartSpec,
  line: LineSpec,
  run: RunFacts,
  runAt: number | undefined,
  question: OverviewQuestion,
): readonly PanelLine[] {
  const isWhole = line.isOfStep === true && question.isFiltered;
  const facts = question.isFiltered && !isWhole ? run.matching : run.all;
  if (line.isOneOfMany === true && run.all?.every((step) => (line.of(step) ?? 0) === 0) === true) return [];
  const look =
    runAt === undefined
      ? { name: line.name, color: line.color, stroke: line.stroke }
      : { name: run.name, color: `var(--run-${runAt + 1})`, stroke: STROKES[runAt] ?? ('solid' as const) };
  const base = (of: readonly StepFacts[], role: LineRole, key: string): PanelLine => ({
    key,
    ...look,
    role,
    describe: runAt === undefined ? line.describe : `${run.name}: ${line.describe}`,
    steps: of.map(({ step }) => step),
    values: of.map(line.of),
  });
  const name = `${runAt ?? ''}${line.name}`;
  const under: PanelLine[] = [];
  // Stacked bands leave no room for a second set behind them.
  if (
    question.isFiltered &&
    !isWhole &&
    run.all !== undefined &&
    spec.isStacked !== true &&
    runAt === undefined
  )
    under.push({ ...base(run.all, 'under', `${name} of all`), underOf: 'all rollouts' });
  if (facts === undefined) return under;
  const raw = base(facts, 'main', name);
  const byStep = new Map(facts.map((one) => [one.step, one]));
  const main: PanelLine = {
    ...raw,
    values: smoothed(raw.values, question.window),
    ...(isWhole ? { isOfAll: true as const } : {}),
    ...(question.window > 1 ? { meanOver: question.window } : {}),
    opens: line.opens,
    onOpen: (step) => {
      const there = byStep.get(step);
      if (there === undefined) return;
      const condition = bothFilters(run.condition ?? '', line.filter(there));
      question.openStep(run.ref, step, condition, line.leadsTo);
    },
  };
  if (question.window > 1 && spec.isStacked !== true)
    under.push({ ...raw, role: 'under', key: `${name} raw`, underOf: 'raw' });
  return [...under, main];
}

function overlays(spec: ChartSpec, question: OverviewQuestion): readonly PanelLine[] {
  const [run] = question.runs;
  const byStep = new Map(run?.all?.map((one) => [one.step, one]));
  return question.logged.flatMap((metric) => {
    const overlay = overlayOf(metric.name);
    const line = spec.lines.find(({ series }) => series !== undefined && series === overlay?.series);
    if (overlay === undefined || line === undefined) return [];
    const note = overlay.note === undefined ? '' : `: ${overlay.note}`;
    const open = (step: number): void => {
      const there = byStep.get(step);
      if (run !== undefined && there !== undefined) question.openStep(run.ref, step, line.filter(there));
    };
    return loggedLines(metric, {
      describe: `logged by the trainer${note}${question.isFiltered ? '; of all rollouts, regardless of the filter' : ''}`,
      color: line.color,
      window: question.window,
      isFiltered: question.isFiltered,
      opens: line.opens,
      onOpen: open,
    });
  });
}

interface LoggedLook extends Required<Pick<PanelLine, 'describe' | 'color' | 'opens' | 'onOpen'>> {
  readonly window: number;
  readonly isFiltered: boolean;
}

/** Logged values. If smoothed, the smoothed line is drawn over them. */
function loggedLines(
  metric: LoggedMetric,
  { window, isFiltered, ...look }: LoggedLook,
): readonly PanelLine[] {
  const line: PanelLine = {
    ...look,
    key: `logged ${metric.name}`,
    name: metric.name,
    stroke: 'dashed',
    role: 'logged',
    steps: metric.steps,
    values: smoothed(metric.values, window),
    ...(isFiltered ? { isOfAll: true as const } : {}),
  };
  if (window <= 1) return [line];
  const raw: PanelLine = { ...line, key: `${line.key} raw`, role: 'under', underOf: 'as logged' };
  return [
    { ...raw, values: metric.values },
    { ...line, meanOver: window },
  ];
}

function loggedPanels({
  logged,
  chosen,
  window,
  zoom,
  openStep,
  runs,
  isFiltered,
}: OverviewQuestion): readonly OverviewPanel[] {
  const [run] = runs;
  const known = new Set(run?.all?.map(({ step }) => step));
  return chosen.flatMap((name) => {
    const metric = logged.find((one) => one.name === name);
    if (metric === undefined) return [];
    const describe = 'Logged by the trainer; Turnwise does not know what it counts';
    const lines = loggedLines(metric, {
      describe,
      color: 'var(--ink)',
      window,
      isFiltered,
      opens: 'the rollouts of the step',
      onOpen: (step) => {
        if (run !== undefined && known.has(step)) openStep(run.ref, step, '');
      },
    });
    return [
      {
        id: `logged ${name}`,
        title: name,
        unit: isFiltered ? 'as logged, of all rollouts' : 'as logged',
        describe,
        isStacked: false,
        format: asCompact,
        limit: undefined,
        provenance: 'logged' as const,
        lines: lines.map((one) => lineWithin(one, zoom)),
      },
    ];
  });
}

/** The number of rollouts in the charts. */
export function rolloutsIn(
  facts: readonly StepFacts[] | undefined,
  range: StepRange | undefined,
): number | undefined {
  if (facts === undefined) return undefined;
  return facts
    .filter(({ step }) => range === undefined || (step >= range.from && step <= range.to))
    .reduce((sum, { rollouts }) => sum + rollouts, 0);
}

/** The last step that has matching rollouts in any of the runs. Undefined: there is no filter or no match. */
export function lastMatching(
  runs: readonly Pick<RunFacts, 'matching'>[],
  axis: readonly number[],
): number | undefined {
  const filled = new Set(
    runs.flatMap(({ matching = [] }) =>
      matching.flatMap(({ step, rollouts }) => (rollouts > 0 ? [step] : [])),
    ),
  );
  return axis.findLast((step) => filled.has(step));
}

interface Overlay {
  readonly series: SeriesName;
  /** How the trainer's number may differ from the one from rollouts. */
  readonly note?: string;
}

const LENGTH_NOTE =
  'verl counts the whole response, tool responses included; ours are the tokens the policy wrote';

const OVERLAYS: Readonly<Record<string, Overlay>> = {
  'critic/score/mean': { series: 'meanReward', note: 'over the rollouts of the update' },
  'critic/rewards/mean': { series: 'meanReward', note: 'after a KL penalty, where there is one' },
  'actor/entropy': { series: 'meanEntropy', note: 'over the rollouts of the update' },
  'response_length/mean': { series: 'meanTokens', note: LENGTH_NOTE },
  'response_length/clip_ratio': {
    series: 'truncatedShare',
    note: 'responses at the length limit',
  },
  'num_turns/mean': { series: 'meanTurns', note: 'as the trainer counts turns' },
  'tool_call_counts/mean': { series: 'toolCallsPerRollout', note: 'as the trainer counts calls' },
};

/**
 * Maps verl's metric names to the series from rollouts they can be overlaid on. A trainer may count differently, so a
 * line keeps its logged name, and has a note if the two are known to differ.
 */
export function overlayOf(name: string): Overlay | undefined {
  return Object.hasOwn(OVERLAYS, name) ? OVERLAYS[name] : undefined;
}
