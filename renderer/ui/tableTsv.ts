/** Rows as tab-separated values, as spreadsheets and pandas take them from the clipboard. */
import { delimitedCell } from '../../shared/domain/delimited.ts';
import { type CellValue, type Column, columnName } from './tableColumns.ts';

/** A column without a value is left out: a drawing is nothing to paste. @returns lines ended by `\n`, the names first */
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
