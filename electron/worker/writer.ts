/**
 * Worker thread: the only writer of the library. It ingests logs, one job at a time, and makes every other
 * change.
 */
import { workerData } from 'node:worker_threads';
import type { IngestProgress } from '../../shared/api/contract.ts';
import { type ApiFailure, refused } from '../../shared/api/errors.ts';
import { stepFacts } from '../columns/series.ts';
import { sourceOf } from '../columns/stepTable.ts';
import { isBelowAny, isOpened, resolvedPath } from '../ingest/granted.ts';
import { type IngestOptions, ingest } from '../ingest/ingest.ts';
import { fileIdentity } from '../storage/libraryFile.ts';
import { LibraryWriter } from '../storage/libraryWriter.ts';
import { AlteredDatabaseError, ForeignDatabaseError, NewerDatabaseError } from '../storage/migrate.ts';
import { openWriter, type WritableLibrary, withoutSync, withSync } from '../storage/open.ts';
import { annotationRevision } from '../storage/queries/annotations.ts';
import { StepColumnWriter } from '../storage/queries/columns.ts';
import { unreadFiles } from '../storage/queries/issues.ts';
import { indexPiece } from '../storage/searchIndex.ts';
import { storageFailure } from '../storage/storageFailure.ts';
import { post, refuseToServe, serve } from '../threads/serve.ts';
import type { Task } from '../threads/task.ts';
import { HostedParser } from './hostedParser.ts';
import { IdleTasks } from './idleTasks.ts';
import type {
  IngestReport,
  InternalMethods,
  LibraryThreadData,
  ParserNotice,
  WriterNews,
} from './messages.ts';
import { ParserProcess } from './parserProcess.ts';
import { type Changes, mappingsFor, writerHandlers } from './writerHandlers.ts';

const { libraryPath } = workerData as LibraryThreadData;
/** Ten progress reports per second are enough for people. */
const PROGRESS_INTERVAL_MS = 100;

const tell = (news: WriterNews): void => post<WriterNews>({ kind: 'news', news });

const opened = openLibrary();
if (opened !== undefined) serveLibrary(opened.db, opened.writer);

function openLibrary(): { readonly db: WritableLibrary; readonly writer: LibraryWriter } | undefined {
  try {
    const db = openWriter(libraryPath);
    return { db, writer: new LibraryWriter(db) };
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    refuseToServe(openFailure(error));
    return undefined;
  }
}

function openFailure(error: Error): ApiFailure {
  const { message } = error;
  if (error instanceof NewerDatabaseError) return { code: 'newer_database', message };
  if (error instanceof ForeignDatabaseError || error instanceof AlteredDatabaseError)
    return { code: 'refused', message };
  const failure = storageFailure(error, libraryPath);
  return failure ?? { code: 'refused', message: `the library ${libraryPath} cannot be opened: ${message}` };
}

function serveLibrary(db: WritableLibrary, writer: LibraryWriter): void {
  const hosted = new HostedParser(tell);
  const parser = new ParserProcess(hosted.start);
  const identity = fileIdentity(libraryPath);
  let running = 0;
  const columns = new StepColumnWriter(db, (step, all) => stepFacts(sourceOf(step, all)));
  const freeCachedPages = (): boolean => {
    db.pragma('shrink_memory');
    return false;
  };
  const idle = new IdleTasks(
    [
      () => withoutSync(db, () => columns.storeOne()),
      () => withoutSync(db, () => indexPiece(db)),
      freeCachedPages,
    ],
    () => running > 0,
  );

  /** Searches rollouts for annotations after rollouts were added or removed. */
  const placeAnnotations = (): void => {
    const rolloutIds = writer.annotations.place();
    if (rolloutIds.length > 0) tellAnnotated(rolloutIds);
  };

  const tellAnnotated = (rolloutIds: readonly number[]): void =>
    tell({ kind: 'annotated', rolloutIds, revision: annotationRevision(db) });

  /** Wraps a handler so that the host is told what it changed. */
  const writing =
    <P, R>(handler: (params: P, task: Task, changes: Changes) => R | Promise<R>) =>
    async (params: P, task: Task): Promise<R> => {
      // SQLite keeps writing to a deleted file, and that data would be lost.
      if (fileIdentity(libraryPath) !== identity)
        throw refused(
          `not saved: the library ${libraryPath} has been removed or replaced since it was opened. Restart Turnwise`,
        );
      const runIds = new Set<number>();
      const annotated: (readonly number[])[] = [];
      running++;
      try {
        const changes: Changes = {
          runs: (ids) => {
            for (const id of ids) runIds.add(id);
          },
          annotations: (rolloutIds) => annotated.push(rolloutIds),
        };
        // Sync explicitly, because a label may be added while logs are read without sync.
        return await withSync(db, () => handler(params, task, changes));
      } finally {
        running--;
        // Sent after the result, so that a page with the result need not request its data again.
        setImmediate(() => {
          if (!db.open) return;
          if (runIds.size > 0) tell({ kind: 'changed', runIds: [...runIds] });
          for (const rolloutIds of annotated) tellAnnotated(rolloutIds);
          if (runIds.size > 0) placeAnnotations();
          idle.wake();
        });
      }
    };

  const readLogs = async (
    params: InternalMethods['ingest.run']['params'],
    task: Task,
  ): Promise<IngestReport> => {
    const { jobId, paths, granted, mapping, adapter, readAgain, isQuiet = false } = params;
    const followed = params.followed.map(resolvedPath);
    const startedAt = performance.now();
    let lastTold = Number.NEGATIVE_INFINITY;
    let last: IngestStatus = { files: 0, filesDone: 0, bytes: 0, bytesDone: 0, rollouts: 0, issues: 0 };
    const progress = (state: IngestProgress['state'], message?: string): void => {
      // A quiet job only reports a failure.
      if (isQuiet && state !== 'failed') return;
      const elapsedMs = Math.round(performance.now() - startedAt);
      const status = { jobId, state, paths, ...last, elapsedMs };
      tell({ kind: 'progress', progress: message === undefined ? status : { ...status, message } });
    };
    task.onCancel(() => parser.cancel());
    try {
      const options: IngestOptions = {
        mappings: mappingsFor(writer, mapping),
        ...{ adapter, readAgain },
        mayRead: (path) => isOpened(path, granted.paths),
        isFollowed: (path) => isBelowAny(path, followed),
        isCancelled: task.isCancelled,
        onChange: (runIds) => runIds.length > 0 && tell({ kind: 'changed', runIds }),
        onPlaced: tellAnnotated,
        onStatus: (status) => {
          last = status;
          if (performance.now() - lastTold < PROGRESS_INTERVAL_MS) return;
          lastTold = performance.now();
          progress('running');
        },
      };
      const outcome = await withoutSync(db, () => ingest(paths, writer, parser, options));
      const { files, bytes, groups, added, runKeys, isCancelled } = outcome;
      // Issues may have changed without a batch, and a quiet job reports no progress.
      if (isQuiet && files.some(({ status }) => status !== 'unchanged'))
        tell({ kind: 'changed', runIds: runKeys.flatMap((key) => writer.runIdOf(key) ?? []) });
      const sum = (of: (file: (typeof files)[number]) => number): number =>
        files.reduce((total, file) => total + of(file), 0);
      // The progress counts duplicates apart: all of their records are in the library.
      const issues = sum((file) => (file.status === 'duplicate' ? 0 : file.issues.length));
      const runKey = last.runKey ?? runKeys[0];
      last = { ...last, issues, ...(runKey === undefined ? {} : { runKey }) };
      progress(isCancelled ? 'cancelled' : 'done');
      return {
        seconds: (performance.now() - startedAt) / 1000,
        rollouts: sum((file) => file.rollouts),
        ...{ bytes, groups, added, issues, runKeys, isCancelled, files },
        unread: unreadFiles(db),
      };
    } catch (error) {
      const failure = storageFailure(error, libraryPath);
      progress('failed', failure?.message ?? (error instanceof Error ? error.message : String(error)));
      throw error;
    }
  };

  const handlers = Object.fromEntries(
    Object.entries({ ...writerHandlers(db, writer, parser), 'ingest.run': readLogs }).map(
      ([method, handler]) => [
        method,
        writing(handler as (params: never, task: Task, changes: Changes) => unknown),
      ],
    ),
  );
  serve<ParserNotice>({
    handlers,
    onNotice: (notice) => hosted.receive(notice),
    failureOf: (error) => storageFailure(error, libraryPath),
    close: async () => {
      idle.stop();
      parser.close();
      db.close();
    },
  });
  // A killed job may have written rollouts without placing annotations.
  placeAnnotations();
  idle.wake();
}

type IngestStatus = Omit<IngestProgress, 'jobId' | 'state' | 'paths' | 'elapsedMs' | 'message'>;
