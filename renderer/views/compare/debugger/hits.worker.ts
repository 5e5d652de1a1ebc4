/** Evaluates breakpoints one by one on rollouts that were sent once. The client may terminate it at any time. */
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
    // A pattern may overflow the stack.
    answer({ failure: error instanceof Error ? error.message : String(error) });
  }
};
