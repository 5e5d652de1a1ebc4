/**
 * A data set of rollouts in Parquet, partitioned by run and step, for tools that read what outgrows one machine:
 *
 *   rollouts/run=K/step=S/part-0.parquet   one row per rollout
 *   runs/K.jsonl                           run, stages and metrics, as lines of the Turnwise log
 *   README.md                              the columns
 *
 * A file has its name once it is whole; an export that ended early leaves `*.partial` behind, and is begun anew.
 */
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { constants, zstdCompressSync } from 'node:zlib';
import { fileWriter, ParquetWriter } from 'hyparquet-writer';
import {
  DATA_SET_COLUMNS,
  DATA_SET_VERSION,
  type DataSetHeader,
  HEADER_KEY,
} from '../../shared/format/dataSetColumns.ts';
import type { ReadableLibrary } from '../storage/open.ts';
import {
  type ExportedRun,
  exportedMetrics,
  exportedRollouts,
  exportedRuns,
  exportedStages,
  exportedSteps,
} from '../storage/queries/exported.ts';
import { dataSetReadme } from './dataSetReadme.ts';
import { type DataSetRow, rowOf } from './dataSetRows.ts';
import { DATA_SET_SCHEMA } from './parquetSchema.ts';

/** Rows of a row group: at either size. What readers hold at once. */
const GROUP_ROWS = 512;
const GROUP_CHARS = 16 << 20;
const LEVEL = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };
/** No two rollouts have the same: looking for what repeats takes most of the time of a file. */
const ALONE: ReadonlySet<string> = new Set(['response', 'extra', 'alternatives']);
/** What Hive, Spark, pandas and DuckDB take for "no value". */
const NO_STEP = '__HIVE_DEFAULT_PARTITION__';

export interface DataSetRequest {
  /** Absent: every run. */
  readonly runKeys?: readonly string[];
  /** A directory that is empty, or not there yet. */
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
  /** Of so many. */
  readonly total: number;
}

export class ExportRefusal extends Error {}

/**
 * Writes step by step, and hands back control after each row group.
 *
 * @yields how far it is
 * @throws ExportRefusal when the directory is in use or a run is not there; the system's error when it cannot be written
 */
export function* writeDataSet(
  db: ReadableLibrary,
  { runKeys, directory }: DataSetRequest,
): Generator<DataSetProgress, DataSetReport> {
  const runs = chosen(exportedRuns(db), runKeys);
  if (existsSync(directory) && readdirSync(directory).length > 0)
    throw new ExportRefusal(`${directory} is not empty; a data set is written into a directory of its own`);
  mkdirSync(join(directory, 'runs'), { recursive: true });
  const total = runs.reduce((sum, run) => sum + run.rollouts, 0);
  const report = { directory, runs: runs.length, files: 0, rollouts: 0, bytes: 0 };
  for (const run of runs) {
    const name = partitionName(run.runKey);
    writeFileSync(join(directory, 'runs', `${name}.jsonl`), runLines(db, run));
    for (const step of exportedSteps(db, run.runId)) {
      const partition = join(
        directory,
        'rollouts',
        `run=${name}`,
        `step=${run.hasSteps === 1 ? step : NO_STEP}`,
      );
      mkdirSync(partition, { recursive: true });
      for (const { rows, bytes } of writeStep(db, run, step, join(partition, 'part-0.parquet'))) {
        report.rollouts += rows;
        report.bytes += bytes;
        yield { rollouts: report.rollouts, total };
      }
      report.files++;
    }
  }
  writeFileSync(join(directory, 'README.md'), dataSetReadme(runs.map(({ runKey }) => runKey)));
  return report;
}

function* writeStep(
  db: ReadableLibrary,
  run: ExportedRun,
  step: number,
  path: string,
): Generator<{ readonly rows: number; readonly bytes: number }> {
  const partial = `${path}.partial`;
  const header: DataSetHeader = {
    ...{ v: DATA_SET_VERSION, run: run.loggedId ?? run.runKey, split: run.kind },
    ...(run.hasSteps === 1 ? { step } : {}),
  };
  const sink = fileWriter(partial);
  const writer = new ParquetWriter({
    writer: sink,
    schema: DATA_SET_SCHEMA,
    codec: 'ZSTD',
    compressors: { ZSTD: (bytes: Uint8Array) => zstdCompressSync(bytes, LEVEL) },
    kvMetadata: [{ key: HEADER_KEY, value: JSON.stringify(header) }],
    createdBy: 'turnwise',
  });
  let isWhole = false;
  try {
    let rows: DataSetRow[] = [];
    let chars = 0;
    let written = 0;
    const flush = (): { rows: number; bytes: number } => {
      const done = rows.length;
      const columnData = DATA_SET_COLUMNS.map(({ name }) => ({
        name,
        data: rows.map((row) => row[name] ?? null),
        ...(ALONE.has(name) ? { encoding: 'PLAIN' as const, statistics: false } : {}),
      }));
      writer.write({ columnData, rowGroupSize: Math.max(1, done) });
      rows = [];
      chars = 0;
      const bytes = sink.offset - written;
      written = sink.offset;
      return { rows: done, bytes };
    };
    for (const rollout of exportedRollouts(db, run.runId, step)) {
      rows.push(rowOf(rollout, run.kind));
      chars += rollout.response.length + rollout.prompt.length + (rollout.tokens?.count ?? 0) * 8;
      if (rows.length >= GROUP_ROWS || chars >= GROUP_CHARS) yield flush();
    }
    if (rows.length > 0) yield flush();
    writer.finish();
    isWhole = true;
  } finally {
    // Also when nobody asks for the rest.
    if (isWhole) renameSync(partial, path);
    else rmSync(partial, { force: true });
  }
}

/** Run, stages and metrics in the log's own words: read again, they are what they were. */
function runLines(db: ReadableLibrary, run: ExportedRun): string {
  const id = run.loggedId ?? run.runKey;
  const metrics = Map.groupBy(exportedMetrics(db, run.runId), ({ step }) => step);
  const config = JSON.parse(run.config) as Record<string, unknown>;
  const lines = [
    { ...config, v: 1, type: 'run', run: id, name: run.name },
    ...exportedStages(db, run.runId).map(({ fromStep, name, changes }) => ({
      ...(JSON.parse(changes) as Record<string, unknown>),
      ...{ v: 1, type: 'stage', run: id, from_step: fromStep, name },
    })),
    ...[...metrics].map(([step, values]) => ({
      ...{ v: 1, type: 'metric', run: id, step },
      metrics: Object.fromEntries(values.map(({ name, value }) => [name, value])),
    })),
  ];
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('');
}

function chosen(runs: readonly ExportedRun[], keys: readonly string[] | undefined): readonly ExportedRun[] {
  if (keys === undefined) return runs;
  return keys.map((key) => {
    const run = runs.find(({ runKey }) => runKey === key);
    if (run === undefined) throw new ExportRefusal(`there is no run ${key}`);
    return run;
  });
}

/** As Hive escapes what a directory's name may not hold. */
export function partitionName(value: string): string {
  return value.replace(/[^\w.-]/gu, (character) =>
    [...Buffer.from(character)]
      .map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`)
      .join(''),
  );
}
