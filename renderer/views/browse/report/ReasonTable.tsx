import { count, counted } from '../../../ui/numbers.ts';
import { NumberLink } from './NumberLink.tsx';
import { type NamedSide, orderedReasons, outcomeText, sideReason } from './reportModel.ts';

/** Why rollouts were kept or discarded, and what became of groups: every number leads to its groups. */
export function ReasonTable({ named }: { readonly named: NamedSide }) {
  const { outcomes } = named.side;
  const reasons = orderedReasons(named.side);
  return (
    <section className="report-card" aria-label={`Reasons, ${named.name}`}>
      <h2>
        Reasons <span className="dim">{named.name}</span>
      </h2>
      {reasons.length === 0 ? (
        <p className="dim">No reason is {named.id === 'logged' ? 'logged' : 'known'}.</p>
      ) : (
        <table className="reasons">
          <tbody>
            {reasons.map((one) => (
              <tr key={one.reason}>
                <th scope="row" title={one.reason}>
                  {sideReason(one.reason)}
                </th>
                <td>
                  <NumberLink tally={one} title={`in ${counted(one.groups, 'group')}; shows them`}>
                    {count(one.rollouts)}
                  </NumberLink>{' '}
                  <span className="dim">rollouts</span>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {outcomes.length > 0 && (
        <table className="reasons">
          <tbody>
            {outcomes.map((one) => (
              <tr key={one.outcome}>
                <th scope="row" title={one.outcome}>
                  {outcomeText(one.outcome)}
                </th>
                <td>
                  <NumberLink tally={one} title="Shows the groups">
                    {count(one.groups)}
                  </NumberLink>{' '}
                  <span className="dim">groups</span>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}
