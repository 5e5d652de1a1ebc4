import type { Tally } from '../../../../shared/api/contract.ts';
import { amount, count, percent } from '../../../ui/numbers.ts';
import { NumberLink } from './NumberLink.tsx';
import { keepRate, type NamedSide } from './reportModel.ts';

/** One class under one set of decisions: share, bar, numbers. */
export function KeepBar({ tally, color }: { readonly tally: Tally; readonly color: string }) {
  const rate = keepRate(tally);
  return (
    <span className="keep-bar">
      <span className="keep-track">
        {rate !== undefined && <i style={{ width: `${rate * 100}%`, ['--c' as string]: color }} />}
      </span>
      <NumberLink
        tally={tally}
        title={`${amount(tally.kept)} kept of ${count(tally.decided)} decided; ${count(tally.rollouts)} rollouts in ${count(tally.groups)} groups. Shows the groups`}
      >
        {rate === undefined ? 'undecided' : `${percent(rate, 0)} %`}
      </NumberLink>
      <span className="dim">
        {amount(tally.kept)}/{count(tally.decided)}
      </span>
    </span>
  );
}

export function KeepRates({ sides }: { readonly sides: readonly NamedSide[] }) {
  return (
    <section className="report-card" aria-label="Kept by class">
      <h2>Kept, by class</h2>
      <table className="rates">
        <tbody>
          {sides.map(({ id, name, side }) => (
            <tr key={id}>
              <th scope="row">{name}</th>
              <td>
                <span className="is-right">positives</span>{' '}
                <KeepBar tally={side.positives} color="var(--right)" />
              </td>
              <td>
                <span className="is-wrong">negatives</span>{' '}
                <KeepBar tally={side.negatives} color="var(--wrong)" />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
