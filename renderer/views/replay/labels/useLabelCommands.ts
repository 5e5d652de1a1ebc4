/** The keys of labelling: numbers put labels, and a queue is walked with Enter. */
import { useCommands } from '../../../app/commands.ts';
import { useInterface } from '../../../state/interface.ts';
import type { Labelling } from './useLabelling.ts';
import type { Queue } from './useQueue.ts';

export function useLabelCommands(rolloutId: number, labelling: Labelling, queue: Queue | undefined): void {
  const { nextFlag, putKey } = labelling;
  useCommands({
    'label.1': () => putKey('1'),
    'label.2': () => putKey('2'),
    'label.3': () => putKey('3'),
    'label.4': () => putKey('4'),
    'label.5': () => putKey('5'),
    'label.6': () => putKey('6'),
    'label.7': () => putKey('7'),
    'label.8': () => putKey('8'),
    'label.9': () => putKey('9'),
    'label.scope': labelling.flipScope,
    'label.undo': labelling.undo,
    'label.redo': labelling.redo,
    'rollout.copyText':
      queue?.link.isBlind === true ? undefined : () => useInterface.getState().askText(rolloutId),
    'note.write': () => labelling.write(),
    'flag.confirm': nextFlag === undefined ? undefined : () => labelling.confirmFlag(nextFlag),
    'queue.commit': queue === undefined ? undefined : () => queue.commit('read'),
    'queue.skip': queue === undefined ? undefined : () => queue.commit('skipped'),
    'queue.next': queue === undefined ? undefined : () => queue.step(1),
    'queue.previous': queue === undefined ? undefined : () => queue.step(-1),
  });
}
