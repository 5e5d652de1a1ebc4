/**
 * Read-only worker threads with one queue. A request that is cancelled before its turn is never run. (SQLite cannot be
 * interrupted inside a statement: list queries are short, and SQL written by a user runs in a process of its own.)
 */
import { Worker } from 'node:worker_threads';
import type { ApiFailure, Result } from '../../shared/api/errors.ts';
import { type AbortSignal, CANCELLED } from '../../shared/api/transport.ts';
import { entryOf } from '../worker/entry.ts';
import type { ReaderRequest, ReaderResponse, ReadMethod, WorkerOptions } from '../worker/messages.ts';
import { endThread } from './endThread.ts';

interface Job {
  readonly request: ReaderRequest;
  readonly settle: (result: Result<unknown>) => void;
}

interface Reader {
  readonly worker: Worker;
  /** Loaded, or failed to. */
  readonly ready: Promise<void>;
  isReady: boolean;
  running: Job | undefined;
}

const CLOSED: ApiFailure = { code: 'closed', message: 'the library has been closed' };

export class ReaderPool {
  private readonly options: WorkerOptions;
  private readonly size: number;
  /**
   * The first is started with the first request, or when one is expected: a command that only writes never needs it.
   * Each other when requests wait for those that have been loaded: threads that load at the same time load slower.
   */
  private readers: Reader[] = [];
  private queue: Job[] = [];
  private nextId = 1;
  private isClosed = false;

  constructor(options: WorkerOptions, size = 2) {
    this.options = options;
    this.size = size;
  }

  read(method: ReadMethod, params: unknown, signal?: AbortSignal): Promise<Result<unknown>> {
    if (this.isClosed) return Promise.resolve({ ok: false, failure: CLOSED });
    if (signal?.aborted === true) return Promise.resolve({ ok: false, failure: CANCELLED });
    return new Promise((resolve) => {
      const request = { id: this.nextId++, method, params };
      const onAbort = (): void => {
        this.queue = this.queue.filter((job) => job.request !== request);
        settle({ ok: false, failure: CANCELLED });
      };
      const settle = (result: Result<unknown>): void => {
        signal?.removeEventListener('abort', onAbort);
        resolve(result);
      };
      signal?.addEventListener('abort', onAbort);
      this.queue.push({ request, settle });
      this.pump();
    });
  }

  /** Starts the first reader, unless it is there. */
  warm(): void {
    if (this.readers.length === 0) this.readers.push(this.start());
  }

  async close(): Promise<void> {
    this.isClosed = true;
    const { readers } = this;
    const atRest = readers.map(({ worker, ready, running }) =>
      Promise.all([ready, running === undefined ? undefined : nextAnswer(worker)]),
    );
    for (const reader of readers) this.fail(reader, CLOSED);
    this.failQueue(CLOSED);
    await Promise.all(readers.map(({ worker }, i) => endThread(worker, atRest[i] ?? Promise.resolve())));
  }

  private start(): Reader {
    const worker = new Worker(entryOf('reader'), { workerData: this.options });
    const reader: Reader = {
      worker,
      ready: new Promise((resolve) => {
        worker.once('message', () => resolve());
        worker.once('error', () => resolve());
      }),
      isReady: false,
      running: undefined,
    };
    worker.on('message', (message: ReaderResponse | 'ready') => {
      if (message === 'ready') reader.isReady = true;
      else {
        const job = reader.running;
        reader.running = undefined;
        job?.settle(message.result);
      }
      this.pump();
    });
    worker.on('error', (error) => this.stopped(reader, error));
    return reader;
  }

  /** What it was reading has failed; the next request gets another. One that cannot even be loaded fails all that wait. */
  private stopped(reader: Reader, error: Error): void {
    const failure: ApiFailure = { code: 'internal', message: `a reader stopped: ${error.message}` };
    this.readers = this.readers.filter((other) => other !== reader);
    this.fail(reader, failure);
    if (reader.isReady) this.pump();
    else this.failQueue(failure);
  }

  private pump(): void {
    if (this.isClosed) return;
    for (const reader of this.readers) {
      if (this.queue.length === 0) return;
      if (!reader.isReady || reader.running !== undefined) continue;
      const job = this.queue.shift();
      if (job === undefined) return;
      reader.running = job;
      reader.worker.postMessage(job.request);
    }
    const isLoading = this.readers.some(({ isReady }) => !isReady);
    if (this.queue.length > 0 && !isLoading && this.readers.length < this.size)
      this.readers.push(this.start());
  }

  private fail(reader: Reader, failure: ApiFailure): void {
    const job = reader.running;
    reader.running = undefined;
    job?.settle({ ok: false, failure });
  }

  private failQueue(failure: ApiFailure): void {
    for (const job of this.queue.splice(0)) job.settle({ ok: false, failure });
  }
}

function nextAnswer(worker: Worker): Promise<void> {
  return new Promise((resolve) => {
    worker.on('message', (message: ReaderResponse | 'ready') => {
      if (message !== 'ready') resolve();
    });
  });
}
