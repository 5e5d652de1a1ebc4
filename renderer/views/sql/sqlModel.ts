/** Values of a result as text, sort keys and links; and query plans as a tree. */
import type { SqlRow, SqlTarget, SqlValue } from '../../../shared/api/contract.ts';
import type { Route } from '../../data/route.ts';
import { bytes, counted } from '../../ui/numbers.ts';
import { type SortValue, sortedBy } from '../../ui/sorting.ts';

/** Longer statements do not go into the URL, since programs cut long links. */
export const LONGEST_LINK = 8_000;

/** The full text, as far as it was loaded. */
export function valueText(value: SqlValue | undefined): string {
  if (value === null || value === undefined) return '';
  if (typeof value !== 'object') return String(value);
  switch (value.kind) {
    case 'integer':
      return value.digits;
    case 'bytes':
      return bytesLabel(value.bytes);
    case 'cut':
      return `${value.text}… (${counted(value.chars, 'character')} in all)`;
  }
}

/** A fraction as in other tables: six digits. Its hint, the row and the files have all of them. Whole numbers are whole. */
export function cellText(value: SqlValue | undefined): string {
  return typeof value === 'number' && !Number.isInteger(value)
    ? String(Number(value.toPrecision(6)))
    : valueText(value);
}

const bytesLabel = (size: number): string => (size < 1000 ? counted(size, 'byte') : bytes(size));

export function numberOf(value: SqlValue | undefined): number | undefined {
  if (typeof value === 'number') return value;
  if (typeof value === 'object' && value?.kind === 'integer') return Number(value.digits);
  return undefined;
}

/** Whether all known values of a column are numbers. Determines its alignment, and whether it can be charted. */
export function isNumeric(rows: readonly SqlRow[], column: number): boolean {
  let hasNumber = false;
  for (const row of rows) {
    const value = row[column];
    if (value === null || value === undefined) continue;
    if (numberOf(value) === undefined) return false;
    hasNumber = true;
  }
  return hasNumber;
}

function sortValue(value: SqlValue | undefined): SortValue {
  if (value === null || value === undefined) return undefined;
  return (
    numberOf(value) ?? (typeof value === 'object' && value.kind === 'bytes' ? value.bytes : valueText(value))
  );
}

export function sortedRows(
  rows: readonly SqlRow[],
  column: number,
  direction: 'ascending' | 'descending',
): readonly SqlRow[] {
  return sortedBy(rows, (row) => sortValue(row[column]), direction);
}

export type LinkKind = 'rollout' | 'group' | 'run';
const LINKS: readonly (readonly [string, LinkKind])[] = [
  ['rollout_id', 'rollout'],
  ['group_id', 'group'],
  ['run_id', 'run'],
];

/** The most specific column whose id a row can open. */
export function linkOf(
  columns: readonly string[],
): { readonly column: number; readonly kind: LinkKind } | undefined {
  for (const [name, kind] of LINKS) {
    const column = columns.indexOf(name);
    if (column >= 0) return { column, kind };
  }
  return undefined;
}

/** Columns of a warehouse's rollout, by which a row opens it. */
const PLACE = ['run', 'step', 'group', 'index'];

/** As `linkOf`, for a result of a warehouse. */
export const placeLinkOf = (columns: readonly string[]): ReturnType<typeof linkOf> =>
  PLACE.every((name) => columns.includes(name))
    ? { column: columns.indexOf('index'), kind: 'rollout' }
    : undefined;

/** The rollout that a row of a warehouse names. */
export function placeIn(columns: readonly string[], row: SqlRow): Route | undefined {
  const [runKey, step, groupKey, ordinal] = PLACE.map((name) => row[columns.indexOf(name)]);
  if (typeof runKey !== 'string' || typeof groupKey !== 'string' || typeof ordinal !== 'number')
    return undefined;
  return { view: 'rollout', runKey, step: typeof step === 'number' ? step : 0, groupKey, ordinal };
}

export function routeOfTarget({ runKey, step, groupKey, ordinal }: SqlTarget): Route {
  if (step === undefined || groupKey === undefined) return { view: 'run', runKey };
  if (ordinal === undefined) return { view: 'group', runKey, step, groupKey };
  return { view: 'rollout', runKey, step, groupKey, ordinal };
}

/** Tab-separated, with the names first. Tabs and line breaks in values become spaces. */
export function tsvOf(columns: readonly string[], rows: readonly SqlRow[]): string {
  const line = (cells: readonly string[]): string =>
    `${cells.map((cell) => cell.replaceAll(/[\t\r\n]+/g, ' ')).join('\t')}\n`;
  return [columns, ...rows.map((row) => columns.map((_, i) => valueText(row[i])))].map(line).join('');
}

/** 1-based, as in editors. */
export function lineAndColumn(
  text: string,
  offset: number,
): { readonly line: number; readonly column: number } {
  const before = text.slice(0, offset).split('\n');
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}

export function durationLabel(milliseconds: number): string {
  if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`;
  return `${(milliseconds / 1000).toFixed(milliseconds < 10_000 ? 2 : 1)} s`;
}

/** A file name for an exported statement. */
export function fileNameOf(name: string | undefined): string {
  const plain = (name ?? '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '');
  return plain === '' ? 'query' : plain.slice(0, 60);
}

interface PlanLine {
  readonly id: number;
  readonly depth: number;
  readonly detail: string;
  readonly hint?: string;
}

/** @param rows id, parent, not used, detail; a child comes after its parent */
export function planLines(rows: readonly SqlRow[]): readonly PlanLine[] {
  const depths = new Map<number, number>();
  return rows.map(([id, parent, , detail]) => {
    const depth = (depths.get(Number(parent)) ?? -1) + 1;
    depths.set(Number(id), depth);
    const text = String(detail ?? '');
    const hint = hintOf(text);
    return { id: Number(id), depth, detail: text, ...(hint === undefined ? {} : { hint }) };
  });
}

function hintOf(detail: string): string | undefined {
  if (/^SCAN (?:CONSTANT ROW|\d+ CONSTANT)/.test(detail)) return undefined;
  if (/VIRTUAL TABLE/.test(detail)) return undefined;
  if (/^SCAN .* USING (?:COVERING )?INDEX/.test(detail)) return 'scans a whole index: slower with more rows';
  if (/^SCAN \(/.test(detail)) return undefined;
  if (/^SCAN /.test(detail))
    return 'reads every row: slower with more rows. A condition on an id or a step avoids it';
  if (/USE TEMP B-TREE FOR (?:RIGHT PART OF )?ORDER BY/.test(detail))
    return 'sorts all rows before it returns the first';
  if (/AUTOMATIC (?:PARTIAL )?(?:COVERING )?INDEX/.test(detail))
    return 'builds an index for this statement only';
  return undefined;
}
