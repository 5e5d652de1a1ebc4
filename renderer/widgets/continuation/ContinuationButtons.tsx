/** Buttons of a turn or token that open a dialog of continuations. */
import type { ContinuationPosition } from '../../../shared/domain/continuation.ts';
import { useInterface } from '../../state/interface.ts';
import './continuation.css';

/** Opens the dialog that continues from a position. It sends nothing. */
export function ContinueButton({
  rolloutId,
  position,
}: {
  readonly rolloutId: number;
  readonly position: ContinuationPosition;
}) {
  return (
    <button
      type="button"
      className="continue-button"
      title="Sample what follows again, at an endpoint of your own"
      onClick={() => useInterface.getState().showDialog({ kind: 'continue', rolloutId, position })}
    >
      Continue from here…
    </button>
  );
}

/** Opens the dialog of the value by turn. It sends nothing. */
export function ValueButton({ rolloutId }: { readonly rolloutId: number }) {
  return (
    <button
      type="button"
      className="continue-button"
      title="Sample continuations from the end of each turn, to see where the rollout was lost"
      onClick={() => useInterface.getState().showDialog({ kind: 'value', rolloutId })}
    >
      Value by turn…
    </button>
  );
}
