/** The keys of labelling: numbers put labels, and a queue is walked with Enter. */
import { useLayoutEffect } from 'react';
import type { LabelKey } from '../../../../shared/api/contract.ts';
import { useCommands } from '../../../app/commands.ts';
import { useInterface } from '../../../state/interface.ts';
import { type KeyActions, keyChain } from './keyChain.ts';
import type { Labelling } from './useLabelling.ts';
import type { Queue } from './useQueue.ts';

export function useLabelCommands(rolloutId: number, labelling: Labelling, queue: Queue | undefined): void {
  useLayoutEffect(() => keyChain.show({ rolloutId, actions: { labelling, queue } }));
  useLayoutEffect(() => () => keyChain.show(undefined), []);

  const put = (key: LabelKey) => () => {
    // What is selected now is meant, unless another rollout will be in sight by then.
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
