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
import type { OnShare, QueryParams, Row, Warehouse } from './connection.ts';
import { filterCondition, numberedAsCopied, type OwnRollouts, SLOWEST_CALL } from './filterSql.ts';
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
  latency_ms: SLOWEST_CALL,
};
const columnOf = (name: string): string => EXPRESSIONS[name] ?? quoted(name);

export interface ListedQuestion {
  readonly run: string;
  readonly filter: FilterNode;
  readonly own?: OwnRollouts;
  /** The first key decides. Unknown values come last, and equal ones in the order of the log. */
  readonly sort: readonly { readonly by: RolloutSort; readonly direction: 'ascending' | 'descending' }[];
}

/**
 * @returns at most `MOST_LISTED` rollouts, and how many match
 * @throws ApiError `bad_request` when the filter, `refused` when the order needs a library
 */
export async function warehouseRollouts(
  warehouse: Warehouse,
  { run, filter, own, sort }: ListedQuestion,
  signal?: AbortSignal,
  onShare?: OnShare,
): Promise<{ readonly rollouts: readonly WarehouseRollout[]; readonly matching: number }> {
  const { sql, params } = filterCondition(filter, own);
  const keys = [...sort.map(({ by, direction }) => orderBy(by, direction)), 'step, load, rollout'];
  const order = `ORDER BY ${keys.join(', ')}`;
  await checkVersion(warehouse, signal);
  const of = `FROM rollout WHERE run = {run:String} AND (${sql})`;
  const first = `${of} ${order} LIMIT ${MOST_LISTED}`;
  const given = { run, ...params };
  // To order rollouts with their fields, the engine would read the fields of all.
  const rows = await warehouse.rows(
    `SELECT load, rollout, ${FIELDS.map((name) => `${columnOf(name)} AS of_${name}`).join(', ')}
    FROM rollout WHERE run = {run:String} AND (load, rollout) IN (SELECT load, rollout ${first}) ${order}`,
    given,
    signal,
    (share) => onShare?.(share / 2),
  );
  // Each question about words reads every text.
  const [counted] =
    rows.length < MOST_LISTED
      ? [{ matching: rows.length }]
      : await warehouse.parsed(
          z.object({ matching: z.number().int().nonnegative() }),
          filter.kind === 'all'
            ? 'SELECT sum(rollouts) AS matching FROM load WHERE run = {run:String}'
            : `SELECT count() AS matching ${of}`,
          given,
          signal,
          (share) => onShare?.((1 + share) / 2),
        );
  const positions = await positionsOf(warehouse, first, given, signal);
  const rollouts = rows.map((row) => {
    const listed = rolloutOf(warehouse, row);
    const ordinal = positions.get(placeOf(listed.step, row['load'], row['rollout']));
    return ordinal === undefined ? listed : { ...listed, ordinal };
  });
  return { rollouts, matching: counted?.matching ?? 0 };
}

const placeOf = (step: number, load: unknown, rollout: unknown): string =>
  `${step} ${String(load)} ${String(rollout)}`;

/** Positions of the listed rollouts whose groups are in several loads, as a copy numbers them. */
async function positionsOf(
  warehouse: Warehouse,
  first: string,
  params: QueryParams,
  signal: AbortSignal | undefined,
): Promise<ReadonlyMap<string, number>> {
  const [several] = await warehouse.parsed(
    z.object({ steps: z.number() }),
    'SELECT count() AS steps FROM (SELECT step FROM load WHERE run = {run:String} GROUP BY step HAVING count() > 1)',
    params,
    signal,
  );
  if (several === undefined || several.steps === 0) return new Map();
  const rows = await warehouse.parsed(
    z.object({
      at: z.number().int(),
      load: z.string(),
      rollout: z.number().int(),
      ordinal: z.number().int(),
    }),
    `SELECT at, of_load AS load, number AS rollout, position AS ordinal
    FROM (${numberedAsCopied(`SELECT ifNull(step, 0), \`group\` ${first}`)})
    WHERE loads > 1 AND (at, of_load, number) IN (SELECT ifNull(step, 0), load, rollout ${first})`,
    params,
    signal,
  );
  return new Map(rows.map(({ at, load, rollout, ordinal }) => [placeOf(at, load, rollout), ordinal]));
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
