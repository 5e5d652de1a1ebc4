import { useUrlQuery } from '../../data/useRoute.ts';
import { parseSort, parseSorts, type Sort, sortsText, sortText, withSort } from '../../ui/sorting.ts';
import type { Direction } from '../../ui/VirtualTable.tsx';

/** Sorts a list by one column. */
export function useUrlSort(
  columns: readonly string[],
  otherwise: Sort,
): readonly [Sort, (column: string, direction: Direction) => void] {
  const [query, setQuery] = useUrlQuery();
  const sort = parseSort(query.get('sort'), columns, otherwise);
  return [sort, (column, direction) => setQuery({ sort: sortText({ column, direction }) })];
}

/** Sorts a list by several columns. The first has precedence. */
export function useUrlSorts(
  columns: readonly string[] | ((column: string) => boolean),
  otherwise: Sort,
): readonly [readonly Sort[], (column: string, direction: Direction, isFurther: boolean) => void] {
  const [query, setQuery] = useUrlQuery();
  const sorts = parseSorts(query.get('sort'), columns, [otherwise]);
  // The default sort is not kept as the first key of a multi-column sort.
  const chosen = query.has('sort') ? sorts : [];
  return [
    sorts,
    (column, direction, isFurther) =>
      setQuery({ sort: sortsText(withSort(chosen, { column, direction }, isFurther)) }),
  ];
}
