import { type CallBefore, lostTurns } from '../../../shared/domain/lostTurns.ts';
import { useRequest } from '../../data/useRequest.ts';
import { amount, count } from '../../ui/numbers.ts';
import '../../widgets/continuation/valueTable.css';
import './ledger.css';

/** Rollouts whose continuations can be asked for at once. */
const MOST_ROLLOUTS = 1000;

const CALL_BEFORE: Readonly<Record<CallBefore, string>> = {
  succeeded: 'succeeded',
  failed: 'failed',
  unknown: 'unknown',
  none: 'no call',
};

/** At which turn the incorrect rollouts of a group were lost, where their values by turn were sampled. */
export function LostTurns({ rolloutIds }: { readonly rolloutIds: readonly number[] }) {
  const isAsked = rolloutIds.length > 0 && rolloutIds.length <= MOST_ROLLOUTS;
  const stored = useRequest('sampling.stored', isAsked ? { rolloutIds: [...rolloutIds] } : undefined, {
    keepPrevious: true,
  }).data;
  const lost = stored === undefined ? undefined : lostTurns(stored);
  if (lost === undefined) return null;
  return (
    <details className="same-note lost-turns">
      <summary>
        Lost at turn {amount(lost.turn)} (median of {count(lost.rollouts)} of the {count(lost.valued)}{' '}
        incorrect rollouts with a value by turn)
      </summary>
      <table className="value-table" aria-label="Losing turn by the tool call before">
        <thead>
          <tr>
            <th scope="col">Last tool call of the turn before</th>
            <th scope="col">Rollouts</th>
            <th scope="col">Median losing turn</th>
          </tr>
        </thead>
        <tbody>
          {lost.byCall.map(({ before, rollouts, turn }) => (
            <tr key={before}>
              <th scope="row">{CALL_BEFORE[before]}</th>
              <td>{count(rollouts)}</td>
              <td>{amount(turn)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p className="muted">
        Counts rollouts whose largest drop is in one turn and is clear of chance. The policy that sampled may
        not be the one that the trainer had.
      </p>
    </details>
  );
}
