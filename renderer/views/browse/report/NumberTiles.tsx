import { count, counted, percent } from '../../../ui/numbers.ts';
import { NumberLink } from './NumberLink.tsx';
import type { NamedNumber } from './reportModel.ts';

interface NumberTilesProps {
  readonly label: string;
  readonly numbers: readonly NamedNumber[];
  /** Where these numbers come from, if they are of one set of decisions. */
  readonly of?: string;
}

/** Numbers to look at, each the way to its groups. */
export function NumberTiles({ label, numbers, of }: NumberTilesProps) {
  return (
    <section className="tiles" aria-label={label}>
      <h2>
        {label} {of !== undefined && <span className="dim">{of}</span>}
      </h2>
      <ul>
        {numbers.map((one) => (
          <li key={one.key} title={one.hint}>
            <NumberLink tally={one} title={`${one.hint}. ${counted(one.value, one.unit)}; shows the groups`}>
              {count(one.value)}
            </NumberLink>{' '}
            {one.share !== undefined && <span className="dim">{percent(one.share)} %</span>}
            <span className="tile-label">{one.label}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
