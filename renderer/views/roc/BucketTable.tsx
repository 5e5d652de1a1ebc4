import type { Bucket, Tally } from '../../../shared/api/contract.ts';
import { amount, count, percent } from '../../ui/numbers.ts';
import { NumberLink } from '../../widgets/NumberLink.tsx';
import {
  type BucketClass,
  bucketText,
  filledBuckets,
  keepRate,
  type NamedSide,
  type ShownSide,
  tallyText,
} from './reportModel.ts';

interface BucketTableProps {
  readonly label: string;
  readonly hint: string;
  readonly which: BucketClass;
  /** One set of buckets per set of decisions. All have the same bounds. */
  readonly sides: readonly (Pick<ShownSide, 'name' | 'penalties'> & {
    readonly buckets: readonly Bucket[];
  })[];
}

/** The share of rollouts kept at each penalty, which shows where the resampling cuts. */
export function BucketTable({ label, hint, which, sides }: BucketTableProps) {
  const rows = filledBuckets(
    sides.map(({ buckets }) => buckets),
    which,
  );
  const title = which === 'positives' ? 'Correct rollouts' : 'Incorrect rollouts';
  const color = which === 'positives' ? 'var(--right)' : 'var(--wrong)';
  const [only] = sides;
  const last = Math.max(0, ...sides.map(({ buckets }) => buckets.length)) - 1;
  return (
    <section className="report-card" aria-label={`${title} kept by ${label}`}>
      <h2 title={hint}>
        {title} kept, by {label}{' '}
        {only !== undefined && sides.length === 1 && (
          <span className="dim">
            decisions: {only.name}; {only.penalties}
          </span>
        )}
      </h2>
      {rows.length === 0 ? (
        <p className="dim">No {label} is known.</p>
      ) : (
        <table className="buckets">
          {sides.length > 1 && (
            <thead>
              <tr>
                <td />
                {sides.map(({ name, penalties }) => (
                  <th key={name} scope="col">
                    {name} <span className="dim">{penalties}</span>
                  </th>
                ))}
              </tr>
            </thead>
          )}
          <tbody>
            {rows.map((index) => {
              const first = sides.map(({ buckets }) => buckets[index]).find((one) => one !== undefined);
              return (
                <tr key={index}>
                  <th scope="row">{first === undefined ? '' : bucketText(first, index === last)}</th>
                  {sides.map(({ name, buckets }) => {
                    const bucket = buckets[index];
                    return (
                      <td key={name}>
                        {bucket !== undefined && bucket[which].rollouts > 0 && (
                          <KeepBar tally={bucket[which]} color={color} which={which} source={name} />
                        )}
                      </td>
                    );
                  })}
                </tr>
              );
            })}
          </tbody>
        </table>
      )}
    </section>
  );
}

interface KeepBarProps {
  readonly tally: Tally;
  readonly color: string;
  readonly which: BucketClass;
  /** Name of the decisions. */
  readonly source: string;
}

/** One class under one set of decisions: share, bar, numbers. */
function KeepBar({ tally, color, which, source }: KeepBarProps) {
  const rate = keepRate(tally);
  return (
    <span className="keep-bar">
      <span className="keep-track">
        {rate !== undefined && rate > 0 && (
          <i style={{ width: `${rate * 100}%`, ['--c' as string]: color }} />
        )}
      </span>
      <NumberLink
        tally={tally}
        about={{
          meaning: `Share of these ${which} that is kept: ${amount(tally.kept)} of ${count(tally.decided)} with a decision`,
          count: tallyText(tally),
          source: `${source} decisions`,
        }}
      >
        {rate === undefined ? 'undecided' : `${percent(rate)} %`}
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
      <h2>
        Kept, by class <span className="dim">all steps of this page</span>
      </h2>
      <table className="rates">
        <tbody>
          {sides.map(({ id, name, side }) => (
            <tr key={id}>
              <th scope="row">{name}</th>
              <td>
                <span className="keep-class is-right">correct</span>
                <KeepBar tally={side.positives} color="var(--right)" which="positives" source={name} />
              </td>
              <td>
                <span className="keep-class is-wrong">incorrect</span>
                <KeepBar tally={side.negatives} color="var(--wrong)" which="negatives" source={name} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
