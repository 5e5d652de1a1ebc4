/** The menus of a table: of a head, of a cell, and by keys of the row under the cursor. */
import { type MouseEvent, useState } from 'react';
import { selectedIndexes } from './rowSelection.ts';
import type { Sort } from './sorting.ts';
import type { OpenMenu } from './TableMenu.tsx';
import { type Column, columnName } from './tableColumns.ts';
import { cellMenuParts, headMenuParts, rowMenuParts } from './tableMenus.ts';
import type { useRowSelection } from './useRowSelection.ts';
import type { VirtualTableProps } from './virtualTableProps.ts';

interface MenusOf<Row> {
  readonly props: VirtualTableProps<Row>;
  /** As they are seen. */
  readonly columns: readonly Column<Row>[];
  readonly sorts: readonly Sort[];
  readonly picked: ReturnType<typeof useRowSelection>;
  readonly copy: (columns: readonly Column<Row>[], indexes: readonly number[]) => unknown;
  readonly setCursor: (index: number) => void;
}

export function useTableMenus<Row>({ props, columns, sorts, picked, copy, setCursor }: MenusOf<Row>) {
  const { count, rowAt, arrangement, selection: selecting, filter } = props;
  const [menu, setMenu] = useState<OpenMenu>();
  const openHead = (column: Column<Row>, event: MouseEvent) => {
    if (arrangement === undefined) return;
    event.preventDefault();
    const all = () => Array.from({ length: count }, (_, i) => i);
    const places = () => (picked.selected > 0 ? selectedIndexes(picked.rows) : all());
    setMenu({
      name: `Column ${columnName(column)}`,
      x: event.clientX,
      y: event.clientY,
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
  /** @param element of the row */
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
