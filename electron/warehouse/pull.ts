/** Reads a warehouse: its runs, and rollouts as a data set that every library can read. */
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { refused } from '../../shared/api/errors.ts';
import type { WarehouseRun, WarehouseStep } from '../../shared/api/warehouseMethods.ts';
import type { FilterNode } from '../../shared/domain/filter/node.ts';
import { filterText } from '../../shared/domain/filter/print.ts';
import { DATA_SET_COLUMNS } from '../../shared/format/dataSetColumns.ts';
import { partitionName, rolloutPart, stepDirectory } from '../export/dataSet.ts';
import { dataSetReadme } from '../export/dataSetReadme.ts';
import type { Warehouse } from './connection.ts';
import { filterCondition } from './filterSql.ts';
import { COLUMN_LIST, checkVersion } from './tables.ts';

/** @throws ApiError when the warehouse is missing, newer or cannot be reached */
export async function warehouseRuns(
  warehouse: Warehouse,
  signal?: AbortSignal,
): Promise<readonly WarehouseRun[]> {
  await checkVersion(warehouse, signal);
  return warehouse.rows<WarehouseRun>(
    'SELECT run, split, steps, first_step, last_step, rollouts, sources, loaded_at FROM run ORDER BY run',
    {},
    signal,
  );
}

/**
 * What the engine counts of each step of a run, under a filter.
 *
 * @throws ApiError `refused` when the run does not exist, or the filter needs a library
 */
export async function warehouseSteps(
  warehouse: Warehouse,
  run: string,
  filter: FilterNode,
  signal?: AbortSignal,
): Promise<readonly WarehouseStep[]> {
  const { sql, params } = filterCondition(filter);
  await checkVersion(warehouse, signal);
  const rows = await warehouse.rows<{ readonly [N in keyof WarehouseStep]: number | null }>(
    `SELECT step, count() AS rollouts, countIf(matches) AS matching, avgIf(reward, matches) AS reward,
      avgIf(is_correct, matches) AS correct, avgIf(turns, matches) AS turns, avgIf(tool_calls, matches) AS toolCalls,
      sumIf(tool_errors, matches) / nullIf(sumIf(tool_calls, matches), 0) AS toolErrors
    FROM (SELECT step, reward, is_correct, turns, tool_calls, tool_errors, (${sql}) AS matches
      FROM rollout WHERE run = {run:String})
    GROUP BY step ORDER BY step`,
    { run, ...params },
    signal,
  );
  if (rows.length === 0) throw noRun(run);
  return rows.map(
    (row) =>
      Object.fromEntries(
        // A mean of nothing is NaN, which the server writes as a word.
        Object.entries(row).filter(([, value]) => typeof value === 'number'),
      ) as unknown as WarehouseStep,
  );
}

const noRun = (run: string): Error =>
  refused(`the warehouse has no run ${run}; turnwise warehouse runs lists them`);

export interface PullRequest {
  readonly run: string;
  /** Absent: every step. */
  readonly steps?: readonly number[] | { readonly first: number; readonly last: number };
  readonly filter?: FilterNode;
  /** A directory that does not exist or is empty; with `isAdded`, also an earlier pull of the run. */
  readonly directory: string;
  /** Steps that the directory has already are replaced, and others stay. */
  readonly isAdded?: boolean;
  readonly signal?: AbortSignal;
  /** @param total rollouts at these steps, of which a filter may take fewer */
  readonly onProgress?: (done: number, total: number) => void;
}

export interface PullReport {
  readonly directory: string;
  readonly steps: number;
  readonly rollouts: number;
  readonly bytes: number;
}

interface Load {
  readonly step: number | null;
  readonly source: string;
  readonly load: string;
  readonly run_id: string;
  readonly split: 'train' | 'eval';
  readonly rollouts: number;
}

type Row = Record<string, unknown>;

/**
 * Writes rollouts of a run as a data set, step by step. An interrupted pull leaves no directory.
 *
 * @throws ApiError `refused` when the run or the rollouts do not exist, the directory is in use, or the
 * connection is lost
 */
export async function pull(warehouse: Warehouse, request: PullRequest): Promise<PullReport> {
  const { run, directory, isAdded } = request;
  if (isAdded !== true && existsSync(directory) && readdirSync(directory).length > 0)
    throw refused(`${directory} is not empty; choose an empty or new directory for the data set`);
  await checkVersion(warehouse, request.signal);
  const loads = await loadsOf(warehouse, request);
  const unfinished = `${directory}.unfinished`;
  rmSync(unfinished, { recursive: true, force: true });
  mkdirSync(join(unfinished, 'runs'), { recursive: true, mode: 0o700 });
  try {
    const lines = await warehouse.rows<{ line: string }>(
      `SELECT line FROM run_line WHERE run = {run:String}
      GROUP BY line ORDER BY min(loaded_at), min(number)`,
      { run },
      request.signal,
    );
    const name = join('runs', `${partitionName(run)}.jsonl`);
    const by = chosenBy(request, join(directory, name));
    writeFileSync(
      join(unfinished, name),
      lines.map(({ line }) => `${by === undefined ? line : withChoice(line, by)}\n`).join(''),
      { mode: 0o600 },
    );
    const total = { steps: 0, rollouts: 0, bytes: 0 };
    const there = loads.reduce((sum, { rollouts }) => sum + rollouts, 0);
    let looked = 0;
    for (const ofStep of Map.groupBy(loads, ({ step }) => step).values()) {
      const written = await writeStep(warehouse, request, ofStep, unfinished);
      looked += ofStep.reduce((sum, { rollouts }) => sum + rollouts, 0);
      request.onProgress?.(looked, there);
      if (written.rollouts === 0) continue;
      total.steps++;
      total.rollouts += written.rollouts;
      total.bytes += written.bytes;
    }
    if (total.rollouts === 0) throw refused('the filter matches no rollout');
    writeFileSync(join(unfinished, 'README.md'), dataSetReadme([run]), { mode: 0o600 });
    moveInto(unfinished, directory);
    return { directory, ...total };
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
}

/**
 * The filter that the rollouts of the directory were chosen by, which the run then says. Steps that were copied
 * under a filter stay chosen when others are added.
 */
function chosenBy({ filter, steps, isAdded }: PullRequest, lines: string): string | undefined {
  if (filter !== undefined && filter.kind !== 'all') return filterText(filter);
  if (isAdded !== true || steps === undefined || !existsSync(lines)) return undefined;
  const [first = '{}'] = readFileSync(lines, 'utf8').split('\n');
  const { chosen_by } = JSON.parse(first) as { readonly chosen_by?: string };
  return chosen_by;
}

function withChoice(line: string, chosen_by: string): string {
  const record = JSON.parse(line) as { readonly type?: string };
  return record.type === 'run' ? JSON.stringify({ ...record, chosen_by }) : line;
}

/** Moves files one by one, each of which replaces the file before it. */
function moveInto(from: string, directory: string): void {
  for (const entry of readdirSync(from, { withFileTypes: true, recursive: true })) {
    if (!entry.isFile()) continue;
    const source = join(entry.parentPath, entry.name);
    const target = join(directory, relative(from, source));
    mkdirSync(dirname(target), { recursive: true, mode: 0o700 });
    renameSync(source, target);
  }
}

async function loadsOf(warehouse: Warehouse, { run, steps, signal }: PullRequest): Promise<readonly Load[]> {
  const isRange = steps !== undefined && 'first' in steps;
  const ofSteps = isRange
    ? 'AND step BETWEEN {first:Int32} AND {last:Int32}'
    : 'AND step IN {steps:Array(Int32)}';
  const loads = await warehouse.rows<Load>(
    `SELECT step, source, load, run_id, split, rollouts FROM load WHERE run = {run:String}
    ${steps === undefined ? '' : ofSteps}
    ORDER BY step, source`,
    { run, ...(isRange ? steps : steps === undefined ? {} : { steps }) },
    signal,
  );
  if (loads.length > 0) return loads;
  const known = (await warehouseRuns(warehouse)).find((each) => each.run === run);
  if (known === undefined) throw noRun(run);
  throw refused(
    `run ${run} has no rollouts at these steps; it has steps ${known.first_step} to ${known.last_step}`,
  );
}

/** A step may have several sources, whose groups may be parts of one. */
async function writeStep(
  warehouse: Warehouse,
  { run, filter, signal }: PullRequest,
  loads: readonly Load[],
  directory: string,
): Promise<{ readonly rollouts: number; readonly bytes: number }> {
  const [first] = loads;
  if (first === undefined) return { rollouts: 0, bytes: 0 };
  const step = first.step ?? undefined;
  const partition = join(directory, 'rollouts', stepDirectory(run, step));
  mkdirSync(partition, { recursive: true, mode: 0o700 });
  const part = rolloutPart(join(partition, 'part-0.parquet'), {
    id: first.run_id,
    key: run,
    kind: first.split,
    ...(step === undefined ? {} : { step }),
  });
  const positions = new Positions();
  const condition = filter === undefined ? { sql: '1', params: {} } : filterCondition(filter);
  const written = { rollouts: 0, bytes: 0 };
  const flush = (): void => {
    const { rows, bytes } = part.flush();
    written.rollouts += rows;
    written.bytes += bytes;
  };
  try {
    for (const { load } of loads) {
      const blocks = warehouse.stream<Row>(
        `SELECT ${COLUMN_LIST} FROM rollout_row
        WHERE run = {run:String} AND step IS NOT DISTINCT FROM {step:Nullable(Int32)} AND load = {load:UUID} AND (${condition.sql})
        ORDER BY rollout`,
        { run, step: step ?? null, load, ...condition.params },
        signal,
      );
      for await (const rows of blocks) {
        for (const row of rows) {
          const index = positions.free(String(row['group']), Number(row['index']));
          const number = written.rollouts + part.held;
          const text = String(row['prompt']).length + String(row['response']).length;
          part.add({ ...rowFrom(row), index, rollout: number }, text + Number(row['tokens'] ?? 0) * 8);
          if (part.isFull) flush();
        }
      }
    }
    if (part.held > 0) flush();
    part.finish();
    if (written.rollouts === 0) rmSync(partition, { recursive: true });
    return written;
  } finally {
    part.abandon();
  }
}

/** Two sources may both number the rollouts of a group from 0. */
class Positions {
  private readonly used = new Map<string, Set<number>>();

  free(group: string, index: number): number {
    let used = this.used.get(group);
    if (used === undefined) {
      used = new Set();
      this.used.set(group, used);
    }
    let free = index;
    while (used.has(free)) free = used.size > free ? used.size : free + 1;
    used.add(free);
    return free;
  }
}

const DENORMAL: Readonly<Record<string, number>> = {
  inf: Number.POSITIVE_INFINITY,
  '-inf': Number.NEGATIVE_INFINITY,
  nan: Number.NaN,
};

/** The server's JSON as a row of the data set. An array has no NULL there: an empty one is not known. */
function rowFrom(row: Row): Row {
  return Object.fromEntries(
    DATA_SET_COLUMNS.map(({ name, type }) => {
      const value = row[name];
      if (type === 'number' && typeof value === 'string') return [name, DENORMAL[value] ?? null];
      if (!Array.isArray(value)) return [name, value ?? null];
      if (type === 'integers' || type === 'numbers') {
        if (value.length === 0) return [name, null];
        return [name, type === 'numbers' ? value.map(numberFrom) : value];
      }
      return [name, type === 'calls' ? value.map(callFrom) : value];
    }),
  );
}

function numberFrom(value: unknown): unknown {
  return typeof value === 'string' ? (DENORMAL[value] ?? null) : value;
}

function callFrom(call: unknown): unknown {
  return Object.fromEntries(
    Object.entries(call as Row).map(([name, value]) => [
      name,
      NUMBERS_OF_CALL.has(name) ? numberFrom(value) : value,
    ]),
  );
}

const NUMBERS_OF_CALL: ReadonlySet<string> = new Set(['latency_ms', 'queue_ms', 'started_at']);
