/**
 * The tables of a warehouse. A rollout is a row of the data set (`shared/format/dataSetColumns.ts`), with the
 * run, the step and the load it came with.
 *
 * A load is one attempt to write the rollouts of one source at one step. It becomes visible, as a whole, when its
 * row in `load_row` is written, and replaces the load before it of the same source and step. So a push may be
 * killed anywhere, repeated, or done by two processes at once.
 */
import { z } from 'zod';
import { refused } from '../../shared/api/errors.ts';
import { type ColumnType, DATA_SET_COLUMNS, type DataSetColumn } from '../../shared/format/dataSetColumns.ts';
import type { QueryParams, Warehouse } from './connection.ts';

/** Raised with every change of the tables. */
export const WAREHOUSE_VERSION = 4;

const SEGMENT = `Tuple(kind String, turn Int32, start Int32, "end" Int32, inner_start Int32, inner_end Int32)`;
const CALL = `Tuple(name Nullable(String), outcome String, latency_ms Nullable(Float64), call Int32, response Nullable(Int32),
    latency_source Nullable(String), queue_ms Nullable(Float64), worker Nullable(String), started_at Nullable(Float64))`;

const TYPES: Readonly<Record<ColumnType, string>> = {
  text: 'Nullable(String)',
  json: 'Nullable(String)',
  integer: 'Nullable(Int32)',
  number: 'Nullable(Float64)',
  boolean: 'Nullable(Bool)',
  integers: 'Array(Nullable(Int32))',
  numbers: 'Array(Nullable(Float32))',
  segments: `Array(${SEGMENT})`,
  calls: `Array(${CALL})`,
};

/** Columns with a value in every row. */
const ALWAYS: Readonly<Record<string, string>> = {
  v: 'Int32',
  rollout: 'Int32',
  split: 'LowCardinality(String)',
  group: 'String',
  group_rule: 'LowCardinality(String)',
  index: 'Int32',
  problem: 'String',
  prompt: 'String',
  response: 'String',
};

/** Large values: texts, and everything with an entry per token or segment. */
const isLarge = (name: string, type: ColumnType): boolean =>
  ['prompt', 'response'].includes(name) ||
  ['json', 'integers', 'numbers', 'segments', 'calls'].includes(type);

export const quoted = (name: string): string => `\`${name.replaceAll(/[\\`]/g, '\\$&')}\``;

export const COLUMN_LIST = DATA_SET_COLUMNS.map(({ name }) => quoted(name)).join(', ');

/** The columns as the structure of `input()`, which reads the Parquet file that is sent. */
export const INPUT_STRUCTURE = DATA_SET_COLUMNS.map(
  ({ name, type }) => `${quoted(name)} ${(ALWAYS[name] ?? TYPES[type]).replaceAll(/\s+/g, ' ')}`,
).join(', ');

function columnOf({ name, type, note }: DataSetColumn): string {
  const codec = isLarge(name, type) ? ' CODEC(ZSTD(3))' : '';
  return `${quoted(name)} ${ALWAYS[name] ?? TYPES[type]} COMMENT '${note.replaceAll("'", "''")}'${codec}`;
}

/** Columns that were added after version 1. Rollouts that were sent before have no values there. */
const ADDED_COLUMNS: ReadonlySet<string> = new Set([
  // In version 2.
  'policy_tokens',
  'response_chars',
  'mean_entropy',
  'entropy_tokens',
  // In version 3.
  'flags',
]);

/** Sums of a step, as its library has counted them. Empty if the step has several logs: then the engine counts. */
const SUMS_OF_A_LOAD = ['summary', 'facts'].map(
  (name) =>
    `${name} String COMMENT 'JSON of the ${name} of its step; empty if the step has other logs' CODEC(ZSTD(3))`,
);

/** Columns that the engine computes when rollouts arrive, because the calls themselves take seconds to read. */
const COMPUTED: Readonly<Record<string, string>> = {
  outcomes: `Array(LowCardinality(String)) MATERIALIZED calls.outcome COMMENT 'how each tool call ended'`,
  latencies: `Array(Float64) MATERIALIZED arrayFilter(each -> isNotNull(each), calls.latency_ms) COMMENT 'of the tool calls for which it is known, in ms'`,
  logged_latencies: `UInt32 MATERIALIZED arrayCount((each, source) -> isNotNull(each) AND source = 'logged', calls.latency_ms, calls.latency_source)
    COMMENT 'how many of them are logged'`,
};
const COMPUTED_COLUMNS = Object.entries(COMPUTED).map(([name, definition]) => `${name} ${definition}`);
/** Version with the computed columns. */
const COMPUTED_SINCE = 4;

interface Table {
  readonly name: string;
  readonly columns: readonly string[];
  readonly order: string;
  /** Sharding key of the distributed table: rows that belong together are on one shard. */
  readonly shard: string;
}

const TABLES: readonly Table[] = [
  {
    name: 'rollout_row',
    columns: [
      'run LowCardinality(String)',
      'step Nullable(Int32)',
      'load UUID',
      'loaded_at DateTime DEFAULT now()',
      ...DATA_SET_COLUMNS.map(columnOf),
      ...COMPUTED_COLUMNS,
      // Words of a response in lower case, for hasAllTokens.
      `INDEX response_words lower(response) TYPE text(tokenizer = 'splitByNonAlpha')`,
    ],
    order: '(run, step, load, rollout)',
    shard: 'cityHash64(run, step)',
  },
  {
    name: 'load_row',
    columns: [
      'run LowCardinality(String)',
      'step Nullable(Int32)',
      `source String COMMENT 'the log it was read from'`,
      'load UUID',
      `run_id String COMMENT 'as logged'`,
      'split LowCardinality(String)',
      'rollouts UInt64',
      `content String COMMENT 'SHA-256 of its rows'`,
      ...SUMS_OF_A_LOAD,
      'loaded_at DateTime64(6) DEFAULT now64(6)',
    ],
    order: '(run, step, source, loaded_at)',
    shard: 'cityHash64(run)',
  },
  {
    name: 'run_line',
    columns: [
      'run LowCardinality(String)',
      'number UInt32',
      `line String COMMENT 'run, stage or metrics as a line of the Turnwise log' CODEC(ZSTD(3))`,
      'loaded_at DateTime64(6) DEFAULT now64(6)',
    ],
    order: '(run, loaded_at, number)',
    shard: 'cityHash64(run)',
  },
  {
    name: 'file_row',
    columns: [
      'source String',
      'path String',
      'format Nullable(String)',
      'status LowCardinality(String)',
      'issues Array(Tuple(line Nullable(Int64), severity String, code String, message String)) CODEC(ZSTD(3))',
      'loaded_at DateTime64(6) DEFAULT now64(6)',
    ],
    order: '(source, loaded_at)',
    shard: 'cityHash64(source)',
  },
];

/** Views for readers. Only whole loads are seen. */
const views = (anywhere: string): Readonly<Record<string, string>> => ({
  load: `SELECT run, step, source, max(loaded_at) AS loaded_at, argMax(l.load, l.loaded_at) AS load,
    argMax(l.run_id, l.loaded_at) AS run_id, argMax(l.split, l.loaded_at) AS split,
    argMax(l.rollouts, l.loaded_at) AS rollouts, argMax(l.content, l.loaded_at) AS content,
    argMax(l.summary, l.loaded_at) AS summary, argMax(l.facts, l.loaded_at) AS facts
  FROM load_row AS l GROUP BY run, step, source`,
  rollout: `SELECT * EXCEPT (loaded_at), ${Object.keys(COMPUTED).join(', ')} FROM rollout_row WHERE load ${anywhere} (SELECT load FROM load)`,
  run: `SELECT run, any(run_id) AS run_id, any(split) AS split, uniqExact(step) AS steps, min(step) AS first_step,
    max(step) AS last_step, sum(rollouts) AS rollouts, uniqExact(source) AS sources, max(loaded_at) AS loaded_at
  FROM load GROUP BY run`,
  issue: `SELECT source, path, issue.line AS line, issue.severity AS severity, issue.code AS code, issue.message AS message
  FROM (SELECT source, argMax(f.path, f.loaded_at) AS path, argMax(f.issues, f.loaded_at) AS issues FROM file_row AS f GROUP BY source)
  ARRAY JOIN issues AS issue`,
});

/**
 * Statements that make a warehouse, in order. Applied twice they change nothing.
 *
 * @param cluster name of a cluster of the server: replicated tables on every node, and distributed ones over them
 */
export function tableStatements(database: string, cluster?: string): readonly string[] {
  const everywhere = cluster === undefined ? '' : ` ON CLUSTER ${quoted(cluster)}`;
  const path = (name: string): string => `${quoted(database)}.${quoted(name)}`;
  const engine = cluster === undefined ? 'MergeTree' : 'ReplicatedMergeTree';
  const made = TABLES.flatMap(({ name, columns, order, shard }) => {
    const local = cluster === undefined ? name : `${name}_local`;
    const table = `CREATE TABLE IF NOT EXISTS ${path(local)}${everywhere} (
  ${columns.join(',\n  ')}
) ENGINE = ${engine} ORDER BY ${order} SETTINGS allow_nullable_key = 1`;
    if (cluster === undefined) return [table];
    return [
      table,
      `CREATE TABLE IF NOT EXISTS ${path(name)}${everywhere} AS ${path(local)}
ENGINE = Distributed(${quoted(cluster)}, ${quoted(database)}, ${quoted(local)}, ${shard})`,
    ];
  });
  const added = {
    rollout_row: [
      ...DATA_SET_COLUMNS.filter(({ name }) => ADDED_COLUMNS.has(name)).map(columnOf),
      ...COMPUTED_COLUMNS,
    ],
    load_row: SUMS_OF_A_LOAD,
  };
  const brought = Object.entries(added).flatMap(([name, columns]) =>
    (cluster === undefined ? [name] : [`${name}_local`, name]).map(
      (table) =>
        `ALTER TABLE ${path(table)}${everywhere} ${columns.map((column) => `ADD COLUMN IF NOT EXISTS ${column}`).join(', ')}`,
    ),
  );
  const seen = Object.entries(views(cluster === undefined ? 'IN' : 'GLOBAL IN')).map(
    ([name, select]) =>
      `CREATE OR REPLACE VIEW ${path(name)}${everywhere} AS ${select.replaceAll(/\bFROM (\w+)/g, (_, table: string) => `FROM ${path(table)}`)}`,
  );
  return [
    `CREATE DATABASE IF NOT EXISTS ${quoted(database)}${everywhere}`,
    ...made,
    ...brought,
    ...seen,
    // Written last, so that a warehouse with a version has all its tables.
    `CREATE OR REPLACE VIEW ${path('warehouse')}${everywhere} AS SELECT toUInt32(${WAREHOUSE_VERSION}) AS version`,
  ];
}

/**
 * Makes the tables of a warehouse, brings those of an earlier version to this one, or leaves them as they are.
 *
 * @throws ApiError `refused` when the warehouse was made by a later Turnwise, or the user may not make tables
 */
export async function makeTables(warehouse: Warehouse, cluster?: string): Promise<void> {
  const { database } = warehouse;
  const [there] = await warehouse.parsed(
    z.object({ tables: z.number() }),
    `SELECT count() AS tables FROM system.tables WHERE database = {database:String} AND name = 'warehouse'`,
    { database },
  );
  const before = there !== undefined && there.tables > 0 ? await versionOf(warehouse) : WAREHOUSE_VERSION;
  refuseLater(before);
  for (const statement of tableStatements(database, cluster)) await warehouse.run(statement);
  if (before !== undefined && before < COMPUTED_SINCE) await computeColumns(warehouse);
}

/** Stores the computed columns of older rollouts. The server does this in the background; until it is done, each query computes them. */
async function computeColumns(warehouse: Warehouse): Promise<void> {
  const tables = await storedIn(warehouse, 'rollout_row');
  for (const name of Object.keys(COMPUTED))
    await warehouse.run(`ALTER TABLE ${tables} MATERIALIZE COLUMN ${name}`);
}

/** @throws ApiError `refused` when the warehouse has another version or does not exist */
export async function checkVersion(warehouse: Warehouse, signal?: AbortSignal): Promise<void> {
  const version = await versionOf(warehouse, signal);
  refuseLater(version);
  if (version !== undefined && version < WAREHOUSE_VERSION)
    throw refused(
      `the warehouse has version ${version}; turnwise warehouse init brings it to version ${WAREHOUSE_VERSION}`,
    );
}

async function versionOf(warehouse: Warehouse, signal?: AbortSignal): Promise<number | undefined> {
  const [row] = await warehouse.parsed(
    z.object({ version: z.number() }),
    `SELECT version FROM ${quoted(warehouse.database)}.warehouse`,
    {},
    signal,
  );
  return row?.version;
}

function refuseLater(version: number | undefined): void {
  if (version === undefined || version > WAREHOUSE_VERSION)
    throw refused(
      `the warehouse has version ${version ?? 'unknown'}; this Turnwise knows up to ${WAREHOUSE_VERSION}`,
    );
}

/** Removes a run: its rollouts, stages and metrics. */
export async function removeRun(warehouse: Warehouse, run: string): Promise<void> {
  for (const table of ['load_row', 'rollout_row', 'run_line'])
    await deleteFrom(warehouse, table, 'run = {run:String}', { run });
}

async function deleteFrom(
  warehouse: Warehouse,
  table: string,
  condition: string,
  params: QueryParams,
): Promise<void> {
  await warehouse.run(`DELETE FROM ${await storedIn(warehouse, table)} WHERE ${condition}`, params);
}

/** A distributed table cannot be changed, but the tables that it stands for can. */
async function storedIn(warehouse: Warehouse, table: string): Promise<string> {
  const [made] = await warehouse.parsed(
    z.object({ engine_full: z.string() }),
    'SELECT engine_full FROM system.tables WHERE database = {database:String} AND name = {table:String}',
    { database: warehouse.database, table },
  );
  const [, cluster] = /^Distributed\('([^'\\]+)'/.exec(made?.engine_full ?? '') ?? [];
  const stored = `${quoted(warehouse.database)}.${cluster === undefined ? table : `${table}_local`}`;
  return cluster === undefined ? stored : `${stored} ON CLUSTER ${quoted(cluster)}`;
}

/** An unfinished load may still be written. */
const UNFINISHED_FOR = 'INTERVAL 1 DAY';
/** They are parts of the address of a request, which a server limits. */
const LOADS_AT_ONCE = 100;

/**
 * Removes rollouts that no view shows: those of replaced loads, and of loads whose push was killed at least a day ago.
 *
 * @returns how many
 */
export async function removeUnseen(warehouse: Warehouse): Promise<number> {
  await checkVersion(warehouse);
  const unseen = await warehouse.parsed(
    z.object({ load: z.string(), rollouts: z.number() }),
    // Global: a node of a cluster may not ask the others.
    `SELECT load, count() AS rollouts FROM rollout_row WHERE load GLOBAL NOT IN (SELECT load FROM load)
    AND (load GLOBAL IN (SELECT load FROM load_row) OR loaded_at < now() - ${UNFINISHED_FOR}) GROUP BY load`,
  );
  for (let i = 0; i < unseen.length; i += LOADS_AT_ONCE) {
    const loads = unseen.slice(i, i + LOADS_AT_ONCE).map(({ load }) => load);
    await deleteFrom(warehouse, 'rollout_row', 'load IN {loads:Array(UUID)}', { loads });
  }
  return unseen.reduce((sum, { rollouts }) => sum + rollouts, 0);
}
