/** Messages between the host and its worker threads: start data, internal requests, and notifications. */
import type {
  IngestProgress,
  Method,
  ParsedParams,
  RocBasis,
  UnreadFile,
} from '../../shared/api/contract.ts';
import type { Mapping } from '../../shared/format/mapping.ts';
import type { ColumnMemorySlot } from '../columns/columnMemory.ts';
import type { AdapterCheck } from '../ingest/checkAdapter.ts';
import type { Adapter } from '../ingest/containers/adapter.ts';
import type { Granted } from '../ingest/granted.ts';
import type { Identified } from '../ingest/identify.ts';
import type { FileReport } from '../ingest/ingest.ts';
import type { ParseOutcome, ParseRequest } from '../ingest/parseFile.ts';
import type { UncheckedChoice } from '../roc/basis.ts';
import type { DecidedStep } from '../roc/decisionRows.ts';
import type { PackedBatch } from '../storage/batch.ts';
import type { KnownLibrary, KnownLibraryChange } from '../storage/knownLibraries.ts';
import type { RecordSource } from '../storage/queries/places.ts';
import type { RescueReport } from '../storage/rescue.ts';
import type { PackedList } from '../threads/packedList.ts';
import type { OfWarehouse, WarehouseMethod } from '../warehouse/handlers.ts';

export type { AdapterCheck, Fact } from '../ingest/checkAdapter.ts';
export type { Adapter } from '../ingest/containers/adapter.ts';
export type { KnownLibrary, KnownLibraryChange } from '../storage/knownLibraries.ts';
export type { RescueReport } from '../storage/rescue.ts';

/** Start data of a thread. */
export interface LibraryThreadData {
  readonly libraryPath: string;
  /** Version of Turnwise, which packs contain. */
  readonly version: string;
  /** Set for threads with columns. */
  readonly memory?: ColumnMemorySlot;
}

/**
 * The parameters of a thread's method. For methods that open files named by the library, the host adds the grants,
 * what a process needs that opens no library (the user's mappings, or where a record is), and the warehouse.
 */
export type SentParams<M extends Method> = M extends 'pack.export'
  ? ParsedParams<M> & { readonly granted: Granted }
  : M extends 'rollout.record'
    ? ParsedParams<M> & { readonly granted: Granted; readonly source: RecordSource }
    : M extends 'file.inspect'
      ? ParsedParams<M> & { readonly mappings: readonly Mapping[] }
      : M extends WarehouseMethod
        ? ParsedParams<M> & OfWarehouse
        : ParsedParams<M>;

/** Bytes that a process may hold that reads untrusted files. A record of 64 MiB in many parts takes 780 MiB. */
export const MOST_PARSER_MEMORY = 920 * 2 ** 20;

/** Requests of the host to its threads that are not in the contract. */
export interface InternalMethods {
  /** Runs on the writer. Resolves when the logs have been read. */
  'ingest.run': {
    readonly params: {
      readonly jobId: number;
      readonly paths: readonly string[];
      /** Other files named by the library are opened only below these paths. */
      readonly granted: Granted;
      /** A saved mapping by name, or a mapping. It is used for every file. */
      readonly mapping?: string | Mapping | undefined;
      /** Reads every file. It comes from the command line, never from a request of a page. */
      readonly adapter?: Adapter | undefined;
      /** Reads known files from their start. */
      readonly readAgain?: boolean | undefined;
      /** Suppresses progress reports. */
      readonly isQuiet?: boolean;
      /** Followed paths. A half-written last line below them is no issue. */
      readonly followed: readonly string[];
    };
    readonly result: IngestReport;
  };
  /** Runs on the inspector of a command, without a library. */
  'adapter.check': {
    readonly params: { readonly path: string; readonly adapter: Adapter };
    readonly result: AdapterCheck;
  };
  /** Runs on the writer of a new library. Saves the user's data from a damaged one. */
  'library.rescue': { readonly params: { readonly path: string }; readonly result: RescueReport };
  /** Runs on the writer. Returns the remembered libraries after the change, most recent first. */
  'library.known': { readonly params: KnownLibraryChange; readonly result: readonly KnownLibrary[] };
  /** Runs on the writer. Forgets the files of the directory, which then have to be read again. */
  'run.name': {
    readonly params: {
      readonly directory: string;
      readonly name: string | null;
      readonly granted: Granted;
    };
    readonly result: { readonly paths: readonly string[] };
  };
  /** Runs on a reader. Returns where the record of a rollout is. */
  'record.source': { readonly params: { readonly rolloutId: number }; readonly result: RecordSource };
  /** Runs on `analysis`. Returns the run and the settings of a recomputation. */
  'roc.run': { readonly params: DecisionsRequest; readonly result: DecisionsRun };
  /** Runs on `analysis`. Returns the groups of one step. */
  'roc.decisions': {
    readonly params: { readonly runId: number; readonly step: number; readonly basis: RocBasis };
    readonly result: DecidedStep;
  };
}

export interface DecisionsRequest {
  /** Key, name or number of a run. Default: the only run, or the only training run. */
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

/** News from the writer. */
export type WriterNews =
  | { readonly kind: 'progress'; readonly progress: IngestProgress }
  /** Rows of these runs were committed. */
  | { readonly kind: 'changed'; readonly runIds: readonly number[] }
  /** The annotations of these rollouts changed. Empty: the taxonomy or unattached annotations changed. */
  | { readonly kind: 'annotated'; readonly rolloutIds: readonly number[]; readonly revision: number }
  | ParserRelayed;

/** News from a thread with columns: all such threads together exceed the memory limit. */
export type ColumnNews = 'memory-full';
/** Notice to a thread with columns. */
export type ColumnNotice = 'make-room';

export interface IngestReport {
  readonly seconds: number;
  readonly bytes: number;
  readonly rollouts: number;
  /** Rollouts read by this job. */
  readonly added: number;
  readonly groups: number;
  readonly issues: number;
  readonly runKeys: readonly string[];
  readonly isCancelled: boolean;
  readonly files: readonly FileReport[];
  /** All files of the library that no job has read to the end. */
  readonly unread: readonly UnreadFile[];
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
  | { readonly kind: 'credit'; readonly parseId: number }
  | { readonly kind: 'cancel'; readonly parseId: number };

/** A batch on its way to the writer. */
export type SentBatch = Omit<PackedBatch, 'items' | 'problems'> & Record<'items' | 'problems', PackedList>;

/** A `ParserMessage`, serialized by the parser. */
export type ParserFrame = Uint8Array<ArrayBuffer>;

/** News from the writer for the parser process that the host runs for it. */
export interface ParserRelayed {
  readonly kind: 'parser';
  /** Number of the process, since a message to a former one may be on its way. */
  readonly process: number;
  readonly what: 'start' | 'kill' | ParserRequest;
}

/** Notice to the writer from its parser process. */
export interface ParserNotice {
  readonly process: number;
  readonly frame?: ParserFrame;
  /** The process has ended: `onExit` of `ChildProcess`. */
  readonly ended?: { readonly why: number | null | Error };
}

/**
 * `started` is the first message of a process. Each other message has the id of its parse, to distinguish late messages
 * of a cancelled parse.
 */
export type ParserMessage = { readonly kind: 'started' } | ({ readonly parseId: number } & ParserNews);

export type ParserNews =
  | { readonly kind: 'batch'; readonly batch: SentBatch }
  | { readonly kind: 'identified'; readonly identified: Identified }
  | { readonly kind: 'done'; readonly outcome: ParseOutcome }
  | {
      readonly kind: 'error';
      readonly message: string;
      /** Set for file system errors, which end the file but not the call. */
      readonly system?: { readonly code: string; readonly syscall: string };
    };
