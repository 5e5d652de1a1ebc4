/** The menus of a table: of a head, of a cell, and (by keys) of the row under the cursor. */
import { type MouseEvent, useState } from 'react';
import { copyText } from './exportText.ts';
import type { Sort } from './sorting.ts';
import type { MenuAction, OpenMenu } from './TableMenu.tsx';
import { type Arrangement, type Column, cellText, columnName, type Direction } from './tableColumns.ts';
import { selectedIndexes, type useRowSelection } from './useRowSelection.ts';
import type { VirtualTableProps } from './virtualTableProps.ts';

interface MenusOf<Row> {
  readonly props: VirtualTableProps<Row>;
  /** The visible columns, in display order. */
  readonly columns: readonly Column<Row>[];
  readonly sorts: readonly Sort[];
  readonly picked: ReturnType<typeof useRowSelection>;
  readonly copy: (columns: readonly Column<Row>[], indexes: readonly number[]) => unknown;
  readonly setCursor: (index: number) => void;
}

export function useTableMenus<Row>({ props, columns, sorts, picked, copy, setCursor }: MenusOf<Row>) {
  const { count, rowAt, arrangement, selection: selecting, filter } = props;
  const [menu, setMenu] = useState<OpenMenu>();
  const openHead = (column: Column<Row>, at: { readonly x: number; readonly y: number }) => {
    if (arrangement === undefined) return;
    const all = () => Array.from({ length: count }, (_, i) => i);
    const places = () => (picked.selected > 0 ? selectedIndexes(picked.rows) : all());
    setMenu({
      name: `Column ${columnName(column)}`,
      ...at,
      parts: headMenuParts({
        column,
        sorts,
        onSort: props.onSort,
        canSortFurther: props.canSortFurther === true,
        filter,
        arrangement,
        isLastShown: columns.length === 1,
        copyColumn: selecting && (() => void copy([column], places())),
      }),
    });
  };
  const menuOf = (row: Row, index: number) => ({
    row,
    filter,
    flip: selecting && (() => picked.flip(index)),
    isSelected: picked.has(index),
    notify: selecting?.notify,
  });
  const openValue = (
    column: Column<Row>,
    row: Row,
    index: number,
    at: { readonly x: number; readonly y: number },
  ) =>
    setMenu({
      name: `Value of ${columnName(column)}`,
      ...at,
      parts: cellMenuParts({ column, ...menuOf(row, index) }),
    });
  const openCell = (event: MouseEvent, index: number) => {
    const row = rowAt(index);
    const cell = event.target instanceof Element ? event.target.closest('[role=gridcell]') : null;
    const column = columns[Array.prototype.indexOf.call(event.currentTarget.children, cell)];
    if (row === undefined || column === undefined) return;
    event.preventDefault();
    setCursor(index);
    openValue(column, row, index, { x: event.clientX, y: event.clientY });
  };
  /** @param element the row's element */
  const openRow = (index: number, element: Element | null) => {
    const row = rowAt(index);
    const box = element?.getBoundingClientRect();
    if (row === undefined || box === undefined) return;
    const at = { x: box.left + 24, y: box.bottom };
    const ofRow = menuOf(row, index);
    const parts = rowMenuParts({
      ...ofRow,
      columns,
      openCell: (column) => openValue(column, row, index, at),
    });
    setMenu({ name: 'This row', ...at, parts });
  };
  return {
    menu,
    close: () => setMenu(undefined),
    openHead,
    openCell: filter !== undefined || selecting !== undefined ? openCell : undefined,
    openRow: filter !== undefined || selecting !== undefined ? openRow : undefined,
  };
}

/** Filters a list from its table. A column without a `filterField` cannot be filtered. */
export interface TableFilter<Row> {
  /** Begins a condition in the filter box, for the user to finish. */
  readonly begin: (column: Column<Row>) => void;
  /** Whether the value of a cell can be expressed as a condition. */
  readonly hasCondition: (column: Column<Row>, row: Row) => boolean;
  /** Keeps only rows with this row's value, or only rows without it. */
  readonly byValue: (column: Column<Row>, row: Row, isWithout: boolean) => void;
}

interface HeadMenu<Row> {
  readonly column: Column<Row>;
  readonly sorts: readonly Sort[];
  readonly onSort: ((column: string, direction: Direction, isFurther: boolean) => void) | undefined;
  readonly canSortFurther: boolean;
  readonly filter: TableFilter<Row> | undefined;
  readonly arrangement: Arrangement;
  readonly isLastShown: boolean;
  /** Undefined if the column has no value to copy. */
  readonly copyColumn: (() => void) | undefined;
}

/** The sections of a head's menu. */
function headMenuParts<Row>(menu: HeadMenu<Row>): readonly (readonly MenuAction[])[] {
  const { column, sorts, onSort, filter, arrangement, copyColumn } = menu;
  const { layout, arrange } = arrangement;
  const { id } = column;
  const sort = (label: string, direction: Direction, isFurther: boolean): readonly MenuAction[] =>
    column.sorts === undefined || onSort === undefined
      ? []
      : [{ label, act: () => onSort(id, direction, isFurther) }];
  const isFurther = menu.canSortFurther && sorts.length > 0 && sorts[0]?.column !== id;
  const then = isFurther ? sort('Then by this (Shift-click)', column.sorts ?? 'ascending', true) : [];
  const { [id]: width, ...widths } = layout.widths;
  return [
    [
      ...sort('Sort ascending ▲', 'ascending', false),
      ...sort('Sort descending ▼', 'descending', false),
      ...then,
    ],
    filter === undefined || column.filterField === undefined
      ? []
      : [{ label: 'Filter…', act: () => filter.begin(column) }],
    copyColumn === undefined || column.value === undefined
      ? []
      : [{ label: 'Copy this column', act: copyColumn }],
    [
      ...(menu.isLastShown
        ? []
        : [
            {
              label: 'Hide this column',
              act: () => arrange({ hidden: { ...layout.hidden, [id]: true } }),
            },
          ]),
      ...(width === undefined ? [] : [{ label: 'Reset width', act: () => arrange({ widths }) }]),
      { label: 'Reset columns', act: arrangement.reset },
    ],
  ];
}

interface CellMenu<Row> {
  readonly column: Column<Row>;
  readonly row: Row;
  readonly filter: TableFilter<Row> | undefined;
  readonly flip: (() => void) | undefined;
  readonly isSelected: boolean;
  readonly notify: ((sentence: string) => void) | undefined;
}

function cellMenuParts<Row>(menu: CellMenu<Row>): readonly (readonly MenuAction[])[] {
  const { column, row, filter, flip, notify } = menu;
  const value = column.value?.(row);
  const compared = (column.filterValue ?? column.value)?.(row);
  const isFiltered = filter?.hasCondition(column, row) === true;
  return [
    isFiltered
      ? [
          {
            label: compared === undefined ? 'Only where this is unknown' : 'Only this value',
            act: () => filter.byValue(column, row, false),
          },
          {
            label: compared === undefined ? 'Only where this is known' : 'Without this value',
            act: () => filter.byValue(column, row, true),
          },
        ]
      : [],
    value === undefined || notify === undefined
      ? []
      : [
          {
            label: 'Copy this value',
            act: () => {
              void copyText(cellText(value)).then((isCopied) =>
                notify(isCopied ? `${columnName(column)} copied` : 'The clipboard is not available here'),
              );
            },
          },
        ],
    flip === undefined
      ? []
      : [{ label: menu.isSelected ? 'Deselect this row' : 'Select this row', act: flip }],
  ];
}

interface RowMenu<Row> {
  readonly columns: readonly Column<Row>[];
  readonly row: Row;
  readonly filter: TableFilter<Row> | undefined;
  readonly flip: (() => void) | undefined;
  readonly isSelected: boolean;
  /** Opens the menu for the value of this column. */
  readonly openCell: (column: Column<Row>) => void;
}

/** By keys no cell is selected, so the menu first asks for the column. */
function rowMenuParts<Row>(menu: RowMenu<Row>): readonly (readonly MenuAction[])[] {
  const { columns, row, filter, openCell } = menu;
  const [, , select = []] = cellMenuParts({ ...menu, column: NO_COLUMN, notify: undefined });
  const values = columns.flatMap((column) => {
    const value = column.value?.(row);
    if (value === undefined && filter?.hasCondition(column, row) !== true) return [];
    const text = value === undefined ? 'unknown' : cellText(value).replaceAll(/\s+/g, ' ');
    const shown = text.length > MENU_CHARS ? `${text.slice(0, MENU_CHARS)}…` : text;
    return [{ label: `${columnName(column)}: ${shown}…`.replace('……', '…'), act: () => openCell(column) }];
  });
  return [select, values];
}

/** Characters of a value in a menu. The list shows all of it. */
const MENU_CHARS = 40;
const NO_COLUMN: Column<unknown> = { id: '', label: '', minWidth: 0, cell: () => null };
