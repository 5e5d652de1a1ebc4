import type { PoolJoinRow } from '../../../../shared/api/contract.ts';
import { pathOfPlace } from '../../../data/place.ts';
import { Link } from '../../../ui/Link.tsx';
import { count } from '../../../ui/numbers.ts';

interface JoinReportProps {
  readonly report: PoolJoinRow;
  readonly keptKey: string;
  readonly keptName: string;
}

/** What matching came to; kept rollouts that are in no pool are links, to see why. */
export function JoinReport({ report, keptKey, keptName }: JoinReportProps) {
  const { steps, pool, matched, discarded, conflicts, ambiguous, leftovers, firstLeftovers } = report;
  const facts = [
    ['steps in common', steps],
    ['rollouts of the pool in them', pool],
    ['found in the list: kept', matched],
    ['not found: discarded', discarded],
    ['logged otherwise in the pool, which stands', conflicts],
    ['found among equal texts: a guess', ambiguous],
    ['in the list, but not in the pool', leftovers],
  ] as const;
  return (
    <div className="join-report" role="status">
      <table>
        <tbody>
          {facts.map(([label, value]) => (
            <tr key={label}>
              <th scope="row">{label}</th>
              <td className={label.startsWith('in the list') && value > 0 ? 'is-wrong' : undefined}>
                {count(value)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {firstLeftovers.length > 0 && (
        <>
          <p className="muted">
            Left over in {keptName}
            {leftovers > firstLeftovers.length &&
              `, the first ${firstLeftovers.length} of ${count(leftovers)}`}
            :
          </p>
          <ul>
            {firstLeftovers.map(({ step, groupKey, ordinal }) => (
              <li key={`${step} ${groupKey} ${ordinal}`}>
                <Link
                  className="is-link"
                  href={pathOfPlace({ view: 'rollout', runKey: keptKey, step, groupKey, ordinal })}
                >
                  step {step}, #{ordinal}
                </Link>{' '}
                <small className="mono" title={groupKey}>
                  {groupKey}
                </small>
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  );
}
