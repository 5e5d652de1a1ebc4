/**
 * A tree over training time: its range of steps, and the columns that show a branch's share by step.
 *
 *   ?steps=20-60   the tree of these steps only; without it, of all steps
 */
import type { StepCount } from '../../../shared/api/contract.ts';
import { count, counted, percent } from '../../ui/numbers.ts';

export interface StepRange {
  readonly first: number;
  readonly last: number;
}

/** Undefined: all steps. A range that contains no step is ignored. */
export function readSteps(text: string | null, steps: readonly StepCount[]): StepRange | undefined {
  const [, from, to] = /^(\d{1,9})-(\d{1,9})$/.exec(text ?? '') ?? [];
  if (from === undefined || to === undefined) return undefined;
  const range = { first: Math.min(Number(from), Number(to)), last: Math.max(Number(from), Number(to)) };
  return steps.some(({ step }) => isWithin(step, range)) ? range : undefined;
}

/** Undefined if the range covers all steps, so that the URL omits it. */
export function writeSteps(
  { first, last }: StepRange,
  steps: readonly Pick<StepCount, 'step'>[],
): string | undefined {
  const isAll = first <= (steps[0]?.step ?? 0) && last >= (steps.at(-1)?.step ?? 0);
  return isAll ? undefined : `${first}-${last}`;
}

export const isWithin = (step: number, range: StepRange | undefined): boolean =>
  range === undefined || (step >= range.first && step <= range.last);

/** Merges groups of the same step, ascending by step. */
export function stepsOf(groups: readonly StepCount[]): readonly StepCount[] {
  const steps = new Map<number, StepCount>();
  for (const { step, rollouts, correct, correctKnown } of groups) {
    const former = steps.get(step) ?? { step, rollouts: 0, correct: 0, correctKnown: 0 };
    steps.set(step, {
      step,
      rollouts: former.rollouts + rollouts,
      correct: former.correct + correct,
      correctKnown: former.correctKnown + correctKnown,
    });
  }
  return [...steps.values()].sort((a, b) => a.step - b.step);
}

/** One step, or several adjacent ones if there are too many to draw. */
export interface StepColumn {
  readonly first: number;
  readonly last: number;
  /** Rollouts of these steps on this branch. */
  readonly rollouts: number;
  /** All rollouts of these steps. */
  readonly total: number;
  readonly correct: number;
  readonly correctKnown: number;
}

/**
 * @param own rollouts of one branch
 * @param most the largest number of columns
 */
export function stepColumns(
  all: readonly StepCount[],
  own: readonly StepCount[],
  most: number,
): readonly StepColumn[] {
  const bySteps = new Map(own.map((count) => [count.step, count]));
  const perColumn = Math.max(1, Math.ceil(all.length / most));
  const columns: StepColumn[] = [];
  for (let from = 0; from < all.length; from += perColumn) {
    const steps = all.slice(from, from + perColumn);
    const counts = steps.flatMap(({ step }) => bySteps.get(step) ?? []);
    const sum = (of: readonly StepCount[], value: (count: StepCount) => number) =>
      of.reduce((total, each) => total + value(each), 0);
    columns.push({
      first: steps[0]?.step ?? 0,
      last: steps.at(-1)?.step ?? 0,
      rollouts: sum(counts, (each) => each.rollouts),
      total: sum(steps, (each) => each.rollouts),
      correct: sum(counts, (each) => each.correct),
      correctKnown: sum(counts, (each) => each.correctKnown),
    });
  }
  return columns;
}

/** Parts of a column's height, from the bottom: correct, unknown, incorrect. The rest is on other branches. */
export interface ColumnParts {
  readonly right: number;
  readonly unknown: number;
  readonly wrong: number;
}

/** @param whole rollouts at full height; may be a fraction */
export function columnParts({ rollouts, correct, correctKnown }: StepColumn, whole: number): ColumnParts {
  const of = (part: number) => (whole === 0 ? 0 : part / whole);
  return { right: of(correct), unknown: of(rollouts - correctKnown), wrong: of(correctKnown - correct) };
}

const SCALES = [0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1] as const;

/**
 * The share at full height, chosen from a few values so that branches can be compared, and close to the branch's
 * highest share so that a rare branch is visible.
 */
export function scaleOf(columns: readonly StepColumn[]): number {
  const highest = Math.max(0, ...columns.map(({ rollouts, total }) => rollouts / Math.max(1, total)));
  return SCALES.find((scale) => scale >= highest) ?? 1;
}

const stepName = ({ first, last }: StepColumn): string =>
  first === last ? `step ${first}` : `steps ${first}\u2013${last}`;

/** `step 20: 3 of 8 rollouts on this branch (38 %), 1 of 3 correct`. */
export function columnLabel(column: StepColumn): string {
  const { rollouts, total, correct, correctKnown } = column;
  const share = total === 0 ? '' : ` (${percent(rollouts / total, 0)} %)`;
  const right = correctKnown === 0 ? '' : `, ${count(correct)} of ${count(correctKnown)} correct`;
  return `${stepName(column)}: ${count(rollouts)} of ${counted(total, 'rollout')} on this branch${share}${right}`;
}

/** `step 20: 8 rollouts, 5 of 8 correct`. */
export function stepLabel(column: StepColumn): string {
  const { total, correct, correctKnown } = column;
  const right = correctKnown === 0 ? '' : `, ${count(correct)} of ${count(correctKnown)} correct`;
  return `${stepName(column)}: ${counted(total, 'rollout')}${right}`;
}

/** A text alternative to the columns: the branch's share over its steps. */
export function fateLabel(columns: readonly StepColumn[]): string {
  const seen = columns.filter(({ rollouts }) => rollouts > 0);
  const [from, to] = [seen[0], seen.at(-1)];
  if (from === undefined || to === undefined) return 'of no step';
  const share = ({ rollouts, total }: StepColumn) => `${percent(rollouts / Math.max(1, total), 0)} %`;
  const [start, end] = [columns[0], columns.at(-1)];
  const began = start === from ? '' : `first at ${stepName(from)}, `;
  const ended = end === to ? '' : `, none after ${stepName(to)}`;
  return from === to
    ? `only ${stepName(from)}: ${share(from)}`
    : `${began}${share(from)} of ${stepName(from)} to ${share(to)} of ${stepName(to)}${ended}`;
}
