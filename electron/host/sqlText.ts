/**
 * Writes rows of a statement as text, value by value:
 *
 *             JSON                      CSV, TSV, table
 *   NULL      null                      an empty cell
 *   integer   all its digits, also beyond 2^53
 *   infinite  1e999, -1e999             Infinity, -Infinity
 *   bytes     {"base64":"…"}            base64:…
 */

import type { SqlFormat } from '../../shared/api/sqlRows.ts';
import { type Cell, delimitedLine, distinctNames } from '../../shared/domain/delimited.ts';
import { terminalJson } from '../../shared/domain/terminalText.ts';

/** @returns the header line of column names; '' for JSON lines */
export function sqlHead(format: SqlFormat, columns: readonly string[]): string {
  return format === 'jsonl' ? '' : line(format, distinctNames(columns));
}

export function sqlLines(
  format: SqlFormat,
  columns: readonly string[],
  rows: readonly (readonly unknown[])[],
): string {
  if (format === 'jsonl') {
    const names = distinctNames(columns);
    return rows.map((row) => `${jsonLine(names, row)}\n`).join('');
  }
  return rows.map((row) => line(format, row)).join('');
}

function line(format: 'csv' | 'tsv', cells: readonly unknown[]): string {
  return delimitedLine(cells.map(cellOf), format === 'csv' ? ',' : '\t');
}

/** A value as a cell. Bytes become text. */
export function cellOf(value: unknown): Cell {
  return value instanceof Uint8Array ? `base64:${Buffer.from(value).toString('base64')}` : (value as Cell);
}

/**
 * Written without `JSON.stringify`, since an integer may exceed the range of a number.
 *
 * @param names distinct names
 */
export function jsonLine(names: readonly string[], row: readonly unknown[]): string {
  return `{${names.map((name, i) => `${terminalJson(name)}:${jsonOf(row[i])}`).join(',')}}`;
}

/** A value as JSON. */
function jsonOf(value: unknown): string {
  if (typeof value === 'bigint') return String(value);
  // JSON has no infinities, but a parser reads a number that is too large as infinite.
  if (value === Number.POSITIVE_INFINITY) return '1e999';
  if (value === Number.NEGATIVE_INFINITY) return '-1e999';
  if (value === null || value === undefined) return 'null';
  return terminalJson(
    value instanceof Uint8Array ? { base64: Buffer.from(value).toString('base64') } : value,
  );
}
