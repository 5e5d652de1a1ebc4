/**
 * Rows of a statement as text, value by value as SQLite has them:
 *
 *             JSON                      CSV, TSV, table
 *   NULL      null                      an empty cell
 *   integer   all its digits, also beyond 2^53
 *   infinite  1e999, -1e999             Infinity, -Infinity
 *   bytes     {"base64":"…"}            base64:…
 */

import type { SqlFormat } from '../../shared/api/sqlRows.ts';
import { type Cell, delimitedLine, distinctNames } from '../../shared/domain/delimited.ts';

/** @returns the line of column names, which JSON lines do without */
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

/** A value as a cell: bytes become text. */
export function cellOf(value: unknown): Cell {
  return value instanceof Uint8Array ? `base64:${Buffer.from(value).toString('base64')}` : (value as Cell);
}

/**
 * Written by hand, since an integer may be larger than a number holds.
 *
 * @param names each once
 */
export function jsonLine(names: readonly string[], row: readonly unknown[]): string {
  return `{${names.map((name, i) => `${JSON.stringify(name)}:${jsonOf(row[i])}`).join(',')}}`;
}

/** A value as JSON. */
function jsonOf(value: unknown): string {
  if (typeof value === 'bigint') return String(value);
  // SQLite has infinities, JSON has not; it reads a number that is too large as one.
  if (value === Number.POSITIVE_INFINITY) return '1e999';
  if (value === Number.NEGATIVE_INFINITY) return '-1e999';
  if (value === null || value === undefined) return 'null';
  return JSON.stringify(
    value instanceof Uint8Array ? { base64: Buffer.from(value).toString('base64') } : value,
  );
}
