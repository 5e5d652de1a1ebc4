/** The first rollouts of a run in any order, under a filter, listed by the engine. */
import { z } from 'zod';
import {
  isScoreSort,
  MOST_LISTED,
  type RolloutSort,
  type WarehouseRollout,
} from '../../shared/api/contract.ts';
import { refused } from '../../shared/api/errors.ts';
import type { FilterNode } from '../../shared/domain/filter/node.ts';
import {
  camelCase,
  LISTED_FIELDS,
  type ListedField,
  type RolloutField,
  SORT_FIELDS,
} from '../../shared/domain/rolloutFieldRecord.ts';
import { ROLLOUT_FIELDS } from '../../shared/domain/rolloutFields.ts';
import type { Row, Warehouse } from './connection.ts';
import { filterCondition } from './filterSql.ts';
import { checkVersion, quoted } from './tables.ts';
import { VALUES } from './values.ts';

/** Ids belong to a library, and so does what was run again. */
const OF_A_LIBRARY: ReadonlySet<ListedField> = new Set(['rollout_id', 'group_id', 'rerun']);
const FIELDS = LISTED_FIELDS.filter((name) => !OF_A_LIBRARY.has(name));
/** Fields under another name in the data set, and those that are computed. */
const EXPRESSIONS: Readonly<Partial<Record<string, string>>> = {
  step: 'ifNull(step, 0)',
  ordinal: quoted('index'),
  problem_id: 'problem',
  group_key: quoted('group'),
  duration: 'ifNull(duration_ms / 1000, ended_at - started_at)',
  latency_ms: 'arrayMax(calls.latency_ms)',
};
const columnOf = (name: string): string => EXPRESSIONS[name] ?? quoted(name);

export interface ListedQuestion {
  readonly run: string;
  readonly filter: FilterNode;
  /** The first key decides. Unknown values come last, and equal ones in the order of the log. */
  readonly sort: readonly { readonly by: RolloutSort; readonly direction: 'ascending' | 'descending' }[];
}

/**
 * @returns at most `MOST_LISTED` rollouts, and how many match
 * @throws ApiError `refused` when the filter or the order needs a library
 */
export async function warehouseRollouts(
  warehouse: Warehouse,
  { run, filter, sort }: ListedQuestion,
  signal?: AbortSignal,
): Promise<{ readonly rollouts: readonly WarehouseRollout[]; readonly matching: number }> {
  const { sql, params } = filterCondition(filter);
  const order = [...sort.map(({ by, direction }) => orderBy(by, direction)), 'step, load, rollout'];
  await checkVersion(warehouse, signal);
  const of = `FROM rollout WHERE run = {run:String} AND (${sql})`;
  const rows = await warehouse.rows(
    `SELECT ${FIELDS.map((name) => `${columnOf(name)} AS of_${name}`).join(', ')} ${of}
    ORDER BY ${order.join(', ')} LIMIT ${MOST_LISTED}`,
    { run, ...params },
    signal,
  );
  const [counted] = await warehouse.parsed(
    z.object({ matching: z.number().int().nonnegative() }),
    `SELECT count() AS matching ${of}`,
    { run, ...params },
    signal,
  );
  return { rollouts: rows.map((row) => rolloutOf(warehouse, row)), matching: counted?.matching ?? 0 };
}

function orderBy(by: RolloutSort, direction: 'ascending' | 'descending'): string {
  const way = direction === 'ascending' ? 'ASC' : 'DESC';
  if (by === 'order') return ['step', 'load', 'rollout'].map((column) => `${column} ${way}`).join(', ');
  const name = isScoreSort(by) ? undefined : SORT_FIELDS.find((field) => camelCase(field) === by);
  if (name === undefined)
    throw refused(`a warehouse is not sorted by ${by}; take the steps into a library and sort them there`);
  return `${columnOf(name)} ${way} NULLS LAST`;
}

const typeOf = (kind: RolloutField['kind']) =>
  kind === 'number' || kind === 'integer' || kind === 'boolean' ? kind : 'text';

function rolloutOf(warehouse: Warehouse, row: Row): WarehouseRollout {
  const values = FIELDS.flatMap((name) => {
    const { isAlwaysKnown, oneOf, kind }: RolloutField = ROLLOUT_FIELDS[name];
    const given = row[`of_${name}`];
    if (given === null && isAlwaysKnown !== true) return [];
    const value = given === null ? undefined : VALUES[typeOf(kind)](given);
    if (value === undefined || (oneOf !== undefined && !oneOf.includes(String(value))))
      throw warehouse.otherForm(`the column ${name} has a value that is no ${kind}`);
    return [[camelCase(name), value]];
  });
  // Each field was checked by its record, from which the type is derived.
  return Object.fromEntries(values) as WarehouseRollout;
}
