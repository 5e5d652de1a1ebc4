/** Measures the resources of a page and its host after garbage collection. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import type { CDPSession, Page } from 'playwright-core';
import { WebSocket } from 'ws';

const COLLECTIONS = 6;

export interface Resources {
  /** Without compiled code, which V8 keeps adding for a quarter of an hour. */
  readonly 'page: heap, MB': number;
  readonly 'page: DOM nodes': number;
  readonly 'page: event listeners': number;
  readonly 'page: monaco models': number;
  /** The sum over all threads of the host. */
  readonly 'host: JS heap, MB': number;
  readonly 'host: file handles': number;
  readonly 'host: threads': number;
  readonly 'host: child processes': number;
  readonly 'library: write-ahead log, MB': number;
}

export interface Measured {
  readonly page: Page;
  readonly hostPid: number;
  /** Port of the host's inspector. */
  readonly inspectorPort: number;
  readonly libraryPath: string;
}

export async function measureResources(of: Measured): Promise<Resources> {
  const { page, hostPid, inspectorPort, libraryPath } = of;
  const session = await page.context().newCDPSession(page);
  try {
    const facts = await pageFacts(session);
    return {
      'page: heap, MB': (await pageHeapBytes(session)) / 1e6,
      'page: DOM nodes': facts.nodes,
      'page: event listeners': facts.listeners,
      'page: monaco models': await monacoModels(page),
      'host: JS heap, MB': (await hostHeapBytes(inspectorPort)) / 1e6,
      'host: file handles': readdirSync(`/proc/${hostPid}/fd`).length,
      'host: threads': readdirSync(`/proc/${hostPid}/task`).length,
      'host: child processes': childrenOf(hostPid).length,
      'library: write-ahead log, MB':
        (statSync(`${libraryPath}-wal`, { throwIfNoEntry: false })?.size ?? 0) / 1e6,
    };
  } finally {
    await session.detach();
  }
}

/** Returns the smallest of several counts, because a closed view is freed only by one of the next collections. */
async function pageFacts(session: CDPSession): Promise<{ nodes: number; listeners: number }> {
  await session.send('Performance.enable');
  let [nodes, listeners] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let round = 0; round < COLLECTIONS; round++) {
    await session.send('HeapProfiler.collectGarbage');
    const expression = 'new Promise((resolve) => setTimeout(resolve, 500))';
    await session.send('Runtime.evaluate', { expression, awaitPromise: true });
    const { metrics } = await session.send('Performance.getMetrics');
    const value = (of: string): number => metrics.find(({ name }) => name === of)?.value ?? Number.NaN;
    nodes = Math.min(nodes, value('Nodes'));
    listeners = Math.min(listeners, value('JSEventListeners'));
  }
  return { nodes, listeners };
}

interface HeapSnapshot {
  readonly snapshot: {
    readonly meta: {
      readonly node_fields: readonly string[];
      readonly node_types: readonly (readonly string[])[];
    };
  };
  /** A row of `node_fields` for each object. */
  readonly nodes: readonly number[];
}

/** @returns bytes of a heap snapshot, without compiled code */
async function pageHeapBytes(session: CDPSession): Promise<number> {
  const chunks: string[] = [];
  session.on('HeapProfiler.addHeapSnapshotChunk', ({ chunk }) => void chunks.push(chunk));
  await session.send('HeapProfiler.takeHeapSnapshot', { reportProgress: false });
  const { snapshot, nodes } = JSON.parse(chunks.join('')) as HeapSnapshot;
  const fields = snapshot.meta.node_fields;
  const [type, size] = [fields.indexOf('type'), fields.indexOf('self_size')];
  const code = snapshot.meta.node_types[type]?.indexOf('code');
  let bytes = 0;
  for (let at = 0; at < nodes.length; at += fields.length)
    if (nodes[at + type] !== code) bytes += nodes[at + size] ?? 0;
  return bytes;
}

/** Number of Monaco's models. Imports its module again, because Monaco is no global. */
function monacoModels(page: Page): Promise<number> {
  return page.evaluate(async () => {
    const resources = performance.getEntriesByType('resource').map(({ name }) => name);
    const address = resources.find((name) => /\/monaco-[^/]+\.js$/.test(name));
    if (address === undefined) return 0;
    // Searches all exports, because the bundler renames them.
    for (const exported of Object.values((await import(address)) as Record<string, unknown>)) {
      const { getModels } = Object(exported) as { getModels?(): readonly unknown[] };
      if (getModels !== undefined) return getModels().length;
    }
    throw new Error(`${address} does not export monaco`);
  });
}

export function childrenOf(pid: number): readonly number[] {
  return readdirSync(`/proc/${pid}/task`).flatMap((task) =>
    readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
  );
}

/** Collects the garbage of every thread of the host. @returns bytes in use in all their heaps */
async function hostHeapBytes(port: number): Promise<number> {
  const [target] = (await (await fetch(`http://127.0.0.1:${port}/json/list`)).json()) as {
    webSocketDebuggerUrl: string;
  }[];
  if (target === undefined) throw new Error('the host has no inspector');
  const inspector = await Inspector.connect(target.webSocketDebuggerUrl);
  try {
    const workers = await inspector.workers();
    let bytes = 0;
    for (const worker of [undefined, ...workers]) {
      for (let round = 0; round < 2; round++) await inspector.send('HeapProfiler.collectGarbage', {}, worker);
      const { usedSize } = (await inspector.send('Runtime.getHeapUsage', {}, worker)) as { usedSize: number };
      bytes += usedSize;
    }
    await inspector.send('NodeWorker.disable', {});
    return bytes;
  } finally {
    inspector.close();
  }
}

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: { readonly sessionId: string; readonly message: string };
  readonly result?: unknown;
  readonly error?: { readonly message: string };
}

/** A client of Node's inspector, for the main thread and its workers. */
class Inspector {
  private readonly socket: WebSocket;
  private readonly pending = new Map<number, PromiseWithResolvers<unknown>>();
  private readonly sessions: string[] = [];
  private lastId = 0;

  private constructor(socket: WebSocket) {
    this.socket = socket;
    socket.on('message', (data) => this.receive(JSON.parse(String(data)) as Message));
  }

  static async connect(url: string): Promise<Inspector> {
    const socket = new WebSocket(url);
    await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
    return new Inspector(socket);
  }

  /** @returns the session of each running worker */
  async workers(): Promise<readonly string[]> {
    await this.send('NodeWorker.enable', { waitForDebuggerOnStart: false });
    return this.sessions;
  }

  send(method: string, params: object, worker?: string): Promise<unknown> {
    const id = ++this.lastId;
    const answer = Promise.withResolvers<unknown>();
    this.pending.set(id, answer);
    const message = JSON.stringify({ id, method, params });
    if (worker === undefined) this.socket.send(message);
    else void this.send('NodeWorker.sendMessageToWorker', { sessionId: worker, message });
    return answer.promise;
  }

  close(): void {
    this.socket.close();
  }

  private receive({ id, method, params, result, error }: Message): void {
    if (method === 'NodeWorker.attachedToWorker' && params !== undefined)
      this.sessions.push(params.sessionId);
    if (method === 'NodeWorker.receivedMessageFromWorker' && params !== undefined)
      this.receive(JSON.parse(params.message) as Message);
    if (id === undefined) return;
    const answer = this.pending.get(id);
    this.pending.delete(id);
    if (error === undefined) answer?.resolve(result);
    else answer?.reject(new Error(error.message));
  }
}
