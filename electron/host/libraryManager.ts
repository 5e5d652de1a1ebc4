/**
 * The open libraries of one application: the home library and any number opened later, with a host each.
 * Requests and events carry the id of their library.
 *
 * Ids are part of links. The home library has the id `home`. Others are named after their file, made
 * unique, and keep the id while the home library remembers them. A file is opened once, even under several
 * paths.
 */
import {
  closeSync,
  constants,
  fstatSync,
  mkdirSync,
  openSync,
  readSync,
  realpathSync,
  statSync,
} from 'node:fs';
import { basename, dirname, extname, join, resolve } from 'node:path';
import {
  CONTRACT,
  HOME_LIBRARY,
  type HostEvent,
  type LibraryRow,
  type MethodsOn,
  type ParsedParams,
  type ResultOf,
} from '../../shared/api/contract.ts';
import {
  ApiError,
  type ApiFailure,
  failureOf,
  notFound,
  type Result,
  refused,
} from '../../shared/api/errors.ts';
import { type AbortSignal, CANCELLED } from '../../shared/api/transport.ts';
import type { UploadedFile } from '../../shared/api/upload.ts';
import { isBelowAny } from '../ingest/granted.ts';
import { bytesOnDisk } from '../storage/bytesOnDisk.ts';
import type { NamedWarehouse } from '../warehouse/namedWarehouse.ts';
import { AppLog } from './appLog.ts';
import { createHost } from './createHost.ts';
import { dispatch } from './dispatch.ts';
import type { Download } from './downloads.ts';
import { refusalOfPath } from './grants.ts';
import type { Host, KnownLibrary, LibraryManager, ManagerOptions } from './host.ts';
import { printProblem } from './printProblem.ts';
import type { Upload } from './uploads.ts';

type ManagerHandlers = {
  [M in MethodsOn<'libraries'>]: (
    params: ParsedParams<M>,
    signal?: AbortSignal,
  ) => ResultOf<M> | Promise<ResultOf<M>>;
};

interface OpenLibrary {
  readonly id: string;
  /** Real path. */
  readonly path: string;
  readonly host: Host;
  readonly unsubscribe: () => void;
}

/** The first bytes of every SQLite database. */
const SQLITE_HEADER = 'SQLite format 3\0';

/** @throws ApiError when the home library is newer, foreign, or cannot be opened */
export async function createLibraryManager(options: ManagerOptions): Promise<LibraryManager> {
  const home = await createHost(options);
  return new OpenLibraries(options, home, await home.known());
}

class OpenLibraries implements LibraryManager {
  private readonly options: ManagerOptions;
  private readonly log: AppLog;
  private readonly home: Host;
  private readonly open = new Map<string, OpenLibrary>();
  /** By real path, most recent first. */
  private known: readonly KnownLibrary[];
  private readonly granted = new Set<string>();
  private readonly listeners = new Set<(event: HostEvent) => void>();
  private readonly handlers: ManagerHandlers;
  /** By real path. Prevents opening a file twice, or while it is being closed. */
  private readonly opening = new Map<string, Promise<OpenLibrary>>();
  private readonly closing = new Map<string, Promise<void>>();
  private isClosed = false;

  constructor(options: ManagerOptions, home: Host, known: readonly KnownLibrary[]) {
    this.options = options;
    this.log = new AppLog(options.libraryPath);
    this.home = home;
    this.known = known;
    this.adopt(HOME_LIBRARY, realpathSync.native(options.libraryPath), home);
    this.handlers = {
      'library.list': () => this.list(),
      'library.open': (params, signal) => this.openLibrary(params, signal),
      'library.close': ({ id }) => this.closeLibrary(id),
      'library.forget': ({ id }) => this.forgetLibrary(id),
    };
  }

  async dispatch(
    method: string,
    params: unknown,
    signal?: AbortSignal,
    library: string = HOME_LIBRARY,
  ): Promise<Result<unknown>> {
    return dispatch(method, params, this.log, async (known, parsed) => {
      this.requireOpen();
      if (CONTRACT[known].runsOn === 'libraries') {
        // `dispatch` has validated the parameters for this method.
        return this.handlers[known as keyof ManagerHandlers](parsed as never, signal);
      }
      const opened = this.open.get(library);
      if (opened === undefined) throw new ApiError(notOpen(library));
      const value = await opened.host.answer(known, parsed, signal);
      // The new library of a moved run is opened, so that the page can show the run there.
      return known === 'run.move' ? this.openMoved(value as ResultOf<'run.move'>) : value;
    });
  }

  async upload(upload: Upload, library: string = HOME_LIBRARY): Promise<Result<UploadedFile>> {
    const opened = this.open.get(library);
    if (opened === undefined) return { ok: false, failure: notOpen(library) };
    const stored = await opened.host.upload(upload);
    if (stored.ok) await this.grant(stored.value.path);
    return stored;
  }

  async download(id: string, library: string = HOME_LIBRARY): Promise<Result<Download>> {
    const opened = this.open.get(library);
    return opened === undefined ? { ok: false, failure: notOpen(library) } : opened.host.download(id);
  }

  subscribe(listener: (event: HostEvent) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  async openWarehouse(
    libraryPath: string,
    named: NamedWarehouse,
    signal?: AbortSignal,
  ): Promise<Result<{ readonly library: string }>> {
    try {
      this.requireOpen();
      await this.home.reachWarehouse(named, signal);
      mkdirSync(dirname(libraryPath), { recursive: true, mode: 0o700 });
      const path = join(realpathSync.native(dirname(libraryPath)), basename(libraryPath));
      const { id } = await this.openFile(path);
      // The user has opened it, so it is remembered, once it can be granted.
      await this.home.grant(path);
      if (id !== HOME_LIBRARY) this.remember({ path, id, openedAt: Date.now() });
      return { ok: true, value: { library: id } };
    } catch (error) {
      const failure = failureOf(error) ?? this.log.report('a warehouse was not opened', error);
      return { ok: false, failure };
    }
  }

  async grant(path: string): Promise<void> {
    this.granted.add(realpathSync.native(path));
    await Promise.all([...this.open.values()].map(({ host }) => host.grant(path)));
  }

  async close(): Promise<void> {
    if (this.isClosed) return;
    this.isClosed = true;
    // Failures are ignored, because the other libraries still have to be closed.
    await Promise.allSettled([...this.opening.values(), ...this.closing.values()]);
    await Promise.all([...this.open.values()].map(({ host }) => host.close()));
    this.listeners.clear();
  }

  private async list(): Promise<readonly LibraryRow[]> {
    const open = await Promise.all([...this.open.values()].map((library) => this.rowOf(library)));
    const isOpen = new Set(open.map(({ path }) => path));
    const closed = this.known
      .filter(({ path }) => !isOpen.has(path))
      .map(({ id, path }) => ({ ...fileFacts(id, path), isOpen: false }));
    return [...open, ...closed];
  }

  private async rowOf({ id, path, host }: OpenLibrary): Promise<LibraryRow> {
    const row = { ...fileFacts(id, path), isOpen: true };
    const listed = await host.dispatch('run.list', {});
    if (!listed.ok) return row;
    const runs = listed.value as ResultOf<'run.list'>;
    return { ...row, runs: runs.length, rollouts: runs.reduce((sum, run) => sum + run.rollouts, 0) };
  }

  private async openLibrary(params: ParsedParams<'library.open'>, signal?: AbortSignal): Promise<LibraryRow> {
    const path = 'path' in params ? params.path : this.pathOf(params.id);
    if (path === undefined) {
      const id = 'id' in params ? params.id : '';
      throw notFound(`there is no known library ${JSON.stringify(id)}`);
    }
    const opened = await this.openFile(this.fileAt(path));
    // The library stays open, because another request may have opened for it too.
    if (signal?.aborted === true) throw new ApiError(CANCELLED);
    return this.rowOf(opened);
  }

  private async openMoved(moved: ResultOf<'run.move'>): Promise<ResultOf<'run.move'>> {
    try {
      const path = realpathSync.native(moved.path);
      await this.home.grant(path);
      const { id, host } = await this.openFile(path);
      // A path that no longer exists cannot be granted.
      await Promise.allSettled([...this.granted].map((granted) => host.grant(granted)));
      return { ...moved, library: id };
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      // The move succeeded even if the new library cannot be opened.
      return moved;
    }
  }

  /** @param path real path */
  private async openFile(path: string): Promise<OpenLibrary> {
    await ofFile(this.closing, path);
    this.requireOpen();
    const there = [...this.open.values()].find((library) => isSameFile(library.path, path));
    if (there !== undefined) return there;
    const under = ofFile(this.opening, path);
    if (under !== undefined) return under;
    const work = this.start(path).finally(() => this.opening.delete(path));
    this.opening.set(path, work);
    return work;
  }

  private requireOpen(): void {
    if (this.isClosed) throw new ApiError({ code: 'closed', message: 'the host has been closed' });
  }

  private async start(path: string): Promise<OpenLibrary> {
    const host = await createHost({ ...this.options, libraryPath: path });
    const library = this.adopt(this.idFor(path), path, host);
    this.remember({ path, id: library.id, openedAt: Date.now() });
    this.changed();
    return library;
  }

  private async closeLibrary(id: string): Promise<{ closed: boolean }> {
    if (id === HOME_LIBRARY) throw refused('the library that Turnwise was started with cannot be closed');
    const library = this.open.get(id);
    if (library === undefined) return { closed: false };
    // No new requests from here on. Pending ones are answered with `closed`.
    this.open.delete(id);
    const closed = library.host.close().finally(() => this.closing.delete(library.path));
    this.closing.set(library.path, closed);
    this.changed();
    await closed;
    library.unsubscribe();
    return { closed: true };
  }

  private async forgetLibrary(id: string): Promise<{ forgotten: boolean }> {
    if (this.open.has(id)) throw refused(`the library ${id} is open; close it first`);
    const known = this.known.find((one) => one.id === id);
    if (known === undefined) return { forgotten: false };
    this.known = this.known.filter((one) => one !== known);
    this.keep(this.home.known({ forget: known.path }));
    this.changed();
    return { forgotten: true };
  }

  private adopt(id: string, path: string, host: Host): OpenLibrary {
    const unsubscribe = host.subscribe((event) =>
      this.emit(id === HOME_LIBRARY ? event : { ...event, library: id }),
    );
    const library = { id, path, host, unsubscribe };
    this.open.set(id, library);
    return library;
  }

  /** Checks a path that a page wants to open: the user must have opened it now or before. */
  private fileAt(path: string): string {
    const isRemembered = this.known.some((one) => one.path === path);
    const isOpen = [...this.open.values()].some((one) => one.path === path);
    if (!isRemembered && !isOpen && !isBelowAny(path, this.granted)) {
      throw new ApiError(refusalOfPath(path));
    }
    const stat = statSync(path, { throwIfNoEntry: false });
    if (stat === undefined) throw notFound(`there is no file ${path}`);
    if (stat.isDirectory()) throw refused(`${path} is a directory; a library is one file`);
    try {
      if (stat.isFile() && isDatabase(path)) return realpathSync.native(path);
    } catch (error) {
      throw refused(`${path} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
    }
    throw refused(`${path} is not a Turnwise library: it is not an SQLite database`);
  }

  private pathOf(id: string): string | undefined {
    return this.open.get(id)?.path ?? this.known.find((one) => one.id === id)?.path;
  }

  private idFor(path: string): string {
    const former = this.known.find((one) => one.path === path);
    if (former !== undefined && !this.open.has(former.id)) return former.id;
    const taken = new Set([HOME_LIBRARY, ...this.open.keys(), ...this.known.map(({ id }) => id)]);
    return uniqueId(path, taken);
  }

  private remember(library: KnownLibrary): void {
    this.known = [library, ...this.known.filter(({ path }) => path !== library.path)];
    this.keep(this.home.known({ remember: library }));
  }

  /**
   * Runs without waiting, because a job may be running. The list in memory is authoritative until the next
   * start.
   */
  private keep(kept: Promise<unknown>): void {
    kept.catch((error: unknown) => {
      if (!this.isClosed) printProblem(`the list of opened libraries could not be saved: ${String(error)}`);
    });
  }

  private changed(): void {
    this.emit({ event: 'library.listChanged', payload: { open: [...this.open.keys()] } });
  }

  private emit(event: HostEvent): void {
    for (const listener of this.listeners) listener(event);
  }
}

function notOpen(library: string): ApiFailure {
  return { code: 'not_found', message: `no library ${JSON.stringify(library)} is open` };
}

/** An id of letters, digits, `.`, `-` and `_`, which needs no escaping in a URL. */
export function uniqueId(path: string, taken: ReadonlySet<string>): string {
  const plain = nameOf(path)
    .replaceAll(/[^\p{L}\p{N}._-]+/gu, '-')
    .replaceAll(/^[-.]+|[-.]+$/g, '');
  const name = plain === '' ? 'library' : plain;
  for (let n = 1; ; n += 1) {
    const id = n === 1 ? name : `${name}-${n}`;
    if (!taken.has(id)) return id;
  }
}

function nameOf(path: string): string {
  return basename(path, extname(path));
}

function fileFacts(id: string, path: string): Omit<LibraryRow, 'isOpen'> {
  const facts = { id, name: nameOf(path), path, isHome: id === HOME_LIBRARY };
  const sizeBytes = bytesOnDisk(path);
  return sizeBytes === undefined ? { ...facts, isGone: true } : { ...facts, sizeBytes };
}

/** Also detects hard links. Two hosts with a write-ahead log each would destroy the file. */
function isSameFile(one: string, other: string): boolean {
  if (one === other) return true;
  const [a, b] = [one, other].map((path) => statSync(path, { bigint: true, throwIfNoEntry: false }));
  return a !== undefined && b !== undefined && a.ino !== 0n && a.ino === b.ino && a.dev === b.dev;
}

/** @returns the value of this file, under whichever of its paths */
function ofFile<T>(byPath: ReadonlyMap<string, T>, path: string): T | undefined {
  for (const [other, value] of byPath) if (isSameFile(other, path)) return value;
  return undefined;
}

function isDatabase(path: string): boolean {
  const head = Buffer.alloc(SQLITE_HEADER.length);
  // A pipe would block this thread. Windows has no such flag.
  const file = openSync(resolve(path), constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    if (!fstatSync(file).isFile()) return false;
    readSync(file, head, 0, head.length, 0);
  } finally {
    closeSync(file);
  }
  return head.toString('latin1') === SQLITE_HEADER;
}
