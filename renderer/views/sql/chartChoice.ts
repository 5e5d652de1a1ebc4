/** Chooses the columns of a result to chart, and the form of the chart. */
import type { SqlRow } from '../../../shared/api/contract.ts';
import { delimitedCell } from '../../../shared/domain/delimited.ts';
import { isNumeric, numberOf, valueText } from './sqlModel.ts';

export const SHAPES = ['line', 'bar', 'scatter'] as const;
export type Shape = (typeof SHAPES)[number];

export interface ChartChoice {
  readonly x: number;
  /** Column indices in order: at least one, at most `MOST_SERIES`. */
  readonly y: readonly number[];
  readonly shape: Shape;
}

/** Limited by the number of distinguishable colours and strokes. */
export const MOST_SERIES = 6;

/** Columns of ids are numeric, but not quantities, so they are not charted by default. */
const isId = (name: string): boolean => /(?:^|_)(?:id|no)$/.test(name);

/** @returns undefined if no column is numeric */
export function proposedChart(columns: readonly string[], rows: readonly SqlRow[]): ChartChoice | undefined {
  const numeric = columns.map((_, i) => i).filter((i) => isNumeric(rows, i));
  const amounts = numeric.filter((i) => !isId(columns[i] ?? ''));
  const text = columns.findIndex((name, i) => !numeric.includes(i) && !isId(name));
  const [first, second] = amounts.length > 0 ? amounts : numeric;
  if (first === undefined) return undefined;
  const step = columns.indexOf('step');
  if (step >= 0 && numeric.includes(step)) {
    const y = amounts.find((i) => i !== step);
    if (y !== undefined) return { x: step, y: [y], shape: hasRepeats(rows, step) ? 'scatter' : 'line' };
  }
  if (text >= 0 && rows.length <= MOST_BARS) return { x: text, y: [first], shape: 'bar' };
  if (second === undefined) return { x: Math.max(0, text), y: [first], shape: 'bar' };
  return { x: first, y: [second], shape: hasRepeats(rows, first) ? 'scatter' : 'line' };
}

/** With more bars, each would be thinner than a pixel. */
export const MOST_BARS = 400;

function hasRepeats(rows: readonly SqlRow[], column: number): boolean {
  return new Set(rows.map((row) => valueText(row[column]))).size < rows.length;
}

interface ChartPoint {
  /** A number, or the index of a bar. */
  readonly x: number;
  /** One per column. Undefined: unknown, which breaks a line. */
  readonly ys: readonly (number | undefined)[];
  readonly label: string;
}

export interface ChartData {
  readonly points: readonly ChartPoint[];
  /** Rows without a required number, and rows beyond the limit. */
  readonly left: number;
}

/** Points of a line are sorted by x. Bars keep the order of rows. */
export function chartData(rows: readonly SqlRow[], { x, y, shape }: ChartChoice): ChartData {
  const points: ChartPoint[] = [];
  rows.forEach((row) => {
    const ys = y.map((column) => numberOf(row[column]));
    const across = shape === 'bar' ? points.length : numberOf(row[x]);
    if (across === undefined || ys.every((value) => value === undefined)) return;
    if (shape === 'bar' && points.length === MOST_BARS) return;
    points.push({ x: across, ys, label: valueText(row[x]) });
  });
  if (shape !== 'bar') points.sort((a, b) => a.x - b.x);
  return { points, left: rows.length - points.length };
}

/** Colour of a series: the accent colour if it is the only one, else the colour of the run with that index. */
export function inkOf(series: number, count: number): string {
  return count === 1 ? 'var(--accent)' : `var(--run-${series + 1})`;
}

/** @returns the drawn numbers: a row per point, a column per series; unknown values are blank */
export function drawnCsv(xName: string, names: readonly string[], { points }: ChartData): string {
  const rows = points.map(({ label, ys }) =>
    [delimitedCell(label), ...ys.map((value) => value ?? '')].join(','),
  );
  return [[xName, ...names].map((name) => delimitedCell(name)).join(','), ...rows]
    .map((row) => `${row}\n`)
    .join('');
}

const FIGURES = new Intl.NumberFormat('en', { maximumSignificantDigits: 10 });
const EXACT = new Intl.NumberFormat('en', { maximumSignificantDigits: 17 });

/** A tick label without binary rounding noise. Uses powers of ten if it would be too long. */
export function axisNumber(value: number): string {
  return numberLabel(Number(value.toPrecision(10)), FIGURES);
}

/** A value of the result, with all its digits. */
export function shownNumber(value: number): string {
  return numberLabel(value, EXACT);
}

function numberLabel(value: number, format: Intl.NumberFormat): string {
  const size = Math.abs(value);
  const isLong = size >= 1e12 || (size > 0 && size < 1e-4);
  return (isLong ? value.toExponential() : format.format(value)).replaceAll('-', '−');
}
