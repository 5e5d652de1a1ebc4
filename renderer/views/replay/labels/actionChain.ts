/**
 * Keys of labelling, one after the other. Whoever types ahead means the rollout that will be in sight when the key's
 * turn has come: a label waits until what was pressed before it is on disk and shown.
 */
import type { Labelling } from './useLabelling.ts';
import type { Queue } from './useQueue.ts';

/** What keys act on: as it is when a key's turn has come, not when it was pressed. */
export interface Present<Actions> {
  readonly rolloutId: number;
  readonly actions: Actions;
}

/** Longer than any rollout takes to be read; then it has failed, and what was typed ahead is not for another one. */
const PATIENCE_MS = 10_000;

export class ActionChain<Actions> {
  private present: Present<Actions> | undefined;
  private last: Promise<void> = Promise.resolve();
  private waiting = 0;
  /** Grows when what waits is given up. */
  private generation = 0;
  private readonly awaited = new Map<number, () => void>();

  /** After every drawing of a replay; undefined once there is none. */
  show(present: Present<Actions> | undefined): void {
    this.present = present;
    if (present === undefined) return;
    this.awaited.get(present.rolloutId)?.();
    this.awaited.delete(present.rolloutId);
  }

  /** Whether a key acts at once. */
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

  /** Waits until a rollout is shown. What waits behind it is given up where it does not come. */
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

/** One for the window: there is one replay, and keys typed ahead outlive the rollout they were typed in. */
export const keyChain = new ActionChain<KeyActions>();
