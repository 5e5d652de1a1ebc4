import { existsSync, realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  CONTRACT_PARAMS,
  type HostEvent,
  type IngestProgress,
  isMethod,
  isShelfMethod,
  type Method,
  type ParsedParams,
  type ResultOf,
  type ShelfMethod,
} from '../../shared/api/contract.ts';
import type { ApiFailure, FailureCode, Result } from '../../shared/api/errors.ts';
import type { AbortSignal } from '../../shared/api/transport.ts';
import type { Mapping } from '../../shared/format/mapping.ts';
import type { DecisionsRequest } from '../worker/analysisMessages.ts';
import { type IngestReport, READ_METHODS, type ReadMethod, type WriterTask } from '../worker/messages.ts';
import { AnalysisThread, type DecisionListeners, type OnProgress } from './analysisThread.ts';
import { annotationHandlers } from './annotationHandlers.ts';
import { browseHandlers } from './browseHandlers.ts';
import { BrowseThreads, columnQuestion } from './browseThreads.ts';
import { Follower } from './follower.ts';
import { isBelowAny, refusalOfPath } from './grants.ts';
import type { Host, HostIngestOptions, HostOptions, KnownLibrary, KnownLibraryChange } from './host.ts';
import { InspectorThread } from './inspectorThread.ts';
import { libraryHandlers } from './libraryHandlers.ts';
import { packHandlers } from './packHandlers.ts';
import { ReaderPool } from './readerPool.ts';
import { SearchThread } from './searchThread.ts';
import { sourceHandlers } from './sourceHandlers.ts';
import { SqlConsole } from './sqlHandlers.ts';
import { WriterThread } from './writerThread.ts';

/** The log alone: the README beside it is no log and would be reported as such. */
const DEMO = fileURLToPath(new URL('../../fixtures/demo/demo.jsonl', import.meta.url));
/** Finished jobs a renderer may still ask about. */
const KEPT_JOBS = 50;

/** @throws LibraryUnavailableError when the library is newer, foreign, or cannot be opened */
export async function createHost(options: HostOptions): Promise<Host> {
  const host = new LibraryHost(options);
  await host.open();
  return host;
}

type HostMethod = Exclude<Method, ReadMethod | ShelfMethod>;
type Handlers = {
  [M in HostMethod]: (
    params: ParsedParams<M>,
    signal?: AbortSignal,
  ) => Promise<Result<ResultOf<M>>> | Result<ResultOf<M>>;
};

class LibraryHost implements Host {
  private readonly options: HostOptions;
  private readonly listeners = new Set<(event: HostEvent) => void>();
  private readonly jobs = new Map<number, IngestProgress>();
  private readonly granted = new Set<string>();
  private readonly writable = new Set<string>();
  private readonly inspector = new InspectorThread();
  private readonly analysis: AnalysisThread;
  /** A thread of its own: two rollouts do not wait behind a run. */
  private readonly comparison: AnalysisThread;
  private readonly browsing: BrowseThreads;
  /** And one for files that are written. */
  private readonly exporting: AnalysisThread;
  private readonly searching: SearchThread;
  private readonly sql: SqlConsole;
  private readonly follower: Follower;
  private readonly handlers: Handlers;
  private writer: WriterThread | undefined;
  private readers: ReaderPool | undefined;
  private openRunKey: string | undefined;
  private isClosed = false;

  constructor(options: HostOptions) {
    this.options = options;
    this.analysis = new AnalysisThread({ libraryPath: options.libraryPath });
    this.comparison = new AnalysisThread({ libraryPath: options.libraryPath });
    this.browsing = new BrowseThreads({ libraryPath: options.libraryPath });
    this.exporting = new AnalysisThread({ libraryPath: options.libraryPath });
    this.searching = new SearchThread({ libraryPath: options.libraryPath });
    this.sql = new SqlConsole({
      libraryPath: options.libraryPath,
      start: options.startSql,
      progressed: (payload) => this.emit({ event: 'sql.progress', payload }),
    });
    this.follower = new Follower({
      read: (paths) => this.readQuietly(paths),
      onChange: (follows) => this.emit({ event: 'follow.changed', payload: { follows } }),
      isIgnored: (path) => path.startsWith(resolve(options.libraryPath)),
    });
    this.handlers = this.makeHandlers();
  }

  async open(): Promise<void> {
    const { libraryPath } = this.options;
    this.writer = await WriterThread.open(
      { libraryPath },
      {
        onProgress: (progress) => this.progressed(progress),
        onChange: (runIds) => this.emit({ event: 'library.changed', payload: { runIds } }),
        onAnnotated: (rolloutIds) => this.emit({ event: 'annotations.changed', payload: { rolloutIds } }),
      },
    );
    this.readers = new ReaderPool({ libraryPath });
    if (this.options.isForPages === true) this.readers.warm();
  }

  async dispatch(method: string, params: unknown, signal?: AbortSignal): Promise<Result<unknown>> {
    if (this.isClosed) return failure('closed', 'the host has been closed');
    if (!isMethod(method))
      return failure('unknown_method', `the contract has no method ${JSON.stringify(method)}`);
    if (isShelfMethod(method))
      return failure('refused', `${method} is about all open libraries, and this host has one`);
    const parsed = CONTRACT_PARAMS[method].safeParse(params);
    if (!parsed.success) {
      const [issue] = parsed.error.issues;
      const where = issue === undefined || issue.path.length === 0 ? 'params' : issue.path.join('.');
      return failure('bad_request', `${method}: ${where}: ${issue?.message ?? 'not as the contract says'}`);
    }
    try {
      const listed = this.list(method, parsed.data, signal);
      if (listed !== undefined) return await listed;
      if (isReadMethod(method)) return await this.pool.read(method, parsed.data, signal);
      // Method and params were validated against the same table.
      const handler = this.handlers[method] as (
        params: unknown,
        signal?: AbortSignal,
      ) => Promise<Result<unknown>>;
      return await handler(parsed.data, signal);
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      return failure('internal', `${method}: ${message}`);
    }
  }

  private list(method: Method, params: unknown, signal?: AbortSignal): Promise<Result<unknown>> | undefined {
    const asked = columnQuestion(method, params);
    if (asked === undefined) return undefined;
    return this.browsing.listing.browse(asked.question, this.progressFor(asked.progressKey), signal);
  }

  subscribe(listener: (event: HostEvent) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  async grant(path: string): Promise<void> {
    const real = realpathSync(path);
    this.granted.add(real);
    await this.thread.grant(real);
  }

  mayWrite(path: string): void {
    this.writable.add(resolve(path));
  }

  async known(change: KnownLibraryChange = {}): Promise<readonly KnownLibrary[]> {
    const result = await this.thread.task({ kind: 'knownLibraries', change });
    // The writer answers with what was asked of it.
    return result.ok ? (result.value as readonly KnownLibrary[]) : [];
  }

  async ingest(paths: readonly string[], options: HostIngestOptions = {}): Promise<IngestReport> {
    // A path that does not exist cannot be granted; ingest reports it with the others.
    for (const path of paths) if (existsSync(path)) await this.grant(path);
    const { mapping } = options;
    const { jobId, report } = this.thread.ingest(paths, mapping === undefined ? {} : { mapping });
    const unsubscribe = this.subscribe(({ event, payload }) => {
      if (event === 'ingest.progress' && payload.jobId === jobId) options.onProgress?.(payload);
    });
    const cancel = (): void => void this.thread.cancel(jobId);
    options.signal?.addEventListener('abort', cancel);
    try {
      return await report;
    } finally {
      options.signal?.removeEventListener('abort', cancel);
      unsubscribe();
    }
  }

  decisions(request: DecisionsRequest, listeners: DecisionListeners, signal?: AbortSignal) {
    return this.analysis.decisions(request, listeners, signal);
  }

  async close(): Promise<void> {
    if (this.isClosed) return;
    this.isClosed = true;
    this.sql.close();
    await this.follower.close();
    await this.inspector.close();
    const { analysis, comparison, browsing, exporting } = this;
    for (const thread of [analysis, comparison, browsing, exporting]) await thread.close();
    await this.searching.close();
    await this.readers?.close();
    await this.writer?.close();
    this.listeners.clear();
  }

  private async readQuietly(paths: readonly string[]): Promise<number> {
    const { added } = await this.thread.ingest(paths, { isQuiet: true }).report;
    return added;
  }

  private get thread(): WriterThread {
    if (this.writer === undefined) throw new Error('the host has not been opened');
    return this.writer;
  }

  private get pool(): ReaderPool {
    if (this.readers === undefined) throw new Error('the host has not been opened');
    return this.readers;
  }

  private makeHandlers(): Handlers {
    const { listing, charting } = this.browsing;
    const shared = {
      task: (task: WriterTask, onProgress?: (done: number, total: number) => void) =>
        this.thread.task(task, onProgress),
      progressFor: (progressKey: string | undefined) => this.progressFor(progressKey),
      refusalOf: (path: string) => this.refusalOf(path),
      isGranted: (path: string) => this.isGranted(path),
    };
    return {
      'host.info': () => {
        const { version, shell, libraryPath } = this.options;
        const openRunKey = this.openRunKey === undefined ? {} : { openRunKey: this.openRunKey };
        return success({
          version,
          shell,
          platform: process.platform,
          libraryPath,
          granted: [...this.granted],
          ...openRunKey,
        });
      },
      ...sourceHandlers({
        inspector: this.inspector,
        follower: this.follower,
        ...shared,
        progressed: (progressKey, done, total) =>
          this.progressFor(progressKey)({ stepsDone: done, steps: total, share: done / Math.max(1, total) }),
        mappings: () => this.mappings(),
        directoryOf: (runKey) => this.directoryOf(runKey),
        startJob: (paths) => this.startJob(paths),
      }),
      ...libraryHandlers({
        libraryPath: this.options.libraryPath,
        actions: this.options.actions,
        analysis: this.analysis,
        exporting: this.exporting,
        follower: this.follower,
        writable: this.writable,
        ...shared,
        directoryOf: (runKey) => this.directoryOf(runKey),
        isReading: () => [...this.jobs.values()].some(({ state }) => state === 'running'),
      }),
      ...packHandlers({
        ...{ listing, comparison: this.comparison, exporting: this.exporting },
        ...{ libraryPath: this.options.libraryPath, version: this.options.version, writable: this.writable },
        ...shared,
      }),
      ...annotationHandlers({ ...shared, listing, charting }),
      ...browseHandlers({ ...shared, listing, charting }),
      'roc.report': ({ progressKey, ...request }, signal) =>
        this.analysis.report(request, this.progressFor(progressKey), signal),
      'token.statistics': ({ progressKey, ...request }, signal) =>
        this.analysis.statistics(request, this.progressFor(progressKey), signal),
      'token.places': ({ progressKey, ...request }, signal) =>
        this.analysis.places(request, this.progressFor(progressKey), signal),
      'compare.align': (params, signal) =>
        this.comparison.compare({ about: 'alignment', ...params }, this.progressFor(undefined), signal),
      'compare.tree': (params, signal) =>
        this.comparison.compare({ about: 'tree', ...params }, this.progressFor(undefined), signal),
      'compare.alike': ({ progressKey, ...params }, signal) =>
        this.comparison.compare({ about: 'alike', ...params }, this.progressFor(progressKey), signal),
      'search.page': (question, signal) => this.searching.page(question, signal),
      'search.hits': (question, signal) => this.searching.hits(question, signal),
      'view.save': (view) =>
        this.thread.task({ kind: 'saveView', view }) as Promise<Result<ResultOf<'view.save'>>>,
      'view.remove': ({ name }) =>
        this.thread.task({ kind: 'removeView', name }) as Promise<Result<ResultOf<'view.remove'>>>,
      ...this.sql.handlers(),
      'query.save': (query) =>
        this.thread.task({ kind: 'saveQuery', query }) as Promise<Result<ResultOf<'query.save'>>>,
      'query.remove': ({ name }) =>
        this.thread.task({ kind: 'removeQuery', name }) as Promise<Result<ResultOf<'query.remove'>>>,
      'roc.groups': ({ reportId, key }) => this.analysis.groups(reportId, key),
      'ingest.start': ({ paths, mapping }) => {
        const refusal = paths.map((path) => this.refusalOf(path)).find((found) => found !== undefined);
        return refusal ?? success(this.startJob(paths, mapping));
      },
      'ingest.demo': async () => {
        const path = this.options.demoPath ?? DEMO;
        if (!existsSync(path)) return failure('not_found', `the demo run is not at ${path}`);
        await this.grant(path);
        return success(this.startJob([path]));
      },
      'ingest.cancel': ({ jobId }) => success({ cancelled: this.thread.cancel(jobId) }),
      'ingest.jobs': () => success([...this.jobs.values()]),
      'shell.openDialog': async ({ kind }) =>
        this.options.actions === undefined
          ? failure('refused', 'this shell has no file dialog')
          : success(await this.options.actions.openDialog(kind)),
      'shell.openLink': async ({ url }) =>
        this.options.actions === undefined
          ? failure('refused', 'this shell opens no links')
          : success(await this.options.actions.openLink(url)),
      'shell.recent': () => success({ paths: [...this.granted] }),
    };
  }

  private progressFor(progressKey: string | undefined): OnProgress {
    return ({ stepsDone, steps, share }) => {
      if (progressKey === undefined) return;
      const closer = share === undefined ? {} : { share };
      this.emit({ event: 'analysis.progress', payload: { progressKey, stepsDone, steps, ...closer } });
    };
  }

  private startJob(paths: readonly string[], mapping?: string): { readonly jobId: number } {
    const { jobId, report } = this.thread.ingest(paths, mapping === undefined ? {} : { mapping });
    // Known from the first moment on: a page that is opened now can wait for its run.
    const nothing = { files: 0, filesDone: 0, bytes: 0, bytesDone: 0, rollouts: 0, issues: 0, elapsedMs: 0 };
    if (!this.jobs.has(jobId)) this.jobs.set(jobId, { jobId, state: 'running', paths, ...nothing });
    // Its progress and its end, good or bad, are events; nobody waits for the promise.
    report.catch(() => undefined);
    return { jobId };
  }

  private async mappings(): Promise<readonly Mapping[]> {
    const result = await this.pool.read('mapping.list', {});
    return result.ok ? (result.value as readonly Mapping[]) : [];
  }

  private async directoryOf(runKey: string): Promise<string | undefined> {
    const result = await this.pool.read('run.get', { runKey });
    return result.ok ? (result.value as ResultOf<'run.get'>).directory : undefined;
  }

  private refusalOf(path: string) {
    return this.isGranted(path) ? undefined : ({ ok: false, failure: refusalOfPath(path) } as const);
  }

  private isGranted(path: string): boolean {
    return isBelowAny(path, this.granted);
  }

  private progressed(progress: IngestProgress): void {
    this.jobs.set(progress.jobId, progress);
    for (const jobId of this.jobs.keys()) {
      if (this.jobs.size <= KEPT_JOBS) break;
      this.jobs.delete(jobId);
    }
    this.openRunKey ??= progress.runKey;
    this.emit({ event: 'ingest.progress', payload: progress });
  }

  private emit(event: HostEvent): void {
    for (const listener of this.listeners) listener(event);
  }
}

function isReadMethod(method: Method): method is ReadMethod {
  return READ_METHODS.some((read) => read === method);
}

function success<T>(value: T): Result<T> {
  return { ok: true, value };
}

function failure<C extends FailureCode>(
  code: C,
  message: string,
): { readonly ok: false; readonly failure: ApiFailure & { readonly code: C } } {
  return { ok: false, failure: { code, message } };
}
