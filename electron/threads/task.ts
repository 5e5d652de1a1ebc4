/** What a handler in a worker thread is given besides its parameters. */

/**
 * Called between two pieces of work: reports progress and ends work that nobody waits for.
 *
 * @throws ApiError `cancelled`
 */
export type Checkpoint = (done: number, total: number) => void;

export interface Task {
  readonly isCancelled: () => boolean;
  readonly checkpoint: Checkpoint;
  /** @param share of everything, 0 … 1, where it is known better than `done / total` */
  progress(done: number, total: number, share?: number): void;
  /** Runs now if the request has been cancelled, else when it is. */
  onCancel(listener: () => void): void;
  /** Lets the thread receive messages. Use in long work whose thread has methods that are answered at once. */
  pause(): Promise<void>;
}

/** For code that runs without a host: tests, benchmarks and idle work. */
export const FREE_TASK: Task = {
  isCancelled: () => false,
  checkpoint: () => undefined,
  progress: () => undefined,
  onCancel: () => undefined,
  pause: () => Promise.resolve(),
};
