/**
 * Ending a thread that works with SQLite. One that is ended while it loads the addon, or in the middle of a call into
 * it, takes the process with it: it is told to stop, waited for, and ended when it is at rest.
 */
import type { Worker } from 'node:worker_threads';

/** A thread looks many times a second whether it is to stop; one that is caught in a regular expression never does. */
const PATIENCE_MS = 5_000;

/** @param atRest resolves when the thread has been loaded and has answered everything it was asked */
export async function endThread(worker: Worker | undefined, atRest: Promise<unknown>): Promise<void> {
  if (worker === undefined) return;
  let timer: NodeJS.Timeout | undefined;
  const tooLong = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, PATIENCE_MS);
  });
  // A thread that has ended by itself answers nothing any more.
  const ended = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
  await Promise.race([atRest, ended, tooLong]);
  clearTimeout(timer);
  await worker.terminate();
}

/** Questions a thread has not answered yet, whether or not anybody still waits for the answer. */
export class Unanswered {
  private readonly ids = new Set<number>();
  private readonly waiting: (() => void)[] = [];

  asked(id: number): void {
    this.ids.add(id);
  }

  answered(id: number): void {
    this.ids.delete(id);
    if (this.ids.size === 0) for (const resolve of this.waiting.splice(0)) resolve();
  }

  /** The thread is gone, and with it what it was asked. */
  forget(): void {
    for (const id of [...this.ids]) this.answered(id);
  }

  /** Resolves when the thread owes nothing. */
  none(): Promise<void> {
    if (this.ids.size === 0) return Promise.resolve();
    return new Promise((resolve) => this.waiting.push(resolve));
  }
}
