import { ActionChain } from './actionChain.ts';
import type { Labelling } from './useLabelling.ts';
import type { Queue } from './useQueue.ts';

export interface KeyActions {
  readonly labelling: Labelling;
  readonly queue: Queue | undefined;
}

/** One for the window: there is one replay, and keys typed ahead outlive the rollout they were typed in. */
export const keyChain = new ActionChain<KeyActions>();
