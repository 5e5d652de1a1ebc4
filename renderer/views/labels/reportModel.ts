/** A report of labels as bars, filters and CSV. Counts are distinct rollouts unless stated otherwise. */
import { max } from 'd3-array';
import { scaleBand, scaleLinear } from 'd3-scale';
import type { AnnotationReport, LabelReport, LabelTally } from '../../../shared/api/contract.ts';
import { delimitedLine } from '../../../shared/domain/delimited.ts';

export interface StepBar {
  readonly step: number;
  readonly rollouts: number;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** px. Keeps bars narrow if there are only a few steps. */
const WIDEST_BAR = 14;

/** All steps with annotations, ascending. All rows of the report share this axis. */
export function stepsOf(report: AnnotationReport): readonly number[] {
  const steps = new Set(report.labels.flatMap(({ byStep }) => byStep.map(({ step }) => step)));
  return [...steps].sort((a, b) => a - b);
}

/** Sums several runs at the same step. */
function rolloutsByStep({ byStep }: LabelReport): ReadonlyMap<number, number> {
  const sums = new Map<number, number>();
  for (const { step, rollouts } of byStep) sums.set(step, (sums.get(step) ?? 0) + rollouts);
  return sums;
}

export function highestCount(report: AnnotationReport): number {
  return max(report.labels.flatMap((label) => [...rolloutsByStep(label).values()])) ?? 0;
}

export function stepBars(
  label: LabelReport,
  {
    steps,
    highest,
    width,
    height,
  }: {
    readonly steps: readonly number[];
    readonly highest: number;
    readonly width: number;
    readonly height: number;
  },
): readonly StepBar[] {
  const x = scaleBand<number>().domain(steps).range([0, width]).padding(0.15);
  const bar = Math.max(1, Math.min(WIDEST_BAR, x.bandwidth()));
  const y = scaleLinear()
    .domain([0, Math.max(1, highest)])
    .range([0, height]);
  return [...rolloutsByStep(label)].map(([step, rollouts]) => ({
    step,
    rollouts,
    x: (x(step) ?? 0) + (x.bandwidth() - bar) / 2,
    y: height - y(rollouts),
    width: bar,
    height: Math.max(1, y(rollouts)),
  }));
}

export interface Part {
  readonly id: string;
  readonly words: string;
  readonly rollouts: number;
  readonly annotations: number;
  /** Share of all parts, 0…1. */
  readonly share: number;
}

export function partsOf(
  tallies: Readonly<Record<string, { readonly rollouts: number; readonly annotations: number }>>,
  words: Readonly<Record<string, string>>,
): readonly Part[] {
  const entries = Object.entries(tallies);
  const all = entries.reduce((sum, [, { rollouts }]) => sum + rollouts, 0);
  return entries
    .filter(([, { rollouts }]) => rollouts > 0)
    .map(([id, { rollouts, annotations }]) => ({
      id,
      words: words[id] ?? id,
      rollouts,
      annotations,
      share: all === 0 ? 0 : rollouts / all,
    }));
}

/** A filter for the rollouts that a number of the report counts. */
export function filterOf(label: string | undefined, part: string | undefined, filter: string): string {
  const own = label === undefined ? 'note:any' : `label:${label}`;
  const parts = [own, part, filter === '' || !/\b(?:or)\b/i.test(filter) ? filter : `(${filter})`];
  return parts.filter((one) => one !== undefined && one !== '').join(' ');
}

export function reportCsv(report: AnnotationReport, nameOf: (label: string) => string): string {
  const lines = [delimitedLine(['label', 'name', 'by', 'part', 'rollouts', 'annotations'])];
  for (const label of report.labels) {
    const id = label.label ?? '';
    const name = label.label === undefined ? 'notes without a label' : nameOf(label.label);
    const add = (by: string, part: string | number, { rollouts, annotations }: LabelTally) =>
      lines.push(delimitedLine([id, name, by, part, rollouts, annotations]));
    add('all', '', label);
    for (const one of label.byStep) add('step', one.step, one);
    for (const [part, tally] of Object.entries(label.byClass)) add('class', part, tally);
    for (const [part, tally] of Object.entries(label.byKept)) add('kept', part, tally);
    for (const one of label.byOutcome) add('tool outcome', one.outcome, one);
    for (const one of label.bySeverity) add('severity', one.severity ?? '', one);
    for (const one of label.byRun) add('run', one.runKey, one);
  }
  return lines.join('');
}
