/**
 * Names trainers log under, and what of ours each may be laid over. The names are verl's; what they count is the
 * trainer's business, so a line always keeps its logged name and a note where the two are known not to be the same.
 */
import type { SeriesName } from '../../../../shared/api/contract.ts';

interface Overlay {
  readonly series: SeriesName;
  /** How the trainer's number may differ from ours. */
  readonly note?: string;
}

const LENGTH_NOTE =
  'verl counts the whole response, tool responses included; ours are the tokens the policy wrote';

const OVERLAYS: Readonly<Record<string, Overlay>> = {
  'critic/score/mean': { series: 'meanReward', note: 'over the rollouts of the update' },
  'critic/rewards/mean': { series: 'meanReward', note: 'after a KL penalty, where there is one' },
  'actor/entropy': { series: 'meanEntropy', note: 'over the rollouts of the update' },
  'response_length/mean': { series: 'meanTokens', note: LENGTH_NOTE },
  'response_length/clip_ratio': {
    series: 'truncatedShare',
    note: 'responses as long as the longest that is allowed',
  },
  'num_turns/mean': { series: 'meanTurns', note: 'as the trainer counts turns' },
  'tool_call_counts/mean': { series: 'toolCallsPerRollout', note: 'as the trainer counts calls' },
};

export function overlayOf(name: string): Overlay | undefined {
  return Object.hasOwn(OVERLAYS, name) ? OVERLAYS[name] : undefined;
}
