/** Which wire this window has, and how it is doing. Nothing above `data/` can tell the wires apart. */
import { createClient } from '../../shared/api/client.ts';
import type { Client } from '../../shared/api/transport.ts';
import { takeAccessToken } from './accessToken.ts';
import { createDesktopTransport } from './desktopTransport.ts';
import { ApiError, CLOSED } from './failures.ts';
import { createWebSocketTransport } from './webSocketTransport.ts';

/** `unreachable`: never connected in this sitting. `lost`: was connected. `refused`, `no-token`: no retry can help. */
export type ConnectionStatus = 'connecting' | 'open' | 'lost' | 'unreachable' | 'refused' | 'no-token';

export interface Connection {
  readonly client: Client;
  status(): ConnectionStatus;
  onStatus(listener: () => void): () => void;
  /** Desktop only: the path of a dropped file. A browser cannot know it. */
  readonly pathOf?: (file: File) => string;
  readonly retryNow?: () => void;
}

export async function openConnection(): Promise<Connection> {
  const bridge = window.turnwise;
  if (bridge !== undefined) {
    return {
      client: createClient(createDesktopTransport(bridge)),
      status: () => 'open',
      onStatus: () => () => undefined,
      pathOf: (file) => bridge.pathOf(file),
    };
  }

  const token = await takeAccessToken();
  if (token === undefined) {
    return {
      client: { request: () => Promise.reject(new ApiError(CLOSED)), subscribe: () => () => undefined },
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
    client: createClient(transport),
    status: () => status,
    onStatus(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    retryNow: () => transport.retryNow(),
  };
}
