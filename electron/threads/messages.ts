/** The messages between `WorkerClient` and `serve`, the same for every thread. */
import type { Result } from '../../shared/api/errors.ts';

export interface WorkerRequest {
  readonly kind: 'request';
  readonly id: number;
  readonly method: string;
  readonly params: unknown;
  /** One Int32, not 0 once the answer is no longer wanted: a thread in the middle of its work hears no message. */
  readonly stop: SharedArrayBuffer;
}

export type ToWorker<Notice = unknown> =
  | WorkerRequest
  | { readonly kind: 'cancel'; readonly id: number }
  | { readonly kind: 'notice'; readonly notice: Notice }
  | { readonly kind: 'close' };

export type FromWorker<News = unknown> =
  | { readonly kind: 'ready' }
  /** The thread cannot serve at all, and ends. */
  | { readonly kind: 'unavailable'; readonly result: Result<never> }
  | { readonly kind: 'progress'; readonly id: number; readonly progress: Progress }
  /** `stack`: of a bug. */
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
  /** Share of all the work, 0 … 1, if it is known better than by steps. */
  readonly share?: number;
}
