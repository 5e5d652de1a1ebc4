import { useUrlQuery } from '../../data/usePlace.ts';
import { parseSort, type Sort, sortText } from '../../ui/sorting.ts';
import type { Direction } from '../../ui/VirtualTable.tsx';

export function useUrlSort(
  columns: readonly string[],
  otherwise: Sort,
): readonly [Sort, (column: string, direction: Direction) => void] {
  const [query, setQuery] = useUrlQuery();
  const sort = parseSort(query.get('sort'), columns, otherwise);
  return [sort, (column, direction) => setQuery({ sort: sortText({ column, direction }) })];
}
