/**
 * The two halves of Electron's page side, run inside Chromium:
 *
 *   isolated world   the bundled preload with its own `require('electron')`
 *        ▲ CustomEvents: `detail` is structured-cloned between worlds, synchronously;
 *        │ functions and promises cross as numbers and are called back
 *   main world       the page, with what `contextBridge` exposed
 *
 * Both functions are injected as source, so they use nothing from outside.
 */
import type { Wire } from './wire.ts';

/** Calls the host side, by a CDP binding that only the isolated world has. */
type Send = (text: string) => void;

interface IsolatedGlobals {
  /** Node sends its messages through this function. */
  doubleReceive(text: string): void;
  /** Paths of dropped files by name, which the operating system would know. */
  doubleFiles: Record<string, string>;
}

export function mainWorld(eventName: string): void {
  type Message = Record<string, unknown> & { to: string; kind: string };
  const callbacks: ((...args: unknown[]) => unknown)[] = [];
  const promises = new Map<number, { resolve(value: unknown): void; reject(error: unknown): void }>();
  let reply: Message | undefined;

  const post = (message: Omit<Message, 'to'>): void => {
    window.dispatchEvent(new CustomEvent(eventName, { detail: { ...message, to: 'isolated' } }));
  };

  function decode(value: unknown): unknown {
    if (typeof value !== 'object' || value === null || !('$bridge' in value)) return value;
    const { $bridge, id } = value as { $bridge: string; id: number };
    if ($bridge === 'promise') {
      return new Promise((resolve, reject) => {
        promises.set(id, { resolve, reject });
        post({ kind: 'await', id });
      });
    }
    return (...args: unknown[]) => {
      const encoded = args.map((arg) => {
        if (typeof arg !== 'function') return arg;
        callbacks.push(arg as (...inner: unknown[]) => unknown);
        return { $bridge: 'function', id: callbacks.length - 1 };
      });
      reply = undefined;
      // A value that cannot be cloned throws here, as it does in Electron.
      post({ kind: 'call', id, args: encoded });
      const answer = reply as Message | undefined;
      if (answer === undefined) throw new Error('the isolated world did not answer');
      if (answer.error !== undefined) throw new Error(String(answer.error));
      return decode(answer.value);
    };
  }

  window.addEventListener(eventName, (event) => {
    const message = (event as CustomEvent<Message>).detail;
    if (message.to !== 'main') return;
    event.stopImmediatePropagation();
    if (message.kind === 'expose') {
      const api = message.api as Record<string, unknown>;
      const decoded = Object.fromEntries(Object.entries(api).map(([key, value]) => [key, decode(value)]));
      Object.defineProperty(window, String(message.name), {
        value: Object.freeze(decoded),
        enumerable: true,
      });
    } else if (message.kind === 'reply') reply = message;
    else if (message.kind === 'settled') {
      const promise = promises.get(message.id as number);
      promises.delete(message.id as number);
      if (message.error === undefined) promise?.resolve(message.value);
      else promise?.reject(new Error(String(message.error)));
    } else if (message.kind === 'callback') callbacks[message.id as number]?.(...(message.args as unknown[]));
  });
}

export function isolatedWorld(
  eventName: string,
  bindingName: string,
  wire: Wire,
  preload: (require: (name: string) => unknown) => void,
): void {
  // Preloads run in the top frame only, unless nodeIntegrationInSubFrames says otherwise.
  if (window.top !== window) return;
  type Message = Record<string, unknown> & { to: string; kind: string };
  const globals = globalThis as unknown as Record<string, unknown> & IsolatedGlobals;
  const send = globals[bindingName] as Send;
  const functions: ((...args: unknown[]) => unknown)[] = [];
  const promises: Promise<unknown>[] = [];
  const invokes = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>();
  const channels = new Map<string, Set<(...args: unknown[]) => void>>();
  let lastInvoke = 0;

  const post = (message: Omit<Message, 'to'>): void => {
    window.dispatchEvent(new CustomEvent(eventName, { detail: { ...message, to: 'main' } }));
  };
  function encode(value: unknown): unknown {
    if (typeof value === 'function')
      return { $bridge: 'function', id: functions.push(value as () => unknown) - 1 };
    if (value instanceof Promise) return { $bridge: 'promise', id: promises.push(value) - 1 };
    return value;
  }
  function decode(value: unknown): unknown {
    if (typeof value !== 'object' || value === null || !('$bridge' in value)) return value;
    const { id } = value as unknown as { id: number };
    return (...args: unknown[]) => post({ kind: 'callback', id, args });
  }

  window.addEventListener(eventName, (event) => {
    const message = (event as CustomEvent<Message>).detail;
    if (message.to !== 'isolated') return;
    event.stopImmediatePropagation();
    const id = message.id as number;
    if (message.kind === 'await') {
      promises[id]?.then(
        (value) => post({ kind: 'settled', id, value }),
        (error: unknown) => post({ kind: 'settled', id, error: String(error) }),
      );
      return;
    }
    if (message.kind !== 'call') return;
    try {
      const value = functions[id]?.(...(message.args as unknown[]).map(decode));
      post({ kind: 'reply', value: encode(value) });
    } catch (error) {
      post({ kind: 'reply', error: String(error) });
    }
  });

  globals.doubleFiles = {};
  globals.doubleReceive = (text) => {
    const message = wire.unpack(text) as {
      kind: string;
      id: number;
      channel: string;
      args: unknown[];
      value: unknown;
      error?: string;
    };
    if (message.kind === 'message') {
      const event = { sender: ipcRenderer, ports: [] };
      for (const listener of channels.get(message.channel) ?? []) listener(event, ...message.args);
      return;
    }
    const invoke = invokes.get(message.id);
    invokes.delete(message.id);
    if (message.error === undefined) invoke?.resolve(message.value);
    else invoke?.reject(new Error(message.error));
  };

  const ipcRenderer = {
    invoke(channel: string, ...args: unknown[]): Promise<unknown> {
      lastInvoke += 1;
      const id = lastInvoke;
      send(wire.pack({ kind: 'invoke', id, channel, args }));
      return new Promise((resolve, reject) => invokes.set(id, { resolve, reject }));
    },
    send: (channel: string, ...args: unknown[]): void => send(wire.pack({ kind: 'send', channel, args })),
    on(channel: string, listener: (...args: unknown[]) => void): void {
      channels.set(channel, (channels.get(channel) ?? new Set()).add(listener));
    },
    removeListener: (channel: string, listener: (...args: unknown[]) => void): void =>
      void channels.get(channel)?.delete(listener),
  };
  const contextBridge = {
    exposeInMainWorld(name: string, api: Record<string, unknown>): void {
      const encoded = Object.fromEntries(Object.entries(api).map(([key, value]) => [key, encode(value)]));
      post({ kind: 'expose', name, api: encoded });
    },
  };
  const webUtils = {
    // A file made by a script has no path. A dropped one has the path the test set.
    getPathForFile: (file: File): string => globals.doubleFiles[file.name] ?? '',
  };
  const modules: Record<string, unknown> = { electron: { ipcRenderer, contextBridge, webUtils } };
  preload((name) => {
    if (!(name in modules)) throw new Error(`module not found: ${name}`);
    return modules[name];
  });
}
