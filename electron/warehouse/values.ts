/** Values in the server's JSON, which may be anything. */
import type { ColumnType } from '../../shared/format/dataSetColumns.ts';
import type { Row } from './connection.ts';

/** Each returns undefined for a value of another type. */
export const VALUES: Readonly<Record<ColumnType, (value: unknown) => unknown>> = {
  text: textIn,
  json: textIn,
  integer: integerIn,
  number: numberIn,
  boolean: (value) => (typeof value === 'boolean' ? value : undefined),
  integers: (value) => known(listIn(value, integerIn)),
  numbers: (value) => known(listIn(value, numberIn)),
  segments: (value) => listIn(value, (each) => recordOf(each, SEGMENT)),
  calls: (value) => listIn(value, (each) => recordOf(each, CALL)),
};

const SEGMENT: Shape = {
  ...{ kind: textIn, turn: integerIn, start: integerIn, end: integerIn },
  ...{ inner_start: integerIn, inner_end: integerIn },
};
const CALL: Shape = {
  ...{ name: textIn, outcome: textIn, latency_ms: numberIn, call: integerIn, response: integerIn },
  ...{ latency_source: textIn, queue_ms: numberIn, worker: textIn, started_at: numberIn },
};
type Shape = Readonly<Record<string, (value: unknown) => unknown>>;

function known(list: readonly unknown[] | undefined): readonly unknown[] | null | undefined {
  return list?.length === 0 ? null : list;
}

function textIn(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function integerIn(value: unknown): number | undefined {
  // Int32, as in the tables and in the data set.
  return typeof value === 'number' && (value | 0) === value ? value : undefined;
}

/** The server writes infinity and NaN as words. */
function numberIn(value: unknown): number | undefined {
  if (typeof value === 'number') return value;
  return typeof value === 'string' ? DENORMAL[value] : undefined;
}

const DENORMAL: Readonly<Record<string, number>> = {
  inf: Number.POSITIVE_INFINITY,
  '-inf': Number.NEGATIVE_INFINITY,
  nan: Number.NaN,
};

function listIn(value: unknown, read: (each: unknown) => unknown): readonly unknown[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const list = value.map((each: unknown) => (each === null ? null : read(each)));
  return list.includes(undefined) ? undefined : list;
}

function recordOf(value: unknown, shape: Shape): Row | undefined {
  const fields = Object.entries(shape).map(([name, read]) => {
    const field = (value as Row)[name];
    return [name, field === null ? null : read(field)] as const;
  });
  return fields.some(([, field]) => field === undefined) ? undefined : Object.fromEntries(fields);
}
