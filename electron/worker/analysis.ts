/**
 * Worker thread: long questions about steps and runs, step by step: Resample-on-Correct recomputed,
 * statistics and places of tokens. Now and then it listens: for a cancel, and for the next question, which
 * waits its turn.
 */
import { parentPort, workerData } from 'node:worker_threads';
import type { Comparison, RocReport } from '../../shared/api/contract.ts';
import type { ApiFailure, Result } from '../../shared/api/errors.ts';
import { packComparison } from '../../shared/api/packedRows.ts';
import { CANCELLED } from '../../shared/api/transport.ts';
import { SettingError } from '../../shared/domain/downSampling.ts';
import { Browser } from '../columns/answer.ts';
import type { PackIds } from '../columns/packChoice.ts';
import { answerComparison } from '../compare/answer.ts';
import { ExportRefusal, writeDataSet } from '../export/dataSet.ts';
import { packText } from '../export/pack/modelText.ts';
import { writePack } from '../export/pack/packWriter.ts';
import { wholeRecord } from '../ingest/recordChunk.ts';
import { basisOf } from '../roc/basis.ts';
import { decidedGroups } from '../roc/decisionRows.ts';
import { ReportBuilder } from '../roc/report.ts';
import type { GroupKeys } from '../roc/tallies.ts';
import { PlacesBuilder } from '../signals/places.ts';
import type { ScopeProgress } from '../signals/scopeReader.ts';
import { StatisticsBuilder } from '../signals/statistics.ts';
import { openReader, type ReadableLibrary } from '../storage/open.ts';
import type { MeasuredScope } from '../storage/queries/measured.ts';
import { grantedRoots, recordSource } from '../storage/queries/places.ts';
import { type PoolRun, poolRuns } from '../storage/queries/pool.ts';
import { librarySizes } from '../storage/queries/sizes.ts';
import type { AnalysisMessage, AnalysisRequest, DecisionsRequest } from './analysisMessages.ts';
import type { WorkerOptions } from './messages.ts';

const port = parentPort;
if (port === null) throw new Error('this file is the entry of a worker thread');
const { libraryPath } = workerData as WorkerOptions;
const db: ReadableLibrary = openReader(libraryPath);

/** Between two looks at the clock, progress is not worth a message. */
const NEWS_MS = 100;

/** Reports whose groups can still be asked for: the one on the screen and the ones before it. */
const KEPT_REPORTS = 4;
const reports = new Map<number, GroupKeys>();
const cancelled = new Set<number>();
const waiting = new Map<number, () => void>();
let queue: Promise<void> = Promise.resolve();

const post = (message: AnalysisMessage): void => port.postMessage(message);
const breathe = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

port.on('message', (request: AnalysisRequest) => {
  const { id } = request;
  switch (request.kind) {
    case 'cancel':
      cancelled.add(id);
      waiting.get(id)?.();
      break;
    case 'taken':
      waiting.get(id)?.();
      break;
    case 'groups': {
      const keys = reports.get(request.reportId);
      const gone: ApiFailure = {
        code: 'not_found',
        message: `report ${request.reportId} is no longer known`,
      };
      answer(
        id,
        keys === undefined
          ? { ok: false, failure: gone }
          : { ok: true, value: { ids: keys.idsOf(request.key) } },
      );
      break;
    }
    default:
      queue = queue.then(() => work(request));
  }
});

type Job = Extract<
  AnalysisRequest,
  {
    kind:
      | 'report'
      | 'decisions'
      | 'statistics'
      | 'places'
      | 'compare'
      | 'browse'
      | 'sizes'
      | 'export'
      | 'pack'
      | 'packText';
  }
>;

async function work(request: Job): Promise<void> {
  const { id } = request;
  try {
    answer(id, await resultOf(request));
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const isRefusal = error instanceof SettingError || error instanceof ExportRefusal;
    const code = isRefusal ? 'refused' : 'internal';
    answer(id, { ok: false, failure: { code, message } });
  } finally {
    cancelled.delete(id);
    waiting.delete(id);
  }
}

function resultOf(request: Job): Promise<Result<unknown>> {
  switch (request.kind) {
    case 'report':
      return report(request);
    case 'decisions':
      return decisions(request.id, request.request);
    case 'statistics':
      return tokens(request.id, request.request, StatisticsBuilder.open(db, request.request));
    case 'places':
      return tokens(request.id, request.request, PlacesBuilder.open(db, request.request));
    case 'compare':
      return Promise.resolve(compare(request));
    case 'browse':
      return Promise.resolve(browse(request));
    case 'sizes':
      return Promise.resolve(sizes(request));
    case 'export':
      return Promise.resolve(exportDataSet(request));
    case 'pack':
      return pack(request);
    case 'packText':
      return textOf(request);
  }
}

function compare({ id, question, stop }: Extract<AnalysisRequest, { kind: 'compare' }>): Result<unknown> {
  const flag = new Int32Array(stop);
  let toldAt = performance.now();
  const answered = answerComparison(db, question, {
    isCancelled: () => Atomics.load(flag, 0) !== 0,
    onShare: (share) => {
      if (performance.now() - toldAt < NEWS_MS) return;
      toldAt = performance.now();
      post({ id, kind: 'progress', stepsDone: 0, steps: 1, share });
    },
  });
  if (answered === 'cancelled') return { ok: false, failure: CANCELLED };
  if (question.about !== 'alignment' || !answered.ok) return answered;
  return { ok: true, value: packComparison(answered.value as Comparison) };
}

function sizes({ id, stop }: Extract<AnalysisRequest, { kind: 'sizes' }>): Result<unknown> {
  const flag = new Int32Array(stop);
  let toldAt = performance.now();
  const value = librarySizes(db, {
    isCancelled: () => Atomics.load(flag, 0) !== 0,
    onProgress: (pagesDone, pages) => {
      if (performance.now() - toldAt < NEWS_MS) return;
      toldAt = performance.now();
      post({ id, kind: 'progress', stepsDone: pagesDone, steps: pages, share: pagesDone / pages });
    },
  });
  return value === undefined ? { ok: false, failure: CANCELLED } : { ok: true, value };
}

function exportDataSet({ id, request, stop }: Extract<AnalysisRequest, { kind: 'export' }>): Result<unknown> {
  const flag = new Int32Array(stop);
  let toldAt = 0;
  const written = writeDataSet(db, request);
  for (let step = written.next(); ; step = written.next()) {
    if (step.done === true) return { ok: true, value: step.value };
    if (Atomics.load(flag, 0) !== 0) {
      // Ends the file in the middle, and takes what there is of it away.
      written.return(NOTHING_WRITTEN);
      return { ok: false, failure: CANCELLED };
    }
    if (performance.now() - toldAt < NEWS_MS) continue;
    toldAt = performance.now();
    const { rollouts, total } = step.value;
    post({ id, kind: 'progress', stepsDone: rollouts, steps: total, share: rollouts / Math.max(1, total) });
  }
}

const NOTHING_WRITTEN = { directory: '', runs: 0, files: 0, rollouts: 0, bytes: 0 };

async function pack({
  id,
  request,
  stop,
}: Extract<AnalysisRequest, { kind: 'pack' }>): Promise<Result<unknown>> {
  const { runId, filter, labels, rolloutIds, isAll } = request;
  const choice = { runId, filter, labels, rolloutIds, isAll };
  const chosen = browse({ id, kind: 'browse', question: { about: 'pack', ...choice }, stop });
  if (!chosen.ok) return chosen;
  const flag = new Int32Array(stop);
  let toldAt = 0;
  const roots = grantedRoots(db);
  const written = writePack(db, request, {
    ...(chosen.value as PackIds),
    rawOf: (rolloutId) => wholeRecord(recordSource(db, rolloutId), roots),
  });
  for (let step = await written.next(); ; step = await written.next()) {
    if (step.done === true) return { ok: true, value: step.value };
    if (Atomics.load(flag, 0) !== 0) {
      // Ends it in the middle, and takes what there is of it away.
      await written.return(undefined as never);
      return { ok: false, failure: CANCELLED };
    }
    if (performance.now() - toldAt < NEWS_MS) continue;
    toldAt = performance.now();
    const { done, total } = step.value;
    post({ id, kind: 'progress', stepsDone: done, steps: total, share: done / Math.max(1, total) });
  }
}

async function textOf({ request }: Extract<AnalysisRequest, { kind: 'packText' }>): Promise<Result<unknown>> {
  const text = await packText(db, request);
  return text === undefined ? notFound(`rollout ${request.rolloutId}`) : { ok: true, value: text };
}

let browser: Browser | undefined;

function browse({ id, question, stop }: Extract<AnalysisRequest, { kind: 'browse' }>): Result<unknown> {
  browser ??= new Browser(db);
  const flag = new Int32Array(stop);
  let toldAt = performance.now();
  return browser.answer(question, {
    isCancelled: () => Atomics.load(flag, 0) !== 0,
    onText: () => void Atomics.add(flag, 1, 1),
    onProgress: (stepsDone, steps) => {
      if (performance.now() - toldAt < NEWS_MS) return;
      toldAt = performance.now();
      post({ id, kind: 'progress', stepsDone, steps });
    },
  });
}

/** @returns false when it was cancelled on the way */
async function stepByStep(
  id: number,
  { steps, addStep }: { readonly steps: readonly number[]; readonly addStep: (step: number) => void },
): Promise<boolean> {
  for (const [i, step] of steps.entries()) {
    post({ id, kind: 'progress', stepsDone: i, steps: steps.length });
    await breathe();
    if (cancelled.has(id)) return false;
    addStep(step);
  }
  return true;
}

/** Tokens of rollouts, read one after the other: a thread that is busy for longer neither reports nor hears a cancel. */
const BUSY_MS = 40;

interface TokenBuilder {
  readonly steps: readonly number[];
  read(): Iterable<ScopeProgress>;
  finish(): unknown;
}

async function tokens(
  id: number,
  scope: MeasuredScope,
  builder: TokenBuilder | undefined,
): Promise<Result<unknown>> {
  if (builder === undefined) return noScope(scope);
  const steps = builder.steps.length;
  let pausedAt = Number.NEGATIVE_INFINITY;
  for (const { stepsDone, share } of builder.read()) {
    if (performance.now() - pausedAt < BUSY_MS) continue;
    post({ id, kind: 'progress', stepsDone, steps, share });
    await breathe();
    if (cancelled.has(id)) return { ok: false, failure: CANCELLED };
    pausedAt = performance.now();
  }
  return { ok: true, value: builder.finish() };
}

async function report({
  id,
  request,
}: Extract<AnalysisRequest, { kind: 'report' }>): Promise<Result<RocReport>> {
  const startedAt = performance.now();
  const builder = ReportBuilder.open(db, request);
  if (builder === undefined) return noRun(request);
  const { steps } = builder;
  const isDone = await stepByStep(id, { steps, addStep: (step) => builder.addStep(step) });
  if (!isDone) return { ok: false, failure: CANCELLED };
  const { report: finished, keys } = builder.finish();
  reports.set(id, keys);
  for (const known of reports.keys()) {
    if (reports.size <= KEPT_REPORTS) break;
    reports.delete(known);
  }
  const elapsedMs = Math.round(performance.now() - startedAt);
  return { ok: true, value: { ...finished, reportId: id, elapsedMs } };
}

async function decisions(id: number, request: DecisionsRequest): Promise<Result<null>> {
  const run = runOf(poolRuns(db), request.run);
  if ('failure' in run) return { ok: false, failure: run.failure };
  const { step } = request;
  if (step !== undefined && !run.steps.includes(step)) return notFound(`step ${step} in run ${run.name}`);
  const basis = basisOf(run.config, request.choice);
  post({ id, kind: 'head', head: { runKey: run.runKey, runName: run.name, basis } });
  for (const each of step === undefined ? run.steps : [step]) {
    if (cancelled.has(id)) return { ok: false, failure: CANCELLED };
    const taken = new Promise<void>((resolve) => waiting.set(id, resolve));
    post({ id, kind: 'page', step: decidedGroups(db, run, each, basis) });
    await taken;
  }
  return { ok: true, value: null };
}

function runOf(runs: readonly PoolRun[], named: string | undefined): PoolRun | { failure: ApiFailure } {
  if (named !== undefined) {
    const found =
      runs.find(({ runKey }) => runKey === named) ??
      only(runs.filter(({ name }) => name === named)) ??
      runs.find(({ runId }) => String(runId) === named);
    return found ?? { failure: { code: 'not_found', message: `no run ${named}; ${listed(runs)}` } };
  }
  const found = only(runs) ?? only(runs.filter(({ kind }) => kind === 'train'));
  const message = runs.length === 0 ? 'the library has no runs' : `name a run with --run; ${listed(runs)}`;
  return found ?? { failure: { code: 'not_found', message } };
}

const only = <T>(values: readonly T[]): T | undefined => (values.length === 1 ? values[0] : undefined);

function listed(runs: readonly PoolRun[]): string {
  const names = runs.slice(0, 20).map(({ runKey, name, kind }) => `${runKey} (${name}, ${kind})`);
  return `there are ${names.join(', ')}${runs.length > 20 ? ', …' : ''}`;
}

function noRun({ runId, step }: { readonly runId: number; readonly step?: number | undefined }) {
  return notFound(`run ${runId}${step === undefined ? '' : ` with a step ${step}`}`);
}

function noScope({ rolloutId, groupId, ...scope }: MeasuredScope) {
  if (rolloutId !== undefined) return notFound(`rollout ${rolloutId} in run ${scope.runId}`);
  return groupId === undefined ? noRun(scope) : notFound(`group ${groupId} in run ${scope.runId}`);
}

function notFound(what: string): { readonly ok: false; readonly failure: ApiFailure } {
  return { ok: false, failure: { code: 'not_found', message: `the library has no ${what}` } };
}

function answer(id: number, result: Result<unknown>): void {
  post({ id, kind: 'result', result });
}

post({ id: 0, kind: 'result', result: { ok: true, value: 'ready' } });
