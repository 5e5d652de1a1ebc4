/** Arithmetic of the map of problems by steps. */
import type { MappedProblem, ProblemMap } from '../../../shared/api/contract.ts';
import { problemName } from '../../../shared/domain/question.ts';

/** The text beside a name: its pass rate, or its regression when sorted by that. */
export function besideName(row: MapRow, sort: ProblemSort, steps: readonly string[]): string {
  if (sort === 'regressed' && row.regression !== undefined) return shortRegression(row.regression, steps);
  return row.rate === undefined ? '' : `${Math.round(row.rate * 100)} %`;
}

/** The head of the texts beside the names. */
export const besideHeadOf = (sort: ProblemSort): string => (sort === 'regressed' ? 'change' : 'correct');

/** Length in characters. */
export function longestName(rows: readonly MapRow[]): number {
  return longestText(rows.map(mapName));
}

export function longestText(texts: readonly string[]): number {
  return texts.reduce((most, text) => Math.max(most, text.length), 0);
}

/** UTF-16 units: a map of few steps has room for a sentence. */
const LONGEST_NAME = 200;

export const mapName = (row: { readonly problemId: string; readonly question: string }): string =>
  problemName(row, LONGEST_NAME);

/** Tooltip of a row's name: the question and the problem's id. */
export function nameHint(row: { readonly problemId: string; readonly question: string }): string {
  return row.question === '' ? row.problemId : `${row.question}\n${row.problemId}`;
}

export const PROBLEM_SORTS = ['order', 'rate', 'regressed', 'change', 'never', 'always', 'answers'] as const;
export type ProblemSort = (typeof PROBLEM_SORTS)[number];

/** A log without steps has nothing to sort by them. */
export const SORTS_OVER_STEPS: ReadonlySet<ProblemSort> = new Set(['regressed', 'change']);

export const SORT_LABELS: Readonly<Record<ProblemSort, { readonly label: string; readonly title: string }>> =
  {
    order: { label: 'Log order', title: 'In the order of the log' },
    rate: { label: 'Hardest', title: 'Lowest pass rate over all steps first' },
    regressed: {
      label: 'Regressed',
      title:
        'Problems with a smaller share of correct rollouts at their last step than at their best step before it; largest fall first',
    },
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
  /** Ascending by step. */
  readonly cells: readonly MapCell[];
  /** Steps with rollouts of the problem, none of which matches the filter. */
  readonly unmatched: readonly number[];
  readonly tried: number;
  readonly known: number;
  readonly correct: number;
  /** Share of correct rollouts. Undefined if no correctness is known. */
  readonly rate: number | undefined;
  /** Absent: the last step is the best, or at most one step has rollouts of known correctness. */
  readonly regression?: Regression;
  /** Last pass rate minus the previous one, −1…1. */
  readonly change: number;
  readonly answers: number;
}

/** A problem with a lower pass rate at its last step than before, over rollouts of known correctness. */
export interface Regression {
  /** The step with the highest pass rate. The latest one if several are equal. */
  readonly best: MapCell;
  /** The last step. */
  readonly last: MapCell;
  /** Pass rate at the best step minus that at the last step. Above 0. */
  readonly fall: number;
}

function regressionOf(cells: readonly MapCell[]): Regression | undefined {
  const known = cells.filter(({ known: judged }) => judged > 0);
  const last = known.at(-1);
  let best = last;
  for (const cell of known.toReversed())
    if (best !== undefined && (rateOf(cell) ?? 0) > (rateOf(best) ?? 0)) best = cell;
  if (last === undefined || best === undefined || best === last) return undefined;
  return { best, last, fall: (rateOf(best) ?? 0) - (rateOf(last) ?? 0) };
}

/** `40: 30/32 → 200: 4/32`: at both ends the step, its correct rollouts, and its rollouts of known correctness. */
function shortRegression({ best, last }: Regression, steps: readonly string[]): string {
  const end = ({ step, correct, known }: MapCell): string => `${steps[step] ?? ''}: ${correct}/${known}`;
  return `${end(best)} → ${end(last)}`;
}

export const REGRESSED_MEANS =
  'Regressed: the share of correct rollouts, among those whose correctness is known, is lower at the problem’s last step than at its best step before it.';

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
  const regression = regressionOf(cells);
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
    ...(regression === undefined ? {} : { regression }),
    change: rates.length < 2 ? 0 : last - (rates.at(-2) ?? 0),
    answers: Math.max(0, ...cells.map(({ answers }) => answers)),
  };
}

/** Sorts such as "Never solved" also filter. Equal rows keep their order. */
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
        (row) => row.regression?.fall ?? 0,
        rows.filter((row) => row.regression !== undefined),
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

/** Least width of the names in px. They also get the width that the cells leave. */
const GUTTER = 190;
/** Least share of the width if the names are sentences. */
const LEAST_OF_SENTENCES = 0.26;
/** px for the text beside a name, and for one character of it. */
const BESIDE_NAME = 82;
const LETTER = 6;
/** Characters of `100 %`, which fit into `BESIDE_NAME`. */
const RATE_LETTERS = 5;
const LEAST_COLUMN = 3;
const MOST_COLUMN = 72;

/**
 * Columns share the width. If there are many steps, columns have the smallest width that is still distinguishable. If
 * there are few, the names get the remaining width.
 *
 * @param longestName its length in characters
 * @param beside characters of the text beside a name
 */
export function mapShape(width: number, steps: number, longestName = 0, beside = 0): MapShape {
  const besideName = BESIDE_NAME + LETTER * Math.max(0, beside - RATE_LETTERS);
  const wanted = besideName + LETTER * longestName;
  const least = Math.max(GUTTER + besideName - BESIDE_NAME, Math.min(wanted, LEAST_OF_SENTENCES * width));
  const room = Math.max(0, width - least - EDGE);
  const columnWidth = Math.min(MOST_COLUMN, Math.max(LEAST_COLUMN, Math.floor(room / Math.max(1, steps))));
  const gutter = Math.max(least, Math.min(wanted, width - columnWidth * steps - EDGE));
  return { rowHeight: 18, columnWidth, gutter: Math.floor(gutter) };
}

/** px to the right of the cells, as wide as the page's edge. */
const EDGE = 24;

export interface MapPoint {
  readonly row: number;
  /** Index into the steps. */
  readonly step: number;
}

/** The row whose name is at a height, and its tried step nearest to the current one. */
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

/** @returns undefined outside the cells */
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

/** The cell that an arrow key leads to: the next tried step in the row, or the nearest tried step in another row. */
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

/** Labels every n-th column, where n is a round number: 1, 2, 5, 10, 20, 50 … */
export function labelEvery(labelWidth: number, columnWidth: number): number {
  const least = Math.max(1, Math.ceil(labelWidth / columnWidth));
  const ten = 10 ** Math.floor(Math.log10(least));
  return [1, 2, 5, 10].map((by) => by * ten).find((every) => every >= least) ?? least;
}
