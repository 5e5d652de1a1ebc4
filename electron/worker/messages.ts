/** What the host and its worker threads know of each other: start data, requests beside the contract, news. */
import type { IngestProgress, RocBasis } from '../../shared/api/contract.ts';
import type { Mapping } from '../../shared/format/mapping.ts';
import type { ColumnMemorySlot } from '../columns/columnMemory.ts';
import type { Identified } from '../ingest/identify.ts';
import type { FileReport } from '../ingest/ingest.ts';
import type { ParseOutcome, ParseRequest } from '../ingest/parseFile.ts';
import type { UncheckedChoice } from '../roc/basis.ts';
import type { DecidedStep } from '../roc/decisionRows.ts';
import type { PackedBatch } from '../storage/batch.ts';
import type { KnownLibrary, KnownLibraryChange } from '../storage/knownLibraries.ts';

export type { KnownLibrary, KnownLibraryChange } from '../storage/knownLibraries.ts';

/** What a thread is started with. */
export interface LibraryThreadData {
  readonly libraryPath: string;
  /** Of Turnwise; packs name it. */
  readonly version: string;
  /** For threads with columns. */
  readonly memory?: ColumnMemorySlot;
}

/** Requests that the host makes of its threads beside the methods of the contract. */
export interface InternalMethods {
  /** On the writer. Resolves when the logs have been read. */
  'ingest.run': {
    readonly params: {
      readonly jobId: number;
      readonly paths: readonly string[];
      /** Used for every file, whatever its shape: a saved mapping by name, or one given. */
      readonly mapping?: string | Mapping | undefined;
      /** Nobody has asked for it: no progress is reported. */
      readonly isQuiet?: boolean;
    };
    readonly result: IngestReport;
  };
  /** On the writer. Below this path, records may be read again. */
  'path.grant': { readonly params: { readonly path: string }; readonly result: null };
  /** On the writer. Libraries opened beside this one, the latest first, after the change. */
  'library.known': { readonly params: KnownLibraryChange; readonly result: readonly KnownLibrary[] };
  /** On the writer. Files of the directory have been forgotten and must be read again. */
  'run.name': {
    readonly params: { readonly directory: string; readonly name: string | null };
    readonly result: { readonly paths: readonly string[] };
  };
  /** On `analysis`. The run whose decisions are recomputed, and under what. */
  'roc.run': { readonly params: DecisionsRequest; readonly result: DecisionsRun };
  /** On `analysis`. The groups of one step. */
  'roc.decisions': {
    readonly params: { readonly runId: number; readonly step: number; readonly basis: RocBasis };
    readonly result: DecidedStep;
  };
}

export interface DecisionsRequest {
  /** Key, name or number of a run; default: the only one, or the only one of training. */
  readonly run?: string;
  readonly step?: number;
  readonly choice: UncheckedChoice;
}

export interface DecisionsRun {
  readonly runId: number;
  readonly runKey: string;
  readonly runName: string;
  readonly basis: RocBasis;
  readonly steps: readonly number[];
}

/** What the writer tells the host without being asked. */
export type WriterNews =
  | { readonly kind: 'progress'; readonly progress: IngestProgress }
  /** Rows of these runs were committed. */
  | { readonly kind: 'changed'; readonly runIds: readonly number[] }
  /** Annotations of these rollouts have changed; none: the taxonomy has, or what has no rollout here. */
  | { readonly kind: 'annotated'; readonly rolloutIds: readonly number[] };

/** What a thread with columns tells the host: all of them together hold more than the limit. */
export type ColumnNews = 'memory-full';
/** And what the host asks of a thread with columns. */
export type ColumnNotice = 'make-room';

export interface IngestReport {
  readonly seconds: number;
  readonly bytes: number;
  readonly rollouts: number;
  /** Of those, the ones this job has read. */
  readonly added: number;
  readonly groups: number;
  readonly issues: number;
  readonly runKeys: readonly string[];
  readonly isCancelled: boolean;
  readonly files: readonly FileReport[];
}

export type ParserRequest =
  | {
      readonly kind: 'identify';
      readonly parseId: number;
      readonly path: string;
      readonly name: string;
      readonly mappings: readonly Mapping[];
      readonly forced?: Mapping;
    }
  | { readonly kind: 'parse'; readonly parseId: number; readonly request: ParseRequest }
  /** Any answer is a sign of life. */
  | { readonly kind: 'ping' }
  | { readonly kind: 'credit'; readonly parseId: number }
  | { readonly kind: 'cancel'; readonly parseId: number };

/** Every message names its parse: what a cancelled one still had in flight is not mistaken for the next one's. */
export type ParserMessage = { readonly parseId: number } & ParserNews;

export type ParserNews =
  | { readonly kind: 'batch'; readonly batch: PackedBatch }
  | { readonly kind: 'pong' }
  | { readonly kind: 'identified'; readonly identified: Identified }
  | { readonly kind: 'done'; readonly outcome: ParseOutcome }
  | {
      readonly kind: 'error';
      readonly message: string;
      /** Set for errors of the file system, which end the file and not the call. */
      readonly system?: { readonly code: string; readonly syscall: string };
    };
