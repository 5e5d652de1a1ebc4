/** The position in the list of token positions that the replay was opened from, and the way to the next one. */
import { positionsName } from '../../../data/positionsLink.ts';
import { Button } from '../../../ui/Controls.tsx';
import { Link } from '../../../ui/Link.tsx';
import { count } from '../../../ui/numbers.ts';
import { ListBar, ListSteps } from '../../../widgets/ListBar.tsx';
import type { Positions } from './usePositions.ts';

export function PositionBar({ positions }: { readonly positions: Positions }) {
  const { list, total, shown, state, href, step, close } = positions;
  return (
    <ListBar
      label="Positions"
      buttons={
        <ListSteps
          entry="position"
          index={list.index}
          count={shown}
          previous="hit.previous"
          next="hit.next"
          onStep={step}
          onLeave={close}
        />
      }
    >
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
    </ListBar>
  );
}
