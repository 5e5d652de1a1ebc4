/**
 * What the host and its worker threads say to each other. Requests carry an id; answers are
 * results (failures as data); events carry none.
 */
import type {
  FileInspection,
  IngestProgress,
  MappingPreview,
  Method,
  ParsedParams,
  SavedView,
} from '../../shared/api/contract.ts';
import type { Result } from '../../shared/api/errors.ts';
import type { Taxonomy } from '../../shared/domain/annotate/taxonomy.ts';
import type { Mapping } from '../../shared/format/mapping.ts';
import type { Identified } from '../ingest/identify.ts';
import type { FileReport } from '../ingest/ingest.ts';
import type { ParseOutcome, ParseRequest } from '../ingest/parseFile.ts';
import type { PackedBatch } from '../storage/batch.ts';
import type { KnownLibraryChange } from '../storage/knownLibraries.ts';

export type { KnownLibrary, KnownLibraryChange } from '../storage/knownLibraries.ts';

export interface WorkerOptions {
  readonly libraryPath: string;
}

/** Methods answered by a reader from the library alone. */
export const READ_METHODS = [
  'run.list',
  'run.get',
  'step.list',
  'metric.list',
  'problem.solved',
  'group.order',
  'group.rows',
  'rollout.order',
  'view.list',
  'problem.history',
  'rollout.rows',
  'place.resolve',
  'rollout.get',
  'rollout.tokens',
  'rollout.signal',
  'rollout.alternatives',
  'token.signals',
  'rollout.record',
  'issue.list',
  'file.list',
  'problem.places',
  'run.sources',
  'mapping.list',
  'roc.group',
  'search.state',
  'sql.schema',
  'sql.target',
  'query.list',
  'query.examples',
  'taxonomy.get',
  'annotation.list',
  'annotation.rows',
  'annotation.history',
  'annotation.conflicts',
  'annotation.authors',
] as const satisfies readonly Method[];
export type ReadMethod = (typeof READ_METHODS)[number];

export interface ReaderRequest {
  readonly id: number;
  readonly method: ReadMethod;
  readonly params: unknown;
}

export interface ReaderResponse {
  readonly id: number;
  readonly result: Result<unknown>;
}

export type WriterRequest =
  | {
      readonly kind: 'ingest';
      readonly jobId: number;
      readonly paths: readonly string[];
      /** To be taken for every file, whatever its shape: a saved mapping by name, or one given. */
      readonly mapping?: string | Mapping;
      /** Looked for by itself, not asked for by the user: says nothing unless there is something new. */
      readonly isQuiet?: boolean;
    }
  | { readonly kind: 'task'; readonly id: number; readonly task: WriterTask }
  | { readonly kind: 'cancel'; readonly jobId: number }
  | { readonly kind: 'grant'; readonly path: string; readonly id: number }
  | { readonly kind: 'close' };

/** Changes to the library other than ingest; done between two jobs, in order of arrival, but for what `isAtOnce`. */
export type WriterTask =
  | { readonly kind: 'removeRun'; readonly runKey: string }
  | {
      readonly kind: 'setGroupRule';
      readonly runKey: string;
      readonly rule: 'log' | 'prompt' | 'order';
      readonly size?: number;
    }
  | { readonly kind: 'joinPool'; readonly poolKey: string; readonly keptKey: string }
  | { readonly kind: 'leavePool'; readonly poolKey: string; readonly keptKey: string }
  | { readonly kind: 'setTokenizer'; readonly runKey: string; readonly path: string }
  | { readonly kind: 'removeTokenizer'; readonly runKey: string }
  | { readonly kind: 'nameRun'; readonly directory: string; readonly name: string | null }
  | { readonly kind: 'saveMapping'; readonly mapping: Mapping }
  | { readonly kind: 'removeMapping'; readonly name: string }
  | { readonly kind: 'saveView'; readonly view: SavedView }
  | { readonly kind: 'removeView'; readonly name: string }
  | { readonly kind: 'saveQuery'; readonly query: ParsedParams<'query.save'> }
  | { readonly kind: 'removeQuery'; readonly name: string }
  | { readonly kind: 'knownLibraries'; readonly change: KnownLibraryChange }
  | { readonly kind: 'compact' }
  | { readonly kind: 'setTaxonomy'; readonly taxonomy: Taxonomy }
  | { readonly kind: 'annotate'; readonly changes: ParsedParams<'annotation.apply'> }
  | { readonly kind: 'undo' | 'redo'; readonly author?: string | undefined }
  | { readonly kind: 'resolveConflict'; readonly decision: ParsedParams<'annotation.resolve'> }
  | { readonly kind: 'importAnnotations'; readonly path: string }
  /** `stop`: one Int32, not 0 once it is no longer wanted. */
  | {
      readonly kind: 'moveRun';
      readonly runKey: string;
      readonly path: string;
      readonly stop: SharedArrayBuffer;
    };

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

export type WriterMessage =
  | { readonly kind: 'ready' }
  | { readonly kind: 'unavailable'; readonly code: 'newer_database' | 'refused'; readonly message: string }
  | { readonly kind: 'progress'; readonly progress: IngestProgress }
  | { readonly kind: 'changed'; readonly runIds: readonly number[] }
  /** Annotations or readings of these rollouts, or the labels. */
  | { readonly kind: 'annotated'; readonly rolloutIds: readonly number[] }
  | { readonly kind: 'finished'; readonly jobId: number; readonly report: IngestReport }
  | { readonly kind: 'failed'; readonly jobId: number; readonly message: string }
  | { readonly kind: 'granted'; readonly id: number }
  | {
      readonly kind: 'taskProgress';
      readonly id: number;
      readonly done: number;
      readonly total: number;
    }
  | { readonly kind: 'taskDone'; readonly id: number; readonly result: Result<unknown> };

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

/** The inspector looks at files without a library. */
export type InspectorRequest = { readonly id: number } & (
  | { readonly kind: 'inspect'; readonly path: string; readonly mappings: readonly Mapping[] }
  | { readonly kind: 'preview'; readonly path: string; readonly mapping: Mapping }
);

export interface InspectorResponse {
  readonly id: number;
  readonly result: Result<FileInspection | MappingPreview>;
}
