/**
 * The host: one library, one contract, whatever shell carries the messages. The library manager: the open libraries of
 * one application, a host each.
 *
 *   shell (Electron IPC | WebSocket) ──► LibraryManager.dispatch ──► Host.answer ──► worker threads
 *                                    ◄── LibraryManager.subscribe ◄── Host.subscribe (events)
 *
 * A shell starts one manager (the command line: one host), hands it every request as it came off the wire, forwards
 * every event, and closes it last. Methods and parameters off the wire are untrusted; `dispatch` validates them.
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
import type { Mapping } from '../../shared/format/mapping.ts';
import type {
  DecisionsRequest,
  DecisionsRun,
  IngestReport,
  InternalMethods,
  KnownLibrary,
  KnownLibraryChange,
} from '../worker/messages.ts';
import type { StartSqlProcess } from './runSql.ts';

export type { KnownLibrary, KnownLibraryChange } from '../worker/messages.ts';

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
  /** The next step is decided when this resolves. */
  readonly onStep: (step: DecidedStep) => Promise<void> | void;
}

export interface Host {
  /** For a caller without a manager. Never rejects: failures are values. */
  dispatch(method: string, params: unknown, signal?: AbortSignal): Promise<Result<unknown>>;
  /** @param params as the contract has them for the method @throws ApiError; any other error is a bug */
  answer(method: Method, params: unknown, signal?: AbortSignal): Promise<unknown>;
  subscribe(listener: (event: HostEvent) => void): () => void;
  /** The user has pointed at this path (argv, dialog, drop): it and what lies below may be read. */
  grant(path: string): Promise<void>;
  /** Reads logs into the library and reports on every file; what the command line prints. Paths are granted by being named. */
  ingest(paths: readonly string[], options?: HostIngestOptions): Promise<IngestReport>;
  /** Recomputes every decision of Resample-on-Correct, step by step; what the command line prints. @throws ApiError */
  decisions(request: DecisionsRequest, listeners: DecisionListeners, signal?: AbortSignal): Promise<void>;
  /** The user has named this file to be made. */
  mayWrite(path: string): void;
  /** Changes which libraries are remembered in this one. @returns them, the one opened last first */
  known(change?: KnownLibraryChange): Promise<readonly KnownLibrary[]>;
  /** Refuses new requests, waits for the writer's transaction, closes the library. */
  close(): Promise<void>;
}

/** All that a shell needs. */
export interface LibraryManager {
  /**
   * Never rejects: failures are values.
   *
   * @param library id of an open one; absent: the one the application was started with
   */
  dispatch(method: string, params: unknown, signal?: AbortSignal, library?: string): Promise<Result<unknown>>;
  /** Events name the library they came from, unless it is the one the application was started with. */
  subscribe(listener: (event: HostEvent) => void): () => void;
  /** For every open library. */
  grant(path: string): Promise<void>;
  close(): Promise<void>;
}

/** What only a desktop shell can do; a shell without it answers `refused`. */
export interface ShellActions {
  openDialog(kind: 'files' | 'directory' | 'library'): Promise<ResultOf<'shell.openDialog'>>;
  /** Where a new file is to lie; it is made by whoever asked. */
  saveDialog(name: string): Promise<ResultOf<'shell.saveDialog'>>;
  /** Asks the user with the full URL first; https only. */
  openLink(url: string): Promise<ResultOf<'shell.openLink'>>;
}

export interface HostIngestOptions {
  /** Taken for every file, whatever its shape: a saved mapping by name, or one given. */
  readonly mapping?: string | Mapping;
  readonly onProgress?: (progress: IngestProgress) => void;
  readonly signal?: AbortSignal;
}

export interface HostOptions {
  readonly libraryPath: string;
  readonly shell: 'desktop' | 'browser';
  readonly version: string;
  readonly actions?: ShellActions;
  /** A page will ask at once: what reads for it is started while the page loads. A command may need none of it. */
  readonly isForPages?: boolean;
  /** Where the demo run lies; beside the sources unless the application is packed. */
  readonly demoPath?: string;
  /** How the process of a user's statement is started; Node's own fork where it is not said. */
  readonly startSql?: StartSqlProcess;
}
