/** The worker's side of `WorkerClient`: receives requests, calls their handlers, posts results. */
import { serialize } from 'node:v8';
import { type MessagePort, parentPort } from 'node:worker_threads';
import { ApiError, type ApiFailure, failureOf, type Result } from '../../shared/api/errors.ts';
import { CANCELLED } from '../../shared/api/transport.ts';
import type { FromWorker, ToWorker, WorkerRequest } from './messages.ts';
import { connectToParent } from './parentProcess.ts';
import type { Task } from './task.ts';

/** Ten progress messages per second are enough for people. */
const PROGRESS_INTERVAL_MS = 100;

/** By method name. The host has validated the parameters. */
export type Handlers = Readonly<Record<string, (params: never, task: Task) => unknown>>;

export interface Service<Notice = never> {
  readonly handlers: Handlers;
  /**
   * Transfers typed arrays of a result instead of copying them. Only for handlers that do not keep their
   * results.
   */
  readonly transfersArrays?: boolean;
  /** Converts an error of a handler to a failure; undefined for a bug. Not called for errors that carry a failure. */
  readonly failureOf?: (error: unknown, params: unknown) => ApiFailure | undefined;
  readonly onNotice?: (notice: Notice) => void;
  /** Called when all requests have been answered. The thread exits when this resolves. */
  readonly close?: () => void | Promise<void>;
}

interface Port {
  readonly send: (message: FromWorker, transfer: readonly ArrayBuffer[]) => void;
  readonly receive: (listener: (message: ToWorker<never>) => void) => void;
  readonly close: () => void;
}

let connected: Port | undefined;

/** Returns the port of this thread, or of this process if the code runs in its main thread. */
function port(): Port {
  connected ??= parentPort === null ? portOfProcess() : portOfThread(parentPort);
  return connected;
}

const portOfThread = (thread: MessagePort): Port => ({
  send: (message, transfer) => thread.postMessage(message, transfer),
  receive: (listener) => thread.on('message', listener),
  close: () => thread.close(),
});

function portOfProcess(): Port {
  const { send, receive } = connectToParent<Uint8Array, ToWorker<never>>();
  // A message that is nested too deeply would end the host if Node read it there.
  return { send: (message) => send(serialize(message)), receive, close: () => process.exit(0) };
}

export function post<News>(message: FromWorker<News>, transfer: readonly ArrayBuffer[] = []): void {
  port().send(message, transfer);
}

/** Tells the host that this thread cannot serve. The thread then exits, since nothing keeps it alive. */
export function refuseToServe(failure: ApiFailure): void {
  post({ kind: 'unavailable', result: { ok: false, failure } });
}

/** Call once, after everything has been loaded. */
export function serve<Notice = never>(service: Service<Notice>): void {
  const { onNotice, close } = service;
  const running = new Map<number, RunningTask>();
  const answers = new Set<Promise<void>>();
  port().receive((message: ToWorker<Notice>) => {
    switch (message.kind) {
      case 'request': {
        const task = new RunningTask(message);
        running.set(message.id, task);
        const answered = answer(service, message, task).finally(() => {
          running.delete(message.id);
          answers.delete(answered);
        });
        answers.add(answered);
        break;
      }
      case 'cancel':
        running.get(message.id)?.cancel();
        break;
      case 'notice':
        onNotice?.(message.notice);
        break;
      case 'close':
        // The host has cancelled running requests, so they end soon.
        void Promise.all(answers)
          .then(() => close?.())
          .finally(() => port().close());
        break;
    }
  });
  post({ kind: 'ready' });
}

async function answer(
  { handlers, transfersArrays = false, failureOf: otherFailureOf }: Service<never>,
  request: WorkerRequest,
  task: Task,
): Promise<void> {
  const { id, method, params } = request;
  try {
    const handler = handlers[method];
    if (handler === undefined) throw new Error(`no handler for ${method} in this thread`);
    // The host has validated `params` for this method.
    const value = await handler(params as never, task);
    post({ kind: 'result', id, result: { ok: true, value } }, transfersArrays ? arraysOf(value) : []);
  } catch (error) {
    const failure = failureOf(error) ?? otherFailureOf?.(error, params);
    if (failure !== undefined) post({ kind: 'result', id, result: { ok: false, failure } });
    else {
      const bug = error instanceof Error ? error : new Error(String(error));
      const result: Result<never> = { ok: false, failure: { code: 'internal', message: bug.message } };
      post({ kind: 'result', id, result, stack: bug.stack ?? bug.message });
    }
  }
}

class RunningTask implements Task {
  private readonly id: number;
  private readonly stop: Int32Array;
  private readonly listeners: (() => void)[] = [];
  private readonly startedAt = performance.now();
  private reportedAt = Number.NEGATIVE_INFINITY;

  constructor({ id, stop }: WorkerRequest) {
    this.id = id;
    this.stop = new Int32Array(stop ?? new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  }

  isCancelled = (): boolean => Atomics.load(this.stop, 0) !== 0;

  checkpoint = (done: number, total: number): void => {
    if (this.isCancelled()) throw new ApiError(CANCELLED);
    // Most results are ready before a page could show progress.
    if (performance.now() - this.startedAt >= PROGRESS_INTERVAL_MS) this.progress(done, total);
  };

  progress(done: number, total: number, share?: number): void {
    // The last progress is always sent, because it may mark the work as no longer cancellable.
    if (done < total && performance.now() - this.reportedAt < PROGRESS_INTERVAL_MS) return;
    this.reportedAt = performance.now();
    const progress = { stepsDone: done, steps: total, ...(share === undefined ? {} : { share }) };
    post({ kind: 'progress', id: this.id, progress });
  }

  onCancel(listener: () => void): void {
    if (this.isCancelled()) listener();
    else this.listeners.push(listener);
  }

  cancel(): void {
    Atomics.store(this.stop, 0, 1);
    for (const listener of this.listeners.splice(0)) listener();
  }

  pause(): Promise<void> {
    return new Promise((resolve) => setImmediate(resolve));
  }
}

function arraysOf(value: unknown): ArrayBuffer[] {
  if (typeof value !== 'object' || value === null) return [];
  const buffers = new Set<ArrayBuffer>();
  for (const each of Object.values(value)) {
    if (ArrayBuffer.isView(each) && each.buffer instanceof ArrayBuffer) buffers.add(each.buffer);
  }
  return [...buffers];
}
