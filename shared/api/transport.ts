/**
 * Interface of a transport, independent of the wire. The contract suite runs over Electron IPC and WebSocket.
 */
import { z } from 'zod';
import type { HostEvent, Method, ParamsOf, ResultOf } from './contract.ts';
import type { ApiFailure, Result } from './errors.ts';

const request = z.object({
  kind: z.literal('request'),
  id: z.int(),
  method: z.string(),
  /** `dispatch` parses them by the contract of the method. */
  params: z.unknown(),
  /** Id of an open library; absent: the one the application was started with. */
  library: z.string().optional(),
});
export type ClientRequest = z.infer<typeof request>;

/** Renderer → host, over either wire. The transport carries cancellation, so that the last selection wins. */
export const CLIENT_MESSAGE = z.discriminatedUnion('kind', [
  request,
  z.object({ kind: z.literal('cancel'), id: z.int() }),
]);
export type ClientMessage = z.infer<typeof CLIENT_MESSAGE>;

/** The desktop's preload also grants the path of a dropped file. The page cannot send this. */
export const DESKTOP_MESSAGE = z.discriminatedUnion('kind', [
  ...CLIENT_MESSAGE.options,
  z.object({ kind: z.literal('grant'), path: z.string() }),
]);

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
