/** The inspector as the host sees it: started when the first file is looked at. */
import { Worker } from 'node:worker_threads';
import type { FileInspection, MappingPreview } from '../../shared/api/contract.ts';
import type { ApiFailure, Result } from '../../shared/api/errors.ts';
import type { Mapping } from '../../shared/format/mapping.ts';
import { entryOf } from '../worker/entry.ts';
import type { InspectorRequest, InspectorResponse } from '../worker/messages.ts';

/** A preview reads ten records; the longest line there may be takes seconds. */
const PATIENCE_MS = 30_000;

type Waiting = (result: Result<FileInspection | MappingPreview>) => void;
type Question = InspectorRequest extends infer R
  ? R extends InspectorRequest
    ? Omit<R, 'id'>
    : never
  : never;

export class InspectorThread {
  private worker: Worker | undefined;
  private readonly waiting = new Map<number, Waiting>();
  private nextId = 1;

  async inspect(path: string, mappings: readonly Mapping[]): Promise<Result<FileInspection>> {
    return (await this.ask({ kind: 'inspect', path, mappings })) as Result<FileInspection>;
  }

  async preview(path: string, mapping: Mapping): Promise<Result<MappingPreview>> {
    return (await this.ask({ kind: 'preview', path, mapping })) as Result<MappingPreview>;
  }

  async close(): Promise<void> {
    const { worker } = this;
    this.worker = undefined;
    this.failAll({ code: 'closed', message: 'the host has been closed' });
    await worker?.terminate();
  }

  private ask(question: Question): Promise<Result<FileInspection | MappingPreview>> {
    const id = this.nextId++;
    return new Promise((resolve) => {
      // A damaged file can keep a decoder busy for ever; only ending its thread stops that.
      const timer = setTimeout(() => this.giveUp(question.path), PATIENCE_MS);
      timer.unref();
      this.waiting.set(id, (result) => {
        clearTimeout(timer);
        resolve(result);
      });
      this.thread().postMessage({ id, ...question });
    });
  }

  private giveUp(path: string): void {
    const { worker } = this;
    this.worker = undefined;
    void worker?.terminate();
    const seconds = PATIENCE_MS / 1000;
    const message = `${path}: its content kept the reader busy for more than ${seconds} s without a result`;
    this.failAll({ code: 'timed_out', message });
  }

  private thread(): Worker {
    if (this.worker !== undefined) return this.worker;
    const worker = new Worker(entryOf('inspector'));
    worker.on('message', ({ id, result }: InspectorResponse) => {
      this.waiting.get(id)?.(result);
      this.waiting.delete(id);
    });
    worker.on('error', (error) => {
      if (this.worker === worker) this.worker = undefined;
      this.failAll({ code: 'internal', message: `the inspector stopped: ${error.message}` });
    });
    this.worker = worker;
    return worker;
  }

  private failAll(failure: ApiFailure): void {
    for (const resolve of [...this.waiting.values()]) resolve({ ok: false, failure });
    this.waiting.clear();
  }
}

/** For the command line, which has no host to ask. */
export async function inspectOnce(path: string): Promise<Result<FileInspection>> {
  const inspector = new InspectorThread();
  try {
    return await inspector.inspect(path, []);
  } finally {
    await inspector.close();
  }
}
