/**
 * Transport between a browser and the headless host on loopback.
 *
 *   open → text frame {"token"} → binary frames (shared/api/codec.ts) both ways
 *
 * If the socket is lost, pending requests fail with `closed`, and it reconnects with back-off. Messages sent before
 * the first connection is open are queued.
 */
import { decodeFrame, encodeFrame } from '../../shared/api/codec.ts';
import type { HostEvent } from '../../shared/api/contract.ts';
import type { Result } from '../../shared/api/errors.ts';
import {
  CANCELLED,
  type ClientMessage,
  type HostMessage,
  type Transport,
} from '../../shared/api/transport.ts';
import type { ConnectionStatus } from './connection.ts';
import { CLOSED } from './failures.ts';

/**
 * Close codes after which reconnecting cannot help: 1008 is "policy violation", 4401 means that the token was refused.
 */
const REFUSED = new Set([1008, 4401, 4403]);
const FIRST_DELAY = 250;
const LONGEST_DELAY = 5_000;

export function reconnectDelay(attempt: number): number {
  return Math.min(LONGEST_DELAY, FIRST_DELAY * 2 ** Math.min(attempt, 10));
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();
const utf8 = {
  encode: (text: string) => encoder.encode(text),
  decode: (bytes: Uint8Array) => decoder.decode(bytes),
};

export interface WebSocketTransport extends Transport {
  retryNow(): void;
}

export function createWebSocketTransport(
  url: string,
  token: string,
  onStatus: (status: ConnectionStatus) => void,
): WebSocketTransport {
  const pending = new Map<number, (result: Result<unknown>) => void>();
  const listeners = new Set<(event: HostEvent) => void>();
  let socket: WebSocket | undefined;
  let queue: ClientMessage[] = [];
  let lastId = 0;
  let attempt = 0;
  let hasEverOpened = false;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const post = (message: ClientMessage) => {
    if (socket?.readyState === WebSocket.OPEN) socket.send(new Uint8Array(encodeFrame(message, utf8)));
    else queue.push(message);
  };

  const receive = (data: unknown) => {
    if (!(data instanceof ArrayBuffer)) return;
    // The host builds every frame from the contract's types.
    const message = decodeFrame(new Uint8Array(data), utf8) as HostMessage;
    if (message.kind === 'event') {
      for (const listener of listeners) listener(message.event);
      return;
    }
    pending.get(message.id)?.(message.result);
    pending.delete(message.id);
  };

  const failPending = () => {
    queue = [];
    for (const settle of pending.values()) settle({ ok: false, failure: CLOSED });
    pending.clear();
  };

  const connect = () => {
    clearTimeout(timer);
    const next = new WebSocket(url);
    socket = next;
    next.binaryType = 'arraybuffer';
    next.onopen = () => {
      attempt = 0;
      hasEverOpened = true;
      next.send(JSON.stringify({ token }));
      for (const message of queue.splice(0)) post(message);
      onStatus('open');
    };
    next.onmessage = (message) => receive(message.data);
    next.onclose = (event) => {
      if (socket !== next) return;
      socket = undefined;
      failPending();
      if (REFUSED.has(event.code)) return onStatus('refused');
      onStatus(hasEverOpened ? 'lost' : 'unreachable');
      timer = setTimeout(connect, reconnectDelay(attempt));
      attempt += 1;
    };
  };
  connect();

  return {
    send(method, params, signal, library) {
      if (signal?.aborted) return Promise.resolve({ ok: false, failure: CANCELLED });
      if (socket === undefined) return Promise.resolve({ ok: false, failure: CLOSED });
      lastId += 1;
      const id = lastId;
      return new Promise((resolve) => {
        const cancel = () => {
          if (!pending.delete(id)) return;
          post({ kind: 'cancel', id });
          resolve({ ok: false, failure: CANCELLED });
        };
        pending.set(id, (result) => {
          signal?.removeEventListener('abort', cancel);
          resolve(result);
        });
        signal?.addEventListener('abort', cancel);
        post({ kind: 'request', id, method, params, ...(library === undefined ? {} : { library }) });
      });
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    retryNow() {
      if (socket === undefined) connect();
    },
  };
}
