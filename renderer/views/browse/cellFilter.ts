/** Conditions of the filter language from the heads and cells of a table. */
import { type FieldName, fieldNamed, WORD_FIELDS } from '../../../shared/domain/filter/fields.ts';
import { bothFilters, filterText } from '../../../shared/domain/filter/print.ts';
import type { CellValue } from '../../ui/tableColumns.ts';

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
