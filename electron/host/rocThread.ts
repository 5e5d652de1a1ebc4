/** The thread that recomputes Resample-on-Correct, as the host sees it: started with the first question. */
import { Worker } from 'node:worker_threads';
import type { RocReport } from '../../shared/api/contract.ts';
import type { ApiFailure, Result } from '../../shared/api/errors.ts';
import { type AbortSignal, CANCELLED } from '../../shared/api/transport.ts';
import { entryOf } from '../worker/entry.ts';
import type { WorkerOptions } from '../worker/messages.ts';
import type { DecisionsHead, DecisionsRequest, RocMessage, RocRequest } from '../worker/rocMessages.ts';

type ReportRequest = Extract<RocRequest, { kind: 'report' }>['request'];
type Page = Extract<RocMessage, { kind: 'page' }>['groups'];
type Question = RocRequest extends infer R ? (R extends RocRequest ? Omit<R, 'id'> : never) : never;

interface Job {
  readonly settle: (result: Result<unknown>) => void;
  readonly onNews: (message: RocMessage) => void;
}

export interface DecisionListeners {
  readonly onHead: (head: DecisionsHead) => void;
  /** The next step is decided when this resolves. */
  readonly onPage: (groups: Page) => Promise<void> | void;
}

export class RocThread {
  private readonly options: WorkerOptions;
  private readonly jobs = new Map<number, Job>();
  private worker: Worker | undefined;
  /** Loaded, or failed to. */
  private ready: Promise<void> = Promise.resolve();
  private nextId = 1;

  constructor(options: WorkerOptions) {
    this.options = options;
  }

  report(
    request: ReportRequest,
    onProgress: (progress: { readonly stepsDone: number; readonly steps: number }) => void,
    signal?: AbortSignal,
  ): Promise<Result<RocReport>> {
    const onNews = (message: RocMessage): void => {
      if (message.kind === 'progress') onProgress(message);
    };
    return this.ask({ kind: 'report', request }, onNews, signal) as Promise<Result<RocReport>>;
  }

  groups(reportId: number, key: string): Promise<Result<{ readonly ids: Uint32Array }>> {
    const nothing = (): void => undefined;
    return this.ask({ kind: 'groups', reportId, key }, nothing) as Promise<Result<{ ids: Uint32Array }>>;
  }

  decisions(
    request: DecisionsRequest,
    { onHead, onPage }: DecisionListeners,
    signal?: AbortSignal,
  ): Promise<Result<unknown>> {
    const onNews = (message: RocMessage): void => {
      if (message.kind === 'head') onHead(message.head);
      if (message.kind !== 'page') return;
      const { id } = message;
      void Promise.resolve(onPage(message.groups)).then(() => this.send({ id, kind: 'taken' }));
    };
    return this.ask({ kind: 'decisions', request }, onNews, signal);
  }

  async close(): Promise<void> {
    const { worker } = this;
    this.worker = undefined;
    this.failAll({ code: 'closed', message: 'the library has been closed' });
    // A thread that is ended while it loads the SQLite addon takes the process with it.
    await this.ready;
    await worker?.terminate();
  }

  private ask(
    question: Question,
    onNews: (message: RocMessage) => void,
    signal?: AbortSignal,
  ): Promise<Result<unknown>> {
    if (signal?.aborted === true) return Promise.resolve({ ok: false, failure: CANCELLED });
    const id = this.nextId++;
    return new Promise((resolve) => {
      const onAbort = (): void => {
        this.send({ id, kind: 'cancel' });
        settle({ ok: false, failure: CANCELLED });
      };
      const settle = (result: Result<unknown>): void => {
        signal?.removeEventListener('abort', onAbort);
        this.jobs.delete(id);
        resolve(result);
      };
      signal?.addEventListener('abort', onAbort);
      this.jobs.set(id, { settle, onNews });
      this.start();
      this.send({ id, ...question });
    });
  }

  private send(request: RocRequest): void {
    this.worker?.postMessage(request);
  }

  private start(): void {
    if (this.worker !== undefined) return;
    const worker = new Worker(entryOf('roc'), { workerData: this.options });
    this.ready = new Promise((resolve) => {
      worker.once('message', () => resolve());
      worker.once('error', () => resolve());
    });
    worker.on('message', (message: RocMessage) => {
      const job = this.jobs.get(message.id);
      if (message.kind === 'result') job?.settle(message.result);
      else job?.onNews(message);
    });
    worker.on('error', (error) => {
      if (this.worker === worker) this.worker = undefined;
      this.failAll({ code: 'internal', message: `the recomputation stopped: ${error.message}` });
    });
    this.worker = worker;
  }

  private failAll(failure: ApiFailure): void {
    for (const { settle } of [...this.jobs.values()]) settle({ ok: false, failure });
  }
}
