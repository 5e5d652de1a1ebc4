import { bothFilters } from '../../../shared/domain/filter/print.ts';
import { runCommand } from '../../app/commands.ts';
import { useFilterLink } from '../../data/filterLink.ts';
import { useUrlQuery } from '../../data/usePlace.ts';
import type { Column } from '../../ui/tableColumns.ts';
import type { TableFilter } from '../../ui/tableMenus.ts';
import { valueCondition, withConditionBegun } from './cellFilter.ts';

/** A list under the page's filter box: its heads begin a condition there, its cells add theirs to `?q=`. */
export function useTableFilter<Row>(): TableFilter<Row> {
  const { applied } = useFilterLink();
  const [, setQuery] = useUrlQuery();
  return {
    begin: ({ filterField }) => {
      if (filterField === undefined) return;
      runCommand('search.focus');
      const box = document.activeElement;
      if (!(box instanceof HTMLInputElement)) return;
      // As if it were typed: the box completes it, and it can be undone.
      const text = withConditionBegun(box.value, filterField);
      box.select();
      document.execCommand('insertText', false, text);
    },
    hasCondition: (column, row) => conditionOf(column, row, false) !== undefined,
    byValue: (column, row, isWithout) => {
      const condition = conditionOf(column, row, isWithout);
      if (condition !== undefined) setQuery({ q: bothFilters(applied, condition) });
    },
  };
}

function conditionOf<Row>(column: Column<Row>, row: Row, isWithout: boolean): string | undefined {
  const { filterField, filterValue, value } = column;
  if (filterField === undefined) return undefined;
  return valueCondition(filterField, (filterValue ?? value)?.(row), isWithout);
}
