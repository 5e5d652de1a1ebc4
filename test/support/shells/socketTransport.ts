/** The WebSocket transport from a Node client, for the contract suite and the security tests. */
import { WebSocket } from 'ws';
import { decodeFrame, encodeFrame, type Utf8 } from '../../../shared/api/codec.ts';
import type { HostEvent } from '../../../shared/api/contract.ts';
import type { Result } from '../../../shared/api/errors.ts';
import {
  CANCELLED,
  type ClientMessage,
  type HostMessage,
  type Transport,
} from '../../../shared/api/transport.ts';

export const utf8: Utf8 = {
  encode: (text) => new TextEncoder().encode(text),
  decode: (bytes) => new TextDecoder().decode(bytes),
};

export interface SocketTransport extends Transport {
  close(): Promise<void>;
}

export async function openSocketTransport(server: { port: number; token: string }): Promise<SocketTransport> {
  const address = `127.0.0.1:${server.port}`;
  const socket = new WebSocket(`ws://${address}/socket`, { headers: { Origin: `http://${address}` } });
  const listeners = new Set<(event: HostEvent) => void>();
  const pending = new Map<number, { resolve(result: Result<unknown>): void; reject(error: Error): void }>();
  let lastId = 0;

  socket.on('message', (data) => {
    const message = decodeFrame(data as Buffer, utf8) as HostMessage;
    if (message.kind === 'event') {
      for (const listener of listeners) listener(message.event);
    } else {
      pending.get(message.id)?.resolve(message.result);
      pending.delete(message.id);
    }
  });
  socket.on('close', () => {
    for (const { reject } of pending.values()) reject(new Error('the socket closed'));
    pending.clear();
  });
  const send = (message: ClientMessage): void => socket.send(encodeFrame(message, utf8));
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
  socket.send(JSON.stringify({ token: server.token }));

  return {
    send(method, params, signal, library) {
      if (signal?.aborted) return Promise.resolve({ ok: false, failure: CANCELLED });
      lastId += 1;
      const id = lastId;
      send({ kind: 'request', id, method, params, ...(library === undefined ? {} : { library }) });
      signal?.addEventListener('abort', () => send({ kind: 'cancel', id }));
      return new Promise((resolve, reject) => {
        pending.set(id, { resolve, reject });
      });
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    async close() {
      const closed = new Promise((resolve) => socket.once('close', resolve));
      socket.close();
      await closed;
    },
  };
}
