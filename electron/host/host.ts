/**
 * The host: one library behind one contract, for any shell. The library manager: the open libraries of one
 * application, with one host each.
 *
 *   shell (Electron IPC | WebSocket) ──► LibraryManager.dispatch ──► Host.answer ──► worker threads
 *                                    ◄── LibraryManager.subscribe ◄── Host.subscribe (events)
 *
 * A shell starts one manager (the command line: one host), forwards every request and every event, and
 * closes the manager last. Methods and parameters from the wire are untrusted; `dispatch` validates them.
 */
import type {
  HostEvent,
  IngestProgress,
  Method,
  MethodsOn,
  ParsedParams,
  ResultOf,
} from '../../shared/api/contract.ts';
import type { Result } from '../../shared/api/errors.ts';
import type { AbortSignal } from '../../shared/api/transport.ts';
import type { UploadedFile } from '../../shared/api/upload.ts';
import type { Mapping } from '../../shared/format/mapping.ts';
import type { StartProcess } from '../threads/childProcess.ts';
import type { NamedWarehouse } from '../warehouse/namedWarehouse.ts';
import type {
  Adapter,
  DecisionsRequest,
  DecisionsRun,
  IngestReport,
  InternalMethods,
  KnownLibrary,
  KnownLibraryChange,
  RescueReport,
} from '../worker/messages.ts';
import type { Download } from './downloads.ts';
import type { Upload } from './uploads.ts';

export type { Adapter, KnownLibrary, KnownLibraryChange, RescueReport } from '../worker/messages.ts';

/** @throws ApiError; any other error is a bug */
export type HostHandlers = {
  [M in MethodsOn<'host'>]: (
    params: ParsedParams<M>,
    signal?: AbortSignal,
  ) => ResultOf<M> | Promise<ResultOf<M>>;
};

/** The groups of one step with their recomputed decisions. */
export type DecidedStep = InternalMethods['roc.decisions']['result'];

export interface DecisionListeners {
  readonly onRun: (run: DecisionsRun) => void;
  /** The next step is computed when this resolves. */
  readonly onStep: (step: DecidedStep) => Promise<void> | void;
}

export interface Host {
  /** For callers without a manager. Never rejects; failures are values. */
  dispatch(method: string, params: unknown, signal?: AbortSignal): Promise<Result<unknown>>;
  /**
   * @param params validated parameters of the method
   * @throws ApiError; any other error is a bug
   */
  answer(method: Method, params: unknown, signal?: AbortSignal): Promise<unknown>;
  subscribe(listener: (event: HostEvent) => void): () => void;
  /**
   * Records that the user has chosen this path (argv, dialog, drop). It and everything below may be read until the
   * host is closed. The grant is stored for later sessions once a request names the path.
   */
  grant(path: string): Promise<void>;
  /**
   * Whether the user has opened this path for this library, now or in an earlier session. For paths that a library
   * names: a path that was not opened is not accessed at all.
   */
  isGranted(path: string): boolean;
  /** Copies the grants of another library, which this one continues. */
  grantAsFor(library: string): void;
  /** Ingests logs and returns a report per file, for the command line. Paths of the user are granted. */
  ingest(paths: readonly string[], options?: HostIngestOptions): Promise<IngestReport>;
  /** Recomputes every decision of Resample-on-Correct, step by step, for the command line. @throws ApiError */
  decisions(request: DecisionsRequest, listeners: DecisionListeners, signal?: AbortSignal): Promise<void>;
  /** Stores a file that a page has sent, beside the library, and grants its path. Never rejects. */
  upload(upload: Upload): Promise<Result<UploadedFile>>;
  /** Returns the file written by an export with `isDownload`. It can be taken once. Never rejects. */
  download(id: string): Promise<Result<Download>>;
  /** Records that the user has chosen this file for writing. */
  mayWrite(path: string): void;
  /** Asks a warehouse for its runs. @throws ApiError */
  reachWarehouse(named: NamedWarehouse, signal?: AbortSignal): Promise<void>;
  /** Changes the list of remembered libraries. @returns the list, most recently opened first */
  known(change?: KnownLibraryChange): Promise<readonly KnownLibrary[]>;
  /** Saves the user's data from a damaged library into this new one, for the command line. @throws ApiError */
  rescue(path: string): Promise<RescueReport>;
  /** Refuses new requests, waits for the writer's transaction, and closes the library. */
  close(): Promise<void>;
}

/** The interface for shells. */
export interface LibraryManager {
  /**
   * Never rejects; failures are values.
   *
   * @param library id of an open library; absent: the home library
   */
  dispatch(method: string, params: unknown, signal?: AbortSignal, library?: string): Promise<Result<unknown>>;
  /** Events carry the id of their library, except for the home library. */
  subscribe(listener: (event: HostEvent) => void): () => void;
  /**
   * Stores a file that a page has sent, beside the library. Every open library may read it. Never rejects.
   *
   * @param library id of an open library; absent: the home library
   */
  upload(upload: Upload, library?: string): Promise<Result<UploadedFile>>;
  /**
   * Returns the file written by an export with `isDownload`. It can be taken once. Never rejects.
   *
   * @param library id of an open library; absent: the home library
   */
  download(id: string, library?: string): Promise<Result<Download>>;
  /**
   * Opens the library for copies from a warehouse beside the others, and makes it if need be, once the warehouse has
   * answered. Never rejects. Pages cannot ask for it, because they must not name an address.
   */
  openWarehouse(
    libraryPath: string,
    named: NamedWarehouse,
    signal?: AbortSignal,
  ): Promise<Result<{ readonly library: string }>>;
  /** Grants the path for every open library. Only a library that is asked to read it stores the grant. */
  grant(path: string): Promise<void>;
  close(): Promise<void>;
}

/** Actions that only a desktop shell has. Other shells answer `refused`. */
export interface ShellActions {
  openDialog(kind: 'files' | 'directory' | 'library'): Promise<ResultOf<'shell.openDialog'>>;
  /** Asks for the path of a new file, without creating it. */
  saveDialog(name: string): Promise<ResultOf<'shell.saveDialog'>>;
  /** Shows a dialog in which the user enters an address and an account. */
  openWarehouse(): Promise<ResultOf<'shell.openWarehouse'>>;
  /** Shows the full URL to the user before opening it. Only https. */
  openLink(url: string): Promise<ResultOf<'shell.openLink'>>;
}

/** The warehouses that the user has named in the application. */
export interface UserWarehouses {
  /** Whether a library has the copies of one. */
  has(libraryPath: string): boolean;
  /** @throws ApiError `refused` when the password cannot be read */
  of(libraryPath: string): Promise<NamedWarehouse | undefined>;
}

export interface HostIngestOptions {
  /** A saved mapping by name, or a mapping. It is used for every file. */
  readonly mapping?: string | Mapping;
  /** The paths come from the library, not from the user, so they must have been granted before. */
  readonly areKnown?: boolean;
  /** Reads known files from their start, even if they have not changed. */
  readonly readAgain?: boolean;
  readonly onProgress?: (progress: IngestProgress) => void;
  readonly signal?: AbortSignal;
}

export interface HostOptions {
  readonly libraryPath: string;
  readonly shell: 'desktop' | 'browser';
  readonly version: string;
  readonly actions?: ShellActions;
  /** Starts the threads that a page needs while it loads. A command may need none of them. */
  readonly isForPages?: boolean;
  /** Delay in milliseconds after opening before the pages of the library file are checked. Only with `isForPages`. */
  readonly checkAfterMs?: number;
  /** Path of the demo run. Default: beside the sources. */
  readonly demoPath?: string;
  /**
   * Adapter command that reads every file, from the user's command line. A host with an adapter serves one command.
   * `ManagerOptions` excludes it, so that no page can be connected to such a host.
   */
  readonly adapter?: Adapter;
  /** Folder of wheels that Python of tool calls may import. Default: `wheels` in the user's directory. */
  readonly pythonPackages?: string;
  /** Beside the warehouse that the environment names. Asked at each request, because the user may give another password. */
  readonly warehouses?: UserWarehouses;
  /** Starts the processes that run what a user wrote. Default: Node's fork. */
  readonly startProcess?: StartProcess;
}

/** Options of the hosts that pages are connected to. */
export type ManagerOptions = Omit<HostOptions, 'adapter'> & { readonly adapter?: never };
