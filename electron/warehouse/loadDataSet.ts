/**
 * Data sets of Turnwise that the engine reads itself, from files of the server or from S3, so that nothing passes through
 * this machine. One load for each file, as a push sends one for each step and log.
 */
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { refused } from '../../shared/api/errors.ts';
import { RUN_KINDS } from '../../shared/domain/model.ts';
import { tryParseJson } from '../../shared/domain/parseJson.ts';
import { NO_STEP, partitionValue } from '../export/dataSet.ts';
import type { Warehouse } from './connection.ts';
import { LARGEST_STEP, sendLines } from './push.ts';
import { COLUMN_LIST, checkVersion, INPUT_STRUCTURE } from './tables.ts';

export interface DataSetPlace {
  /** Directory below the server's `user_files`, or `s3://BUCKET/PATH` or `https://…`. */
  readonly from: string;
  /** Named collection of the server with the keys of S3. Absent: the server's own rights. */
  readonly collection?: string;
}

export interface LoadReport {
  readonly runs: number;
  /** Files that were read. */
  readonly loaded: number;
  /** Files that the warehouse already had. */
  readonly known: number;
  readonly rollouts: number;
  /** Files of steps that the tables of a warehouse cannot hold. */
  readonly tooLarge: readonly string[];
}

const FILE = z.object({ path: z.string(), bytes: z.number(), rollouts: z.number(), changed: z.string() });
const LINE = z.object({ file: z.string(), line: z.string() });
/** An empty load has no split. */
const STORED = z.object({ rollouts: z.number(), split: z.enum(RUN_KINDS).or(z.literal('')) });

/** `rollouts/run=K/step=S/part-0.parquet`, as the engine names it. */
const PART = /\/rollouts\/run=([^/]+)\/step=([^/]+)\/[^/]+\.parquet$/;

/**
 * @throws ApiError `refused` when there is no data set, or a run's directory has a shortened name; the server's words when
 * it may not read there
 */
export async function loadDataSet(
  warehouse: Warehouse,
  place: DataSetPlace,
  signal?: AbortSignal,
): Promise<LoadReport> {
  if (place.collection !== undefined && !/^[A-Za-z_]\w*$/.test(place.collection))
    throw refused('a named collection of the server has letters, digits and _');
  await checkVersion(warehouse, signal);
  const parts = await warehouse.parsed(
    FILE,
    // Without the rows: the counts are in the files' metadata.
    `SELECT _path AS path, any(_size) AS bytes, count() AS rollouts, toString(any(_time)) AS changed
    FROM ${tableOf(place, 'rollouts/*/*/*.parquet', 'Parquet')} GROUP BY _path ORDER BY _path`,
    {},
    signal,
  );
  if (parts.length === 0) throw refused(`the server finds no data set at ${place.from}`);
  const lines = await warehouse.parsed(
    LINE,
    `SELECT _file AS file, line FROM ${tableOf(place, 'runs/*.jsonl', 'LineAsString', 'line String')}`,
    {},
    signal,
  );
  const linesOf = Map.groupBy(lines, ({ file }) => file.replace(/\.jsonl$/, ''));
  const report = { loaded: 0, known: 0, rollouts: 0 };
  const sent = new Set<string>();
  const tooLarge: string[] = [];
  for (const part of parts) {
    signal?.throwIfAborted();
    const [, named = '', stepText = ''] = PART.exec(part.path) ?? [];
    const key = partitionValue(named);
    const step = stepText === NO_STEP ? null : Number(stepText);
    if (key === undefined || (step !== null && !Number.isInteger(step)))
      throw refused(`${part.path} is not named after its run and step; push the run from a library`);
    if (step !== null && step > LARGEST_STEP) {
      tooLarge.push(part.path);
      continue;
    }
    const ofRun = linesOf.get(named)?.map(({ line }) => line) ?? [];
    if (!sent.has(key)) await sendLines(warehouse, key, ofRun, signal);
    sent.add(key);
    const content = `${part.bytes} bytes of ${part.changed}`;
    const isKnown = await hasLoad(warehouse, { key, step, source: part.path, content }, signal);
    if (isKnown) report.known++;
    else {
      await loadPart(warehouse, place, { ...part, key, step, content, runId: idIn(ofRun) ?? key }, signal);
      report.loaded++;
      report.rollouts += part.rollouts;
    }
  }
  return { runs: sent.size, ...report, tooLarge };
}

interface Part {
  readonly path: string;
  readonly rollouts: number;
  readonly key: string;
  readonly step: number | null;
  readonly content: string;
  readonly runId: string;
}

async function loadPart(
  warehouse: Warehouse,
  place: DataSetPlace,
  { path, rollouts, key, step, content, runId }: Part,
  signal: AbortSignal | undefined,
): Promise<void> {
  const load = randomUUID();
  const below = path.slice(path.lastIndexOf('/rollouts/') + 1);
  await warehouse.run(
    `INSERT INTO rollout_row (run, step, load, ${COLUMN_LIST})
    SELECT {run:String}, {step:Nullable(Int32)}, {load:UUID}, ${COLUMN_LIST}
    FROM ${tableOf(place, below, 'Parquet', INPUT_STRUCTURE)}`,
    { run: key, step, load },
    signal,
  );
  const [stored] = await warehouse.parsed(
    STORED,
    'SELECT count() AS rollouts, any(split) AS split FROM rollout_row WHERE run = {run:String} AND load = {load:UUID}',
    { run: key, load },
    signal,
  );
  if (stored?.rollouts !== rollouts)
    throw refused(`the warehouse has ${stored?.rollouts ?? 0} of ${rollouts} rollouts of ${path}`);
  await warehouse.add(
    'load_row',
    ['run', 'step', 'source', 'load', 'run_id', 'split', 'rollouts', 'content', 'summary', 'facts'],
    [
      {
        ...{ run: key, step, source: path, load, run_id: runId, split: stored.split, rollouts, content },
        // The engine counts them from the rows.
        ...{ summary: '', facts: '' },
      },
    ],
    signal,
  );
}

async function hasLoad(
  warehouse: Warehouse,
  of: Pick<Part, 'key' | 'step' | 'content'> & { readonly source: string },
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const { key: run, step, source, content } = of;
  const [found] = await warehouse.parsed(
    z.object({ loads: z.number() }),
    `SELECT count() AS loads FROM load WHERE run = {run:String} AND step IS NOT DISTINCT FROM {step:Nullable(Int32)}
    AND source = {source:String} AND content = {content:String}`,
    { run, step, source, content },
    signal,
  );
  return (found?.loads ?? 0) > 0;
}

/** The run's id as logged. */
function idIn(lines: readonly string[]): string | undefined {
  for (const line of lines) {
    const read = tryParseJson(line) as { type?: unknown; run?: unknown } | null | undefined;
    if (read?.type === 'run' && typeof read.run === 'string') return read.run;
  }
  return undefined;
}

/** The table function of the engine for files below a data set. */
function tableOf({ from, collection }: DataSetPlace, below: string, format: string, structure = ''): string {
  const path = `${from.replace(/\/+$/, '')}/${below}`;
  const isUrl = /^(?:s3|https?):\/\//.test(from);
  const rest = [format, ...(structure === '' ? [] : [structure])].map(literal).join(', ');
  if (!isUrl) return `file(${literal(path)}, ${rest})`;
  if (collection === undefined) return `s3(${literal(path)}, ${rest})`;
  const named = [`url = ${literal(path)}`, `format = ${literal(format)}`];
  if (structure !== '') named.push(`structure = ${literal(structure)}`);
  return `s3(${collection}, ${named.join(', ')})`;
}

const literal = (text: string): string => `'${text.replaceAll(/[\\']/g, '\\$&')}'`;
