import { existsSync, realpathSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  CONTRACT,
  type HostEvent,
  type IngestProgress,
  type LibraryWarning,
  type Method,
  type PackFormat,
  type ParsedParams,
  type ResultOf,
} from '../../shared/api/contract.ts';
import { ApiError, failureOf, notFound, type Result, refused } from '../../shared/api/errors.ts';
import { LIBRARY_EXTENSIONS } from '../../shared/api/libraryRows.ts';
import { PYTHON_LIMIT_MS } from '../../shared/api/pythonMethods.ts';
import { type AbortSignal, CANCELLED } from '../../shared/api/transport.ts';
import type { UploadedFile } from '../../shared/api/upload.ts';
import { FORMATS } from '../../shared/format/index.ts';
import { type Granted, isBelowAny, isOpened, requireGranted } from '../ingest/granted.ts';
import { filesOfLibrary } from '../storage/databaseFiles.ts';
import { doctorCommand } from '../storage/storageFailure.ts';
import type { Progress } from '../threads/messages.ts';
import type { OfWarehouse } from '../warehouse/handlers.ts';
import { type NamedWarehouse, namedWarehouse } from '../warehouse/namedWarehouse.ts';
import type {
  DecisionsRequest,
  IngestReport,
  InternalMethods,
  SentParams,
  WriterNews,
} from '../worker/messages.ts';
import { AppLog } from './appLog.ts';
import { dispatch } from './dispatch.ts';
import { type Download, Downloads, type OfferedDownload } from './downloads.ts';
import { Follower } from './follower.ts';
import { Grants, realOf, refusalOfPath, resolveOutputPath } from './grants.ts';
import { onlyGrown } from './grownFiles.ts';
import type {
  DecisionListeners,
  Host,
  HostHandlers,
  HostIngestOptions,
  HostOptions,
  KnownLibrary,
  KnownLibraryChange,
  RescueReport,
} from './host.ts';
import { checkLibrary, damageText } from './libraryCheck.ts';
import { defaultWheels, libraryOfWarehouse } from './libraryPath.ts';
import { LibraryThreads, type ThreadMethod } from './libraryThreads.ts';
import { listPaths } from './pathList.ts';
import { PythonPool } from './pythonRunner.ts';
import { type ReadableLibrary, readableLibrary } from './readOnlyCopy.ts';
import { Sampling } from './sampling.ts';
import { SqlConsole } from './sqlConsole.ts';
import { storeUpload, type Upload, uploadsDirectory } from './uploads.ts';

/** Only the log file. Ingest would report the README beside it as an issue. */
const DEMO = fileURLToPath(new URL('../../fixtures/demo/demo.jsonl', import.meta.url));
/** Delay before every page of the file is read, so that the first pages are shown first. */
const CHECK_AFTER_MS = 20_000;
/** Finished jobs that can still be queried. */
const KEPT_JOBS = 50;
const NO_PROGRESS = {
  files: 0,
  filesDone: 0,
  bytes: 0,
  bytesDone: 0,
  rollouts: 0,
  issues: 0,
  elapsedMs: 0,
};

/** @throws ApiError when the library is newer, foreign, or cannot be opened */
export async function createHost(options: HostOptions): Promise<Host> {
  const host = new LibraryHost(options, await readableLibrary(options.libraryPath));
  await host.open();
  return host;
}

/** Work of the host before or after a thread answers. `ask` forwards the parameters. */
type MethodWrappers = {
  [M in ThreadMethod]?: (
    params: ParsedParams<M>,
    ask: (params: SentParams<M>) => Promise<ResultOf<M>>,
  ) => Promise<ResultOf<M>>;
};

class LibraryHost implements Host {
  private readonly options: HostOptions;
  private readonly library: ReadableLibrary;
  private readonly log: AppLog;
  private readonly listeners = new Set<(event: HostEvent) => void>();
  private readonly jobs = new Map<number, IngestProgress>();
  /** By job id. An entry exists while the job waits or runs. */
  private readonly jobAborts = new Map<number, AbortController>();
  private readonly grants = new Grants((path, error) => this.grantNotKept(path, error));
  /** Paths that the user has chosen for new files. */
  private readonly writable = new Set<string>();
  private readonly downloads = new Downloads();
  private readonly threads: LibraryThreads;
  private readonly sql: SqlConsole;
  private readonly python: PythonPool;
  private readonly sampling: Sampling;
  private readonly follower: Follower;
  private readonly handlers: HostHandlers;
  private readonly wrappers: MethodWrappers;
  /** Warnings that pages show. */
  private readonly warnings: LibraryWarning[] = [];
  /** Granted paths that could not be stored. */
  private readonly notKept: string[] = [];
  private notKeptReason = '';
  private readonly closing = new AbortController();
  private nextJobId = 1;
  private isClosed = false;

  constructor(options: HostOptions, library: ReadableLibrary) {
    const { version, startProcess } = options;
    this.options = options;
    this.library = library;
    const { path: libraryPath, readOnly } = library;
    if (readOnly !== undefined)
      this.warnings.push({
        message: `This library is read-only: ${readOnly}. It is shown as it was when it was opened. Labels, views and new logs cannot be saved.`,
      });
    this.log = new AppLog(libraryPath);
    this.threads = new LibraryThreads({
      libraryPath,
      version,
      log: this.log,
      onNews: (news) => this.receive(news),
      startProcess,
    });
    this.sql = new SqlConsole({
      libraryPath,
      start: startProcess,
      progressed: (payload) => this.emit({ event: 'sql.progress', payload }),
      warehouse: () => this.requireWarehouse(),
    });
    this.python = new PythonPool({
      start: startProcess,
      packages: options.pythonPackages ?? defaultWheels(),
    });
    this.sampling = new Sampling({
      libraryPath,
      threads: this.threads,
      python: (cells, signal) => this.python.run({ cells, seed: 1 }, PYTHON_LIMIT_MS, signal),
      read: async (path) => {
        await this.grant(path);
        this.grants.keepFor(path);
        await this.readLogs([path], { isQuiet: true }).report;
      },
      requireWritable: () => this.requireWritable(),
      emit: (payload) => this.emit({ event: 'sampling.progress', payload }),
    });
    const own = new Set(filesOfLibrary(resolve(options.libraryPath)));
    this.follower = new Follower({
      read: async (paths) => {
        const { added, files } = await this.readLogs(paths, { isQuiet: true }).report;
        return { added, isUnread: files.some((file) => file.isUnread === true) };
      },
      onChange: (follows) => this.emit({ event: 'follow.changed', payload: { follows } }),
      isIgnored: (path) => own.has(path),
      // Checked at each access, because a granted path may have become a link.
      mayRead: (path) => isBelowAny(path, this.grants.paths),
    });
    this.handlers = this.makeHandlers();
    this.wrappers = this.makeWrappers();
  }

  async open(): Promise<void> {
    const failure = await this.threads.open();
    if (failure !== undefined) {
      await this.threads.close();
      this.library.remove();
      throw new ApiError(failure);
    }
    this.grants.open(this.options.libraryPath);
    if (this.options.isForPages !== true) return;
    this.downloads.removeLeft();
    this.threads.warm();
    this.checkAfter(this.options.checkAfterMs ?? CHECK_AFTER_MS);
  }

  /** Checks all pages of the file once, when no job is running. */
  private checkAfter(milliseconds: number): void {
    setTimeout(() => {
      if (this.isClosed) return;
      if (this.jobAborts.size > 0) this.checkAfter(CHECK_AFTER_MS);
      else void this.checkPages();
    }, milliseconds).unref();
  }

  private async checkPages(): Promise<void> {
    const { libraryPath, startProcess } = this.options;
    const found = await checkLibrary({
      libraryPath: this.library.path,
      start: startProcess,
      signal: this.closing.signal,
    });
    if (this.isClosed) return;
    // A missing or busy file is not damage. Requests that need it report it.
    if ('failure' in found) return this.log.write(`the library was not checked: ${found.failure.message}`);
    const { tables } = found;
    if (tables.length === 0) return;
    for (const { table, problem } of tables) this.log.write(`damaged: ${table}: ${problem}`);
    this.warnings.push({
      message: `This library is damaged: ${damageText(tables)}. To save your labels, notes, views and mappings into a new library, and to read the logs again, run:`,
      command: doctorCommand(libraryPath),
    });
    this.emit({ event: 'library.warned', payload: { warnings: this.allWarnings() } });
  }

  dispatch(method: string, params: unknown, signal?: AbortSignal): Promise<Result<unknown>> {
    return dispatch(method, params, this.log, (known, parsed) => this.answer(known, parsed, signal));
  }

  async answer(method: Method, params: unknown, signal?: AbortSignal): Promise<unknown> {
    if (this.isClosed) throw new ApiError({ code: 'closed', message: 'the host has been closed' });
    if (CONTRACT[method].runsOn === 'writer') this.requireWritable();
    // `dispatch` has validated `params` for this method.
    switch (CONTRACT[method].runsOn) {
      case 'libraries':
        throw refused(`${method} needs a library manager, but this host has only one library`);
      case 'host':
        return this.handlers[method as keyof HostHandlers](params as never, signal);
      default:
        return this.askThread(method as ThreadMethod, params as never, signal);
    }
  }

  subscribe(listener: (event: HostEvent) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  async grant(path: string): Promise<void> {
    this.grants.paths.add(realpathSync.native(path));
  }

  grantAsFor(library: string): void {
    const other = new Grants();
    other.open(library);
    this.grants.keepAllOf(other);
  }

  isGranted(path: string): boolean {
    return isOpened(path, this.grants.paths);
  }

  async upload(upload: Upload): Promise<Result<UploadedFile>> {
    try {
      if (this.isClosed) throw new ApiError({ code: 'closed', message: 'the host has been closed' });
      this.requireWritable();
      const value = await storeUpload(this.options.libraryPath, upload);
      await this.grant(value.path);
      return { ok: true, value };
    } catch (error) {
      const failure =
        failureOf(error) ?? this.log.report('an upload failed because of a bug in Turnwise', error);
      return { ok: false, failure };
    }
  }

  async download(id: string): Promise<Result<Download>> {
    try {
      return { ok: true, value: this.downloads.take(id) };
    } catch (error) {
      const failure =
        failureOf(error) ?? this.log.report('a download failed because of a bug in Turnwise', error);
      return { ok: false, failure };
    }
  }

  mayWrite(path: string): void {
    this.writable.add(resolve(path));
  }

  async known(change: KnownLibraryChange = {}): Promise<readonly KnownLibrary[]> {
    if (change.remember !== undefined) this.grants.keepFor(change.remember.path);
    const known = await this.threads.askInternally('library.known', change);
    return known.filter(({ path }) => this.isGranted(path));
  }

  rescue(path: string): Promise<RescueReport> {
    return this.threads.askInternally('library.rescue', { path });
  }

  async ingest(paths: readonly string[], options: HostIngestOptions = {}): Promise<IngestReport> {
    const { areKnown = false, mapping, readAgain, signal, onProgress } = options;
    for (const path of paths) {
      if (areKnown) requireGranted(path, this.granted());
      // A path that does not exist cannot be granted. Ingest reports it with the other files.
      else if (existsSync(path)) await this.grant(path);
      this.grants.keepFor(path);
    }
    // Grant first: a read-only library can then show the records of these logs.
    this.requireWritable();
    const { jobId, report } = this.readLogs(paths, { mapping, readAgain });
    const unsubscribe = this.subscribe(({ event, payload }) => {
      if (event === 'ingest.progress' && payload.jobId === jobId) onProgress?.(payload);
    });
    const cancel = (): void => this.jobAborts.get(jobId)?.abort();
    signal?.addEventListener('abort', cancel);
    try {
      return await report;
    } finally {
      signal?.removeEventListener('abort', cancel);
      unsubscribe();
    }
  }

  async decisions(
    request: DecisionsRequest,
    { onRun, onStep }: DecisionListeners,
    signal?: AbortSignal,
  ): Promise<void> {
    const run = await this.threads.askInternally('roc.run', request, { signal });
    onRun(run);
    const { runId, basis, steps } = run;
    for (const step of steps) {
      if (signal?.aborted === true) throw new ApiError(CANCELLED);
      await onStep(await this.threads.askInternally('roc.decisions', { runId, step, basis }, { signal }));
    }
  }

  async close(): Promise<void> {
    if (this.isClosed) return;
    this.isClosed = true;
    this.closing.abort();
    this.sql.close();
    this.python.close();
    for (const abort of this.jobAborts.values()) abort.abort();
    // The follower may wait for an ingest that ends only when the writer is closed.
    await Promise.all([this.follower.close(), this.threads.close()]);
    this.downloads.close();
    this.library.remove();
    this.listeners.clear();
  }

  async reachWarehouse(named: NamedWarehouse, signal?: AbortSignal): Promise<void> {
    const none: ParsedParams<'warehouse.runs'> = {};
    await this.threads.ask('warehouse.runs', Object.assign(none, { named }), { signal });
  }

  private askThread<M extends ThreadMethod>(
    method: M,
    params: ParsedParams<M>,
    signal: AbortSignal | undefined,
  ): Promise<ResultOf<M>> {
    const progressKey = 'progressKey' in params ? params.progressKey : undefined;
    const onProgress =
      progressKey === undefined
        ? undefined
        : (progress: Progress) =>
            this.emit({ event: 'analysis.progress', payload: { progressKey, ...progress } });
    const ask = (checked: ParsedParams<M>) => this.threads.ask(method, checked, { signal, onProgress });
    const wrappers = this.wrappers[method];
    return wrappers === undefined ? ask(params) : wrappers(params, ask);
  }

  private async namedWarehouse(): Promise<NamedWarehouse | undefined> {
    const { warehouses, libraryPath } = this.options;
    const named = await warehouses?.of(libraryPath);
    if (named !== undefined) return named;
    return this.showsNamed() ? namedWarehouse(process.env) : undefined;
  }

  /** Also true for an invalid address, which each request for the warehouse says. */
  private hasWarehouse(): boolean {
    return this.options.warehouses?.has(this.options.libraryPath) === true || this.showsNamed();
  }

  /** Whether the environment names a warehouse, and this library has no copies of another one. */
  private showsNamed(): boolean {
    const address = process.env['TURNWISE_WAREHOUSE'];
    if (address === undefined || address === '') return false;
    const [here, own] = [this.options.libraryPath, libraryOfWarehouse(address)];
    return realOf(dirname(here)) !== realOf(dirname(own)) || basename(here) === basename(own);
  }

  private async requireWarehouse(): Promise<NamedWarehouse> {
    const named = await this.namedWarehouse();
    if (named === undefined) throw refused('no warehouse has been named for this library');
    return named;
  }

  private makeWrappers(): MethodWrappers {
    const granted = async <P extends { readonly path: string }, R>(
      params: P,
      ask: (params: P) => Promise<R>,
    ): Promise<R> => {
      this.requireOpened(params.path);
      return ask(params);
    };
    /**
     * Stops following the run's directory, because the next logged line would restore the run. The writer
     * finishes what the follower has requested so far before it gets this request.
     */
    const unfollowed = async <P extends { readonly runKey: string }, R>(
      params: P,
      ask: (params: P) => Promise<R>,
    ): Promise<R> => {
      const directory = await this.directoryOf(params.runKey);
      const follow = directory === undefined ? undefined : this.follower.leave(directory);
      try {
        return await ask(params);
      } catch (error) {
        if (!this.isClosed) follow?.();
        throw error;
      }
    };
    const ofWarehouse = async <P, R>(params: P, ask: (params: P & OfWarehouse) => Promise<R>): Promise<R> =>
      ask({ ...params, named: await this.requireWarehouse() });
    return {
      'file.inspect': async (params, ask) => {
        this.requireOpened(params.path);
        return ask({ ...params, mappings: await this.threads.ask('mapping.list', {}) });
      },
      'mapping.preview': granted,
      'annotation.import': granted,
      'run.setTokenizer': granted,
      'run.remove': unfollowed,
      'run.move': async (params, ask) => {
        this.requireNoJob();
        const moved = await unfollowed(
          { ...params, path: this.outputPath(params.path, LIBRARY_EXTENSIONS) },
          ask,
        );
        this.keepGrantsFor(moved.path);
        return moved;
      },
      'library.compact': async (params, ask) => {
        this.requireNoJob();
        return ask(params);
      },
      'run.export': async (params, ask) => {
        if (!params.isDownload) return this.writeUnfollowed(params.path, (path) => ask({ ...params, path }));
        const { written, offered } = await this.writeDownload(params.path, 'parquet', (path) =>
          ask({ ...params, path }),
        );
        return { ...written, directory: offered.name, download: offered.id };
      },
      'pack.export': async (params, ask) => {
        const granted = this.granted();
        if (!params.isDownload)
          return this.writeUnfollowed(params.path, (path) => ask({ ...params, path, granted }));
        const { written, offered } = await this.writeDownload(params.path, params.format, (path) =>
          ask({ ...params, path, granted }),
        );
        return { ...written, path: offered.name, download: offered.id };
      },
      'warehouse.runs': async (params, ask) =>
        (await this.namedWarehouse()) === undefined ? { runs: [] } : ofWarehouse(params, ask),
      'warehouse.steps': ofWarehouse,
      'warehouse.schema': ofWarehouse,
      'warehouse.rollouts': ofWarehouse,
      'warehouse.latencies': ofWarehouse,
      'warehouse.keep': async (params, ask) => {
        this.requireWritable();
        const kept = await ofWarehouse(params, ask);
        await this.grant(kept.path);
        this.grants.keepFor(kept.path);
        return kept;
      },
      'rollout.record': async (params, ask) => {
        const source = await this.threads.askInternally('record.source', { rolloutId: params.rolloutId });
        return ask({ ...params, source, granted: this.granted() });
      },
      'ingest.unread': async (params, ask) => onlyGrown(await ask(params), this.grants.paths),
    };
  }

  private makeHandlers(): HostHandlers {
    const { actions } = this.options;
    return {
      ...this.sql.handlers(),
      'host.info': () => {
        const { version, shell, libraryPath } = this.options;
        return {
          version,
          shell,
          platform: process.platform,
          libraryPath,
          uploads: uploadsDirectory(libraryPath),
          wheels: this.options.pythonPackages ?? defaultWheels(),
          granted: [...this.grants.paths],
          ...(this.library.readOnly === undefined ? {} : { readOnly: this.readOnlyText() }),
          ...this.sampling.info(),
          ...(this.hasWarehouse() ? { hasWarehouse: true } : {}),
          warnings: this.allWarnings(),
        };
      },
      'python.run': ({ limitMs, ...request }, signal) => this.python.run(request, limitMs, signal),
      ...this.sampling.handlers(),
      'path.list': ({ prefix }) => listPaths(prefix, this.listedRoots()),
      'format.list': () =>
        FORMATS.map(({ name, title, source, rule, reads, ignores }) => ({
          name,
          title,
          source,
          rule,
          reads,
          ignores,
        })),
      'run.setName': async (named) => {
        this.requireWritable();
        const { paths } = await this.threads.askInternally('run.name', {
          ...named,
          granted: this.granted(),
        });
        return this.startJob(paths);
      },
      'follow.start': ({ paths }) => {
        for (const path of paths) this.requireOpened(path);
        this.requireWritable();
        for (const path of paths) this.follower.start(path);
        return this.follower.list();
      },
      'follow.stop': ({ path }) => {
        const stopped = this.follower.list().find((follow) => follow.path === path);
        this.follower.stop(path);
        // The file is no longer followed, so a half-written last line is an issue.
        if (stopped?.state === 'watching' || stopped?.state === 'reading')
          this.readLogs([path], { isQuiet: true });
        return this.follower.list();
      },
      'follow.list': () => this.follower.list(),
      'ingest.start': ({ paths, mapping }) => {
        for (const path of paths) this.requireOpened(path);
        // Grant first: a read-only library can then show the records of these logs.
        this.requireWritable();
        return this.startJob(paths, mapping);
      },
      'ingest.demo': async () => {
        this.requireWritable();
        const path = this.options.demoPath ?? DEMO;
        if (!existsSync(path)) throw notFound(`there is no demo run at ${path}`);
        await this.grant(path);
        this.grants.keepFor(path);
        return this.startJob([path]);
      },
      'ingest.cancel': ({ jobId }) => {
        const abort = this.jobAborts.get(jobId);
        abort?.abort();
        return { cancelled: abort !== undefined };
      },
      'ingest.jobs': () => [...this.jobs.values()],
      'shell.openDialog': ({ kind }) => {
        if (actions === undefined) throw refused('this shell has no file dialog');
        return actions.openDialog(kind);
      },
      'shell.saveDialog': async ({ name }) => {
        if (actions === undefined) throw refused('this shell has no file dialog');
        const chosen = await actions.saveDialog(name);
        if (chosen.path !== undefined) this.mayWrite(chosen.path);
        return chosen;
      },
      'shell.openWarehouse': () => {
        if (actions === undefined) throw refused('this shell has no dialog for a warehouse');
        return actions.openWarehouse();
      },
      'shell.openLink': ({ url }) => {
        if (actions === undefined) throw refused('this shell cannot open links');
        return actions.openLink(url);
      },
      'shell.recent': () => ({ paths: [...this.grants.paths] }),
    };
  }

  private startJob(paths: readonly string[], mapping?: string): { readonly jobId: number } {
    // A mapping that was made or changed applies to files that were read before.
    const { jobId } = this.readLogs(paths, { mapping, readAgain: mapping !== undefined });
    // Registered now, so that a page opened immediately can wait for its run.
    this.jobs.set(jobId, { jobId, state: 'running', paths, ...NO_PROGRESS });
    return { jobId };
  }

  private readLogs(
    paths: readonly string[],
    options: Pick<InternalMethods['ingest.run']['params'], 'mapping' | 'readAgain' | 'isQuiet'>,
  ): { readonly jobId: number; readonly report: Promise<IngestReport> } {
    const jobId = this.nextJobId++;
    const abort = new AbortController();
    this.jobAborts.set(jobId, abort);
    const followed = this.follower.list().map(({ path }) => path);
    const report = this.threads
      .askInternally(
        'ingest.run',
        { jobId, paths, granted: this.granted(), adapter: this.options.adapter, followed, ...options },
        // A cancelled job still reports what it has read.
        { signal: abort.signal, resolvesWhenStopped: true },
      )
      .finally(() => this.jobAborts.delete(jobId));
    report.catch((error: unknown) => this.jobFailed(jobId, error));
    return { jobId, report };
  }

  private jobFailed(jobId: number, error: unknown): void {
    const { message } =
      failureOf(error) ?? this.log.report('ingest failed because of a bug in Turnwise', error);
    const job = this.jobs.get(jobId);
    // The writer reports failures itself, unless it refused the request or stopped.
    if (job?.state === 'running' && !this.isClosed) this.progressed({ ...job, state: 'failed', message });
  }

  private async directoryOf(runKey: string): Promise<string | undefined> {
    try {
      return (await this.threads.ask('run.get', { runKey })).directory;
    } catch (error) {
      if (error instanceof ApiError && error.code === 'not_found') return undefined;
      throw error;
    }
  }

  private outputPath(asked: string, extensions?: readonly string[]): string {
    const { libraryPath } = this.options;
    const isGranted = (path: string) => isBelowAny(path, this.grants.paths);
    return resolveOutputPath({ libraryPath, writable: this.writable, isGranted }, asked, extensions);
  }

  /** Keeps the follower away from an export. Otherwise it would read the exported rollouts as new ones. */
  private async writeUnfollowed<W>(asked: string, write: (path: string) => Promise<W>): Promise<W> {
    const path = this.outputPath(asked);
    const follow = this.follower.leave(path);
    try {
      return await write(path);
    } catch (error) {
      follow();
      throw error;
    }
  }

  /** @param name proposed by the page */
  private async writeDownload<W>(
    name: string,
    format: PackFormat,
    write: (path: string) => Promise<W>,
  ): Promise<{ readonly written: W; readonly offered: OfferedDownload }> {
    if (this.options.shell !== 'browser')
      throw refused('only a page in a browser downloads exports. Give a path');
    const folder = this.downloads.newFolder(name, format);
    try {
      return { written: await write(folder.path), offered: folder.offer() };
    } catch (error) {
      folder.remove();
      throw error;
    }
  }

  /** Refuses a path in a request unless the user has opened it. Stores the grant for this library. */
  private requireOpened(path: string): void {
    if (!isBelowAny(path, this.grants.paths)) throw new ApiError(refusalOfPath(path));
    this.grants.keepFor(path);
  }

  private grantNotKept(path: string, error: unknown): void {
    this.notKept.push(path);
    this.notKeptReason = error instanceof Error ? error.message : String(error);
    this.log.write(`${path} has to be opened again at the next start: ${this.notKeptReason}`);
    this.emit({ event: 'library.warned', payload: { warnings: this.allWarnings() } });
  }

  private allWarnings(): readonly LibraryWarning[] {
    if (this.notKept.length === 0) return [...this.warnings];
    const paths = this.notKept.join(', ');
    const message = `Turnwise cannot remember that you opened ${paths} (${this.notKeptReason}). It can be read until Turnwise ends. Open it again at the next start.`;
    return [...this.warnings, { message }];
  }

  /** Sent with requests that open files which the library names. */
  private granted(): Granted {
    return { library: this.options.libraryPath, paths: [...this.grants.paths] };
  }

  /** Allows the library of a moved run to read the logs of the run. */
  private keepGrantsFor(library: string): void {
    try {
      const grants = new Grants((path, error) => this.grantNotKept(path, error));
      grants.open(library);
      grants.keepAllOf(this.grants);
    } catch (error) {
      this.log.write(`the logs of ${library} have to be opened again: ${String(error)}`);
    }
  }

  /** Paths that the user has opened. The demo and uploads are not among them. */
  private listedRoots(): readonly string[] {
    const { demoPath = DEMO, libraryPath } = this.options;
    const own = [demoPath, uploadsDirectory(libraryPath)].flatMap((path) => realOf(path) ?? []);
    return [...this.grants.paths].filter((path) => !isBelowAny(path, own));
  }

  private requireWritable(): void {
    if (this.library.readOnly !== undefined) throw refused(`not saved: ${this.readOnlyText()}`);
  }

  private readOnlyText(): string {
    return `the library ${this.options.libraryPath} is read-only, because ${this.library.readOnly}`;
  }

  private requireNoJob(): void {
    if ([...this.jobs.values()].some(({ state }) => state === 'running'))
      throw refused('an ingest job is running in this library; wait for it or cancel it');
  }

  private receive(news: WriterNews): void {
    switch (news.kind) {
      case 'progress':
        this.progressed(news.progress);
        break;
      case 'changed':
        this.emit({ event: 'library.changed', payload: { runIds: news.runIds } });
        break;
      case 'annotated':
        this.emit({
          event: 'annotations.changed',
          payload: { rolloutIds: news.rolloutIds, revision: news.revision },
        });
        break;
    }
  }

  private progressed(progress: IngestProgress): void {
    this.jobs.set(progress.jobId, progress);
    for (const jobId of this.jobs.keys()) {
      if (this.jobs.size <= KEPT_JOBS) break;
      this.jobs.delete(jobId);
    }
    this.emit({ event: 'ingest.progress', payload: progress });
  }

  private emit(event: HostEvent): void {
    for (const listener of this.listeners) listener(event);
  }
}
