import { useInterface } from '../../state/interface.ts';
import './continuation.css';

/** Opens the dialog. It sends nothing. */
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
