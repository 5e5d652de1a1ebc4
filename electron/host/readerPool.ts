/**
 * Read-only worker threads. A request goes to the reader with the shortest queue; one that is
 * cancelled before its turn is never run. (SQLite cannot be interrupted inside a statement:
 * list queries are short, and SQL written by a user runs in a process of its own.)
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
  queue: Job[];
  running: Job | undefined;
}

const CLOSED: ApiFailure = { code: 'closed', message: 'the library has been closed' };

export class ReaderPool {
  private readonly options: WorkerOptions;
  private readonly size: number;
  /** Started with the first request: a command that only writes never needs them. */
  private readers: Reader[] = [];
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
      if (this.readers.length === 0) this.readers = Array.from({ length: this.size }, () => this.start());
      const reader = this.leastLoaded();
      const request = { id: this.nextId++, method, params };
      const onAbort = (): void => {
        reader.queue = reader.queue.filter((job) => job.request !== request);
        settle({ ok: false, failure: CANCELLED });
      };
      const settle = (result: Result<unknown>): void => {
        signal?.removeEventListener('abort', onAbort);
        resolve(result);
      };
      signal?.addEventListener('abort', onAbort);
      reader.queue.push({ request, settle });
      this.pump(reader);
    });
  }

  async close(): Promise<void> {
    this.isClosed = true;
    await Promise.all(
      this.readers.map((reader) => {
        const answered =
          reader.running === undefined
            ? Promise.resolve()
            : new Promise<void>((resolve) => {
                reader.worker.on('message', (message: ReaderResponse | 'ready') => {
                  if (message !== 'ready') resolve();
                });
              });
        this.fail(reader, CLOSED);
        return endThread(reader.worker, Promise.all([reader.ready, answered]));
      }),
    );
  }

  private start(): Reader {
    const worker = new Worker(entryOf('reader'), { workerData: this.options });
    const reader: Reader = {
      worker,
      ready: new Promise((resolve) => {
        worker.once('message', () => resolve());
        worker.once('error', () => resolve());
      }),
      queue: [],
      running: undefined,
    };
    reader.worker.on('message', (message: ReaderResponse | 'ready') => {
      if (message === 'ready') return;
      const job = reader.running;
      reader.running = undefined;
      job?.settle(message.result);
      this.pump(reader);
    });
    reader.worker.on('error', (error) => {
      this.fail(reader, { code: 'internal', message: `a reader stopped: ${error.message}` });
    });
    return reader;
  }

  private leastLoaded(): Reader {
    const load = (reader: Reader): number => reader.queue.length + (reader.running === undefined ? 0 : 1);
    return this.readers.reduce((best, reader) => (load(reader) < load(best) ? reader : best));
  }

  private pump(reader: Reader): void {
    if (reader.running !== undefined) return;
    const job = reader.queue.shift();
    if (job === undefined) return;
    reader.running = job;
    reader.worker.postMessage(job.request);
  }

  private fail(reader: Reader, failure: ApiFailure): void {
    const jobs = reader.running === undefined ? reader.queue : [reader.running, ...reader.queue];
    reader.running = undefined;
    reader.queue = [];
    for (const job of jobs) job.settle({ ok: false, failure });
  }
}
