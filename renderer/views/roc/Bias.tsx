import type { Likeness } from '../../../shared/api/contract.ts';
import { KeptMark } from '../../ui/Marks.tsx';
import { count, counted, decimal, percent } from '../../ui/numbers.ts';
import { NumberLink } from '../../widgets/NumberLink.tsx';
import { type Bin, lengthBins, likenessFacts, turnBins } from './likenessModel.ts';
import type { NamedSide } from './reportModel.ts';

/** Kept and discarded positives side by side: does the resampling prefer short answers, or answers without tools? */
export function Bias({ side, bins }: { readonly side: NamedSide; readonly bins: readonly number[] }) {
  const { keptPositives: kept, discardedPositives: discarded } = side.side;
  if (kept.rollouts === 0 || discarded.rollouts === 0) {
    return (
      <section className="report-card" aria-label="Bias">
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
    <section className="report-card bias" aria-label="Bias">
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
            <KeptMark isKept />{' '}
            <NumberLink tally={kept} title="Kept positives; shows their groups">
              {count(kept.rollouts)} kept
            </NumberLink>
          </th>
          <th scope="col">
            <KeptMark isKept={false} />{' '}
            <NumberLink tally={discarded} title="Discarded positives; shows their groups">
              {count(discarded.rollouts)} discarded
            </NumberLink>
          </th>
          <th scope="col" title="Kept over discarded">
            {' '}
            kept ÷ discarded{' '}
          </th>
        </tr>
      </thead>
      <tbody>
        {likenessFacts(kept, discarded).map((fact) => (
          <tr key={fact.label}>
            <th scope="row">{fact.label}</th>
            <td>
              <NumberLink tally={{ key: fact.keyOf(kept) }} title="Shows its groups">
                {fact.kept}
              </NumberLink>
            </td>
            <td>
              <NumberLink tally={{ key: fact.keyOf(discarded) }} title="Shows its groups">
                {fact.discarded}
              </NumberLink>
            </td>
            <td className="dim">{fact.factor === undefined ? '' : `× ${decimal(fact.factor)}`}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Paired bars, each class as shares of itself: filled is kept, dashed is discarded. Each opens its groups. */
function Histogram({ title, bins }: { readonly title: string; readonly bins: readonly Bin[] }) {
  const tallest = Math.max(...bins.flatMap((bin) => [bin.kept.share, bin.discarded.share]), 0.0001);
  return (
    <figure className="histogram">
      <figcaption>
        {title} <span className="dim">share of each class</span>
      </figcaption>
      <fieldset className="histogram-bars" aria-label={`${title}: kept and discarded positives`}>
        {bins.map((bin) => (
          <div key={bin.label}>
            <span className="histogram-pair">
              <Bar bin={bin} which="kept" of={title} tallest={tallest} />
              <Bar bin={bin} which="discarded" of={title} tallest={tallest} />
            </span>
            <span className="histogram-label">{bin.label}</span>
          </div>
        ))}
      </fieldset>
    </figure>
  );
}

interface BarProps {
  readonly bin: Bin;
  readonly which: 'kept' | 'discarded';
  readonly of: string;
  readonly tallest: number;
}

function Bar({ bin, which, of, tallest }: BarProps) {
  const { key, rollouts, share } = bin[which];
  if (rollouts === 0) return <span className="histogram-slot" />;
  const words = `${of} ${bin.label}: ${counted(rollouts, 'rollout')}, ${percent(share)} % of the ${which}`;
  return (
    <NumberLink tally={{ key }} className="histogram-slot" label={words} title={`${words}. Shows the groups`}>
      <i className={`is-${which}`} style={{ height: `${(share / tallest) * 100}%` }} />
    </NumberLink>
  );
}
