/** Sorting of short lists in the page, and the notation of a sort in the URL. The host sorts long lists. */
export type SortValue = number | string | undefined;

export interface Sort {
  readonly column: string;
  readonly direction: 'ascending' | 'descending';
}

/** The host's limit. */
export const MOST_KEYS = 8;

/** Unknown values are last in either direction, since unknown is not a small number. */
export function sortedBy<Row>(
  rows: readonly Row[],
  measure: (row: Row) => SortValue,
  direction: Sort['direction'],
): readonly Row[] {
  return sortedByKeys(rows, [{ measure, direction }]);
}

/** Later keys break ties. Remaining ties keep the original order. */
export function sortedByKeys<Row>(
  rows: readonly Row[],
  keys: readonly {
    readonly measure: (row: Row) => SortValue;
    readonly direction: Sort['direction'];
  }[],
): readonly Row[] {
  return [...rows].sort((a, b) => {
    for (const { measure, direction } of keys) {
      const order = compared(measure(a), measure(b), direction);
      if (order !== 0) return order;
    }
    return 0;
  });
}

function compared(left: SortValue, right: SortValue, direction: Sort['direction']): number {
  const sign = direction === 'ascending' ? 1 : -1;
  if (left === undefined) return right === undefined ? 0 : 1;
  if (right === undefined) return -1;
  if (typeof left === 'number' && typeof right === 'number') return sign * (left - right);
  // Words come after numbers, as in the host's order of scores.
  if (typeof left !== typeof right) return typeof left === 'number' ? -sign : sign;
  return sign * String(left).localeCompare(String(right), 'en', { numeric: true });
}

/** Parses `sort=-reward` as descending by reward. Falls back if the column does not exist. */
export function parseSort(text: string | null, columns: readonly string[], otherwise: Sort): Sort {
  return parseSorts(text, columns, [otherwise])[0] ?? otherwise;
}

export function sortText(sort: Sort): string {
  return (sort.direction === 'descending' ? '-' : '') + sort.column;
}

/**
 * Parses `sort=-reward,turns`: by reward, descending, then by turns. `reward:desc,turns` means the same. Skips keys
 * whose column does not exist or occurred before. If none is left, returns `otherwise`.
 */
export function parseSorts(
  text: string | null,
  columns: readonly string[] | ((column: string) => boolean),
  otherwise: readonly Sort[],
): readonly Sort[] {
  const keys: Sort[] = [];
  const isColumn = typeof columns === 'function' ? columns : (name: string) => columns.includes(name);
  for (const part of (text ?? '').split(',')) {
    const [, minus, name = '', way] = /^(-?)(.*?)(?::(asc|desc))?$/.exec(part) ?? [];
    const isTaken = keys.some(({ column }) => column === name);
    if (!isColumn(name) || isTaken || keys.length === MOST_KEYS) continue;
    keys.push({ column: name, direction: minus === '-' || way === 'desc' ? 'descending' : 'ascending' });
  }
  return keys.length === 0 ? otherwise : keys;
}

export const sortsText = (sorts: readonly Sort[]): string => sorts.map(sortText).join(',');

/** A click on a head sorts by it alone. With Shift it adds a key, or changes the direction of an existing one. */
export function withSort(sorts: readonly Sort[], key: Sort, isFurther: boolean): readonly Sort[] {
  if (!isFurther) return [key];
  const has = sorts.some(({ column }) => column === key.column);
  if (has) return sorts.map((sort) => (sort.column === key.column ? key : sort));
  return sorts.length === MOST_KEYS ? sorts : [...sorts, key];
}
