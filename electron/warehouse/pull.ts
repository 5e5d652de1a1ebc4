/** Reads a warehouse: its runs, and rollouts as a data set that every library can read. */

import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { z } from 'zod';
import { refused } from '../../shared/api/errors.ts';
import type { WarehouseRun } from '../../shared/api/warehouseMethods.ts';
import type { FilterNode } from '../../shared/domain/filter/node.ts';
import { filterText } from '../../shared/domain/filter/print.ts';
import { RUN_KINDS } from '../../shared/domain/model.ts';
import { tryParseJson } from '../../shared/domain/parseJson.ts';
import { DATA_SET_COLUMNS } from '../../shared/format/dataSetColumns.ts';
import { partitionName, rolloutPart, stepDirectory } from '../export/dataSet.ts';
import { dataSetReadme } from '../export/dataSetReadme.ts';
import { createUnfinished } from '../storage/unfinished.ts';
import type { Row, Warehouse } from './connection.ts';
import { LOADS_FILE, writeLoads } from './copiedLoads.ts';
import { type Condition, filterCondition, type OwnRollouts } from './filterSql.ts';
import { COLUMN_LIST, checkVersion } from './tables.ts';
import { VALUES } from './values.ts';

const SPLIT = z.enum(RUN_KINDS);
const COUNT = z.number().int().nonnegative();
const STEP = z.number().int().nullable();
const RUN: z.ZodType<WarehouseRun> = z.object({
  ...{ run: z.string(), split: SPLIT, steps: COUNT, first_step: STEP, last_step: STEP },
  ...{ rollouts: COUNT, sources: COUNT, loaded_at: z.string() },
});
const LOAD = z.object({
  ...{ step: STEP, source: z.string(), load: z.string(), run_id: z.string(), split: SPLIT, rollouts: COUNT },
});
type Load = z.infer<typeof LOAD>;

/** @throws ApiError when the warehouse is missing, newer or cannot be reached */
export async function warehouseRuns(
  warehouse: Warehouse,
  signal?: AbortSignal,
): Promise<readonly WarehouseRun[]> {
  await checkVersion(warehouse, signal);
  return warehouse.parsed(
    RUN,
    'SELECT run, split, steps, first_step, last_step, rollouts, sources, loaded_at FROM run ORDER BY run',
    {},
    signal,
  );
}

export const noRun = (run: string): Error =>
  refused(`the warehouse has no run ${run}; turnwise warehouse runs lists them`);

export interface PullRequest {
  readonly run: string;
  /** Absent: every step. */
  readonly steps?: readonly number[] | { readonly first: number; readonly last: number };
  readonly filter?: FilterNode;
  /** Selects by labels and notes of the reader's library. */
  readonly own?: OwnRollouts;
  /** A directory that does not exist or is empty; with `isAdded`, also an earlier pull of the run. */
  readonly directory: string;
  /** Called before anything is written, with each id and the key that the copy will have. Throws what refuses it. */
  readonly check?: (name: string) => void;
  /** Steps that the directory has already are replaced, and others stay unless every step is asked for. */
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

/**
 * Writes rollouts of a run as a data set, step by step. An interrupted pull leaves nothing; a killed one leaves
 * `DIRECTORY.unfinished`, which the next one names.
 *
 * @throws ApiError `refused` when the run or the rollouts do not exist, the directory is in use, or the
 * connection is lost
 */
export async function pull(warehouse: Warehouse, request: PullRequest): Promise<PullReport> {
  const { run, isAdded, signal } = request;
  const isResolved = isAdded !== true && existsSync(request.directory);
  const directory = isResolved ? realpathSync(request.directory) : request.directory;
  if (isAdded !== true && !isVacant(directory)) throw inUse(directory);
  await checkVersion(warehouse, signal);
  const loads = await loadsOf(warehouse, request);
  for (const name of new Set([run, ...loads.map(({ run_id }) => run_id)]))
    request.check?.(keyOfCopy(name, request.filter));
  const unfinished = `${directory}.unfinished`;
  makeDirectory(dirname(directory), true);
  createUnfinished(unfinished, () => makeDirectory(unfinished));
  try {
    mkdirSync(join(unfinished, 'runs'), { mode: 0o700 });
    const lines = await warehouse.parsed(
      z.object({ line: z.string() }),
      `SELECT line FROM run_line WHERE run = {run:String}
      GROUP BY line ORDER BY min(loaded_at), min(number)`,
      { run },
      signal,
    );
    const name = join('runs', `${partitionName(keyOfCopy(run, request.filter))}.jsonl`);
    const ids = new Set(loads.map(({ run_id }) => run_id));
    writeFileSync(
      join(unfinished, name),
      lines.map(({ line }) => `${lineOfRun(warehouse, line, ids, choiceOf(request.filter))}\n`).join(''),
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
    writeFileSync(join(unfinished, 'README.md'), dataSetReadme([keyOfCopy(run, request.filter)]), {
      mode: 0o600,
    });
    signal?.throwIfAborted();
    // A copy of the whole run leaves nothing of a former one.
    if (isAdded === true && request.steps === undefined) rmSync(directory, { recursive: true, force: true });
    // Looked at again, because somebody may have written to the directory meanwhile.
    if (isVacant(directory)) {
      // A whole directory, so that a process that is killed here leaves no half of it.
      if (existsSync(directory)) rmdirSync(directory);
      renameSync(unfinished, directory);
    } else if (isAdded === true) moveInto(unfinished, directory);
    else throw inUse(directory);
    return { directory, ...total };
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
}

/**
 * A copy replaces what is in its directory, and is then read. A link in a directory from somebody else may lead
 * anywhere.
 *
 * @param above real path of a directory above it, up to which no directory may be a link
 * @throws ApiError `refused` when one of them, or something in the directory, is a link
 */
export function refuseLinks(directory: string, above: string): void {
  const refuse = (path: string): Error =>
    refused(`${path} is a link; steps of a warehouse are copied to directories beside the library only`);
  for (let path = directory; path !== above; path = dirname(path))
    if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true) throw refuse(path);
  if (!existsSync(directory)) return;
  for (const entry of readdirSync(directory, { withFileTypes: true, recursive: true }))
    if (entry.isSymbolicLink()) throw refuse(join(entry.parentPath, entry.name));
}

const isVacant = (directory: string): boolean =>
  !existsSync(directory) || readdirSync(directory).length === 0;

const inUse = (directory: string): Error =>
  refused(`${directory} is not empty; choose an empty or new directory for the data set`);

/** @throws ApiError `refused` when it cannot be made; the system's error when the disk is full or it exists */
function makeDirectory(path: string, isRecursive = false): void {
  try {
    mkdirSync(path, { recursive: isRecursive, mode: 0o700 });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOSPC' || (code === 'EEXIST' && !isRecursive)) throw error;
    throw refused(`not written: ${path} cannot be made (${message})`);
  }
}

/**
 * The key of a copy. Rollouts that a filter chose are a run of their own, so that no step of a run is there in part.
 *
 * @param key key or id of the run
 */
export function keyOfCopy(key: string, filter: FilterNode | undefined): string {
  const by = choiceOf(filter);
  return by === undefined ? key : `${key} [${by}]`;
}

function choiceOf(filter: FilterNode | undefined): string | undefined {
  return filter === undefined || filter.kind === 'all' ? undefined : filterText(filter);
}

/** Lines that a push writes. A line of another kind could change the rollouts of a library's own runs. */
const KINDS_OF_LINES: ReadonlySet<unknown> = new Set(['run', 'stage', 'metric']);

/**
 * @param ids of the run, as logged
 * @throws ApiError `refused` when the line is not one of this run
 */
function lineOfRun(
  warehouse: Warehouse,
  line: string,
  ids: ReadonlySet<string>,
  chosen_by: string | undefined,
): string {
  const record = recordIn(line);
  if (record === undefined || /[\r\n]/.test(line)) throw warehouse.otherForm('a line of the run is no JSON');
  const { type, run, name } = record;
  if (!KINDS_OF_LINES.has(type) || typeof run !== 'string' || !ids.has(run))
    throw warehouse.otherForm('a line of the run is of another kind, or of another run');
  if (chosen_by === undefined) return line;
  const named = (value: unknown): string => `${String(value)} [${chosen_by}]`;
  return JSON.stringify({
    ...record,
    run: named(run),
    ...(type === 'run' ? { name: named(name ?? run), chosen_by } : {}),
  });
}

function recordIn(line: string): Row | undefined {
  const value = tryParseJson(line);
  return typeof value === 'object' && value !== null ? (value as Row) : undefined;
}

/**
 * Moves files one by one; each replaces the file of its name. The file of the run comes first, so that a process that is
 * killed here leaves no rollouts without their run. The loads of a step come after its rollouts, which would otherwise be
 * taken for newer ones.
 */
function moveInto(from: string, directory: string): void {
  const files = readdirSync(from, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => relative(from, join(parentPath, name)));
  const turnOf = (file: string): number =>
    dirname(file) === 'runs' ? 0 : basename(file) === LOADS_FILE ? 2 : 1;
  for (const file of files.sort((a, b) => turnOf(a) - turnOf(b))) {
    const target = join(directory, file);
    mkdirSync(dirname(target), { recursive: true, mode: 0o700 });
    renameSync(join(from, file), target);
  }
}

async function loadsOf(warehouse: Warehouse, { run, steps, signal }: PullRequest): Promise<readonly Load[]> {
  const isRange = steps !== undefined && 'first' in steps;
  const ofSteps = isRange
    ? 'AND step BETWEEN {first:Int64} AND {last:Int64}'
    : 'AND step IN {steps:Array(Int64)}';
  const loads = await warehouse.parsed(
    LOAD,
    `SELECT step, source, load, run_id, split, rollouts FROM load WHERE run = {run:String}
    ${steps === undefined ? '' : ofSteps}
    ORDER BY step, source`,
    { run, ...(isRange ? steps : steps === undefined ? {} : { steps }) },
    signal,
  );
  if (loads.length > 0) return loads;
  const known = (await warehouseRuns(warehouse, signal)).find((each) => each.run === run);
  if (known === undefined) throw noRun(run);
  throw refused(
    `run ${run} has no rollouts at these steps; it has steps ${known.first_step} to ${known.last_step}`,
  );
}

/** A step may have several sources, whose groups may be parts of one. */
async function writeStep(
  warehouse: Warehouse,
  { run, filter, own, isAdded, signal }: PullRequest,
  loads: readonly Load[],
  directory: string,
): Promise<{ readonly rollouts: number; readonly bytes: number }> {
  const [first] = loads;
  if (first === undefined) return { rollouts: 0, bytes: 0 };
  const step = first.step ?? undefined;
  const key = keyOfCopy(run, filter);
  const partition = join(directory, 'rollouts', stepDirectory(key, step));
  mkdirSync(partition, { recursive: true, mode: 0o700 });
  const part = rolloutPart(join(partition, 'part-0.parquet'), {
    id: keyOfCopy(first.run_id, filter),
    key,
    kind: first.split,
    ...(step === undefined ? {} : { step }),
  });
  const positions = new Positions(await sharedGroups(warehouse, { run, step: step ?? null, loads, signal }));
  const condition = filterCondition(filter ?? { kind: 'all' }, own);
  const written = { rollouts: 0, bytes: 0 };
  const flush = (): void => {
    const { rows, bytes } = part.flush();
    written.rollouts += rows;
    written.bytes += bytes;
  };
  try {
    const expected = await matchingOf(warehouse, { run, step: step ?? null, loads, condition, signal });
    for (const { load, source } of loads) {
      const wanted = expected.get(load) ?? 0;
      let taken = 0;
      const blocks = warehouse.stream(
        `SELECT ${COLUMN_LIST} FROM rollout_row
        WHERE run = {run:String} AND step IS NOT DISTINCT FROM {step:Nullable(Int32)} AND load = {load:UUID} AND (${condition.sql})
        ORDER BY rollout`,
        { run, step: step ?? null, load, ...condition.params },
        { signal },
      );
      for await (const rows of blocks) {
        taken += rows.length;
        // A server that never ends is stopped here.
        if (taken > wanted) break;
        for (const each of rows) {
          const row = rowFrom(warehouse, each);
          const index = positions.of(String(row['group']), Number(row['index']));
          part.add({ ...row, index, rollout: written.rollouts + part.held }, weightOfRow(row));
          if (part.isFull) flush();
        }
      }
      if (taken !== wanted) throw incomplete(source, taken, wanted);
    }
    if (part.held > 0) flush();
    part.finish();
    if (written.rollouts === 0) rmSync(partition, { recursive: true });
    else if (isAdded === true)
      writeLoads(
        partition,
        loads.map(({ load }) => load),
      );
    return written;
  } finally {
    part.abandon();
  }
}

/**
 * How many rollouts of each load are to come. An answer that is cut, and a load that is removed meanwhile, would
 * otherwise look like a step with fewer rollouts.
 */
async function matchingOf(
  warehouse: Warehouse,
  of: {
    readonly run: string;
    readonly step: number | null;
    readonly loads: readonly Load[];
    readonly condition: Condition;
    readonly signal: AbortSignal | undefined;
  },
): Promise<ReadonlyMap<string, number>> {
  const { run, step, loads, condition, signal } = of;
  if (condition.sql === '1') return new Map(loads.map(({ load, rollouts }) => [load, rollouts]));
  const counted = await warehouse.parsed(
    z.object({ load: z.string(), rollouts: COUNT, matching: COUNT }),
    `SELECT load, count() AS rollouts, countIf(${condition.sql}) AS matching FROM rollout_row
    WHERE run = {run:String} AND step IS NOT DISTINCT FROM {step:Nullable(Int32)} GROUP BY load`,
    { run, step, ...condition.params },
    signal,
  );
  const byLoad = new Map(counted.map((each) => [each.load, each]));
  return new Map(
    loads.map(({ load, source, rollouts }) => {
      const found = byLoad.get(load);
      if ((found?.rollouts ?? 0) !== rollouts) throw incomplete(source, found?.rollouts ?? 0, rollouts);
      return [load, found?.matching ?? 0];
    }),
  );
}

const incomplete = (source: string, taken: number, wanted: number): Error =>
  refused(
    `the warehouse gave ${taken > wanted ? 'more than' : `${taken} of`} ${wanted} rollouts of ${source}; nothing is kept. If the step was replaced meanwhile, the next attempt takes the new one`,
  );

/** Groups of a step whose rollouts are in several loads, each of which may number them from 0. */
async function sharedGroups(
  warehouse: Warehouse,
  of: {
    readonly run: string;
    readonly step: number | null;
    readonly loads: readonly Load[];
    readonly signal: AbortSignal | undefined;
  },
): Promise<ReadonlySet<string>> {
  const { run, step, loads, signal } = of;
  if (loads.length < 2) return new Set();
  const groups = await warehouse.parsed(
    z.object({ shared: z.string() }),
    `SELECT \`group\` AS shared FROM rollout_row
    WHERE run = {run:String} AND step IS NOT DISTINCT FROM {step:Nullable(Int32)} AND load IN {loads:Array(UUID)}
    GROUP BY \`group\` HAVING uniqExact(load) > 1`,
    { run, step, loads: loads.map(({ load }) => load) },
    signal,
  );
  return new Set(groups.map(({ shared }) => shared));
}

/** Renumbers the rollouts of shared groups, in the same order as `positionsOf`. */
class Positions {
  private readonly shared: ReadonlySet<string>;
  private readonly next = new Map<string, number>();

  constructor(shared: ReadonlySet<string>) {
    this.shared = shared;
  }

  of(group: string, index: number): number {
    if (!this.shared.has(group)) return index;
    const next = this.next.get(group) ?? 0;
    this.next.set(group, next + 1);
    return next;
  }
}

/** Characters of its texts, and about as many for each entry of its lists. */
function weightOfRow(row: Row): number {
  return Object.values(row).reduce<number>(
    (sum, value) =>
      sum + (typeof value === 'string' ? value.length : Array.isArray(value) ? value.length * 8 : 0),
    0,
  );
}

/** The server's JSON as a row of the data set. An array has no NULL there: an empty one is not known. */
function rowFrom(warehouse: Warehouse, row: Row): Row {
  return Object.fromEntries(
    DATA_SET_COLUMNS.map(({ name, type }) => {
      const value = row[name] === null ? null : VALUES[type](row[name]);
      if (value === undefined) throw warehouse.otherForm(`the column ${name} has a value that is no ${type}`);
      return [name, value];
    }),
  );
}
