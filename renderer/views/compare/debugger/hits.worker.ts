/** Looks for one breakpoint after another, in rollouts it was given once. Whoever started it may end it at any time. */
import { hitsOf, type StoppedRollout } from '../../../../shared/domain/breakpoints.ts';
import type { WorkerAnswer, WorkerQuestion } from './breakpointWorkerClient.ts';

let rollouts: readonly StoppedRollout[] = [];

const answer = (message: WorkerAnswer) => self.postMessage(message);

self.onmessage = ({ data }: MessageEvent<WorkerQuestion>) => {
  if ('rollouts' in data) {
    rollouts = data.rollouts;
    answer({ isReady: true });
    return;
  }
  try {
    answer({ hits: rollouts.map((rollout) => hitsOf([data.conditions], rollout)) });
  } catch (error) {
    // A pattern may need more stack than there is.
    answer({ failure: error instanceof Error ? error.message : String(error) });
  }
};
