/**
 * Worker thread for long work over steps and runs: Resample-on-Correct, token statistics, comparisons and
 * exports.
 */
import { workerData } from 'node:worker_threads';
import type { MethodsOn, ParsedParams, ResultOf } from '../../shared/api/contract.ts';
import { ApiError, found, notFound } from '../../shared/api/errors.ts';
import { CANCELLED } from '../../shared/api/transport.ts';
import { runNamed } from '../../shared/domain/runNamed.ts';
import { ColumnMemory } from '../columns/columnMemory.ts';
import { ColumnQueryEngine } from '../columns/queryEngine.ts';
import { compareHandlers } from '../compare/handlers.ts';
import { writeDataSet } from '../export/dataSet.ts';
import { packText } from '../export/pack/modelText.ts';
import { writePack } from '../export/pack/packWriter.ts';
import { wholeRecord } from '../ingest/recordChunk.ts';
import { basisOf } from '../roc/basis.ts';
import { decidedGroups } from '../roc/decisionRows.ts';
import { type FinishedReport, groupsBehind, ReportBuilder } from '../roc/report.ts';
import { PlacesBuilder } from '../signals/places.ts';
import type { ScopeProgress } from '../signals/scopeReader.ts';
import { StatisticsBuilder } from '../signals/statistics.ts';
import { openReader, type ReadableLibrary } from '../storage/open.ts';
import { loggedRetries } from '../storage/queries/loggedRetries.ts';
import type { MeasuredScope } from '../storage/queries/measured.ts';
import { recordSource } from '../storage/queries/places.ts';
import { poolRun, poolRuns } from '../storage/queries/pool.ts';
import { librarySizes } from '../storage/queries/sizes.ts';
import { storageFailure } from '../storage/storageFailure.ts';
import { post, serve } from '../threads/serve.ts';
import type { Task } from '../threads/task.ts';
import { warehouseHandlers } from '../warehouse/handlers.ts';
import type {
  ColumnNews,
  ColumnNotice,
  DecisionsRequest,
  DecisionsRun,
  InternalMethods,
  LibraryThreadData,
  SentParams,
} from './messages.ts';

const { libraryPath, version, memory: slot } = workerData as LibraryThreadData;
const db: ReadableLibrary = openReader(libraryPath);

/** Number of reports whose groups can still be requested: the displayed one and its predecessors. */
const KEPT_REPORTS = 4;
const SAMPLES_BETWEEN_PAUSES = 50;
const reports = new Map<number, Omit<FinishedReport, 'report'>>();
let nextReportId = 1;

/** Selects the rollouts of a pack by a filter. Created on first use, since most requests need no columns. */
let engine: ColumnQueryEngine | undefined;
function columnEngine(): ColumnQueryEngine {
  engine ??= new ColumnQueryEngine(
    db,
    new ColumnMemory(slot, () => post<ColumnNews>({ kind: 'news', news: 'memory-full' })),
  );
  return engine;
}

type AnalysisMethod = MethodsOn<'analysis' | 'comparison' | 'exporting'>;
type AnalysisHandlers = {
  [M in AnalysisMethod]: (params: SentParams<M>, task: Task) => ResultOf<M> | Promise<ResultOf<M>>;
};
type RocRequests = Pick<InternalMethods, 'roc.run' | 'roc.decisions'>;
type RocHandlers = {
  [M in keyof RocRequests]: (params: RocRequests[M]['params']) => RocRequests[M]['result'];
};

const analysis: AnalysisHandlers = {
  'roc.report': rocReport,
  'roc.groups': ({ reportId, key }) => {
    const finished = reports.get(reportId);
    if (finished === undefined) throw notFound(`report ${reportId} has expired; compute it again`);
    return groupsBehind(finished, key);
  },
  'eval.retries': ({ runId }, task) =>
    loggedRetries(db, runId, async (done, total) => {
      if (done % SAMPLES_BETWEEN_PAUSES !== 0) return;
      task.checkpoint(done, total);
      await task.pause();
    }),
  'token.statistics': (params, task) => measured(params, StatisticsBuilder.open(db, params), task),
  'token.occurrences': (params, task) => measured(params, PlacesBuilder.open(db, params), task),
  'library.sizes': (_params, task) => {
    const sizes = librarySizes(db, {
      isCancelled: task.isCancelled,
      onProgress: (pagesDone, pages) => task.progress(pagesDone, pages, pagesDone / pages),
    });
    return throwIfCancelled(sizes);
  },
  ...compareHandlers(db),
  ...warehouseHandlers(db, libraryPath),
  'pack.text': async (params) => found(await packText(db, params), `rollout ${params.rolloutId}`),
  'pack.export': writePackFile,
  'run.export': writeDataSetFiles,
};

const roc: RocHandlers = {
  'roc.run': decisionsRun,
  'roc.decisions': ({ runId, step, basis }) =>
    decidedGroups(db, found(poolRun(db, runId), `run ${runId}`), step, basis),
};

async function rocReport(request: ParsedParams<'roc.report'>, task: Task): Promise<ResultOf<'roc.report'>> {
  const startedAt = performance.now();
  const builder = ReportBuilder.open(db, request);
  if (builder === undefined) throw noRun(request);
  const { steps } = builder;
  for (const [i, step] of steps.entries()) {
    task.checkpoint(i, steps.length);
    await task.pause();
    builder.addStep(step);
  }
  const { report, ...behind } = builder.finish();
  const reportId = nextReportId++;
  reports.set(reportId, behind);
  for (const known of reports.keys()) {
    if (reports.size <= KEPT_REPORTS) break;
    reports.delete(known);
  }
  return { ...report, reportId, elapsedMs: Math.round(performance.now() - startedAt) };
}

/** Milliseconds between two pauses for messages while tokens are read. */
const BUSY_MS = 40;

interface TokenBuilder<R> {
  readonly steps: readonly number[];
  read(): Iterable<ScopeProgress>;
  finish(): R;
}

async function measured<R>(
  scope: MeasuredScope,
  builder: TokenBuilder<R> | undefined,
  task: Task,
): Promise<R> {
  if (builder === undefined) throw noScope(scope);
  const steps = builder.steps.length;
  let pausedAt = Number.NEGATIVE_INFINITY;
  for (const { stepsDone, share } of builder.read()) {
    if (performance.now() - pausedAt < BUSY_MS) continue;
    if (task.isCancelled()) throw new ApiError(CANCELLED);
    task.progress(stepsDone, steps, share);
    await task.pause();
    pausedAt = performance.now();
  }
  return builder.finish();
}

const NO_PACK = {
  path: '',
  format: 'jsonl',
  cases: 0,
  siblings: 0,
  annotations: 0,
  redactions: 0,
  bytes: 0,
  sha256: '',
} as const;

async function writePackFile(
  { granted, ...params }: SentParams<'pack.export'>,
  task: Task,
): Promise<ResultOf<'pack.export'>> {
  const { runId, filter, labels, rolloutIds, isAll, pairs } = params;
  const chosen = columnEngine().packIds({ runId, filter, labels, rolloutIds, isAll, pairs }, task);
  const written = writePack(
    db,
    { ...params, version },
    {
      ...chosen,
      rawOf: (rolloutId) => wholeRecord(recordSource(db, rolloutId), granted),
      isCancelled: task.isCancelled,
    },
  );
  for (let step = await written.next(); ; step = await written.next()) {
    if (step.done === true) return step.value;
    if (task.isCancelled()) {
      // Ends the generator early, which deletes the unfinished pack.
      await written.return(NO_PACK);
      throw new ApiError(CANCELLED);
    }
    const { done, total } = step.value;
    task.progress(done, total, done / Math.max(1, total));
  }
}

const NO_DATA_SET = { directory: '', runs: 0, files: 0, rollouts: 0, bytes: 0 };

function writeDataSetFiles(
  { path, runKeys }: ParsedParams<'run.export'>,
  task: Task,
): ResultOf<'run.export'> {
  const written = writeDataSet(db, { directory: path, ...(runKeys === undefined ? {} : { runKeys }) });
  for (let step = written.next(); ; step = written.next()) {
    if (step.done === true) return step.value;
    if (task.isCancelled()) {
      // Ends the generator early, which deletes the unfinished file.
      written.return(NO_DATA_SET);
      throw new ApiError(CANCELLED);
    }
    const { rollouts, total } = step.value;
    task.progress(rollouts, total, rollouts / Math.max(1, total));
  }
}

function decisionsRun({ run: named, step, choice }: DecisionsRequest): DecisionsRun {
  const found = runNamed(poolRuns(db), named);
  if (typeof found === 'string') throw notFound(found);
  const { runId, runKey, name, config, steps } = found;
  if (step !== undefined && !steps.includes(step))
    throw notFound(`the library has no step ${step} in run ${name}`);
  const basis = basisOf(config, choice);
  return { runId, runKey, runName: name, basis, steps: step === undefined ? steps : [step] };
}

function throwIfCancelled<T>(value: T | undefined): T {
  if (value === undefined) throw new ApiError(CANCELLED);
  return value;
}

function noRun({ runId, step }: { readonly runId: number; readonly step?: number | undefined }): ApiError {
  return notFound(`the library has no run ${runId}${step === undefined ? '' : ` with a step ${step}`}`);
}

function noScope({ rolloutId, groupId, ...scope }: MeasuredScope): ApiError {
  if (rolloutId !== undefined)
    return notFound(`the library has no rollout ${rolloutId} in run ${scope.runId}`);
  return groupId === undefined
    ? noRun(scope)
    : notFound(`the library has no group ${groupId} in run ${scope.runId}`);
}

/** Path of the file that a request writes. */
function outputPathOf(params: unknown): string | undefined {
  const isOutput = typeof params === 'object' && params !== null && 'path' in params;
  return isOutput ? String(params.path) : undefined;
}

serve<ColumnNotice>({
  handlers: { ...analysis, ...roc },
  failureOf: (error, params) => storageFailure(error, libraryPath, outputPathOf(params)),
  onNotice: () => engine?.store.makeRoom(),
  close: () => void db.close(),
});
