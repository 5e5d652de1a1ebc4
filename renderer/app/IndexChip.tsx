import { useSearchState } from '../data/useSearchState.ts';
import { Link } from '../ui/Link.tsx';
import { count } from '../ui/numbers.ts';

/** While the full-text index is made; searching works all the while, only slower. */
export function IndexChip() {
  const state = useSearchState();
  if (state === undefined || state.indexed >= state.rollouts) return null;
  return (
    <Link
      href="/search"
      className="job-chip"
      title={`The index of all texts has ${count(state.indexed)} of ${count(state.rollouts)} rollouts; until it is whole, search reads the others`}
    >
      <progress value={state.indexed / Math.max(1, state.rollouts)} max={1} />
      indexing texts
    </Link>
  );
}
