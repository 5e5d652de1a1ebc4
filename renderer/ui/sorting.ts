/** Sorting of short lists in the page, and how a sort is written in the URL. Long lists are sorted by the host. */
export type SortValue = number | string | undefined;

export interface Sort {
  readonly column: string;
  readonly direction: 'ascending' | 'descending';
}

/** Unknown sorts last in either direction: it is not a small number. */
export function sortedBy<Row>(
  rows: readonly Row[],
  measure: (row: Row) => SortValue,
  direction: Sort['direction'],
): readonly Row[] {
  const sign = direction === 'ascending' ? 1 : -1;
  return [...rows].sort((a, b) => {
    const [left, right] = [measure(a), measure(b)];
    if (left === undefined) return right === undefined ? 0 : 1;
    if (right === undefined) return -1;
    if (typeof left === 'string' || typeof right === 'string') {
      return sign * String(left).localeCompare(String(right), 'en', { numeric: true });
    }
    return sign * (left - right);
  });
}

/** `sort=-reward` is descending by reward. A column that is not there falls back. */
export function parseSort(text: string | null, columns: readonly string[], otherwise: Sort): Sort {
  if (text === null) return otherwise;
  const isDescending = text.startsWith('-');
  const column = isDescending ? text.slice(1) : text;
  return columns.includes(column)
    ? { column, direction: isDescending ? 'descending' : 'ascending' }
    : otherwise;
}

export function sortText(sort: Sort): string {
  return (sort.direction === 'descending' ? '-' : '') + sort.column;
}
