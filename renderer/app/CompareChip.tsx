import { Columns2 } from 'lucide-react';
import { comparePath, rolloutPlaceOf } from '../data/compareLink.ts';
import { useInterface } from '../state/interface.ts';
import { Link } from '../ui/Link.tsx';
import { keyed } from './keysInForce.ts';

/** How many rollouts were chosen with `c`; leads to their comparison. */
export function CompareChip() {
  const set = useInterface((state) => state.compareSet);
  if (set.length === 0) return null;
  const names = set.map((path) => {
    const place = rolloutPlaceOf(path);
    return place === undefined ? path : `${place.groupKey} #${place.ordinal}`;
  });
  return (
    <Link
      className="compare-chip"
      href={comparePath(set)}
      title={keyed(`${names.join('\n')}\nopen`, 'compare.open')}
    >
      <Columns2 size={13} aria-hidden="true" /> compare <b>{set.length}</b>
    </Link>
  );
}
