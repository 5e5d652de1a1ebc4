import type { ContinuationPosition } from '../../../shared/domain/continuation.ts';
import { useInterface } from '../../state/interface.ts';
import './continuation.css';

/** Opens the dialog. It sends nothing. */
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
