/**
 * Serves the host to a browser, on loopback only:
 *
 *   bundleServer    GET, the renderer's files, no token
 *   socketServer    /socket, the contract, token in the first frame
 *   uploadServer    POST /upload, a file, token in a header
 *   downloadServer  POST /download, an export, token in a header
 *   access          Host, Origin and token rules of all
 *
 * There is no option to listen elsewhere; use `ssh -L` from another machine.
 */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import type { LibraryManager } from '../host/host.ts';
import { createToken } from './access.ts';
import { serveBundle } from './bundleServer.ts';
import { isDownload, serveDownloads } from './downloadServer.ts';
import { serveSocket } from './socketServer.ts';
import { isUpload, serveUploads } from './uploadServer.ts';

export interface ServerOptions {
  readonly host: Pick<LibraryManager, 'dispatch' | 'subscribe' | 'upload' | 'download'>;
  /** The built renderer: the directory with `index.html`. */
  readonly rendererDirectory: string;
  /** 0 or absent: any free port. */
  readonly port?: number;
  /** Milliseconds after which a connection without a whole request is closed. */
  readonly idleMs?: number;
}

export interface LoopbackServer {
  /** Contains the token in its fragment, which browsers never send and servers never log. */
  readonly url: string;
  readonly port: number;
  readonly token: string;
  /** Closes every connection. The host stays open, because it belongs to the caller. */
  close(): Promise<void>;
}

/** Bytes of a request head. A page's address may contain the longest filter, of 20,000 characters. */
const LONGEST_HEAD = 256 * 1024;

/**
 * Limit of connections that have not sent the token. If there are more, the oldest is closed, so that other users of
 * this machine cannot lock the user out by holding connections.
 */
const MOST_STRANGERS = 200;
const IDLE_MS = 10_000;
const LONGEST_CHECK_MS = 1_000;

/** Both loopback addresses need the same port, and a port may be free on only one of them. */
const PORT_ATTEMPTS = 10;

function listen(server: Server, address: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host: address, port, exclusive: true }, () => {
      server.off('error', reject);
      resolve((server.address() as AddressInfo).port);
    });
  });
}

function closeListener(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code;
}

/** @throws an error with `code: 'EADDRINUSE'` when the port is in use on either address */
async function bindLoopback(
  createListener: () => Server,
  wanted: number,
): Promise<{ servers: Server[]; port: number }> {
  for (let attempt = 1; ; attempt += 1) {
    const v4 = createListener();
    const port = await listen(v4, '127.0.0.1', wanted);
    const v6 = createListener();
    try {
      await listen(v6, '::1', port);
      return { servers: [v4, v6], port };
    } catch (error) {
      const code = codeOf(error);
      if (code === 'EADDRNOTAVAIL' || code === 'EAFNOSUPPORT') return { servers: [v4], port }; // a machine without IPv6
      await closeListener(v4);
      if (wanted !== 0 || code !== 'EADDRINUSE' || attempt === PORT_ATTEMPTS) throw error;
    }
  }
}

export async function startServer(options: ServerOptions): Promise<LoopbackServer> {
  const token = createToken();
  const bundle = serveBundle(options.rendererDirectory);
  const strangers = new Set<Duplex>();
  const onToken = (connection: Duplex): void => void strangers.delete(connection);
  const socket = serveSocket(options.host, token, onToken);
  const uploads = serveUploads(options.host, token, onToken);
  const downloads = serveDownloads(options.host, token, onToken);
  const { idleMs = IDLE_MS } = options;

  function createListener(): Server {
    const server = createServer(
      {
        // Bodies have no time limit, because an upload may take long. `uploadServer` ends idle uploads.
        ...{ maxHeaderSize: LONGEST_HEAD, requestTimeout: 0, headersTimeout: idleMs },
        ...{ keepAliveTimeout: idleMs, connectionsCheckingInterval: Math.min(idleMs, LONGEST_CHECK_MS) },
      },
      (request, response) => {
        const serve = isUpload(request) ? uploads : isDownload(request) ? downloads : bundle;
        serve(request, response);
      },
    );
    server.on('connection', (connection) => {
      strangers.add(connection);
      connection.once('close', () => strangers.delete(connection));
      const [oldest] = strangers;
      if (strangers.size <= MOST_STRANGERS || oldest === undefined) return;
      strangers.delete(oldest);
      oldest.destroy();
    });
    server.on('upgrade', (request, connection, head) => {
      // A reset during the handshake is not our error.
      connection.on('error', () => connection.destroy());
      socket.upgrade(request, connection, head);
    });
    return server;
  }

  const { servers, port } = await bindLoopback(createListener, options.port ?? 0);
  return {
    url: `http://127.0.0.1:${port}/#token=${token}`,
    port,
    token,
    async close() {
      socket.close();
      await Promise.all(servers.map(closeListener));
    },
  };
}
