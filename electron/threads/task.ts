/** The context of a request in a worker thread. */

/**
 * Called between two units of work. Reports progress and stops cancelled work.
 *
 * @throws ApiError `cancelled`
 */
export type Checkpoint = (done: number, total: number) => void;

export interface Task {
  readonly isCancelled: () => boolean;
  readonly checkpoint: Checkpoint;
  /** @param share fraction of all work, 0 … 1, if it is more precise than `done / total` */
  progress(done: number, total: number, share?: number): void;
  /** Calls the listener on cancellation, or now if the request is cancelled already. */
  onCancel(listener: () => void): void;
  /**
   * Lets the thread receive messages. Use it in long work if the thread also has methods that are answered
   * at once.
   */
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
