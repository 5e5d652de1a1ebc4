import { useLayoutEffect } from 'react';
import type { LabelKey, RolloutDetail } from '../../../../shared/api/contract.ts';
import type { TextRange } from '../../../../shared/domain/model.ts';
import { labelsPath, type QueueLink } from '../../../data/labelsLink.ts';
import { parentRoute, pathOfRoute, type Route } from '../../../data/route.ts';
import { goTo } from '../../../data/useRoute.ts';
import { useCommands } from '../../../shell/keys/commands.ts';
import { useInterface } from '../../../state/interface.ts';
import { queryLeftAt } from '../../../state/routeMemory.ts';
import { type KeyActions, keyChain } from './actionChain.ts';
import { type Labelling, useLabelling } from './useLabelling.ts';
import { type Queue, useQueue } from './useQueue.ts';

export interface Review {
  readonly labelling: Labelling;
  readonly queue: Queue | undefined;
  /** Hides everything that reveals how the rollout was judged. */
  readonly isBlind: boolean;
}

/** The query parameters that are kept on the way to another rollout: the queue, the filtered list, and the tokens to jump to. */
export function siblingSearch(query: URLSearchParams): string {
  const kept = ['queue', 'list', 'only', 'context'].flatMap((name) => {
    const value = query.get(name);
    return value === null ? [] : [[name, value]];
  });
  return kept.length === 0 ? '' : `?${new URLSearchParams(kept)}`;
}

/**
 * Labels and notes of the open rollout, its review queue, and the keys for both.
 *
 * @param brushed range of the selected tokens in the response
 */
export function useReview(
  detail: RolloutDetail,
  turn: number,
  queueText: string | null,
  brushed: TextRange | undefined,
): Review {
  const queue = useQueue(queueText, detail);
  const isBlind = queue?.link.isBlind === true;
  const labelling = useLabelling(detail, { turn, isBlind, brushed });
  useLabelCommands(detail.row.rolloutId, labelling, queue);
  return { labelling, queue, isBlind };
}

/**
 * Goes back to the list in its last state. Leaving a queue leads to the page that started it, because lists would show
 * a blind reviewer too much.
 */
export function leaveRollout(route: Route, queue: QueueLink | undefined): void {
  const parent = parentRoute(route);
  if (queue !== undefined) {
    const [, search] = labelsPath({ ...queue, tab: 'read' }).split('?');
    goTo({ view: 'labels' }, `?${search}`);
  } else if (parent !== undefined) goTo(parent, queryLeftAt(pathOfRoute(parent)));
}

/** Registers the labelling keys: numbers add labels, and Enter steps through a queue. */
export function useLabelCommands(rolloutId: number, labelling: Labelling, queue: Queue | undefined): void {
  useLayoutEffect(() => keyChain.show({ rolloutId, actions: { labelling, queue } }));
  useLayoutEffect(() => () => keyChain.show(undefined), []);

  const put = (key: LabelKey) => () => {
    // Use the current selection, unless the key will be handled on another rollout.
    const target = keyChain.isIdle ? labelling.targetNow() : undefined;
    if (keyChain.isIdle && target === undefined) return;
    keyChain.run((now) => now.labelling.putKey(key, target));
  };
  const inTurn = (work: (now: KeyActions) => Promise<void> | undefined) => () =>
    keyChain.run(async (now) => work(now));
  const ofQueue = (work: (own: Queue) => Promise<void>) =>
    queue === undefined
      ? undefined
      : inTurn((now) => (now.queue === undefined ? undefined : work(now.queue)));

  useCommands({
    'label.1': put('1'),
    'label.2': put('2'),
    'label.3': put('3'),
    'label.4': put('4'),
    'label.5': put('5'),
    'label.6': put('6'),
    'label.7': put('7'),
    'label.8': put('8'),
    'label.9': put('9'),
    'label.scope': labelling.flipScope,
    'label.undo': inTurn((now) => now.labelling.undo()),
    'label.redo': inTurn((now) => now.labelling.redo()),
    'rollout.copyText':
      queue?.link.isBlind === true
        ? undefined
        : () => useInterface.getState().showDialog({ kind: 'copyText', rolloutId }),
    'note.write': () => labelling.write(),
    'flag.confirm':
      labelling.nextFlag === undefined
        ? undefined
        : inTurn(({ labelling: { nextFlag, confirmFlag } }) =>
            nextFlag === undefined ? undefined : confirmFlag(nextFlag),
          ),
    'queue.commit': ofQueue((own) => own.commit('read')),
    'queue.skip': ofQueue((own) => own.commit('skipped')),
    'queue.next': ofQueue((own) => own.step(1)),
    'queue.previous': ofQueue((own) => own.step(-1)),
  });
}
