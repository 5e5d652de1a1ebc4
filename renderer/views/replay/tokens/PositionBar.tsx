/** The position in the list of token positions that the replay was opened from, and the way to the next one. */
import { ChevronDown, ChevronUp, X } from 'lucide-react';
import { positionsName } from '../../../data/positionsLink.ts';
import { keyOf } from '../../../shell/keys/keysInForce.ts';
import { Button, IconButton } from '../../../ui/Controls.tsx';
import { Link } from '../../../ui/Link.tsx';
import { count } from '../../../ui/numbers.ts';
import type { Positions } from './usePositions.ts';

export function PositionBar({ positions }: { readonly positions: Positions }) {
  const { list, total, shown, state, href, step, close } = positions;
  return (
    <section className="queue-bar" aria-label="Positions">
      <span className="queue-at">
        {state.error !== null ? (
          <span className="is-wrong">✕ {state.error.message}</span>
        ) : state.isStopped ? (
          <>
            <span className="muted">Stopped.</span>
            <Button onClick={() => void state.restart()}>Continue</Button>
          </>
        ) : total === undefined ? (
          <>
            <span className="muted">Reading positions…</span>
            <progress aria-label="Rollouts searched" value={state.progress?.share} max={1} />
            <Button onClick={state.stop}>Cancel</Button>
          </>
        ) : (
          <b>
            {count(list.index + 1)} of {count(total)}
          </b>
        )}
        <Link href={href}>{positionsName(list.wanted)}</Link>
        <span className="muted">
          {list.order === 'ascending' ? 'lowest' : 'highest'} first
          {total !== undefined && shown < total && `; the list has the first ${count(shown)}`}
        </span>
      </span>
      <span className="queue-buttons">
        <IconButton
          label="Previous position"
          keys={keyOf('hit.previous')}
          disabled={list.index === 0 || shown === 0}
          onClick={() => step(-1)}
        >
          <ChevronUp size={15} />
        </IconButton>
        <IconButton
          label="Next position"
          keys={keyOf('hit.next')}
          disabled={list.index + 1 >= shown}
          onClick={() => step(1)}
        >
          <ChevronDown size={15} />
        </IconButton>
        <IconButton label="Leave the list of positions" onClick={close}>
          <X size={15} />
        </IconButton>
      </span>
    </section>
  );
}
