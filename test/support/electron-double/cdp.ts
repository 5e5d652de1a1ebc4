/** The Chrome DevTools Protocol over one WebSocket with flattened sessions. Only the used parts are typed. */
import { WebSocket } from 'ws';

export interface CdpEvent {
  readonly method: string;
  readonly params: Record<string, unknown>;
  readonly sessionId?: string;
}

/**
 * Shorter than the limit of a test, so that its failure names the call. Counted in ticks of this process,
 * because a machine that stood still would let one long timer end before the answer that has arrived is read.
 */
const NO_ANSWER_AFTER_TICKS = 45;
const TICK_MS = 1000;

interface Pending {
  readonly method: string;
  readonly timer: NodeJS.Timeout;
  resolve(value: unknown): void;
  reject(error: Error): void;
}

export class Cdp {
  private readonly socket: WebSocket;
  private readonly pending = new Map<number, Pending>();
  private readonly listeners = new Set<(event: CdpEvent) => void>();
  private lastId = 0;

  private constructor(socket: WebSocket) {
    this.socket = socket;
    socket.on('message', (data) => this.receive(String(data)));
    socket.on('close', () => {
      for (const id of [...this.pending.keys()]) {
        const pending = this.settled(id);
        pending?.reject(new Error(`${pending.method}: the browser is gone`));
      }
    });
  }

  static async connect(url: string): Promise<Cdp> {
    const socket = new WebSocket(url, { perMessageDeflate: false, maxPayload: 0 });
    await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
    return new Cdp(socket);
  }

  send<T = unknown>(method: string, params: object = {}, sessionId?: string): Promise<T> {
    this.lastId += 1;
    const id = this.lastId;
    return new Promise<T>((resolve, reject) => {
      let ticks = 0;
      const timer = setInterval(() => {
        ticks += 1;
        if (ticks < NO_ANSWER_AFTER_TICKS) return;
        this.settled(id);
        reject(new Error(`${method}: no answer`));
      }, TICK_MS).unref();
      // The protocol's responses are trusted as documented, because this is a test's own browser.
      this.pending.set(id, { method, timer, resolve: (value) => resolve(value as T), reject });
      this.socket.send(JSON.stringify({ id, method, params, sessionId }));
    });
  }

  on(listener: (event: CdpEvent) => void): void {
    this.listeners.add(listener);
  }

  close(): void {
    this.socket.close();
  }

  private settled(id: number): Pending | undefined {
    const pending = this.pending.get(id);
    clearInterval(pending?.timer);
    this.pending.delete(id);
    return pending;
  }

  private receive(text: string): void {
    const message = JSON.parse(text) as {
      id?: number;
      result?: unknown;
      error?: { message: string };
    } & Partial<CdpEvent>;
    if (message.id === undefined) {
      for (const listener of this.listeners) listener(message as CdpEvent);
      return;
    }
    const pending = this.settled(message.id);
    if (message.error === undefined) pending?.resolve(message.result);
    else pending?.reject(new Error(`${pending.method}: ${message.error.message}`));
  }
}
