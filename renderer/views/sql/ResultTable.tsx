/** Rows of a result. Sorting applies to the loaded rows only. */

import { useMemo, useState } from 'react';
import type { SqlRow, SqlValue } from '../../../shared/api/contract.ts';
import type { Store } from '../../data/useSqlRun.ts';
import { plainLogText } from '../../ui/LogText.tsx';
import { counted } from '../../ui/numbers.ts';
import { SourceText } from '../../ui/SourceText.tsx';
import { type Arrangement, AS_THEY_CAME, type Column, type TableLayout } from '../../ui/tableColumns.ts';
import { VirtualTable } from '../../ui/VirtualTable.tsx';
import { useTableCommands } from '../../widgets/tables/useTableCommands.ts';
import { cellText, isNumeric, linkOf, numberOf, placeLinkOf, sortedRows, valueText } from './sqlModel.ts';

interface ResultTableProps {
  readonly columns: readonly string[];
  readonly rows: readonly SqlRow[];
  readonly store: Store;
  readonly onOpen: (row: SqlRow) => void;
  readonly onCursor: (row: SqlRow | undefined) => void;
  readonly notify: (sentence: string) => void;
}

interface Sorting {
  readonly column: string;
  readonly direction: 'ascending' | 'descending';
}

/** Characters of a text in a cell: more than fit on a screen. */
const CELL_CHARS = 400;

export function ResultTable({ columns, rows, store, onOpen, onCursor, notify }: ResultTableProps) {
  const table = useTableCommands();
  const [sort, setSort] = useState<Sorting>();
  const [layout, setLayout] = useState<TableLayout>(AS_THEY_CAME);
  const tableColumns = useMemo(() => columnsFor(columns, rows, store), [columns, rows, store]);
  const sorted = useMemo(
    () => (sort === undefined ? rows : sortedRows(rows, Number(sort.column.split(' ')[0]), sort.direction)),
    [rows, sort],
  );
  const arrangement = useMemo<Arrangement>(
    () => ({
      layout,
      density: 'compact',
      arrange: (change) => setLayout((now) => ({ ...now, ...change })),
      reset: () => setLayout(AS_THEY_CAME),
      setDensity: () => undefined,
    }),
    [layout],
  );
  return (
    <VirtualTable
      handle={table}
      label={`Result: ${counted(rows.length, 'row')}`}
      columns={tableColumns}
      arrangement={arrangement}
      count={sorted.length}
      rowAt={(index) => sorted[index]}
      {...(sort === undefined ? {} : { sort })}
      onSort={(column, direction) => setSort({ column, direction })}
      selection={{ of: sorted, notify }}
      onOpen={onOpen}
      onPosition={({ cursor }) => onCursor(sorted[cursor])}
    />
  );
}

function columnsFor(
  names: readonly string[],
  rows: readonly SqlRow[],
  store: Store,
): readonly Column<SqlRow>[] {
  const link = store === 'warehouse' ? placeLinkOf(names) : linkOf(names);
  return names.map((named, i) => {
    const name = plainLogText(named);
    const isNumber = isNumeric(rows, i);
    const isLink = link?.column === i;
    return {
      // Columns may share a name, so the id includes the index.
      id: `${i} ${name}`,
      label: name === '' ? `column ${i + 1}` : name,
      hint: isLink ? `${name}: Enter or a click opens the ${link?.kind}` : name,
      align: isNumber ? 'end' : 'start',
      minWidth: isNumber ? numberWidth(name, rows, i) : widthOf(name, rows, i),
      grow: isNumber ? 0 : 1,
      sorts: isNumber ? 'descending' : 'ascending',
      value: (row) => cellValue(row[i]),
      cell: (row) => <Cell value={row[i]} isLink={isLink} />,
    };
  });
}

/** px. Fits the first rows, within bounds. */
function widthOf(name: string, rows: readonly SqlRow[], column: number): number {
  return Math.min(320, widthFor(name, rows.slice(0, 100), column));
}

/** px. Numbers are never cut, whatever their length. */
function numberWidth(name: string, rows: readonly SqlRow[], column: number): number {
  return Math.max(Math.min(320, widthFor(name, [], column)), widthFor('', rows, column));
}

function widthFor(name: string, rows: readonly SqlRow[], column: number): number {
  let longest = name.length + 2;
  for (const row of rows) longest = Math.max(longest, cellText(row[column]).length);
  return Math.max(56, Math.round(longest * 7.4) + 8);
}

function cellValue(value: SqlValue | undefined): string | number | undefined {
  if (value === null || value === undefined) return undefined;
  return typeof value === 'number' ? value : valueText(value);
}

function Cell({ value, isLink }: { readonly value: SqlValue | undefined; readonly isLink: boolean }) {
  if (value === null || value === undefined) return <span className="sql-null">NULL</span>;
  if (typeof value === 'object' && value.kind === 'bytes')
    return <span className="dim">{valueText(value)}</span>;
  if (numberOf(value) !== undefined)
    return (
      <span
        className={isLink ? 'sql-link' : 'sql-number'}
        title={cellText(value) === valueText(value) ? undefined : valueText(value)}
      >
        {cellText(value)}
      </span>
    );
  const text = valueText(value).replaceAll(/\r?\n/g, ' ⏎ ');
  const shown = text.slice(0, CELL_CHARS);
  return (
    <span
      className={isLink ? 'sql-link' : undefined}
      title={plainLogText(shown.length < text.length ? `${shown}…` : shown)}
    >
      <SourceText text={shown} />
      {shown.length < text.length && '…'}
    </span>
  );
}
