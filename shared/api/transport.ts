/**
 * What a transport must do, independent of the wire. The contract suite runs over Electron IPC and WebSocket.
 */
import type { HostEvent, Method, ParamsOf, ResultOf } from './contract.ts';
import type { ApiFailure, Result } from './errors.ts';

/** Renderer → host. The wire supports cancellation, because only the last selection matters. */
export type ClientMessage =
  | {
      readonly kind: 'request';
      readonly id: number;
      readonly method: string;
      readonly params: unknown;
      /** The open library to ask. Absent: the one the application was started with. */
      readonly library?: string;
    }
  | { readonly kind: 'cancel'; readonly id: number };

/** Host → renderer. */
export type HostMessage =
  | { readonly kind: 'response'; readonly id: number; readonly result: Result<unknown> }
  | { readonly kind: 'event'; readonly event: HostEvent };

export interface RequestOptions {
  /** Aborting tells the host to cancel the request; the promise rejects with `ApiError('cancelled')`. */
  readonly signal?: AbortSignal;
}

/** The renderer's typed client; `createClient` makes one from a transport. */
export interface Client {
  request<M extends Method>(method: M, params: ParamsOf<M>, options?: RequestOptions): Promise<ResultOf<M>>;
  /** Returns an unsubscribe function, because removal by identity fails across Electron's context bridge. */
  subscribe(listener: (event: HostEvent) => void): () => void;
}

export interface Transport {
  /** Resolves with the host's result. Rejects only if the connection is lost. */
  send(method: string, params: unknown, signal?: AbortSignal, library?: string): Promise<Result<unknown>>;
  subscribe(listener: (event: HostEvent) => void): () => void;
}

/** The subset of AbortSignal used here, because this code compiles without DOM and Node. */
export interface AbortSignal {
  readonly aborted: boolean;
  addEventListener(type: 'abort', listener: () => void): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

export const CANCELLED: ApiFailure = { code: 'cancelled', message: 'the request was cancelled' };
