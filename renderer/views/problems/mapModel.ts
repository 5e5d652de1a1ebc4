/** Arithmetic of the map of problems by steps. */
import type { MappedProblem, ProblemMap } from '../../../shared/api/contract.ts';
import { isHashedId } from '../../../shared/domain/question.ts';

/** What a problem is called in lists: by its question where its id was made of the prompt and says nothing. */
export function problemName({
  problemId,
  question,
}: {
  readonly problemId: string;
  readonly question: string;
}): string {
  return question !== '' && isHashedId(problemId) ? question : problemId;
}

/** In letters. */
export function longestName(rows: readonly MapRow[]): number {
  return rows.reduce((most, row) => Math.max(most, problemName(row).length), 0);
}

/** All that is known of what a row of the map is called. */
export function nameHint(row: { readonly problemId: string; readonly question: string }): string {
  return row.question === '' ? row.problemId : `${row.question}\n${row.problemId}`;
}

export const PROBLEM_SORTS = ['order', 'rate', 'regressed', 'change', 'never', 'always', 'answers'] as const;
export type ProblemSort = (typeof PROBLEM_SORTS)[number];

export const SORT_LABELS: Readonly<Record<ProblemSort, { readonly label: string; readonly title: string }>> =
  {
    order: { label: 'Log order', title: 'In the order of the log' },
    rate: { label: 'Hardest', title: 'Lowest pass rate over all steps first' },
    regressed: { label: 'Regressed', title: 'Largest fall from the best step to the last' },
    change: {
      label: 'Newest change',
      title: 'Largest change between the last two steps at which it was tried',
    },
    never: { label: 'Never solved', title: 'No rollout was ever correct; the most tried first' },
    always: { label: 'Always solved', title: 'Every rollout was correct: no gradient to learn from' },
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
  /** Steps at which it was tried and no rollout matches the filter. */
  readonly unmatched: readonly number[];
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
  const cells = unsorted.filter(({ rollouts }) => rollouts > 0).sort((a, b) => a.step - b.step);
  const rates = cells.map(rateOf).filter((rate) => rate !== undefined);
  const last = rates.at(-1) ?? 0;
  const sum = (of: (cell: MapCell) => number): number => cells.reduce((total, cell) => total + of(cell), 0);
  const known = sum((cell) => cell.known);
  const correct = sum((cell) => cell.correct);
  return {
    ...problem,
    cells,
    unmatched: unsorted.filter(({ rollouts }) => rollouts === 0).map(({ step }) => step),
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

/** Names have at least this much of the width, and at most what the cells leave. */
const GUTTER = 190;
/** Of the width, where names are sentences. */
const LEAST_OF_SENTENCES = 0.26;
/** What stands beside a name, and a letter of it, px. */
const BESIDE_NAME = 82;
const LETTER = 6;
const LEAST_COLUMN = 3;
const MOST_COLUMN = 72;

/**
 * Columns share the width; with more steps than fit they are as narrow as can be told apart. Where few steps leave
 * some of it, the names have it.
 *
 * @param longestName letters of it
 */
export function mapShape(width: number, steps: number, longestName = 0): MapShape {
  const wanted = BESIDE_NAME + LETTER * longestName;
  const least = Math.max(GUTTER, Math.min(wanted, LEAST_OF_SENTENCES * width));
  const room = Math.max(0, width - least);
  const columnWidth = Math.min(MOST_COLUMN, Math.max(LEAST_COLUMN, Math.floor(room / Math.max(1, steps))));
  const gutter = Math.max(least, Math.min(wanted, width - columnWidth * steps - SCROLLBAR));
  return { rowHeight: 18, columnWidth, gutter: Math.floor(gutter) };
}

/** Room that a name leaves at the right, so that the map does not scroll sideways for it. */
const SCROLLBAR = 2;

export interface MapPoint {
  readonly row: number;
  /** Index into the steps. */
  readonly step: number;
}

/** The row whose name is at a height, at the tried step nearest to the one that is read out. */
export function nameAt(
  rows: readonly MapRow[],
  shape: MapShape,
  y: number,
  step: number | undefined,
): MapPoint | undefined {
  const row = Math.floor(y / shape.rowHeight);
  const cells = rows[row]?.cells;
  return cells === undefined || row < 0
    ? undefined
    : { row, step: nearest(cells, step ?? cells.at(-1)?.step ?? 0) };
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
