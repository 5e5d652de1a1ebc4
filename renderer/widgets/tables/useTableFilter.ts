import { type FieldName, fieldNamed, WORD_FIELDS } from '../../../shared/domain/filter/fields.ts';
import { bothFilters, filterText } from '../../../shared/domain/filter/print.ts';
import { useFilterLink } from '../../data/filterLink.ts';
import { useUrlQuery } from '../../data/useRoute.ts';
import { runCommand } from '../../shell/keys/commands.ts';
import type { CellValue, Column } from '../../ui/tableColumns.ts';
import type { TableFilter } from '../../ui/useTableMenus.ts';

/** Connects a list to the page's filter box: column heads start a condition there, and cells add theirs to `?q=`. */
export function useTableFilter<Row>(): TableFilter<Row> {
  const { applied } = useFilterLink();
  const [, setQuery] = useUrlQuery();
  return {
    begin: ({ filterField }) => {
      if (filterField === undefined) return;
      runCommand('search.focus');
      const box = document.activeElement;
      if (!(box instanceof HTMLInputElement)) return;
      // Inserts text as if typed, so that completion and undo work.
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
  const { filterField, filterValue, filterCondition, value } = column;
  if (filterField === undefined) return undefined;
  if (filterCondition !== undefined) return filterCondition(row, isWithout);
  return valueCondition(filterField, (filterValue ?? value)?.(row), isWithout);
}

/**
 * A condition for rows with this value in a field, or (`isWithout`) for all others. Without a value: rows in which the
 * field is unknown.
 * @returns undefined for a text field, or if the field cannot have the value
 */
export function valueCondition(name: FieldName, value: CellValue, isWithout: boolean): string | undefined {
  const kind = fieldNamed(name)?.kind;
  if (kind === undefined || kind === 'text') return undefined;
  if (value === undefined) return isWithout ? `${name}:*` : `${name}:none`;
  const text = valueText(name, kind, value);
  return text === undefined || !isWithout ? text : `not ${text}`;
}

function valueText(
  name: FieldName,
  kind: 'number' | 'flag' | 'word',
  value: string | number | boolean,
): string | undefined {
  if (kind === 'number') return Number.isFinite(value) ? `${name}:${value}` : undefined;
  if (kind === 'flag') return typeof value === 'boolean' ? `${name}:${value}` : undefined;
  const field = WORD_FIELDS.find((one) => one === name);
  const text = String(value);
  return field === undefined || text === ''
    ? undefined
    : filterText({ kind: 'word', field, text, isPattern: false });
}

/** Appends an unfinished condition, whose value the user types. */
export function withConditionBegun(filter: string, name: FieldName): string {
  const isAmount = fieldNamed(name)?.kind === 'number' && name !== 'ordinal';
  return bothFilters(filter, `${name}:${isAmount ? '>' : ''}`);
}
