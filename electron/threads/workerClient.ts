/**
 * The host's side of a worker thread: request ids, a queue, threads started on demand, cancellation,
 * progress, and an orderly end. A process can take the place of a thread.
 *
 *   request() ──► queue ──► thread 1 … size     one request each, plus requests with `isAtOnce`
 */
import type { ResourceLimits } from 'node:worker_threads';
import type { ApiFailure, Result } from '../../shared/api/errors.ts';
import { type AbortSignal, CANCELLED } from '../../shared/api/transport.ts';
import type { ChildProcess } from './childProcess.ts';
import { HEAP_LIMITS } from './heapLimits.ts';
import type { FromWorker, Progress, ToWorker } from './messages.ts';
import { processRunner, type Runner, type RunnerEvents, threadRunner } from './runner.ts';

/** Threads check for cancellation many times a second. */
const CLOSE_TIMEOUT_MS = 5_000;

const CLOSED: ApiFailure = { code: 'closed', message: 'the library has been closed' };

export interface WorkerClientOptions {
  /** Used in messages: "the reader stopped: …". */
  readonly name: string;
  readonly entry: URL;
  /** Starts the entry as a process instead: for files that may exhaust the memory. It has no `workerData`. */
  readonly startProcess?: (entry: URL) => ChildProcess<ToWorker, Uint8Array>;
  readonly workerData?: unknown;
  /** Overrides or extends `HEAP_LIMITS`. */
  readonly resourceLimits?: ResourceLimits;
  /** Number of threads; default 1. Another one starts when requests wait and all threads are loaded. */
  readonly size?: number;
  readonly onNews?: (news: never) => void;
  /** Logs the crash of a thread. @returns the failure of its requests; default: `message` */
  readonly reportCrash?: (message: string, error: Error) => ApiFailure;
  /** Milliseconds. A longer request fails and its thread is terminated. Only for threads that write nothing. */
  readonly longestMs?: number;
  /** How long `close` waits for running requests; default 5 s. */
  readonly closeTimeoutMs?: number;
}

export interface RequestOptions {
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  /** Sends the request even to a busy thread. */
  readonly isAtOnce?: boolean;
  /** A cancelled request resolves with the thread's answer instead of failing at once. */
  readonly resolvesWhenStopped?: boolean;
}

/** The answer of a thread. `stack` is set for bugs. */
export interface WorkerAnswer {
  readonly result: Result<unknown>;
  readonly stack?: string | undefined;
}

interface Job {
  readonly id: number;
  readonly method: string;
  readonly params: unknown;
  readonly options: RequestOptions;
  /** One Int32, not 0 once the request is cancelled. A process does not get it. */
  readonly stop: SharedArrayBuffer;
  /** No effect when called again. */
  readonly settle: (answer: WorkerAnswer) => void;
  /** The caller has an answer, although the thread may still work. */
  isSettled: boolean;
}

interface Thread {
  readonly runner: Runner;
  readonly running: Map<number, Job>;
  isReady: boolean;
  /** Resolves with a failure when the thread cannot serve. */
  readonly opened: PromiseWithResolvers<ApiFailure | undefined>;
}

export class WorkerClient {
  private readonly options: WorkerClientOptions;
  private threads: Thread[] = [];
  private queue: Job[] = [];
  private nextId = 1;
  private isClosed = false;

  constructor(options: WorkerClientOptions) {
    this.options = options;
  }

  /** Never rejects. A request that is cancelled while queued is never sent. */
  request(method: string, params: unknown, options: RequestOptions = {}): Promise<WorkerAnswer> {
    if (this.isClosed) return Promise.resolve(failed(CLOSED));
    if (options.signal?.aborted === true) return Promise.resolve(failed(CANCELLED));
    return new Promise((resolve) => {
      const job: Job = {
        id: this.nextId++,
        method,
        params,
        options,
        stop: new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT),
        settle: (answer) => {
          job.isSettled = true;
          options.signal?.removeEventListener('abort', onAbort);
          resolve(answer);
        },
        isSettled: false,
      };
      const onAbort = (): void => this.cancel(job);
      options.signal?.addEventListener('abort', onAbort);
      this.queue.push(job);
      this.pump();
    });
  }

  /** Starts the first thread if needed. @returns a failure when the thread cannot serve */
  open(): Promise<ApiFailure | undefined> {
    if (this.isClosed) return Promise.resolve(CLOSED);
    return (this.threads[0] ?? this.start()).opened.promise;
  }

  /** @param transfer only for a client with one thread */
  notify(notice: unknown, transfer: readonly ArrayBuffer[] = []): void {
    for (const thread of this.threads) send(thread, { kind: 'notice', notice }, transfer);
  }

  /**
   * Refuses new requests and cancels running ones. Their callers get `closed`, unless they wait for the
   * thread's answer.
   */
  async close(): Promise<void> {
    this.isClosed = true;
    const { threads } = this;
    const jobs = threads.flatMap(({ running }) => [...running.values()]);
    for (const job of this.queue.splice(0)) job.settle(failed(CLOSED));
    for (const thread of threads) {
      for (const job of thread.running.values()) {
        if (job.options.resolvesWhenStopped !== true) job.settle(failed(CLOSED));
        this.cancel(job);
      }
      send(thread, { kind: 'close' });
    }
    await Promise.all(threads.map((thread) => this.end(thread)));
    for (const job of jobs) job.settle(failed(CLOSED));
    for (const { opened } of threads) opened.resolve(CLOSED);
    this.threads = [];
  }

  private cancel(job: Job): void {
    if (this.queue.includes(job) && job.options.resolvesWhenStopped !== true) {
      this.queue = this.queue.filter((each) => each !== job);
      job.settle(failed(CANCELLED));
      return;
    }
    Atomics.store(new Int32Array(job.stop), 0, 1);
    const thread = this.threads.find(({ running }) => running.has(job.id));
    if (thread !== undefined) send(thread, { kind: 'cancel', id: job.id });
    if (job.options.resolvesWhenStopped !== true) job.settle(failed(CANCELLED));
  }

  private start(): Thread {
    const events: RunnerEvents = {
      onMessage: (message) => this.receive(thread, message),
      // A message cannot be decoded, for example because it is nested too deeply. The event does not name its request.
      onUnreadable: (error) => {
        const failure = this.bug(
          `an answer of the ${this.options.name} cannot be read: ${error.message}`,
          error,
        );
        for (const job of thread.running.values()) job.settle(failed(failure));
        thread.running.clear();
        this.pump();
      },
      onError: (error) => this.failThread(thread, this.stoppedBy(error)),
      onExit: (error) => {
        // Otherwise the thread has already failed or was asked to end.
        if (this.threads.includes(thread) && !this.isClosed) this.failThread(thread, this.stoppedBy(error));
      },
    };
    const { entry, startProcess, workerData, resourceLimits } = this.options;
    const thread: Thread = {
      runner:
        startProcess === undefined
          ? threadRunner(entry, { workerData, resourceLimits: { ...HEAP_LIMITS, ...resourceLimits } }, events)
          : processRunner(() => startProcess(entry), events),
      running: new Map(),
      isReady: false,
      opened: Promise.withResolvers<ApiFailure | undefined>(),
    };
    this.threads.push(thread);
    return thread;
  }

  private receive(thread: Thread, message: FromWorker): void {
    switch (message.kind) {
      case 'ready':
        thread.isReady = true;
        thread.opened.resolve(undefined);
        break;
      case 'unavailable':
        if (!message.result.ok) this.failThread(thread, message.result.failure);
        break;
      case 'progress': {
        const job = thread.running.get(message.id);
        if (job?.isSettled === false) job.options.onProgress?.(message.progress);
        return;
      }
      case 'result': {
        const job = thread.running.get(message.id);
        thread.running.delete(message.id);
        job?.settle({ result: message.result, stack: message.stack });
        break;
      }
      case 'news':
        this.options.onNews?.(message.news as never);
        return;
    }
    this.pump();
  }

  private pump(): void {
    if (this.isClosed) return;
    for (const job of [...this.queue]) {
      const thread = this.threads.find(
        ({ isReady, running }) => isReady && (running.size === 0 || job.options.isAtOnce === true),
      );
      if (thread === undefined) continue;
      this.queue = this.queue.filter((each) => each !== job);
      this.send(thread, job);
    }
    // Threads that load concurrently load more slowly, so the next one waits.
    const isLoading = this.threads.some(({ isReady }) => !isReady);
    if (this.queue.length > 0 && !isLoading && this.threads.length < (this.options.size ?? 1)) this.start();
  }

  private send(thread: Thread, job: Job): void {
    const { id, method, params, stop } = job;
    thread.running.set(id, job);
    send(thread, { kind: 'request', id, method, params, ...(this.options.startProcess ? {} : { stop }) });
    // A process does not see that a request was cancelled before it was sent.
    if (this.options.startProcess !== undefined && Atomics.load(new Int32Array(stop), 0) !== 0)
      send(thread, { kind: 'cancel', id });
    if (this.options.longestMs !== undefined) this.endAfter(thread, job, this.options.longestMs);
  }

  private endAfter(thread: Thread, job: Job, milliseconds: number): void {
    setTimeout(() => {
      if (!thread.running.has(job.id)) return;
      thread.runner.terminate();
      const seconds = milliseconds / 1000;
      const message = `the ${this.options.name} was busy for more than ${seconds} s without a result`;
      this.failThread(thread, { code: 'timed_out', message });
    }, milliseconds).unref();
  }

  /** Fails the requests of a lost thread. If the thread never loaded, fails all queued requests too. */
  private failThread(thread: Thread, failure: ApiFailure): void {
    this.threads = this.threads.filter((each) => each !== thread);
    thread.opened.resolve(failure);
    for (const job of thread.running.values()) job.settle(failed(failure));
    if (!thread.isReady) for (const job of this.queue.splice(0)) job.settle(failed(failure));
    this.pump();
  }

  private stoppedBy(error: Error): ApiFailure {
    return this.bug(`the ${this.options.name} stopped: ${error.message}`, error);
  }

  private bug(message: string, error: Error): ApiFailure {
    return this.options.reportCrash?.(message, error) ?? { code: 'internal', message };
  }

  /**
   * Asks the thread to stop, and terminates it only after a time-out. Terminating a thread that is loading
   * SQLite, or inside a call into it, crashes the process.
   */
  private async end({ runner }: Thread): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const tooLong = new Promise<void>((resolve) => {
      const patience = this.options.closeTimeoutMs ?? CLOSE_TIMEOUT_MS;
      if (Number.isFinite(patience)) timer = setTimeout(resolve, patience);
    });
    await Promise.race([runner.exited, tooLong]);
    clearTimeout(timer);
    runner.terminate();
    await runner.exited;
  }
}

function send({ runner }: Thread, message: ToWorker, transfer: readonly ArrayBuffer[] = []): void {
  runner.post(message, transfer);
}

function failed(failure: ApiFailure): WorkerAnswer {
  return { result: { ok: false, failure } };
}
