/**
 * Exports rollouts as a Parquet data set, partitioned by run and step, for tools beyond one machine:
 *
 *   rollouts/run=K/step=S/part-0.parquet   one row per rollout
 *   runs/K.jsonl                           run, stages and metrics, as lines of the Turnwise log
 *   README.md                              the columns
 *
 * Files are written to `.unfinished` and moved when the export is complete. An interrupted export leaves no
 * data set.
 */

import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, renameSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { refused } from '../../shared/api/errors.ts';
import type { RunKind } from '../../shared/domain/model.ts';
import { parseJson } from '../../shared/domain/parseJson.ts';
import {
  DATA_SET_COLUMNS,
  DATA_SET_VERSION,
  type DataSetHeader,
} from '../../shared/format/dataSetColumns.ts';
import type { ReadableLibrary } from '../storage/open.ts';
import {
  type ExportedRollout,
  type ExportedRun,
  exportedMetrics,
  exportedRollouts,
  exportedRuns,
  exportedStages,
  exportedSteps,
} from '../storage/queries/exported.ts';
import { keyOfLogged } from '../storage/runRegistry.ts';
import { dataSetReadme } from './dataSetReadme.ts';
import { rowOf } from './dataSetRows.ts';
import { ParquetPart } from './parquetPart.ts';
import { DATA_SET_SCHEMA } from './parquetSchema.ts';

const UNFINISHED = '.unfinished';
const PARTS = ['runs', 'rollouts'] as const;
/** Bytes. File systems allow 255, including `run=` or `.jsonl`. */
const LONGEST_NAME = 200;

/** Marks a missing partition value in Hive, Spark, pandas and DuckDB. */
export const NO_STEP = '__HIVE_DEFAULT_PARTITION__';

export interface DataSetRequest {
  /** Absent: every run. */
  readonly runKeys?: readonly string[];
  /** An empty directory, or a path that does not exist. */
  readonly directory: string;
}

export interface DataSetReport {
  readonly directory: string;
  readonly runs: number;
  readonly files: number;
  readonly rollouts: number;
  readonly bytes: number;
}

export interface DataSetProgress {
  readonly rollouts: number;
  /** Total number of rollouts. */
  readonly total: number;
}

/**
 * Writes step by step, and yields after each row group.
 *
 * @yields progress
 * @throws ApiError `refused` when the directory is in use or a run does not exist; the system's error when
 * writing fails
 */
export function* writeDataSet(
  db: ReadableLibrary,
  { runKeys, directory }: DataSetRequest,
): Generator<DataSetProgress, DataSetReport> {
  const runs = chosen(exportedRuns(db), runKeys);
  const isThere = existsSync(directory);
  if (isThere && readdirSync(directory).some((name) => name !== UNFINISHED))
    throw refused(`${directory} is not empty; choose an empty or new directory for the data set`);
  const unfinished = join(directory, UNFINISHED);
  try {
    rmSync(unfinished, { recursive: true, force: true });
    for (const part of PARTS) mkdirSync(join(unfinished, part), { recursive: true, mode: 0o700 });
    const written = yield* writeRuns(db, runs, unfinished);
    for (const part of PARTS) renameSync(join(unfinished, part), join(directory, part));
    writeFileSync(join(directory, 'README.md'), dataSetReadme(runs.map(({ runKey }) => runKey)), {
      mode: 0o600,
    });
    return { directory, runs: runs.length, ...written };
  } finally {
    // Also runs when the caller ends the generator early.
    rmSync(unfinished, { recursive: true, force: true });
    if (!isThere && existsSync(directory) && readdirSync(directory).length === 0) rmdirSync(directory);
  }
}

type Written = Pick<DataSetReport, 'files' | 'rollouts' | 'bytes'>;

function* writeRuns(
  db: ReadableLibrary,
  runs: readonly ExportedRun[],
  directory: string,
): Generator<DataSetProgress, Written> {
  const total = runs.reduce((sum, run) => sum + run.rollouts, 0);
  const written = { files: 0, rollouts: 0, bytes: 0 };
  for (const run of runs) {
    const lines = runLines(db, run).map((line) => `${line}\n`);
    writeFileSync(join(directory, 'runs', `${partitionName(run.runKey)}.jsonl`), lines.join(''), {
      mode: 0o600,
    });
    for (const step of exportedSteps(db, run.runId)) {
      const place = stepDirectory(run.runKey, run.hasSteps === 1 ? step : undefined);
      const partition = join(directory, 'rollouts', place);
      mkdirSync(partition, { recursive: true, mode: 0o700 });
      for (const { rows, bytes } of writeStep(db, run, step, join(partition, 'part-0.parquet'))) {
        written.rollouts += rows;
        written.bytes += bytes;
        yield { rollouts: written.rollouts, total };
      }
      written.files++;
    }
  }
  return written;
}

function* writeStep(
  db: ReadableLibrary,
  run: ExportedRun,
  step: number,
  path: string,
): Generator<{ readonly rows: number; readonly bytes: number }> {
  const id = run.loggedId ?? run.runKey;
  const part = rolloutPart(path, {
    id,
    key: run.runKey,
    kind: run.kind,
    ...(run.hasSteps === 1 ? { step } : {}),
  });
  try {
    for (const rollout of exportedRollouts(db, run.runId, step)) {
      part.add(rowOf(rollout, run.kind), weightOf(rollout));
      if (part.isFull) yield part.flush();
    }
    if (part.held > 0) yield part.flush();
    part.finish();
  } finally {
    // Also runs when the caller ends the generator early.
    part.abandon();
  }
}

/** A file of one step's rollouts, with its metadata. */
export function rolloutPart(
  path: string,
  of: { readonly id: string; readonly key: string; readonly kind: RunKind; readonly step?: number },
): ParquetPart {
  const header: DataSetHeader = {
    ...{ v: DATA_SET_VERSION, run: of.id },
    // An evaluation whose log names no run has a key without `~eval`.
    ...(keyOfLogged(of.id, of.kind) === of.key ? {} : { key: of.key }),
    split: of.kind,
    ...(of.step === undefined ? {} : { step: of.step }),
  };
  return new ParquetPart(path, { schema: DATA_SET_SCHEMA, names: NAMES, header });
}

const NAMES = DATA_SET_COLUMNS.map(({ name }) => name);

export function weightOf({ prompt, response, tokens }: ExportedRollout): number {
  return response.length + prompt.length + (tokens?.count ?? 0) * 8;
}

export function stepDirectory(runKey: string, step: number | undefined): string {
  return join(`run=${partitionName(runKey)}`, `step=${step ?? NO_STEP}`);
}

/** Run, stages and metrics as log lines, so that ingest restores them. */
export function runLines(db: ReadableLibrary, run: ExportedRun): readonly string[] {
  const id = run.loggedId ?? run.runKey;
  const metrics = Map.groupBy(exportedMetrics(db, run.runId), ({ step }) => step);
  const config = parseJson(run.config) as Record<string, unknown>;
  const lines = [
    { ...config, v: 1, type: 'run', run: id, name: run.name },
    ...exportedStages(db, run.runId).map(({ fromStep, name, changes }) => ({
      ...(parseJson(changes) as Record<string, unknown>),
      ...{ v: 1, type: 'stage', run: id, from_step: fromStep, name },
    })),
    ...[...metrics].map(([step, values]) => ({
      ...{ v: 1, type: 'metric', run: id, step },
      metrics: Object.fromEntries(values.map(({ name, value }) => [name, value])),
    })),
  ];
  return lines.map((line) => JSON.stringify(line));
}

function chosen(runs: readonly ExportedRun[], keys: readonly string[] | undefined): readonly ExportedRun[] {
  if (keys === undefined) return runs;
  return [...new Set(keys)].map((key) => {
    const run = runs.find(({ runKey }) => runKey === key);
    if (run === undefined) throw refused(`there is no run ${key}`);
    return run;
  });
}

/**
 * Escapes directory names as Hive does, and no more than needed, because ClickHouse shows the escapes. A
 * name that is too long is cut and ends in a hash of the whole; the files' metadata has the full key.
 */
export function partitionName(value: string): string {
  // `.` and `..` are directories of their own.
  const escaped = value.replace(/^\.+$|[^\w.~@,-]/gu, (character) =>
    [...Buffer.from(character)]
      .map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`)
      .join(''),
  );
  if (escaped.length <= LONGEST_NAME && !isCut(escaped)) return escaped;
  const hash = createHash('sha256').update(value).digest('hex').slice(0, 16);
  return `${escaped.slice(0, LONGEST_NAME - hash.length - 1).replace(/%.?$/, '')}~${hash}`;
}

const isCut = (name: string): boolean => name.length > LONGEST_NAME - 3 && /~[\da-f]{16}$/.test(name);

/** @returns the value that a directory is named after; undefined: the name is cut, or not one of ours */
export function partitionValue(name: string): string | undefined {
  if (name === '' || isCut(name)) return undefined;
  try {
    return decodeURIComponent(name);
  } catch {
    return undefined;
  }
}
