/**
 * What the host and its worker threads say to each other. Requests carry an id; answers are
 * results (failures as data); events carry none.
 */
import type { IngestProgress, Method } from '../../shared/api/contract.ts';
import type { Result } from '../../shared/api/errors.ts';
import type { FileReport } from '../ingest/ingest.ts';
import type { ParseOutcome, ParseRequest } from '../ingest/parseFile.ts';
import type { PackedBatch } from '../storage/batch.ts';

export interface WorkerOptions {
  readonly libraryPath: string;
}

/** Methods answered by a reader from the library alone. */
export const READ_METHODS = [
  'run.list',
  'run.get',
  'step.list',
  'group.order',
  'group.rows',
  'rollout.order',
  'rollout.rows',
  'place.resolve',
  'rollout.get',
  'rollout.tokens',
  'rollout.record',
  'issue.list',
  'file.list',
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
  | { readonly kind: 'ingest'; readonly jobId: number; readonly paths: readonly string[] }
  | { readonly kind: 'cancel'; readonly jobId: number }
  | { readonly kind: 'grant'; readonly path: string; readonly id: number }
  | { readonly kind: 'close' };

export interface IngestReport {
  readonly seconds: number;
  readonly bytes: number;
  readonly rollouts: number;
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
  | { readonly kind: 'finished'; readonly jobId: number; readonly report: IngestReport }
  | { readonly kind: 'failed'; readonly jobId: number; readonly message: string }
  | { readonly kind: 'granted'; readonly id: number };

export type ParserRequest =
  | { readonly kind: 'parse'; readonly parseId: number; readonly request: ParseRequest }
  | { readonly kind: 'credit'; readonly parseId: number }
  | { readonly kind: 'cancel'; readonly parseId: number };

/** Every message names its parse: what a cancelled one still had in flight is not mistaken for the next one's. */
export type ParserMessage = { readonly parseId: number } & ParserNews;

export type ParserNews =
  | { readonly kind: 'batch'; readonly batch: PackedBatch }
  | { readonly kind: 'done'; readonly outcome: ParseOutcome }
  | {
      readonly kind: 'error';
      readonly message: string;
      /** Set for errors of the file system, which end the file and not the call. */
      readonly system?: { readonly code: string; readonly syscall: string };
    };
