/**
 * A WebContents whose page is a real Chromium page:
 *
 *   app://bundle/…  ⇄  http://bundle.app.localhost/…   Fetch.enable; the app's protocol handler answers
 *   ipcRenderer     ⇄  CDP binding in the isolated world; structuredClone on the way, as in Electron
 *   senderFrame     ←  the execution context the message came from, never its payload
 */
import { randomBytes } from 'node:crypto';
import { EventEmitter } from 'node:events';
import { readFileSync } from 'node:fs';
import type { WebPreferences } from 'electron';
import type { Cdp, CdpEvent } from './cdp.ts';
import { protocol, type SessionProtocol } from './protocol.ts';
import { createWire } from './wire.ts';
import { isolatedWorld, mainWorld } from './worlds.ts';

const WORLD = 'Electron Isolated Context';
const BINDING = 'doubleSend';
const HOSTED = 'http://bundle.app.localhost';
const CUSTOM = 'app://bundle';

/** Chromium rejects unknown schemes, so inside it `app:` is a secure origin of its own. */
const toChromium = (url: string): string =>
  url.startsWith(CUSTOM) ? HOSTED + url.slice(CUSTOM.length) : url;
export const toElectron = (url: string): string =>
  url === HOSTED || url.startsWith(`${HOSTED}/`) ? CUSTOM + url.slice(HOSTED.length) : url;

export interface Frame {
  readonly id: string;
  url: string;
  parent: Frame | null;
}

/** Receiver of messages from the page: `ipcMain` of the double. */
export interface IpcReceiver {
  invoke(event: object, channel: string, args: unknown[]): Promise<unknown>;
  send(event: object, channel: string, args: unknown[]): void;
}

export interface Size {
  readonly width: number;
  readonly height: number;
}

interface TargetInfo {
  readonly targetId: string;
  readonly type: string;
  readonly url: string;
  /** Absent: the application opened it. */
  readonly openerId?: string;
}

interface RequestPaused {
  readonly requestId: string;
  readonly request: {
    readonly url: string;
    readonly method: string;
    readonly headers: Record<string, string>;
    readonly postData?: string;
  };
  readonly resourceType: string;
  readonly frameId: string;
}

let lastId = 0;

export class DoubleContents extends EventEmitter {
  readonly id: number;
  /** Every request that tried to leave the application; all of them failed. */
  readonly outside: string[] = [];
  private readonly wire = createWire();
  private readonly frames = new Map<string, Frame>();
  private readonly contexts = new Map<number, { name: string; frameId: string }>();
  private readonly ready: Promise<void>;
  private windowOpenHandler: ((details: { url: string }) => { action: string }) | undefined;
  private targetId = '';
  private sessionId = '';
  private expectedLoad = '';
  private isGone = false;
  private connected: Cdp | undefined;
  private readonly ipc: IpcReceiver;
  private readonly protocol: Pick<SessionProtocol, 'handlerOf'>;

  constructor(cdp: Promise<Cdp>, preferences: WebPreferences, size: Size, ipc: IpcReceiver) {
    super();
    lastId += 1;
    this.id = lastId;
    this.ipc = ipc;
    const { session } = preferences as { readonly session?: { readonly protocol: SessionProtocol } };
    this.protocol = session?.protocol ?? protocol;
    this.ready = cdp.then((connected) => {
      this.connected = connected;
      return this.attach(preferences, size);
    });
    this.ready.catch((error: unknown) => console.error('double: no page:', error));
  }

  get mainFrame(): Frame | undefined {
    return [...this.frames.values()].find((frame) => frame.parent === null);
  }

  get devToolsTargetId(): string {
    return this.targetId;
  }

  setWebRTCIPHandlingPolicy(): void {
    // Empty, because all tests share one browser. `Connection-Allowlist` applies to the double, too.
  }

  getURL(): string {
    return this.mainFrame?.url ?? '';
  }

  isDestroyed(): boolean {
    return this.isGone;
  }

  setWindowOpenHandler(handler: (details: { url: string }) => { action: string }): void {
    this.windowOpenHandler = handler;
  }

  async loadURL(url: string): Promise<void> {
    await this.ready;
    this.expectedLoad = toChromium(url);
    const loaded = new Promise<void>((resolve, reject) => {
      this.once('did-finish-load', resolve);
      this.once('destroyed', () => reject(new Error(`ERR_FAILED (-2) loading '${url}'`)));
    });
    loaded.catch(() => undefined);
    const { errorText } = await this.call<{ errorText?: string }>('Page.navigate', {
      url: this.expectedLoad,
    });
    if (errorText !== undefined) {
      const code = errorText.replace('net::', '');
      throw Object.assign(new Error(`${code} loading '${url}'`), { code });
    }
    await loaded;
  }

  reload(): void {
    this.expectedLoad = toChromium(this.getURL());
    void this.call('Page.reload');
  }

  send(channel: string, ...args: unknown[]): void {
    // Clones now, because later changes by the caller must not be visible.
    const text = this.wire.pack({ kind: 'message', channel, args: structuredClone(args) });
    void this.ready.then(() => this.deliver(text, this.isolatedContext()));
  }

  close(): void {
    void this.ready
      .then(() => this.cdp.send('Target.closeTarget', { targetId: this.targetId }))
      .catch(() => undefined);
  }

  /** Not in Electron: sets the paths of dropped files with these names. */
  async placeFiles(paths: Record<string, string>): Promise<void> {
    const expression = `Object.assign(doubleFiles, ${JSON.stringify(paths)}), undefined`;
    await this.call('Runtime.evaluate', { expression, contextId: this.isolatedContext() });
  }

  private get cdp(): Cdp {
    if (this.connected === undefined) throw new Error('the page is not there yet');
    return this.connected;
  }

  private call<T = unknown>(method: string, params: object = {}): Promise<T> {
    return this.cdp.send<T>(method, params, this.sessionId);
  }

  private async attach(preferences: WebPreferences, size: Size): Promise<void> {
    const { targetId } = await this.cdp.send<{ targetId: string }>('Target.createTarget', {
      url: 'about:blank',
      newWindow: true,
      width: size.width,
      height: size.height,
    });
    this.targetId = targetId;
    const attached = { targetId, flatten: true };
    const { sessionId } = await this.cdp.send<{ sessionId: string }>('Target.attachToTarget', attached);
    this.sessionId = sessionId;
    this.cdp.on((event) => this.receive(event));
    await this.cdp.send('Target.setDiscoverTargets', { discover: true });
    await Promise.all([this.call('Page.enable'), this.call('Runtime.enable')]);
    const { frameTree } = await this.call<{ frameTree: { frame: { id: string; url: string } } }>(
      'Page.getFrameTree',
    );
    this.frames.set(frameTree.frame.id, { id: frameTree.frame.id, url: frameTree.frame.url, parent: null });

    const eventName = `double-${randomBytes(8).toString('hex')}`;
    const preload = preferences.preload === undefined ? '' : readFileSync(preferences.preload, 'utf8');
    await this.call('Page.addScriptToEvaluateOnNewDocument', {
      source: `(${mainWorld})(${JSON.stringify(eventName)})`,
    });
    await this.call('Runtime.addBinding', { name: BINDING, executionContextName: WORLD });
    await this.call('Page.addScriptToEvaluateOnNewDocument', {
      source:
        `(${isolatedWorld})(${JSON.stringify(eventName)}, ${JSON.stringify(BINDING)}, (${createWire})(),` +
        `(require) => { const module = { exports: {} }; ((exports, module) => {${preload}\n})(module.exports, module); })`,
      worldName: WORLD,
    });
    await this.call('Fetch.enable', { patterns: [{ urlPattern: '*' }] });
  }

  private isolatedContext(): number | undefined {
    const main = this.mainFrame?.id;
    for (const [id, context] of this.contexts)
      if (context.name === WORLD && context.frameId === main) return id;
    return undefined;
  }

  private async deliver(text: string, contextId: number | undefined): Promise<void> {
    if (contextId === undefined || this.isGone) return;
    const expression = `doubleReceive(${JSON.stringify(text)})`;
    // The page may have navigated meanwhile; then nobody waits.
    await this.call('Runtime.evaluate', { expression, contextId }).catch(() => undefined);
  }

  private receive({ method, params, sessionId }: CdpEvent): void {
    if (method === 'Target.targetDestroyed' && params.targetId === this.targetId) this.destroy();
    if (method === 'Target.targetCreated') this.popup(params.targetInfo as TargetInfo);
    if (sessionId !== this.sessionId) return;
    switch (method) {
      case 'Page.frameAttached': {
        const { frameId, parentFrameId } = params as { frameId: string; parentFrameId: string };
        this.frames.set(frameId, { id: frameId, url: '', parent: this.frames.get(parentFrameId) ?? null });
        break;
      }
      case 'Page.frameDetached':
        if (params.reason !== 'swap') this.frames.delete(params.frameId as string);
        break;
      case 'Page.frameNavigated':
        this.navigated(params.frame as { id: string; url: string; parentId?: string });
        break;
      case 'Page.navigatedWithinDocument': {
        const frame = this.frames.get(params.frameId as string);
        if (frame !== undefined) frame.url = toElectron(params.url as string);
        this.emit('did-navigate-in-page', {}, frame?.url);
        break;
      }
      case 'Page.loadEventFired':
        this.emit('did-finish-load');
        this.emit('ready-to-show');
        break;
      case 'Runtime.executionContextCreated': {
        const { id, name, auxData } = params.context as {
          id: number;
          name: string;
          auxData: { frameId: string };
        };
        this.contexts.set(id, { name, frameId: auxData.frameId });
        break;
      }
      case 'Runtime.executionContextDestroyed':
        this.contexts.delete(params.executionContextId as number);
        break;
      case 'Runtime.executionContextsCleared':
        this.contexts.clear();
        break;
      case 'Runtime.bindingCalled':
        if (params.name === BINDING)
          void this.called(params as { payload: string; executionContextId: number });
        break;
      case 'Fetch.requestPaused':
        void this.answer(params as unknown as RequestPaused).catch(() => undefined); // cancelled by the page
        break;
    }
  }

  private navigated(frame: { id: string; url: string; parentId?: string }): void {
    const parent = frame.parentId === undefined ? null : (this.frames.get(frame.parentId) ?? null);
    if (parent === null) this.frames.clear();
    this.frames.set(frame.id, { id: frame.id, url: toElectron(frame.url), parent });
    if (parent === null) this.emit('did-navigate', {}, toElectron(frame.url));
  }

  private async called({
    payload,
    executionContextId,
  }: {
    payload: string;
    executionContextId: number;
  }): Promise<void> {
    const context = this.contexts.get(executionContextId);
    if (context?.name !== WORLD) return;
    const message = this.wire.unpack(payload) as {
      kind: string;
      id: number;
      channel: string;
      args: unknown[];
    };
    const event = { sender: this, senderFrame: this.frames.get(context.frameId) ?? null };
    if (message.kind === 'send') return this.ipc.send(event, message.channel, message.args);
    let answer: object;
    try {
      const value = structuredClone(await this.ipc.invoke(event, message.channel, message.args));
      answer = { id: message.id, kind: 'result', value };
    } catch (error) {
      answer = {
        id: message.id,
        kind: 'result',
        error: `Error invoking remote method '${message.channel}': ${String(error)}`,
      };
    }
    await this.deliver(this.wire.pack(answer), executionContextId);
  }

  /** As in Electron: `preventDefault` in any of these listeners cancels the navigation. */
  private mayNavigate(url: string, isMainFrame: boolean): boolean {
    let isPrevented = false;
    const details = {
      url: toElectron(url),
      isMainFrame,
      isSameDocument: false,
      preventDefault: () => {
        isPrevented = true;
      },
    };
    if (isMainFrame) this.emit('will-navigate', details, details.url);
    this.emit('will-frame-navigate', details);
    return !isPrevented;
  }

  private async answer({ requestId, request, resourceType, frameId }: RequestPaused): Promise<void> {
    const { url, method, headers } = request;
    const fail = (errorReason: string): Promise<unknown> =>
      this.call('Fetch.failRequest', { requestId, errorReason });
    if (resourceType === 'Document') {
      const isMainFrame = this.frames.get(frameId)?.parent === null;
      const isOwn = isMainFrame && url.split('#')[0] === this.expectedLoad.split('#')[0];
      this.expectedLoad = '';
      if (!isOwn && !this.mayNavigate(url, isMainFrame)) return void (await fail('Aborted'));
    }
    const handler = this.protocol.handlerOf('app');
    if (!url.startsWith(`${HOSTED}/`) || handler === undefined) {
      this.outside.push(url);
      return void (await fail('AddressUnreachable'));
    }
    const { postData: body } = request;
    const response = await handler(
      new Request(toElectron(url), { method, headers, ...(body === undefined ? {} : { body }) }),
    );
    await this.call('Fetch.fulfillRequest', {
      requestId,
      responseCode: response.status,
      responseHeaders: [...response.headers].map(([name, value]) => ({ name, value })),
      body: Buffer.from(await response.arrayBuffer()).toString('base64'),
    });
  }

  private popup({ targetId, type, url, openerId }: TargetInfo): void {
    if (type !== 'page' || openerId !== this.targetId || this.isGone) return;
    const handler = this.windowOpenHandler;
    // Electron's default is to open it.
    if (handler === undefined || handler({ url: toElectron(url) }).action !== 'deny') return;
    void this.cdp.send('Target.closeTarget', { targetId }).catch(() => undefined);
  }

  private destroy(): void {
    if (this.isGone) return;
    this.isGone = true;
    this.emit('destroyed');
  }
}
