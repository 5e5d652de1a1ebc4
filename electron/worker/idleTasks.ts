/**
 * Work that the writer does while nobody asks anything of it: columns of steps that have changed, then the full-text
 * index. One short task at a time, so that a request never waits for more than one of them.
 */

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

  /** Call when something has changed, and after each request. */
  wake(): void {
    if (this.isScheduled || this.isStopped) return;
    this.isScheduled = true;
    // Requests that have arrived meanwhile go first.
    setImmediate(() => this.runOne());
  }

  /** The next task is not begun. */
  stop(): void {
    this.isStopped = true;
  }

  private runOne(): void {
    this.isScheduled = false;
    // Whoever is busy wakes this again.
    if (this.isStopped || this.isBusy()) return;
    try {
      if (this.tasks.some((task) => task())) this.wake();
    } catch (error) {
      // Another process holds the library, or the disk is full. Nothing depends on this work: the next change wakes it.
      const isOfStorage =
        error instanceof Error && 'code' in error && String(error.code).startsWith('SQLITE_');
      if (!isOfStorage) throw error;
    }
  }
}
