import { FilterChips } from '../../app/filter/FilterChips.tsx';
import { count, counted } from '../../ui/numbers.ts';

interface FilterNoteProps {
  readonly what: 'rollout' | 'group';
  readonly matches: number;
  readonly total: number | undefined;
  /** What is listed is still the answer to the filter before. */
  readonly isNews: boolean;
}

/** How much of the list is left, and by which conditions. */
export function FilterNote({ what, matches, total, isNews }: FilterNoteProps) {
  return (
    <div className="filter-note">
      <p role="status">
        {isNews
          ? 'Looking…'
          : total === undefined
            ? `${counted(matches, what)} ${matches === 1 ? 'matches' : 'match'}`
            : `${count(matches)} of ${counted(total, what)}`}
        {what === 'group' && !isNews && ' with a rollout that matches'}
      </p>
      <FilterChips />
    </div>
  );
}
