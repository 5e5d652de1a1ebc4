/** The messages between `WorkerClient` and `serve`. */
import type { Result } from '../../shared/api/errors.ts';

export interface WorkerRequest {
  readonly kind: 'request';
  readonly id: number;
  readonly method: string;
  readonly params: unknown;
  /** One Int32, not 0 once the request is cancelled. A busy thread cannot receive messages. Absent for a process. */
  readonly stop?: SharedArrayBuffer;
}

export type ToWorker<Notice = unknown> =
  | WorkerRequest
  | { readonly kind: 'cancel'; readonly id: number }
  | { readonly kind: 'notice'; readonly notice: Notice }
  | { readonly kind: 'close' };

export type FromWorker<News = unknown> =
  | { readonly kind: 'ready' }
  /** The thread cannot serve requests, and exits. */
  | { readonly kind: 'unavailable'; readonly result: Result<never> }
  | { readonly kind: 'progress'; readonly id: number; readonly progress: Progress }
  /** `stack` is set for bugs. */
  | {
      readonly kind: 'result';
      readonly id: number;
      readonly result: Result<unknown>;
      readonly stack?: string;
    }
  | { readonly kind: 'news'; readonly news: News };

export interface Progress {
  readonly stepsDone: number;
  readonly steps: number;
  /** Fraction of all work, 0 … 1, if it is more precise than `done / total`. */
  readonly share?: number;
}
