/** Progress through the review queue, and its keys. */

import { X } from 'lucide-react';
import { KeyOf } from '../../../shell/keys/Keys.tsx';
import { keyed } from '../../../shell/keys/keysInForce.ts';
import { Button, IconButton } from '../../../ui/Controls.tsx';
import { count } from '../../../ui/numbers.ts';
import { ListBar } from '../../../widgets/ListBar.tsx';
import type { Queue } from './useQueue.ts';

interface QueueBarProps {
  readonly queue: Queue;
  readonly onLeave: () => void;
}

export function QueueBar({ queue, onLeave }: QueueBarProps) {
  const { at, size, total, read, skipped, link, reader } = queue;
  const done = read === undefined ? undefined : read + (skipped ?? 0);
  return (
    <ListBar
      label="Queue"
      buttons={
        <>
          <Button
            onClick={() => void queue.step(-1)}
            disabled={at === undefined || at <= 1}
            title={keyed('Previous rollout', 'queue.previous')}
          >
            Previous
          </Button>
          <Button
            onClick={() => void queue.commit('skipped')}
            title={keyed('Skip and open the next', 'queue.skip')}
          >
            Skip <KeyOf command="queue.skip" />
          </Button>
          <Button
            isPrimary
            onClick={() => void queue.commit('read')}
            title={keyed('Mark as reviewed and open the next', 'queue.commit')}
          >
            Next <KeyOf command="queue.commit" />
          </Button>
          <IconButton label="Leave the queue" onClick={onLeave}>
            <X size={15} />
          </IconButton>
        </>
      }
    >
      {queue.error !== null ? (
        <span className="is-wrong">✕ {queue.error.message}</span>
      ) : queue.isWaiting ? (
        <span className="muted">Counting rollouts…</span>
      ) : (
        <>
          <b>{at === undefined ? 'not in the queue' : `${count(at)} of ${count(size)}`}</b>
          {total !== undefined && done !== undefined && (
            <>
              <progress aria-label="Reviewed or skipped" value={done} max={Math.max(1, total)} />
              <span className="muted">
                {count(read ?? 0)} reviewed by {reader}
                {(skipped ?? 0) > 0 && `, ${count(skipped)} skipped`}, of {count(total)}
              </span>
            </>
          )}
        </>
      )}
      {link.isBlind && <span className="queue-blind">blind</span>}
    </ListBar>
  );
}
