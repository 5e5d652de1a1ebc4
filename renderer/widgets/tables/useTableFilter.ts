import { type FieldName, fieldNamed, WORD_FIELDS } from '../../../shared/domain/filter/fields.ts';
import { bothFilters, filterText } from '../../../shared/domain/filter/print.ts';
import { useFilterLink } from '../../data/filterLink.ts';
import { useUrlQuery } from '../../data/useRoute.ts';
import { runCommand } from '../../shell/keys/commands.ts';
import type { CellValue, Column } from '../../ui/tableColumns.ts';
import type { TableFilter } from '../../ui/useTableMenus.ts';

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

/**
 * What has this value in a field, or (`isWithout`) everything else. Without a value: those of which it is unknown.
 * @returns undefined where the field cannot have the value, and of a field of texts
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

/** A filter whose last condition is begun: what it is compared with is for the reader to say. */
export function withConditionBegun(filter: string, name: FieldName): string {
  const isAmount = fieldNamed(name)?.kind === 'number' && name !== 'ordinal';
  return bothFilters(filter, `${name}:${isAmount ? '>' : ''}`);
}
