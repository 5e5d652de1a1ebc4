/**
 * A host with simple methods: `echo` returns its params, `hang` ends only when cancelled, `fail` fails.
 * Shells must transport all three without interpreting them.
 */

import type { LibraryManager } from '../../../electron/host/host.ts';
import type { HostEvent } from '../../../shared/api/contract.ts';
import { CANCELLED } from '../../../shared/api/transport.ts';

export interface FakeHost extends LibraryManager {
  emit(event: HostEvent): void;
  /** Methods cancelled by their client, in order. */
  readonly cancelled: readonly string[];
  /** Methods that reached the host, in order. */
  readonly received: readonly string[];
  readonly granted: readonly string[];
  /** Uploaded files, in order. `bytes` is -1 if the page cancelled the upload. */
  readonly uploaded: readonly { readonly name: string; readonly bytes: number; readonly library?: string }[];
  /** Exports that wait for a page, by id. */
  readonly downloads: Map<string, { readonly name: string; readonly text: string }>;
  /** Names of downloads whose file was deleted, in order. */
  readonly removed: readonly string[];
  readonly listeners: number;
  readonly isClosed: boolean;
}

export function createFakeHost(): FakeHost {
  const listeners = new Set<(event: HostEvent) => void>();
  const cancelled: string[] = [];
  const received: string[] = [];
  const granted: string[] = [];
  const downloads = new Map<string, { name: string; text: string }>();
  const removed: string[] = [];
  const uploaded: { name: string; bytes: number; library?: string }[] = [];
  let isClosed = false;
  return {
    cancelled,
    received,
    granted,
    uploaded,
    downloads,
    removed,
    get listeners() {
      return listeners.size;
    },
    get isClosed() {
      return isClosed;
    },
    emit(event) {
      for (const listener of listeners) listener(event);
    },
    async dispatch(method, params, signal) {
      received.push(method);
      if (method === 'echo') return { ok: true, value: params };
      if (method.startsWith('unsendable')) return { ok: true, value: new Map() };
      if (method === 'hang') {
        return new Promise((resolve) => {
          signal?.addEventListener('abort', () => {
            cancelled.push(method);
            resolve({ ok: false, failure: CANCELLED });
          });
        });
      }
      return { ok: false, failure: { code: 'unknown_method', message: `there is no method ${method}` } };
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    async upload({ name, content }, library) {
      let bytes = 0;
      try {
        for await (const chunk of content) bytes += chunk.byteLength;
      } catch {
        bytes = -1;
      }
      uploaded.push({ name, bytes, ...(library === undefined ? {} : { library }) });
      if (bytes < 0) return { ok: false, failure: CANCELLED };
      return { ok: true, value: { path: `/uploads/${name}`, folder: 'uploads' } };
    },
    async download(id, library) {
      const waiting = downloads.get(id);
      downloads.delete(id);
      if (waiting === undefined || library === 'other')
        return { ok: false, failure: { code: 'not_found', message: 'there is no such download' } };
      const { name, text } = waiting;
      async function* content() {
        yield Buffer.from(text);
      }
      return {
        ok: true,
        value: {
          ...{ name, contentType: 'text/html; charset=utf-8', bytes: Buffer.byteLength(text) },
          content: content(),
          remove: () => void removed.push(name),
        },
      };
    },
    async openWarehouse() {
      return { ok: false, failure: { code: 'refused', message: 'no warehouse answers here' } };
    },
    async grant(path) {
      granted.push(path);
    },
    async close() {
      isClosed = true;
    },
  };
}
