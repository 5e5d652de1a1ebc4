/** Columns of a table, and the user's arrangement of them: visibility, order, width. */
import type { ReactNode } from 'react';
import { delimitedCell } from '../../shared/domain/delimited.ts';
import type { FieldName } from '../../shared/domain/filter/fields.ts';
import type { Sort } from './sorting.ts';
import type { CssPixels } from './virtualRows.ts';

export type Direction = 'ascending' | 'descending';

/** The exact value of a cell, not rounded for display. Undefined: unknown. */
export type CellValue = string | number | boolean | undefined;

export interface Column<Row> {
  readonly id: string;
  readonly label: string;
  /** Name of the column if its label is a symbol or empty. */
  readonly name?: string;
  readonly unit?: string;
  /** Tooltip: the definition of the number and its source. */
  readonly hint?: string;
  readonly align?: 'start' | 'end';
  readonly minWidth: CssPixels;
  /** Share of the spare width; 0 keeps the minimum. */
  readonly grow?: number;
  /** Direction of the first click. Absent: the list cannot be sorted by it. */
  readonly sorts?: Direction;
  readonly cell: (row: Row) => ReactNode;
  /** The value to copy. Absent: the cell has no single value. */
  readonly value?: (row: Row) => CellValue;
  /** A second value, copied as a column after it, such as the meaning of a mark. */
  readonly copiedWith?: { readonly name: string; readonly value: (row: Row) => CellValue };
  /** The field of the filter language for this column. */
  readonly filterField?: FieldName;
  /** The value that the filter compares, if it is not `value`. Used with `filterField`. */
  readonly filterValue?: (row: Row) => CellValue;
  /** The filter for rows with this row's value, or for the others, if the value alone does not say it. */
  readonly filterCondition?: (row: Row, isWithout: boolean) => string;
}

export interface TableLayout {
  /** Ids of columns. A column that is not listed follows its predecessor in the default order. */
  readonly order: readonly string[];
  readonly hidden: Readonly<Record<string, true>>;
  /** CSS pixels, for columns that were resized. */
  readonly widths: Readonly<Record<string, CssPixels>>;
}

type Density = 'comfortable' | 'compact';

/** A layout with the means to change it. */
export interface Arrangement {
  readonly layout: TableLayout;
  readonly density: Density;
  readonly arrange: (change: Partial<TableLayout>) => void;
  /** Restores the default columns. */
  readonly reset: () => void;
  readonly setDensity: (density: Density) => void;
}

export const AS_THEY_CAME: TableLayout = { order: [], hidden: {}, widths: {} };
/** Wide enough to remain visible and draggable. */
export const LEAST_WIDTH: CssPixels = 24;
const GAP: CssPixels = 14;
const PADDING: CssPixels = 24;
/** Width of the arrow and rank in the head of a sorted column. */
const ARROW: CssPixels = 18;

export const columnName = ({ id, name, label }: Pick<Column<never>, 'id' | 'name' | 'label'>): string =>
  name ?? (label === '' ? id : label);

/** All columns in the user's order. */
export function inOrder<C extends { readonly id: string }>(
  columns: readonly C[],
  order: readonly string[],
): readonly C[] {
  if (order.length === 0) return columns;
  const byId = new Map(columns.map((column) => [column.id, column]));
  const ids = [...new Set(order)].filter((id) => byId.has(id));
  columns.forEach((column, i) => {
    if (ids.includes(column.id)) return;
    const before = columns[i - 1];
    ids.splice(before === undefined ? 0 : ids.indexOf(before.id) + 1, 0, column.id);
  });
  return ids.flatMap((id) => byId.get(id) ?? []);
}

/** The visible columns: neither hidden nor unknown in every row. At least one. */
export function shownColumns<C extends { readonly id: string }>(
  columns: readonly C[],
  layout: TableLayout,
  unknown: ReadonlySet<string>,
): readonly C[] {
  const known = inOrder(columns, layout.order).filter(({ id }) => !unknown.has(id));
  const shown = known.filter(({ id }) => layout.hidden[id] !== true);
  return shown.length === 0 ? known.slice(0, 1) : shown;
}

/** @param before the id of the following column; undefined: the end */
export function movedBefore(
  ids: readonly string[],
  id: string,
  before: string | undefined,
): readonly string[] {
  if (id === before) return ids;
  const rest = ids.filter((one) => one !== id);
  const at = before === undefined ? -1 : rest.indexOf(before);
  return at < 0 ? [...rest, id] : [...rest.slice(0, at), id, ...rest.slice(at)];
}

/** One place to the left (-1) or to the right (1). */
export function movedBy(ids: readonly string[], id: string, by: -1 | 1): readonly string[] {
  const at = ids.indexOf(id);
  const to = at + by;
  if (at < 0 || to < 0 || to >= ids.length) return ids;
  const next = [...ids];
  next.splice(at, 1);
  next.splice(to, 0, id);
  return next;
}

/** Width change per key press. */
const WIDTH_STEP: CssPixels = 10;

/** Narrower (-1) or wider (1). */
export function widenedBy(width: CssPixels, by: -1 | 1): CssPixels {
  return Math.max(LEAST_WIDTH, Math.round(width) + by * WIDTH_STEP);
}

export interface RowStyle {
  readonly gridTemplateColumns: string;
  readonly minWidth: CssPixels;
}

export function rowStyleOf(
  columns: readonly Pick<Column<never>, 'id' | 'minWidth' | 'grow'>[],
  widths: TableLayout['widths'],
  sorts: readonly Sort[],
): RowStyle {
  const leastOf = ({ id, minWidth }: Pick<Column<never>, 'id' | 'minWidth'>) =>
    minWidth + (sorts.some(({ column }) => column === id) ? ARROW : 0);
  const tracks = columns.map((column) => {
    const width = widths[column.id];
    return width === undefined ? `minmax(${leastOf(column)}px, ${column.grow ?? 1}fr)` : `${width}px`;
  });
  const own = columns.reduce((sum, one) => sum + (widths[one.id] ?? leastOf(one)) + GAP, PADDING - GAP);
  return {
    gridTemplateColumns: tracks.join(' '),
    minWidth: own,
  };
}

/**
 * Columns without a value, such as drawings, are left out.
 * @returns lines ended by `\n`, the names first
 */
export function tableTsv<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): string {
  const written = columns.flatMap(writtenOf);
  const head = written.map(({ name }) => cellText(name)).join('\t');
  const lines = rows.map((row) => written.map(({ value }) => cellText(value(row))).join('\t'));
  return [head, ...lines].map((line) => `${line}\n`).join('');
}

function writtenOf<Row>(column: Column<Row>): readonly NonNullable<Column<Row>['copiedWith']>[] {
  const { value, unit, copiedWith } = column;
  if (value === undefined) return [];
  const name = unit === undefined ? columnName(column) : `${columnName(column)} (${unit})`;
  return [{ name, value }, ...(copiedWith === undefined ? [] : [copiedWith])];
}

/** A value as a cell of tab-separated text. */
export function cellText(value: CellValue): string {
  return delimitedCell(value, '\t');
}
