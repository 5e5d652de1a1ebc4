/** The Parquet schema of a data set. Lists have three levels, as every reader expects. */
import type { SchemaElement } from 'hyparquet';
import { type ColumnType, DATA_SET_COLUMNS } from '../../shared/format/dataSetColumns.ts';

const OPTIONAL = { repetition_type: 'OPTIONAL' } as const;
const TEXT = { type: 'BYTE_ARRAY', converted_type: 'UTF8', logical_type: { type: 'STRING' } } as const;

const PLAIN: Readonly<Partial<Record<ColumnType, Omit<SchemaElement, 'name'>>>> = {
  text: TEXT,
  json: TEXT,
  integer: { type: 'INT32' },
  number: { type: 'DOUBLE' },
  boolean: { type: 'BOOLEAN' },
};

const SEGMENT_FIELDS: readonly SchemaElement[] = [
  { name: 'kind', ...TEXT, ...OPTIONAL },
  ...['turn', 'start', 'end', 'inner_start', 'inner_end'].map(
    (name): SchemaElement => ({ name, type: 'INT32', ...OPTIONAL }),
  ),
];

const CALL_FIELDS: readonly SchemaElement[] = [
  { name: 'name', ...TEXT, ...OPTIONAL },
  { name: 'outcome', ...TEXT, ...OPTIONAL },
  { name: 'latency_ms', type: 'DOUBLE', ...OPTIONAL },
  { name: 'call', type: 'INT32', ...OPTIONAL },
  { name: 'response', type: 'INT32', ...OPTIONAL },
  { name: 'latency_source', ...TEXT, ...OPTIONAL },
  { name: 'queue_ms', type: 'DOUBLE', ...OPTIONAL },
  { name: 'worker', ...TEXT, ...OPTIONAL },
  { name: 'started_at', type: 'DOUBLE', ...OPTIONAL },
];

export const DATA_SET_SCHEMA: SchemaElement[] = [
  { name: 'root', num_children: DATA_SET_COLUMNS.length },
  ...DATA_SET_COLUMNS.flatMap(({ name, type }) => elementsOf(name, type)),
];

function elementsOf(name: string, type: ColumnType): readonly SchemaElement[] {
  const plain = PLAIN[type];
  if (plain !== undefined) return [{ name, ...plain, ...OPTIONAL }];
  switch (type) {
    case 'segments':
      return listOf(name, group(SEGMENT_FIELDS));
    case 'calls':
      return listOf(name, group(CALL_FIELDS));
    case 'numbers':
      return listOf(name, [{ name: 'element', type: 'FLOAT', ...OPTIONAL }]);
    default:
      return listOf(name, [{ name: 'element', type: 'INT32', ...OPTIONAL }]);
  }
}

function group(fields: readonly SchemaElement[]): readonly SchemaElement[] {
  return [{ name: 'element', num_children: fields.length, ...OPTIONAL }, ...fields];
}

function listOf(name: string, element: readonly SchemaElement[]): readonly SchemaElement[] {
  return [
    { name, converted_type: 'LIST', logical_type: { type: 'LIST' }, num_children: 1, ...OPTIONAL },
    { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
    ...element,
  ];
}
