/**
 * The contract over WebSocket, one connection per page:
 *
 *   upgrade (Host, Origin) ──► first frame: text {"token": "…"} ──► binary frames (codec.ts)
 *
 * Everything before the token has a time and a size limit. A protocol violation ends the connection.
 * Closing a connection cancels its requests.
 */
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type RawData, type WebSocket, WebSocketServer } from 'ws';
import { decodeFrame, encodeFrame, type Utf8 } from '../../shared/api/codec.ts';
import {
  CLIENT_MESSAGE,
  type ClientMessage,
  type ClientRequest,
  type HostMessage,
} from '../../shared/api/transport.ts';
import { openConnection } from '../host/connection.ts';
import type { LibraryManager } from '../host/host.ts';
import { printProblem } from '../host/printProblem.ts';
import { isSameToken, mayConnect, REFUSAL } from './access.ts';

/** Limits requests, which only contain parameters. Responses may be larger. */
export const MAX_FRAME_BYTES = 8 * 1024 * 1024;
const MAX_TOKEN_FRAME_BYTES = 512;
const TOKEN_WITHIN_MS = 5_000;
/** Connections that have not sent the token yet, each with at most one frame. Beyond that the oldest is closed. */
const MAX_WAITING = 32;
/** A client that stops reading is disconnected before its responses fill the memory. It may reconnect. */
const MAX_UNSENT_BYTES = 512 * 1024 * 1024;
/** WebSocket close code "policy violation". */
const REFUSED = 1008;

const utf8: Utf8 = {
  encode: (text) => Buffer.from(text, 'utf8'),
  decode: (bytes) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8'),
};

function bytesOf(data: RawData): Buffer {
  if (Array.isArray(data)) return Buffer.concat(data);
  return Buffer.isBuffer(data) ? data : Buffer.from(data);
}

function tokenIn(data: RawData, isBinary: boolean): unknown {
  const bytes = bytesOf(data);
  if (isBinary || bytes.byteLength > MAX_TOKEN_FRAME_BYTES) return undefined;
  try {
    const message: unknown = JSON.parse(bytes.toString('utf8'));
    return (message as { token?: unknown } | null)?.token;
  } catch {
    return undefined; // not JSON, hence no token
  }
}

/** Returns undefined for invalid messages. `dispatch` parses `params`. */
function clientMessage(data: RawData): ClientMessage | undefined {
  let message: unknown;
  try {
    message = decodeFrame(bytesOf(data), utf8);
  } catch {
    return undefined; // not a frame of the codec; the caller ends the connection
  }
  return CLIENT_MESSAGE.safeParse(message).data;
}

export interface SocketServer {
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  close(): void;
}

export function serveSocket(
  host: Pick<LibraryManager, 'dispatch' | 'subscribe'>,
  token: string,
  onToken: (connection: Duplex) => void,
): SocketServer {
  const server = new WebSocketServer({
    noServer: true,
    maxPayload: MAX_FRAME_BYTES,
    perMessageDeflate: false, // costs more than it gains on loopback; `ssh -C` compresses a tunnel
    clientTracking: true,
  });
  const waiting = new Set<WebSocket>();

  function serveClient(socket: WebSocket): void {
    const connection = openConnection(host);

    function send(message: HostMessage): void {
      if (socket.readyState !== socket.OPEN) return;
      if (socket.bufferedAmount > MAX_UNSENT_BYTES) socket.terminate();
      else socket.send(encodeFrame(message, utf8));
    }

    async function respond(request: ClientRequest): Promise<void> {
      const { id, method } = request;
      const result = await connection.request(request);
      try {
        send({ kind: 'response', id, result });
      } catch (error) {
        // The handler returned a value that the wire cannot encode, which is a bug. The page still needs an
        // answer.
        printProblem(`${method}: ${String(error)}`);
        const failure = { code: 'internal', message: `${method}: ${String(error)}` } as const;
        send({ kind: 'response', id, result: { ok: false, failure } });
      }
    }

    const unsubscribe = host.subscribe((event) => send({ kind: 'event', event }));
    socket.on('message', (data, isBinary) => {
      const message = isBinary ? clientMessage(data) : undefined;
      if (message === undefined) socket.close(REFUSED, REFUSAL.trim());
      else if (message.kind === 'cancel') connection.cancel(message.id);
      else void respond(message);
    });
    socket.once('close', () => {
      unsubscribe();
      connection.cancelAll();
    });
  }

  server.on('connection', (socket, { socket: connection }) => {
    waiting.add(socket);
    // Close the oldest, so that other users of this machine cannot lock the user out by holding connections.
    const [oldest] = waiting;
    if (waiting.size > MAX_WAITING) oldest?.terminate();
    const timer = setTimeout(() => socket.close(REFUSED, REFUSAL.trim()), TOKEN_WITHIN_MS);
    const settle = (): void => {
      waiting.delete(socket);
      clearTimeout(timer);
    };
    socket.once('close', settle);
    // `ws` closes the socket itself after a protocol error; without a listener it would throw.
    socket.on('error', () => socket.terminate());
    socket.once('message', (data, isBinary) => {
      settle();
      if (isSameToken(token, tokenIn(data, isBinary))) {
        onToken(connection);
        serveClient(socket);
      } else socket.close(REFUSED, REFUSAL.trim());
    });
  });

  return {
    upgrade(request, socket, head) {
      if (request.url !== '/socket' || !mayConnect(request.headers)) {
        socket.end(
          `HTTP/1.1 403 Forbidden\r\nConnection: close\r\nContent-Length: ${REFUSAL.length}\r\n\r\n${REFUSAL}`,
          // No limit of the HTTP server covers an upgraded socket, and the client may never close its side.
          () => socket.destroy(),
        );
        return;
      }
      server.handleUpgrade(request, socket, head, (webSocket) =>
        server.emit('connection', webSocket, request),
      );
    },
    close() {
      for (const client of server.clients) client.close(1001, 'the host is closing');
      server.close();
    },
  };
}
