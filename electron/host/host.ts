/**
 * The host: one library, one contract, whatever shell carries the messages. The shelf: the open libraries of one
 * application, a host each.
 *
 *   shell (Electron IPC | WebSocket) ──► Shelf.dispatch ──► Host.dispatch ──► worker threads
 *                                    ◄── Shelf.subscribe ◄── Host.subscribe (events)
 *
 * A shell starts one shelf (the command line: one host), hands it every request as it came off the wire (untrusted
 * method and params; `dispatch` validates), forwards every event, and closes it last.
 */
import type { HostEvent, IngestProgress, Results } from '../../shared/api/contract.ts';
import type { Result } from '../../shared/api/errors.ts';
import type { AbortSignal } from '../../shared/api/transport.ts';
import type { Mapping } from '../../shared/format/mapping.ts';
import type { DecisionsRequest } from '../worker/analysisMessages.ts';
import type { IngestReport, KnownLibrary, KnownLibraryChange } from '../worker/messages.ts';
import type { DecisionListeners } from './analysisThread.ts';
import type { StartSqlProcess } from './runSql.ts';

export type { KnownLibrary, KnownLibraryChange } from '../worker/messages.ts';

export interface Host {
  /** Never rejects: failures are values. */
  dispatch(method: string, params: unknown, signal?: AbortSignal): Promise<Result<unknown>>;
  subscribe(listener: (event: HostEvent) => void): () => void;
  /** The user has pointed at this path (argv, dialog, drop): it and what lies below may be read. */
  grant(path: string): Promise<void>;
  /** Reads logs into the library and reports on every file; what the command line prints. Paths are granted by being named. */
  ingest(paths: readonly string[], options?: HostIngestOptions): Promise<IngestReport>;
  /** Every decision of Resample-on-Correct, recomputed step by step; what the command line prints. */
  decisions(
    request: DecisionsRequest,
    listeners: DecisionListeners,
    signal?: AbortSignal,
  ): Promise<Result<unknown>>;
  /** The user has named this file to be made. */
  mayWrite(path: string): void;
  /** Libraries that were opened beside this one and are remembered in it, the latest first, once that is changed. */
  known(change?: KnownLibraryChange): Promise<readonly KnownLibrary[]>;
  /** Refuses new requests, waits for the writer's transaction, closes the library. */
  close(): Promise<void>;
}

/** All that a shell needs. */
export interface Shelf {
  /**
   * @param library id of an open one; absent: the one the application was started with
   * Never rejects: failures are values.
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
  openDialog(kind: 'files' | 'directory' | 'library'): Promise<Results['shell.openDialog']>;
  /** Where a new file is to lie; it is made by whoever asked. */
  saveDialog(name: string): Promise<Results['shell.saveDialog']>;
  /** Asks the user with the full URL first; https only. */
  openLink(url: string): Promise<Results['shell.openLink']>;
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
