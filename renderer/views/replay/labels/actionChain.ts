/**
 * Runs labelling keys one after the other. A user who types ahead means the rollout that will be on screen when the
 * key is handled, so a label waits until the previous key's change is on disk and shown.
 */
import type { Labelling } from './useLabelling.ts';
import type { Queue } from './useQueue.ts';

/** The target of keys, read when a key is handled rather than when it was pressed. */
export interface Present<Actions> {
  readonly rolloutId: number;
  readonly actions: Actions;
}

/** Longer than any rollout takes to load. After that the load has failed, and the keys typed ahead are dropped. */
const PATIENCE_MS = 10_000;

export class ActionChain<Actions> {
  private present: Present<Actions> | undefined;
  private last: Promise<void> = Promise.resolve();
  private waiting = 0;
  /** Incremented when the waiting keys are dropped. */
  private generation = 0;
  private readonly awaited = new Map<number, () => void>();

  /** Called after every render of a replay; undefined when it unmounts. */
  show(present: Present<Actions> | undefined): void {
    this.present = present;
    if (present === undefined) return;
    this.awaited.get(present.rolloutId)?.();
    this.awaited.delete(present.rolloutId);
  }

  /** Whether the next key is handled at once. */
  get isIdle(): boolean {
    return this.waiting === 0;
  }

  run(work: (actions: Actions) => Promise<void> | void): void {
    const { generation } = this;
    this.waiting += 1;
    this.last = this.last
      .then(async () => {
        if (generation === this.generation && this.present !== undefined) await work(this.present.actions);
      })
      .catch(() => undefined)
      .finally(() => {
        this.waiting -= 1;
      });
  }

  /** Waits until a rollout is shown. Drops the keys that wait for it if it does not appear. */
  async shown(rolloutId: number): Promise<void> {
    if (this.present?.rolloutId === rolloutId) return;
    const isShown = await new Promise<boolean>((resolve) => {
      const timer = setTimeout(() => resolve(false), PATIENCE_MS);
      this.awaited.set(rolloutId, () => {
        clearTimeout(timer);
        resolve(true);
      });
    });
    if (!isShown) this.giveUp();
  }

  giveUp(): void {
    this.generation += 1;
  }
}

export interface KeyActions {
  readonly labelling: Labelling;
  readonly queue: Queue | undefined;
}

/** A module singleton: there is one replay, and keys typed ahead outlive the rollout they were typed in. */
export const keyChain = new ActionChain<KeyActions>();
