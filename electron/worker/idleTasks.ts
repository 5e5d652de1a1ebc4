/**
 * Background work of the writer: stale step columns first, then the full-text index, then unused memory is freed.
 * Runs one short task at a time, so that a request waits for at most one.
 */
import { isOfStorage } from '../storage/storageFailure.ts';

/** @returns false when there is nothing left to do */
export type IdleTask = () => boolean;

export class IdleTasks {
  private readonly tasks: readonly IdleTask[];
  private readonly isBusy: () => boolean;
  private isScheduled = false;
  private isStopped = false;

  /** @param isBusy whether a request is running */
  constructor(tasks: readonly IdleTask[], isBusy: () => boolean) {
    this.tasks = tasks;
    this.isBusy = isBusy;
  }

  /** Call after a change and after each request. */
  wake(): void {
    if (this.isScheduled || this.isStopped) return;
    this.isScheduled = true;
    // Requests that have arrived in the meantime run first.
    setImmediate(() => this.runOne());
  }

  /** Starts no further task. */
  stop(): void {
    this.isStopped = true;
  }

  private runOne(): void {
    this.isScheduled = false;
    // The end of the running request wakes this again.
    if (this.isStopped || this.isBusy()) return;
    try {
      if (this.tasks.some((task) => task())) this.wake();
    } catch (error) {
      // Another process holds the library, the disk is full, or the library is damaged. The work is optional; the
      // next change wakes it again.
      if (!isOfStorage(error)) throw error;
    }
  }
}
