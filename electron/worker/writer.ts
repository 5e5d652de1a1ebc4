/** Worker thread: the only writer of the library. One ingest call at a time, in order of arrival. */
import { parentPort, workerData } from 'node:worker_threads';
import type { IngestProgress } from '../../shared/api/contract.ts';
import type { ApiFailure } from '../../shared/api/errors.ts';
import { stepFacts } from '../columns/series.ts';
import { sourceOf } from '../columns/stepTable.ts';
import { ingest } from '../ingest/ingest.ts';
import { fileIdentity } from '../storage/libraryFile.ts';
import { LibraryWriter } from '../storage/libraryWriter.ts';
import { ForeignDatabaseError, NewerDatabaseError } from '../storage/migrate.ts';
import { openWriter, type WritableLibrary } from '../storage/open.ts';
import { keepColumnsOfOneStep } from '../storage/queries/columns.ts';
import { indexPiece } from '../storage/searchIndex.ts';
import type { WorkerOptions, WriterMessage, WriterRequest, WriterTask } from './messages.ts';
import { ParserThread } from './parserThread.ts';
import { Upkeep } from './upkeep.ts';
import { isAtOnce, mappingsFor, runTask } from './writerTasks.ts';

const port = parentPort;
if (port === null) throw new Error('this file is the entry of a worker thread');
const { libraryPath } = workerData as WorkerOptions;
/** Progress is for eyes: ten times a second is enough. */
const PROGRESS_INTERVAL_MS = 100;

type IngestRequest = Extract<WriterRequest, { kind: 'ingest' }>;

const post = (message: WriterMessage): void => port.postMessage(message);

function start(): { db: WritableLibrary; writer: LibraryWriter } | undefined {
  try {
    const db = openWriter(libraryPath);
    return { db, writer: new LibraryWriter(db) };
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const code = error instanceof NewerDatabaseError ? 'newer_database' : 'refused';
    const isOurs = error instanceof NewerDatabaseError || error instanceof ForeignDatabaseError;
    const message = isOurs ? error.message : `the library ${libraryPath} cannot be opened: ${error.message}`;
    post({ kind: 'unavailable', code, message });
    return undefined;
  }
}

const opened = start();
if (opened !== undefined) serve(opened.db, opened.writer);

function serve(db: WritableLibrary, writer: LibraryWriter): void {
  // Started at once: it loads while the user is still choosing what to read.
  const parser = new ParserThread();
  let queue: Promise<void> = Promise.resolve();
  const cancelled = new Set<number>();
  let current: number | undefined;
  const identity = fileIdentity(libraryPath);
  /** SQLite writes into a file that is gone as into any other, and what is written there is lost. */
  const refusal = (): ApiFailure | undefined =>
    fileIdentity(libraryPath) === identity
      ? undefined
      : {
          code: 'refused',
          message: `not saved: the library ${libraryPath} has been removed or replaced since it was opened. Start Turnwise anew`,
        };
  const upkeep = new Upkeep(
    [
      () => keepColumnsOfOneStep(db, (step, columns) => stepFacts(sourceOf(step, columns))),
      () => indexPiece(db),
    ],
    (work) => {
      // Requests that have arrived meanwhile go first.
      queue = queue.then(() => new Promise(setImmediate)).then(work);
    },
  );

  /** Rollouts have come or gone: what was said of them is looked for. */
  const placeAnnotations = (): void => {
    const rolloutIds = writer.annotations.place();
    if (rolloutIds.length > 0) post({ kind: 'annotated', rolloutIds });
  };

  const perform = async (id: number, task: WriterTask): Promise<void> => {
    const failure = refusal();
    if (failure !== undefined) {
      post({ kind: 'taskDone', id, result: { ok: false, failure } });
      return;
    }
    const { result, runIds, annotated } = await runTask(writer, task, (done, total) =>
      post({ kind: 'taskProgress', id, done, total }),
    );
    if (runIds.length > 0) post({ kind: 'changed', runIds });
    if (annotated !== undefined) post({ kind: 'annotated', rolloutIds: annotated });
    if (runIds.length > 0) placeAnnotations();
    post({ kind: 'taskDone', id, result });
    upkeep.wake();
  };

  const run = async ({ jobId, paths, mapping, isQuiet }: IngestRequest): Promise<void> => {
    const startedAt = performance.now();
    current = jobId;
    let lastPost = Number.NEGATIVE_INFINITY;
    const progressOf = (
      state: IngestProgress['state'],
      status: Omit<IngestProgress, 'jobId' | 'state' | 'paths' | 'elapsedMs'>,
    ): IngestProgress => ({
      jobId,
      state,
      paths,
      ...status,
      elapsedMs: Math.round(performance.now() - startedAt),
    });
    let last: Parameters<typeof progressOf>[1] = {
      files: 0,
      filesDone: 0,
      bytes: 0,
      bytesDone: 0,
      rollouts: 0,
      issues: 0,
    };
    try {
      const failure = refusal();
      if (failure !== undefined) throw new Error(failure.message);
      const mappings = mappingsFor(writer, mapping);
      const outcome = await ingest(paths, writer, parser, {
        mappings,
        isCancelled: () => cancelled.has(jobId),
        onChange: (runIds) => runIds.length > 0 && post({ kind: 'changed', runIds }),
        onPlaced: (rolloutIds) => post({ kind: 'annotated', rolloutIds }),
        onStatus: (status) => {
          last = status;
          if (isQuiet === true) return;
          if (performance.now() - lastPost < PROGRESS_INTERVAL_MS) return;
          lastPost = performance.now();
          post({ kind: 'progress', progress: progressOf('running', status) });
        },
      });
      const sum = (of: (file: (typeof outcome.files)[number]) => number): number =>
        outcome.files.reduce((total, file) => total + of(file), 0);
      const report = {
        seconds: (performance.now() - startedAt) / 1000,
        bytes: outcome.bytes,
        rollouts: sum((file) => file.rollouts),
        groups: outcome.groups,
        added: outcome.added,
        issues: sum((file) => file.issues.length),
        runKeys: outcome.runKeys,
        isCancelled: outcome.isCancelled,
        files: outcome.files,
      };
      const state = outcome.isCancelled ? 'cancelled' : 'done';
      const { runKeys, issues } = report;
      const firstRun = last.runKey ?? runKeys[0];
      if (isQuiet !== true)
        post({
          kind: 'progress',
          progress: progressOf(state, {
            ...last,
            issues,
            ...(firstRun === undefined ? {} : { runKey: firstRun }),
          }),
        });
      post({ kind: 'finished', jobId, report });
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      post({ kind: 'progress', progress: { ...progressOf('failed', last), message } });
      post({ kind: 'failed', jobId, message });
    } finally {
      cancelled.delete(jobId);
    }
  };

  port?.on('message', (request: WriterRequest) => {
    switch (request.kind) {
      case 'ingest':
        queue = queue.then(() => run(request)).then(() => upkeep.wake());
        break;
      case 'cancel':
        cancelled.add(request.jobId);
        // A job that still waits ends when its turn comes; the running one is none of its business.
        if (request.jobId === current) parser.cancel();
        break;
      case 'grant':
        writer.grant(request.path);
        post({ kind: 'granted', id: request.id });
        break;
      case 'task':
        // A person who labels does not wait for a file to be read: between two batches nothing is half done.
        if (isAtOnce(request.task)) void perform(request.id, request.task);
        else queue = queue.then(() => perform(request.id, request.task));
        break;
      case 'close':
        upkeep.stop();
        parser.cancel();
        void (async () => {
          // A running job ends after the batch it is writing; only then may the library close.
          await queue;
          await parser.close();
          db.close();
          port.close();
        })();
        break;
    }
  });
  post({ kind: 'ready' });
  // A job that was killed may have brought rollouts and not come to this.
  queue = queue.then(placeAnnotations);
  upkeep.wake();
}
