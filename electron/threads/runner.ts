/** `WorkerClient` sends requests to a runner: a worker thread, or a process that serves like one. */
import { deserialize } from 'node:v8';
import { Worker, type WorkerOptions } from 'node:worker_threads';
import type { ChildProcess } from './childProcess.ts';
import type { FromWorker, ToWorker } from './messages.ts';

export interface Runner {
  readonly post: (message: ToWorker, transfer: readonly ArrayBuffer[]) => void;
  readonly terminate: () => void;
  readonly exited: Promise<void>;
}

export interface RunnerEvents {
  readonly onMessage: (message: FromWorker) => void;
  readonly onUnreadable: (error: Error) => void;
  /** An uncaught error, which ends the thread. */
  readonly onError: (error: Error) => void;
  readonly onExit: (error: Error) => void;
}

export function threadRunner(entry: URL, options: WorkerOptions, events: RunnerEvents): Runner {
  const worker = new Worker(entry, options);
  worker.on('message', events.onMessage);
  worker.on('messageerror', events.onUnreadable);
  worker.on('error', events.onError);
  return {
    post: (message, transfer) => worker.postMessage(message, transfer),
    terminate: () => void worker.terminate(),
    exited: new Promise((resolve) => {
      worker.on('exit', (code) => {
        events.onExit(new Error(`it exited with code ${code}`));
        resolve();
      });
    }),
  };
}

/** @param start a process whose messages are serialized, since one that cannot be read must not end this process */
export function processRunner(start: () => ChildProcess<ToWorker, Uint8Array>, events: RunnerEvents): Runner {
  const exited = Promise.withResolvers<void>();
  const end = (why: number | null | Error): void => {
    events.onExit(why instanceof Error ? why : new Error(endOfProcess(why)));
    exited.resolve();
  };
  let child: ChildProcess<ToWorker, Uint8Array>;
  try {
    child = start();
  } catch (error) {
    setImmediate(end, error instanceof Error ? error : new Error(String(error)));
    return { post: () => undefined, terminate: () => undefined, exited: exited.promise };
  }
  child.onMessage((frame) => {
    let message: FromWorker;
    try {
      message = deserialize(frame) as FromWorker;
    } catch (error) {
      events.onUnreadable(error instanceof Error ? error : new Error(String(error)));
      return;
    }
    events.onMessage(message);
  });
  child.onExit(end);
  return { post: (message) => child.send(message), terminate: () => child.kill(), exited: exited.promise };
}

/** How a process ended that was to stay: Node and Electron have no code for a process that was killed. */
const endOfProcess = (code: number | null): string =>
  code === null || code > 128 || code < 0
    ? 'it takes too much memory, or too long for one record'
    : `it exited with code ${code}`;
