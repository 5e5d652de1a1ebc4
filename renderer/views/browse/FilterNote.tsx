import { count, counted } from '../../ui/numbers.ts';

interface FilterNoteProps {
  readonly matches: number;
  /** Rows the filter reads, of `total` in the list. */
  readonly looked: number;
  readonly total: number;
  readonly isComplete: boolean;
}

/** How much of a long list the quick filter has seen: a partial answer must not pass for a whole one. */
export function FilterNote({ matches, looked, total, isComplete }: FilterNoteProps) {
  return (
    <p className="filter-note" role="status">
      {isComplete ? counted(matches, 'match', 'matches') : `${counted(matches, 'match', 'matches')} so far…`}
      {looked < total && (
        <b>
          {' '}
          in the first {count(looked)} of {count(total)} rows; the others were not looked at
        </b>
      )}
    </p>
  );
}

export function noMatch(what: 'rollout' | 'group', looked: number, total: number): string {
  if (looked >= total) return `No ${what} matches the filter`;
  return `None of the first ${count(looked)} ${what}s matches the filter; ${count(total - looked)} were not looked at`;
}
