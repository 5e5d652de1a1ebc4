/** The writer thread as the host sees it: ingest jobs, grants, and the news that comes of them. */
import { Worker } from 'node:worker_threads';
import type { IngestProgress } from '../../shared/api/contract.ts';
import type { ApiFailure, Result } from '../../shared/api/errors.ts';
import type { Mapping } from '../../shared/format/mapping.ts';
import { entryOf } from '../worker/entry.ts';
import type {
  IngestReport,
  WorkerOptions,
  WriterMessage,
  WriterRequest,
  WriterTask,
} from '../worker/messages.ts';

export interface WriterNews {
  readonly onProgress: (progress: IngestProgress) => void;
  readonly onChange: (runIds: readonly number[]) => void;
  readonly onAnnotated: (rolloutIds: readonly number[]) => void;
}

export class LibraryUnavailableError extends Error {
  readonly failure: ApiFailure;
  constructor(failure: ApiFailure) {
    super(failure.message);
    this.name = 'LibraryUnavailableError';
    this.failure = failure;
  }
}

interface Waiting<T> {
  readonly resolve: (value: T) => void;
  readonly reject: (error: Error) => void;
}

interface WaitingTask extends Waiting<Result<unknown>> {
  readonly onProgress?: (done: number, total: number) => void;
}

export class WriterThread {
  private readonly worker: Worker;
  private readonly jobs = new Map<number, Waiting<IngestReport>>();
  private readonly grants = new Map<number, Waiting<void>>();
  private readonly tasks = new Map<number, WaitingTask>();
  private nextId = 1;

  /** @throws LibraryUnavailableError when the library is newer, foreign, or cannot be opened */
  static async open(options: WorkerOptions, news: WriterNews): Promise<WriterThread> {
    const worker = new Worker(entryOf('writer'), { workerData: options });
    await new Promise<void>((resolve, reject) => {
      worker.once('error', reject);
      worker.once('message', (message: WriterMessage) => {
        worker.off('error', reject);
        if (message.kind === 'ready') resolve();
        else if (message.kind === 'unavailable') {
          reject(new LibraryUnavailableError({ code: message.code, message: message.message }));
        } else reject(new Error(`the writer began with ${message.kind}`));
      });
    });
    return new WriterThread(worker, news);
  }

  private constructor(worker: Worker, news: WriterNews) {
    this.worker = worker;
    worker.on('message', (message: WriterMessage) => this.receive(message, news));
    worker.on('error', (error) => this.failAll(new Error(`the writer stopped: ${error.message}`)));
  }

  /** @returns the job's id at once, and its report when it is done */
  ingest(
    paths: readonly string[],
    options: { readonly mapping?: string | Mapping; readonly isQuiet?: boolean } = {},
  ): { readonly jobId: number; readonly report: Promise<IngestReport> } {
    const jobId = this.nextId++;
    const report = new Promise<IngestReport>((resolve, reject) => this.jobs.set(jobId, { resolve, reject }));
    this.send({ kind: 'ingest', jobId, paths, ...options });
    return { jobId, report };
  }

  cancel(jobId: number): boolean {
    if (!this.jobs.has(jobId)) return false;
    this.send({ kind: 'cancel', jobId });
    return true;
  }

  /** Waits for the jobs before it, unless it is what a person does while reading. */
  task(task: WriterTask, onProgress?: (done: number, total: number) => void): Promise<Result<unknown>> {
    const id = this.nextId++;
    return new Promise((resolve, reject) => {
      this.tasks.set(id, { resolve, reject, ...(onProgress && { onProgress }) });
      this.send({ kind: 'task', id, task });
    });
  }

  grant(path: string): Promise<void> {
    const id = this.nextId++;
    return new Promise((resolve, reject) => {
      this.grants.set(id, { resolve, reject });
      this.send({ kind: 'grant', path, id });
    });
  }

  /** Running jobs stop after the batch being written; what they have committed stays. */
  async close(): Promise<void> {
    for (const jobId of this.jobs.keys()) this.send({ kind: 'cancel', jobId });
    const ended = new Promise<void>((resolve) => this.worker.once('exit', () => resolve()));
    this.send({ kind: 'close' });
    await ended;
    this.failAll(new Error('the library has been closed'));
  }

  private receive(message: WriterMessage, news: WriterNews): void {
    switch (message.kind) {
      case 'progress':
        news.onProgress(message.progress);
        break;
      case 'changed':
        news.onChange(message.runIds);
        break;
      case 'annotated':
        news.onAnnotated(message.rolloutIds);
        break;
      case 'finished':
        this.jobs.get(message.jobId)?.resolve(message.report);
        this.jobs.delete(message.jobId);
        break;
      case 'failed':
        this.jobs.get(message.jobId)?.reject(new Error(message.message));
        this.jobs.delete(message.jobId);
        break;
      case 'granted':
        this.grants.get(message.id)?.resolve();
        this.grants.delete(message.id);
        break;
      case 'taskProgress':
        this.tasks.get(message.id)?.onProgress?.(message.done, message.total);
        break;
      case 'taskDone':
        this.tasks.get(message.id)?.resolve(message.result);
        this.tasks.delete(message.id);
        break;
      default:
        break;
    }
  }

  private failAll(error: Error): void {
    const waiting = [...this.jobs.values(), ...this.grants.values(), ...this.tasks.values()];
    for (const { reject } of waiting) reject(error);
    this.tasks.clear();
    this.jobs.clear();
    this.grants.clear();
  }

  private send(request: WriterRequest): void {
    this.worker.postMessage(request);
  }
}
