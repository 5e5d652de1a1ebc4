import type { Likeness } from '../../../shared/api/contract.ts';
import { KeptMark } from '../../ui/Marks.tsx';
import { count, counted, decimal, percent } from '../../ui/numbers.ts';
import { NumberLink, type NumberMeaning } from '../../widgets/NumberLink.tsx';
import { type Bin, lengthBins, likenessFacts, turnBins } from './likenessModel.ts';
import type { NamedSide } from './reportModel.ts';

/** Kept and discarded correct rollouts side by side: does the resampling prefer short answers, or answers without tools? */
export function Bias({ side, bins }: { readonly side: NamedSide; readonly bins: readonly number[] }) {
  const { keptPositives: kept, discardedPositives: discarded } = side.side;
  if (kept.rollouts === 0 || discarded.rollouts === 0) {
    return (
      <section className="report-card" aria-label="Bias">
        <h2>
          Kept and discarded correct rollouts <span className="dim">{side.name}</span>
        </h2>
        <p className="dim">
          No correct rollout was {discarded.rollouts === 0 ? 'discarded' : 'kept'}: nothing to compare.
        </p>
      </section>
    );
  }
  return (
    <section className="report-card bias" aria-label="Bias">
      <h2>
        Kept and discarded correct rollouts <span className="dim">{side.name}</span>
      </h2>
      <div className="bias-parts">
        <Means kept={kept} discarded={discarded} source={`${side.name} decisions`} />
        <Histogram
          title="Response length, characters"
          bins={lengthBins(bins, kept, discarded)}
          source={`${side.name} decisions`}
        />
        <Histogram title="Turns" bins={turnBins(kept, discarded)} source={`${side.name} decisions`} />
      </div>
    </section>
  );
}

interface MeansProps {
  readonly kept: Likeness;
  readonly discarded: Likeness;
  readonly source: string;
}

function Means({ kept, discarded, source }: MeansProps) {
  const about = (meaning: string, of: Likeness): NumberMeaning => ({
    meaning,
    count: counted(of.rollouts, 'rollout'),
    source,
  });
  return (
    <table className="means">
      <thead>
        <tr>
          <th scope="col">mean of</th>
          <th scope="col">
            <KeptMark isKept />{' '}
            <NumberLink tally={kept} about={about('Correct rollouts that were kept', kept)}>
              {count(kept.rollouts)} kept
            </NumberLink>
          </th>
          <th scope="col">
            <KeptMark isKept={false} />{' '}
            <NumberLink tally={discarded} about={about('Correct rollouts that were discarded', discarded)}>
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
              <NumberLink tally={{ key: fact.keyOf(kept) }} about={about(`${fact.label}: of the kept`, kept)}>
                {fact.kept}
              </NumberLink>
            </td>
            <td>
              <NumberLink
                tally={{ key: fact.keyOf(discarded) }}
                about={about(`${fact.label}: of the discarded`, discarded)}
              >
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

interface HistogramProps {
  readonly title: string;
  readonly bins: readonly Bin[];
  readonly source: string;
}

/** Paired bars, as shares of each class: kept is filled, discarded is dashed. A bar opens its groups. */
function Histogram({ title, bins, source }: HistogramProps) {
  const tallest = Math.max(...bins.flatMap((bin) => [bin.kept.share, bin.discarded.share]), 0.0001);
  return (
    <figure className="histogram">
      <figcaption>
        {title} <span className="dim">share of each class</span>
      </figcaption>
      <fieldset className="histogram-bars" aria-label={`${title}: kept and discarded correct rollouts`}>
        {bins.map((bin) => (
          <div key={bin.label}>
            <span className="histogram-pair">
              <Bar bin={bin} which="kept" of={title} tallest={tallest} source={source} />
              <Bar bin={bin} which="discarded" of={title} tallest={tallest} source={source} />
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
  readonly source: string;
}

function Bar({ bin, which, of, tallest, source }: BarProps) {
  const { key, rollouts, share } = bin[which];
  if (rollouts === 0) return <span className="histogram-slot" />;
  const words = `${of} ${bin.label}: ${counted(rollouts, 'rollout')}, ${percent(share)} % of the ${which}`;
  return (
    <NumberLink
      tally={{ key }}
      className="histogram-slot"
      label={words}
      about={{
        meaning: `${of} ${bin.label}, ${which}`,
        count: `${counted(rollouts, 'rollout')}, ${percent(share)} % of the ${which}`,
        source,
      }}
    >
      <i className={`is-${which}`} style={{ height: `${(share / tallest) * 100}%` }} />
    </NumberLink>
  );
}
