import type { Likeness } from '../../../../shared/api/contract.ts';
import { KeptMark } from '../../../ui/Marks.tsx';
import { count, decimal, percent } from '../../../ui/numbers.ts';
import { type Bin, lengthBins, likenessFacts, type NamedSide, turnBins } from './reportModel.ts';

/** Kept and discarded positives side by side: does the resampling prefer short answers, or answers without tools? */
export function Bias({ side, bins }: { readonly side: NamedSide; readonly bins: readonly number[] }) {
  const { keptPositives: kept, discardedPositives: discarded } = side.side;
  if (kept.rollouts === 0 || discarded.rollouts === 0) {
    return (
      <section className="report-card" aria-label="Is it biased?">
        <h2>
          Kept and discarded positives <span className="dim">{side.name}</span>
        </h2>
        <p className="dim">
          No positive was {discarded.rollouts === 0 ? 'discarded' : 'kept'}: nothing to compare.
        </p>
      </section>
    );
  }
  return (
    <section className="report-card bias" aria-label="Is it biased?">
      <h2>
        Kept and discarded positives <span className="dim">{side.name}</span>
      </h2>
      <div className="bias-parts">
        <Means kept={kept} discarded={discarded} />
        <Histogram title="Response length, characters" bins={lengthBins(bins, kept, discarded)} />
        <Histogram title="Turns" bins={turnBins(kept, discarded)} />
      </div>
    </section>
  );
}

function Means({ kept, discarded }: { readonly kept: Likeness; readonly discarded: Likeness }) {
  return (
    <table className="means">
      <thead>
        <tr>
          <th scope="col">mean of</th>
          <th scope="col">
            <KeptMark isKept /> {count(kept.rollouts)} kept
          </th>
          <th scope="col">
            <KeptMark isKept={false} /> {count(discarded.rollouts)} discarded
          </th>
          <th scope="col" title="Kept over discarded">
            factor
          </th>
        </tr>
      </thead>
      <tbody>
        {likenessFacts(kept, discarded).map((fact) => (
          <tr key={fact.label}>
            <th scope="row">{fact.label}</th>
            <td>{fact.kept}</td>
            <td>{fact.discarded}</td>
            <td className="dim">{fact.factor === undefined ? '' : `× ${decimal(fact.factor)}`}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Paired bars, each class as shares of itself: filled is kept, dashed is discarded. */
function Histogram({ title, bins }: { readonly title: string; readonly bins: readonly Bin[] }) {
  const tallest = Math.max(...bins.flatMap((bin) => [bin.kept, bin.discarded]), 0.0001);
  const height = (share: number) => `${(share / tallest) * 100}%`;
  return (
    <figure className="histogram">
      <figcaption>
        {title} <span className="dim">share of each class</span>
      </figcaption>
      <div className="histogram-bars" role="img" aria-label={`${title}: kept and discarded positives`}>
        {bins.map((bin) => (
          <div
            key={bin.label}
            title={`${bin.label}: ${percent(bin.kept)} % of the kept, ${percent(bin.discarded)} % of the discarded`}
          >
            <span className="histogram-pair">
              <i className="is-kept" style={{ height: height(bin.kept) }} />
              <i className="is-discarded" style={{ height: height(bin.discarded) }} />
            </span>
            <span className="histogram-label">{bin.label}</span>
          </div>
        ))}
      </div>
    </figure>
  );
}
