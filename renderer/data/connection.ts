/** Which wire this window has, and how it is doing. Nothing above `data/` can tell the wires apart. */
import { createClient } from '../../shared/api/client.ts';
import { HOME_LIBRARY } from '../../shared/api/contract.ts';
import type { Client, Transport } from '../../shared/api/transport.ts';
import { takeAccessToken } from './accessToken.ts';
import { createDesktopTransport } from './desktopTransport.ts';
import { ApiError, CLOSED } from './failures.ts';
import { createWebSocketTransport } from './webSocketTransport.ts';

/** `unreachable`: never connected in this sitting. `lost`: was connected. `refused`, `no-token`: no retry can help. */
export type ConnectionStatus = 'connecting' | 'open' | 'lost' | 'unreachable' | 'refused' | 'no-token';

export interface Connection {
  /** Of the library Turnwise was started with. */
  readonly client: Client;
  /** The same one for the same library. */
  clientOf(library: string): Client;
  status(): ConnectionStatus;
  onStatus(listener: () => void): () => void;
  /** Desktop only: the path of a dropped file. A browser cannot know it. */
  readonly pathOf?: (file: File) => string;
  readonly retryNow?: () => void;
}

function clientsOver(transport: Transport): Pick<Connection, 'client' | 'clientOf'> {
  const clients = new Map<string, Client>();
  const clientOf = (library: string): Client => {
    const known = clients.get(library);
    if (known !== undefined) return known;
    const client = createClient(transport, library);
    clients.set(library, client);
    return client;
  };
  return { client: clientOf(HOME_LIBRARY), clientOf };
}

export async function openConnection(): Promise<Connection> {
  const bridge = window.turnwise;
  if (bridge !== undefined) {
    const clients = clientsOver(createDesktopTransport(bridge));
    return {
      ...clients,
      status: () => 'open',
      onStatus: () => () => undefined,
      pathOf: (file) => bridge.pathOf(file),
    };
  }

  const token = await takeAccessToken();
  if (token === undefined) {
    const client: Client = {
      request: () => Promise.reject(new ApiError(CLOSED)),
      subscribe: () => () => undefined,
    };
    return {
      client,
      clientOf: () => client,
      status: () => 'no-token',
      onStatus: () => () => undefined,
    };
  }

  let status: ConnectionStatus = 'connecting';
  const listeners = new Set<() => void>();
  const url = new URL('/socket', window.location.href);
  url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
  const transport = createWebSocketTransport(url.href, token, (next) => {
    status = next;
    for (const listener of listeners) listener();
  });
  return {
    ...clientsOver(transport),
    status: () => status,
    onStatus(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    retryNow: () => transport.retryNow(),
  };
}
