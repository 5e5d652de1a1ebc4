/**
 * Sends what a library holds to a warehouse: one load for each step of each run and each log file. A load that the
 * warehouse already has is not sent again.
 */

import { createHash, randomUUID } from 'node:crypto';
import { createReadStream, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { z } from 'zod';
import { refused } from '../../shared/api/errors.ts';
import type { RunKind } from '../../shared/domain/model.ts';
import { parseJson } from '../../shared/domain/parseJson.ts';
import { isCopyOfWarehouse } from '../../shared/domain/warehouseCopies.ts';
import { ColumnQueryEngine } from '../columns/queryEngine.ts';
import { rolloutPart, runLines, weightOf } from '../export/dataSet.ts';
import { rowOf } from '../export/dataSetRows.ts';
import { MOST_INT32 } from '../export/parquetPart.ts';
import { assertTrees, openReader, type ReadableLibrary } from '../storage/open.ts';
import {
  type ExportedRun,
  exportedOfFile,
  exportedRuns,
  type FileOfStep,
  filesOfSteps,
  firstContent,
} from '../storage/queries/exported.ts';
import { issuesOfFile, listFiles } from '../storage/queries/issues.ts';
import { listSteps } from '../storage/queries/runs.ts';
import { FREE_TASK } from '../threads/task.ts';
import type { Warehouse } from './connection.ts';
import { COLUMN_LIST, checkVersion, INPUT_STRUCTURE } from './tables.ts';

/** Their names are parts of the address of a request, which a server limits. */
const FILES_AT_ONCE = 100;

export interface PushReport {
  readonly runs: number;
  /** Loads that were sent. */
  readonly sent: number;
  /** Loads that the warehouse already had. */
  readonly known: number;
  /** Rollouts and bytes that were sent. */
  readonly rollouts: number;
  readonly bytes: number;
  /** Files whose issues were sent. */
  readonly files: number;
  /** Rollouts that were left out because they are copies from a warehouse. */
  readonly copies: number;
  /** Steps that the tables of a warehouse cannot hold. */
  readonly tooLarge: readonly { readonly run: string; readonly step: number; readonly path: string }[];
}

/** Steps and indexes are numbers of 32 bits in a warehouse. */
export const LARGEST_STEP = MOST_INT32;

export interface PushOptions {
  /** Absent: every run. */
  readonly runKeys?: readonly string[];
  /** Name of the only run in the warehouse. */
  readonly as?: string;
  readonly signal?: AbortSignal;
  readonly onProgress?: (report: PushReport) => void;
}

/** Sends one library, again and again while it grows. Steps that have not changed are not looked at again. */
export class Push {
  private readonly db: ReadableLibrary;
  private readonly columns: ColumnQueryEngine;
  private readonly warehouse: Warehouse;
  private readonly options: PushOptions;
  /** Revision of each step and file that the warehouse has. */
  private readonly there = new Map<string, number>();
  /** JSON of the issues of each source that the warehouse has. */
  private readonly sentIssues = new Map<string, string>();
  /** Revision at the last look. */
  private readonly seen = new Map<string, number>();

  /** @param library path of a library */
  constructor(library: string, warehouse: Warehouse, options: PushOptions = {}) {
    assertTrees(library);
    this.db = openReader(library);
    this.columns = new ColumnQueryEngine(this.db);
    this.warehouse = warehouse;
    this.options = options;
  }

  close(): void {
    this.db.close();
  }

  /**
   * @param only `settled`: leaves out steps that have changed since the last call, because a step is sent as a
   * whole
   * @throws ApiError when the warehouse is missing or newer, or a run does not exist; the signal's reason
   */
  async send(only: 'settled' | 'all' = 'all'): Promise<PushReport> {
    await checkVersion(this.warehouse, this.options.signal);
    const runs = this.chosenRuns();
    const counts = { sent: 0, known: 0, rollouts: 0, bytes: 0, files: 0, copies: 0 };
    const report: Mutable<PushReport> = { runs: runs.length, ...counts, tooLarge: [] };
    for (const run of runs) await this.sendRun(run, only, report);
    report.files = await this.sendFiles();
    return report;
  }

  private chosenRuns(): readonly ExportedRun[] {
    const { runKeys, as } = this.options;
    const all = exportedRuns(this.db);
    const runs = runKeys?.map((key) => found(all, key)) ?? all;
    const ids = new Set(runs.map(({ runKey, loggedId }) => loggedId ?? runKey));
    if (as !== undefined && ids.size > 1)
      throw refused(`there are ${ids.size} runs, which cannot all be named ${as}; choose one with --run`);
    return runs;
  }

  /** Key of the run in the warehouse. */
  private keyOf({ runKey, kind }: ExportedRun): string {
    const { as } = this.options;
    if (as === undefined) return runKey;
    return kind === 'eval' ? `${as}~eval` : as;
  }

  private async sendRun(
    run: ExportedRun,
    only: 'settled' | 'all',
    report: Mutable<PushReport>,
  ): Promise<void> {
    const key = this.keyOf(run);
    const { signal } = this.options;
    // A copy has another path than its log, so the warehouse would count its rollouts again.
    const all = filesOfSteps(this.db, run.runId);
    const files = all.filter(({ path }) => !isCopyOfWarehouse(path));
    report.copies += rolloutsIn(all) - rolloutsIn(files);
    if (files.length === 0 && all.length > 0) {
      report.runs--;
      return;
    }
    await sendLines(this.warehouse, key, this.linesOf(run), signal);
    const loads = new Map(
      (
        await this.warehouse.parsed(
          z.object({ step: z.number().nullable(), source: z.string(), content: z.string() }),
          'SELECT step, source, content FROM load WHERE run = {run:String}',
          { run: key },
          signal,
        )
      ).map(({ step, source, content }) => [placeOf(step, source), content]),
    );
    // While one load is on its way, the next is written.
    let sending: Promise<void> = Promise.resolve();
    try {
      for (const file of files) {
        signal?.throwIfAborted();
        if (Math.max(file.step, file.largestIndex) > LARGEST_STEP) {
          report.tooLarge = [...report.tooLarge, { run: key, step: file.step, path: file.path }];
          continue;
        }
        const memory = `${key}\n${file.step}\n${file.fileId}`;
        if (this.there.get(memory) === file.revision) {
          report.known++;
          continue;
        }
        const isSettled = this.seen.get(memory) === file.revision;
        this.seen.set(memory, file.revision);
        if (only === 'settled' && !isSettled) continue;
        const source = this.sourceOf(file);
        const step = run.hasSteps === 1 ? file.step : null;
        const load = await this.write(run, file, { key, step, source });
        const isKnown = load.content === loads.get(placeOf(step, source));
        await sending.catch(load.remove);
        await sending;
        sending = (isKnown ? Promise.resolve() : this.sendLoad(load)).finally(load.remove).then(() => {
          if (isKnown) report.known++;
          else {
            report.sent++;
            report.rollouts += load.rollouts;
            report.bytes += load.bytes;
          }
          this.there.set(memory, file.revision);
          this.options.onProgress?.(report);
        });
        // Handled when it is awaited.
        sending.catch(() => undefined);
      }
    } finally {
      await sending;
    }
  }

  /** The same file gives the same source on every machine that sees it, also while it grows. */
  private sourceOf({ path, fileId }: Pick<FileOfStep, 'path' | 'fileId'>): string {
    const first = firstContent(this.db, fileId);
    return first === '' ? path : `${path}#${createHash('sha256').update(first).digest('hex').slice(0, 12)}`;
  }

  private async sendLoad(sent: Load): Promise<void> {
    const { path, key, step, source, rollouts, content, runId, split } = sent;
    const load = randomUUID();
    const { signal } = this.options;
    await this.warehouse.insert(
      `INSERT INTO rollout_row (run, step, load, ${COLUMN_LIST})
      SELECT {run:String}, {step:Nullable(Int32)}, {load:UUID}, ${COLUMN_LIST}
      FROM input('${INPUT_STRUCTURE}') FORMAT Parquet`,
      () => createReadStream(path),
      { run: key, step, load },
      signal,
    );
    const written = await this.warehouse.parsed(
      z.object({ rollouts: z.number() }),
      'SELECT count() AS rollouts FROM rollout_row WHERE run = {run:String} AND load = {load:UUID}',
      { run: key, load },
      signal,
    );
    const stored = written[0]?.rollouts ?? 0;
    if (stored !== rollouts)
      throw refused(`the warehouse has ${stored} of ${rollouts} rollouts of ${source}`);
    await this.warehouse.add(
      'load_row',
      ['run', 'step', 'source', 'load', 'run_id', 'split', 'rollouts', 'content', 'summary', 'facts'],
      [{ run: key, step, source, load, run_id: runId, split, rollouts, content, ...sent.sums }],
      signal,
    );
  }

  /** Writes the rollouts of a step and a log to a temporary file. */
  private async write(
    run: ExportedRun,
    file: FileOfStep,
    { key, step, source }: Pick<Load, 'key' | 'step' | 'source'>,
  ): Promise<Load> {
    const directory = mkdtempSync(join(tmpdir(), 'turnwise-push-'));
    const remove = (): void => rmSync(directory, { recursive: true, force: true });
    try {
      const path = join(directory, 'rollouts.parquet');
      const written = await this.writePart(path, run, file, step);
      const runId = this.options.as ?? run.loggedId ?? run.runKey;
      const content = await hashOf(path);
      const sums = this.sumsOf(run.runId, file.step, written.rollouts);
      return { path, key, step, source, runId, split: run.kind, content, sums, ...written, remove };
    } catch (error) {
      remove();
      throw error;
    }
  }

  /** The library's sums of the step. Empty if this load is only a part of it. */
  private sumsOf(runId: number, step: number, rollouts: number): Load['sums'] {
    const summary = listSteps(this.db, runId).find((each) => each.step === step);
    if (summary?.rollouts !== rollouts) return { summary: '', facts: '' };
    const [facts] = this.columns.answer('step.series', { runId, step, filter: '' }, FREE_TASK).steps;
    if (facts?.rollouts !== rollouts) return { summary: '', facts: '' };
    return { summary: JSON.stringify(summary), facts: JSON.stringify(facts) };
  }

  private async writePart(
    path: string,
    run: ExportedRun,
    file: FileOfStep,
    step: number | null,
  ): Promise<Pick<Load, 'rollouts' | 'bytes'>> {
    const written = { rollouts: 0, bytes: 0 };
    const part = rolloutPart(path, {
      id: run.loggedId ?? run.runKey,
      key: run.runKey,
      kind: run.kind,
      ...(step === null ? {} : { step }),
    });
    const flush = async (): Promise<void> => {
      const { rows, bytes } = part.flush();
      written.rollouts += rows;
      written.bytes += bytes;
      await setImmediate(undefined, this.options.signal === undefined ? {} : { signal: this.options.signal });
    };
    try {
      let number = 0;
      for (const rollout of exportedOfFile(this.db, run.runId, file)) {
        // Its number in this library would differ from library to library.
        part.add({ ...rowOf(rollout, run.kind), rollout: number++ }, weightOf(rollout));
        if (part.isFull) await flush();
      }
      if (part.held > 0) await flush();
      part.finish();
      return written;
    } finally {
      part.abandon();
    }
  }

  private linesOf(run: ExportedRun): readonly string[] {
    const { as } = this.options;
    return runLines(this.db, as === undefined ? run : { ...run, loggedId: as });
  }

  /** Sends the files with issues. */
  private async sendFiles(): Promise<number> {
    const { signal } = this.options;
    const changed = listFiles(this.db, {})
      .filter((file) => file.issues > 0 && !isCopyOfWarehouse(file.path))
      .map((file) => {
        const issues = issuesOfFile(this.db, file.path).map(({ line, severity, code, message }) => ({
          ...{ line: line ?? null, severity, code, message },
        }));
        return { file, source: this.sourceOf(file), issues, json: JSON.stringify(issues) };
      })
      .filter(({ source, json }) => this.sentIssues.get(source) !== json);
    let sent = 0;
    for (let i = 0; i < changed.length; i += FILES_AT_ONCE) {
      const files = changed.slice(i, i + FILES_AT_ONCE);
      const rows = await this.warehouse.parsed(
        z.object({ source: z.string(), issues: z.string() }),
        `SELECT source, argMax(toJSONString(f.issues), f.loaded_at) AS issues FROM file_row AS f
        WHERE source IN {sources:Array(String)} GROUP BY source`,
        { sources: files.map(({ source }) => source) },
        signal,
      );
      const there = new Map(rows.map(({ source, issues }) => [source, issues]));
      for (const { file, source, issues, json } of files) {
        if (!sameJson(there.get(source), json)) {
          const { path, status } = file;
          await this.warehouse.add(
            'file_row',
            ['source', 'path', 'format', 'status', 'issues'],
            [{ source, path, format: file.format ?? null, status, issues }],
            signal,
          );
          sent++;
        }
        this.sentIssues.set(source, json);
      }
    }
    return sent;
  }
}

/** Stages and metrics may come from several nodes, so lines are added, never replaced. */
export async function sendLines(
  warehouse: Warehouse,
  key: string,
  lines: readonly string[],
  signal: AbortSignal | undefined,
): Promise<void> {
  const there = await warehouse.parsed(
    z.object({ line: z.string() }),
    'SELECT DISTINCT line FROM run_line WHERE run = {run:String}',
    { run: key },
    signal,
  );
  const known = new Set(there.map(({ line }) => line));
  const missing = lines.filter((line) => !known.has(line));
  if (missing.length === 0) return;
  await warehouse.add(
    'run_line',
    ['run', 'number', 'line'],
    missing.map((line, number) => ({ run: key, number, line })),
    signal,
  );
}

/** Rollouts of one step and one log, in a temporary file. */
interface Load {
  /** A Parquet file as an export writes it. */
  readonly path: string;
  /** Key of the run in the warehouse. */
  readonly key: string;
  readonly step: number | null;
  readonly source: string;
  readonly runId: string;
  readonly split: RunKind;
  readonly content: string;
  readonly rollouts: number;
  readonly bytes: number;
  /** JSON of the summary and the facts of its step. Empty: a part of the step is in another load. */
  readonly sums: { readonly summary: string; readonly facts: string };
  remove(): void;
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

const rolloutsIn = (files: readonly FileOfStep[]): number =>
  files.reduce((sum, { rollouts }) => sum + rollouts, 0);

const placeOf = (step: number | null, source: string): string => `${step ?? ''}\n${source}`;

function found(runs: readonly ExportedRun[], key: string): ExportedRun {
  const run = runs.find(({ runKey }) => runKey === key);
  if (run === undefined) throw refused(`there is no run ${key}`);
  return run;
}

async function hashOf(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const bytes of createReadStream(path)) hash.update(bytes as Buffer);
  return hash.digest('hex');
}

/** The server spaces and orders JSON in its own way. */
function sameJson(a: string | undefined, b: string): boolean {
  if (a === undefined) return false;
  try {
    return JSON.stringify(parseJson(a)) === b;
  } catch {
    return false;
  }
}
