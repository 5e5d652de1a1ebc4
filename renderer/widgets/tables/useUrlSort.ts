import { useUrlQuery } from '../../data/useRoute.ts';
import { parseSort, parseSorts, type Sort, sortsText, sortText, withSort } from '../../ui/sorting.ts';
import type { Direction } from '../../ui/VirtualTable.tsx';

/** The sort of a list by one column. */
export function useUrlSort(
  columns: readonly string[],
  otherwise: Sort,
): readonly [Sort, (column: string, direction: Direction) => void] {
  const [query, setQuery] = useUrlQuery();
  const sort = parseSort(query.get('sort'), columns, otherwise);
  return [sort, (column, direction) => setQuery({ sort: sortText({ column, direction }) })];
}

/** The sort of a list by several columns, of which the first decides. */
export function useUrlSorts(
  columns: readonly string[],
  otherwise: Sort,
): readonly [readonly Sort[], (column: string, direction: Direction, isFurther: boolean) => void] {
  const [query, setQuery] = useUrlQuery();
  const sorts = parseSorts(query.get('sort'), columns, [otherwise]);
  // What a list is sorted by before anything was chosen is no first key of a choice.
  const chosen = query.has('sort') ? sorts : [];
  return [
    sorts,
    (column, direction, isFurther) =>
      setQuery({ sort: sortsText(withSort(chosen, { column, direction }, isFurther)) }),
  ];
}
