/** The child's side of `childProcess.ts`: a channel to the parent, and limits that end the process. */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

export interface ParentProcess<Sent, Received> {
  /** Resolves when the message has left the process, whose end cannot lose it any more. */
  readonly send: (message: Sent) => Promise<void>;
  readonly receive: (listener: (message: Received) => void) => void;
}

/** A channel over Node's child process or Electron's utility process. The process ends when its parent has gone. */
export function connectToParent<Sent, Received>(): ParentProcess<Sent, Received> {
  const utility = (process as { parentPort?: UtilityPort }).parentPort;
  if (utility !== undefined)
    return {
      // Another thread of the process passes it on.
      send: async (message) => utility.postMessage(message),
      receive: (listener) => utility.on('message', ({ data }) => listener(data as Received)),
    };
  // Python in the process may replace these later.
  const { exit } = process;
  const send = process.send?.bind(process);
  const on = process.on.bind(process);
  on('disconnect', () => exit(1));
  return {
    send: (message) =>
      new Promise((resolve) => {
        send?.(message, undefined, undefined, (error) => (error ? exit(1) : resolve()));
      }),
    receive: (listener) => void on('message', (message) => listener(message as Received)),
  };
}

interface UtilityPort {
  postMessage(message: unknown): void;
  on(event: 'message', listener: (message: { readonly data: unknown }) => void): void;
}

/** Start data of the watchdog. */
export interface WatchedProcess extends ProcessLimits {
  /** Id of the parent at the start. If it changes, the parent has ended. */
  readonly parent: number;
  /** One number that grows as long as the event loop turns. */
  readonly beats: Int32Array;
}

interface ProcessLimits {
  /** Bytes that the process may hold. */
  readonly mostMemory: number;
  /** CPU time for which the event loop may stand still. Default: any. */
  readonly longestTurnMs?: number | undefined;
}

/** CPU time of this process, in ms. It grows on a busy machine as slowly as the work does. */
export function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

const BEAT_MS = 100;

/**
 * Ends the process when its parent has ended, or when it exceeds a limit. A worker thread watches, because the main
 * thread may be busy for good.
 *
 * @param watchdog the code of the worker
 * @returns resolves when it watches
 */
export async function watchProcess(
  watchdog: URL,
  { mostMemory, longestTurnMs }: ProcessLimits,
): Promise<void> {
  const beats = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  const watched: WatchedProcess = { parent: process.ppid, mostMemory, longestTurnMs, beats };
  const worker = new Worker(watchdog, { workerData: watched });
  worker.unref();
  if (longestTurnMs !== undefined) setInterval(() => Atomics.add(beats, 0, 1), BEAT_MS).unref();
  await once(worker, 'online');
}
