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

/** @returns the line of column names, which JSON lines do without */
export function sqlHead(format: SqlFormat, columns: readonly string[]): string {
  return format === 'jsonl' ? '' : line(format, columns);
}

export function sqlLines(
  format: SqlFormat,
  columns: readonly string[],
  rows: readonly (readonly unknown[])[],
): string {
  if (format === 'jsonl') return rows.map((row) => `${jsonLine(columns, row)}\n`).join('');
  return rows.map((row) => line(format, row)).join('');
}

function line(format: 'csv' | 'tsv', cells: readonly unknown[]): string {
  const write = format === 'csv' ? csvCell : tsvCell;
  return `${cells.map((cell) => write(textOf(cell))).join(format === 'csv' ? ',' : '\t')}\n`;
}

/** A value as a cell. */
export function textOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  return value instanceof Uint8Array ? `base64:${Buffer.from(value).toString('base64')}` : String(value);
}

function csvCell(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** TSV has no quotes: what would end a cell is written as an escape. */
function tsvCell(text: string): string {
  return text
    .replaceAll('\\', '\\\\')
    .replaceAll('\t', '\\t')
    .replaceAll('\n', '\\n')
    .replaceAll('\r', '\\r');
}

/** Written by hand, since columns may share a name and an integer may be larger than a number holds. */
function jsonLine(columns: readonly string[], row: readonly unknown[]): string {
  const seen = new Map<string, number>();
  const fields = columns.map((name, i) => {
    const times = (seen.get(name) ?? 0) + 1;
    seen.set(name, times);
    const key = times === 1 ? name : `${name}:${times}`;
    return `${JSON.stringify(key)}:${jsonOf(row[i])}`;
  });
  return `{${fields.join(',')}}`;
}

/** A value as JSON. */
export function jsonOf(value: unknown): string {
  if (typeof value === 'bigint') return String(value);
  // SQLite has infinities, JSON has not; it reads a number that is too large as one.
  if (value === Number.POSITIVE_INFINITY) return '1e999';
  if (value === Number.NEGATIVE_INFINITY) return '-1e999';
  if (value === null || value === undefined) return 'null';
  return JSON.stringify(
    value instanceof Uint8Array ? { base64: Buffer.from(value).toString('base64') } : value,
  );
}
