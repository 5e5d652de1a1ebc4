/** The transport of this window, its token and its status. No code outside `data/` depends on the kind of transport. */
import { createClient } from '../../shared/api/client.ts';
import { HOME_LIBRARY, type HostEvent } from '../../shared/api/contract.ts';
import type { Result } from '../../shared/api/errors.ts';
import { CANCELLED, type Client, type Transport } from '../../shared/api/transport.ts';
import type { UploadedFile } from '../../shared/api/upload.ts';
import { type DownloadOptions, downloadFile } from './downloadFile.ts';
import { ApiError, CLOSED } from './failures.ts';
import { type UploadOptions, uploadFile } from './uploadFile.ts';
import { createWebSocketTransport } from './webSocketTransport.ts';

/**
 * `unreachable`: never connected in this session. `lost`: was connected. `refused`, `no-token`: a retry cannot help.
 */
export type ConnectionStatus = 'connecting' | 'open' | 'lost' | 'unreachable' | 'refused' | 'no-token';

export interface Connection {
  /** For the library that Turnwise was started with. */
  readonly client: Client;
  /** Whether this page load starts a session, rather than reloads a page or opens a link. */
  readonly isStart: boolean;
  /** Returns the same client for the same library. */
  clientOf(library: string): Client;
  status(): ConnectionStatus;
  onStatus(listener: () => void): () => void;
  /** Desktop only: the path of a dropped file. A browser cannot know it. */
  readonly pathOf?: (file: File) => string;
  /** Browser only: sends a file to the host's machine. @throws ApiError */
  readonly upload?: (file: File, options: UploadOptions) => Promise<UploadedFile>;
  /**
   * Browser only: downloads the file of an export with `isDownload`.
   * @throws ApiError
   */
  readonly download?: (id: string, options: DownloadOptions) => Promise<Blob>;
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
      isStart: isFirstLoad(),
      status: () => 'open',
      onStatus: () => () => undefined,
      pathOf: (file) => bridge.pathOf(file),
    };
  }

  const { token, isStart } = await takeAccessToken();
  if (token === undefined) {
    const client: Client = {
      request: () => Promise.reject(new ApiError(CLOSED)),
      subscribe: () => () => undefined,
    };
    return {
      client,
      isStart: false,
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
    isStart,
    status: () => status,
    onStatus(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    upload: (file, options) => uploadFile(token, file, options),
    download: (id, options) => downloadFile(token, id, options),
    retryNow: () => transport.retryNow(),
  };
}

const BEGUN = 'turnwise.begun';

/** Whether this window has not loaded a page before. */
function isFirstLoad(): boolean {
  const isFirst = sessionStorage.getItem(BEGUN) === null;
  sessionStorage.setItem(BEGUN, 'yes');
  return isFirst;
}

/** Electron's IPC: structured clone carries typed arrays, so there is nothing to encode. */
function createDesktopTransport(bridge: DesktopBridge): Transport {
  let lastId = 0;
  return {
    async send(method, params, signal, library) {
      if (signal?.aborted) return { ok: false, failure: CANCELLED };
      lastId += 1;
      const id = lastId;
      const cancel = () => bridge.cancel(id);
      signal?.addEventListener('abort', cancel);
      try {
        return await bridge.request(id, method, params, library);
      } catch (cause) {
        // Expected failures are returned as values. A rejection means that the main process is gone.
        throw new ApiError({ ...CLOSED, message: `${CLOSED.message} (${String(cause)})` });
      } finally {
        signal?.removeEventListener('abort', cancel);
      }
    },
    subscribe: (listener) => bridge.subscribe(listener),
  };
}

interface DesktopBridge {
  request(id: number, method: string, params: unknown, library?: string): Promise<Result<unknown>>;
  cancel(id: number): void;
  subscribe(listener: (event: HostEvent) => void): () => void;
  /** The path of a dropped file. The host also grants access to it. */
  pathOf(file: File): string;
}

declare global {
  interface Window {
    readonly turnwise?: DesktopBridge;
  }
}

/**
 * The token of a browser start arrives in the URL fragment (`#token=…`), which is never sent
 * and never logged. It moves to sessionStorage, not to a cookie: cookies ignore the port, so
 * two forwarded machines on one host name would share one.
 */
const KEY = 'turnwise.token';

interface TokenUrl {
  readonly token: string | undefined;
  /** The same URL without the fragment. Path and query are kept. */
  readonly cleanUrl: string;
}

export function readTokenUrl(url: URL): TokenUrl {
  const token = new URLSearchParams(url.hash.replace(/^#/, '')).get('token') ?? undefined;
  return { token: token === '' ? undefined : token, cleanUrl: url.pathname + url.search };
}

interface TakenToken {
  readonly token: string | undefined;
  /** Only the URL that was printed at startup contains the token. */
  readonly isStart: boolean;
}

async function takeAccessToken(): Promise<TakenToken> {
  // A new URL in the tab of an old start changes the fragment only, for which a browser loads nothing.
  window.addEventListener('hashchange', () => {
    if (readTokenUrl(new URL(window.location.href)).token !== undefined) window.location.reload();
  });
  const { token: given, cleanUrl } = readTokenUrl(new URL(window.location.href));
  const isStart = given !== undefined;
  const token = given ?? sessionStorage.getItem(KEY) ?? (await askOtherTabs());
  if (token === undefined) return { token, isStart };
  sessionStorage.setItem(KEY, token);
  if (isStart) window.history.replaceState(null, '', cleanUrl);
  answerOtherTabs(token);
  return { token, isStart };
}

/**
 * A link opened in a new tab starts without sessionStorage. It asks the tabs that are open: only pages of this origin,
 * port included, can receive or send messages, and nothing is written to disk.
 */
const CHANNEL = 'turnwise.token';
const QUESTION = 'which token?';
const ANSWER_MS = 250;

function askOtherTabs(): Promise<string | undefined> {
  const channel = new BroadcastChannel(CHANNEL);
  return new Promise<string | undefined>((resolve) => {
    const settle = (token: string | undefined) => {
      clearTimeout(timer);
      channel.close();
      resolve(token);
    };
    const timer = setTimeout(() => settle(undefined), ANSWER_MS);
    channel.onmessage = ({ data }: MessageEvent<unknown>) => {
      if (typeof data === 'object' && data !== null && 'token' in data && typeof data.token === 'string')
        settle(data.token);
    };
    channel.postMessage(QUESTION);
  });
}

function answerOtherTabs(token: string): void {
  const channel = new BroadcastChannel(CHANNEL);
  channel.onmessage = ({ data }: MessageEvent<unknown>) => {
    if (data === QUESTION) channel.postMessage({ token });
  };
}
