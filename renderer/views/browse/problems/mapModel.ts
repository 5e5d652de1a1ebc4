/** Arithmetic of the map of problems by steps. */
import type { MappedProblem, ProblemMap } from '../../../../shared/api/contract.ts';

export const PROBLEM_SORTS = ['order', 'rate', 'regressed', 'change', 'never', 'always', 'answers'] as const;
export type ProblemSort = (typeof PROBLEM_SORTS)[number];

export const SORT_LABELS: Readonly<Record<ProblemSort, { readonly label: string; readonly title: string }>> =
  {
    order: { label: 'Log order', title: 'As they came' },
    rate: { label: 'Hardest', title: 'Lowest pass rate over all steps first' },
    regressed: { label: 'Regressed', title: 'Largest fall from the best step to the last' },
    change: {
      label: 'Newest change',
      title: 'Largest change between the last two steps at which it was tried',
    },
    never: { label: 'Never solved', title: 'No rollout was ever right; the most tried first' },
    always: { label: 'Always solved', title: 'Every rollout was right: no gradient to learn from' },
    answers: { label: 'Most answers', title: 'Most different answers in a group first' },
  };

export interface MapCell {
  /** Index into the steps. */
  readonly step: number;
  readonly groupId: number;
  readonly groups: number;
  readonly rollouts: number;
  readonly known: number;
  readonly correct: number;
  readonly answers: number;
}

export interface MapRow extends MappedProblem {
  /** In order of steps. */
  readonly cells: readonly MapCell[];
  readonly tried: number;
  readonly known: number;
  readonly correct: number;
  /** Share of correct rollouts; unknown where nothing is known. */
  readonly rate: number | undefined;
  /** Best step minus last step, 0 … 1. */
  readonly fall: number;
  /** Last step minus the one before, −1 … 1. */
  readonly change: number;
  readonly answers: number;
}

export function rateOf(cell: Pick<MapCell, 'known' | 'correct'>): number | undefined {
  return cell.known === 0 ? undefined : cell.correct / cell.known;
}

export function mapRows({ problems, cells }: ProblemMap): readonly MapRow[] {
  const byProblem: MapCell[][] = problems.map(() => []);
  cells.problem.forEach((problem, i) => {
    byProblem[problem]?.push({
      step: cells.step[i] ?? 0,
      groupId: cells.groupId[i] ?? 0,
      groups: cells.groups[i] ?? 0,
      rollouts: cells.rollouts[i] ?? 0,
      known: cells.known[i] ?? 0,
      correct: cells.correct[i] ?? 0,
      answers: cells.answers[i] ?? 0,
    });
  });
  return problems.map((problem, i) => rowOf(problem, byProblem[i] ?? []));
}

function rowOf(problem: MappedProblem, unsorted: readonly MapCell[]): MapRow {
  const cells = [...unsorted].sort((a, b) => a.step - b.step);
  const rates = cells.map(rateOf).filter((rate) => rate !== undefined);
  const last = rates.at(-1) ?? 0;
  const sum = (of: (cell: MapCell) => number): number => cells.reduce((total, cell) => total + of(cell), 0);
  const known = sum((cell) => cell.known);
  const correct = sum((cell) => cell.correct);
  return {
    ...problem,
    cells,
    tried: sum((cell) => cell.rollouts),
    known,
    correct,
    rate: known === 0 ? undefined : correct / known,
    fall: Math.max(0, ...rates) - last,
    change: rates.length < 2 ? 0 : last - (rates.at(-2) ?? 0),
    answers: Math.max(0, ...cells.map(({ answers }) => answers)),
  };
}

/** Sorts that are views keep only what they are about. Equal rows stay as they came. */
export function sortedMap(rows: readonly MapRow[], sort: ProblemSort): readonly MapRow[] {
  const by = (key: (row: MapRow) => number, from: readonly MapRow[] = rows): readonly MapRow[] =>
    [...from].sort((a, b) => key(b) - key(a));
  switch (sort) {
    case 'order':
      return rows;
    case 'rate':
      return by((row) => -(row.rate ?? 2));
    case 'regressed':
      return by(
        (row) => row.fall,
        rows.filter((row) => row.fall > 0),
      );
    case 'change':
      return by(
        (row) => Math.abs(row.change),
        rows.filter((row) => row.change !== 0),
      );
    case 'never':
      return by(
        (row) => row.tried,
        rows.filter((row) => row.known > 0 && row.correct === 0),
      );
    case 'always':
      return by(
        (row) => row.tried,
        rows.filter((row) => row.known > 0 && row.correct === row.known),
      );
    case 'answers':
      return by(
        (row) => row.answers,
        rows.filter((row) => row.answers > 0),
      );
  }
}

export interface MapShape {
  readonly rowHeight: number;
  readonly columnWidth: number;
  /** Width of the problems' names. */
  readonly gutter: number;
}

const GUTTER = 190;
const LEAST_COLUMN = 3;
const MOST_COLUMN = 72;

/** Columns share the width; with more steps than fit they are as narrow as can be told apart. */
export function mapShape(width: number, steps: number): MapShape {
  const room = Math.max(0, width - GUTTER);
  const columnWidth = Math.min(MOST_COLUMN, Math.max(LEAST_COLUMN, Math.floor(room / Math.max(1, steps))));
  return { rowHeight: 18, columnWidth, gutter: GUTTER };
}

export interface MapPoint {
  readonly row: number;
  /** Index into the steps. */
  readonly step: number;
}

/** @returns undefined beside the cells */
export function pointAt(
  shape: MapShape,
  { x, y }: { readonly x: number; readonly y: number },
  { rows, steps }: { readonly rows: number; readonly steps: number },
): MapPoint | undefined {
  const row = Math.floor(y / shape.rowHeight);
  const step = Math.floor((x - shape.gutter) / shape.columnWidth);
  return row >= 0 && row < rows && step >= 0 && step < steps ? { row, step } : undefined;
}

export function cellAt(rows: readonly MapRow[], point: MapPoint | undefined): MapCell | undefined {
  return point === undefined ? undefined : rows[point.row]?.cells.find(({ step }) => step === point.step);
}

/** The cell one comes to by an arrow key: along the row from tried step to tried step, between rows to the nearest. */
export function moved(
  rows: readonly MapRow[],
  from: MapPoint | undefined,
  { rows: down, steps: right }: { readonly rows: number; readonly steps: number },
): MapPoint | undefined {
  if (rows.length === 0) return undefined;
  if (from === undefined) return { row: 0, step: rows[0]?.cells[0]?.step ?? 0 };
  const row = Math.min(rows.length - 1, Math.max(0, from.row + down));
  const cells = rows[row]?.cells ?? [];
  if (right === 0) return { row, step: nearest(cells, from.step) };
  const next =
    right > 0 ? cells.find(({ step }) => step > from.step) : cells.findLast(({ step }) => step < from.step);
  return { row, step: next?.step ?? nearest(cells, from.step) };
}

function nearest(cells: readonly MapCell[], step: number): number {
  let best = cells[0]?.step ?? step;
  for (const cell of cells) if (Math.abs(cell.step - step) < Math.abs(best - step)) best = cell.step;
  return best;
}

/** Every how many columns a label has room, as people count: 1, 2, 5, 10, 20, 50 … */
export function labelEvery(labelWidth: number, columnWidth: number): number {
  const least = Math.max(1, Math.ceil(labelWidth / columnWidth));
  const ten = 10 ** Math.floor(Math.log10(least));
  return [1, 2, 5, 10].map((by) => by * ten).find((every) => every >= least) ?? least;
}
