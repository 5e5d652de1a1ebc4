import type { RolloutDetail } from '../../../../shared/api/contract.ts';
import type { TextRange } from '../../../../shared/domain/model.ts';
import { useLabelCommands } from './useLabelCommands.ts';
import { type Labelling, useLabelling } from './useLabelling.ts';
import { type Queue, useQueue } from './useQueue.ts';

export interface Reading {
  readonly labelling: Labelling;
  readonly queue: Queue | undefined;
  /** Nothing is shown that says how the rollout was judged. */
  readonly isBlind: boolean;
}

/** What stays in the URL on the way to another rollout. */
export function queueSearch(query: URLSearchParams): string {
  const queue = query.get('queue');
  return queue === null ? '' : `?${new URLSearchParams({ queue })}`;
}

/**
 * What is said about a rollout while it is read, in a queue or by itself; with the keys for it.
 *
 * @param brushed tokens that are selected, by their characters
 */
export function useReading(
  detail: RolloutDetail,
  turn: number,
  queueText: string | null,
  brushed: TextRange | undefined,
): Reading {
  const queue = useQueue(queueText, detail);
  const isBlind = queue?.link.isBlind === true;
  const labelling = useLabelling(detail, { turn, isBlind, brushed });
  useLabelCommands(detail.row.rolloutId, labelling, queue);
  return { labelling, queue, isBlind };
}
