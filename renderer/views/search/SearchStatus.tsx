/** How far a search has come, what it had to read, and what it left out. */
import type { SearchState, UnsearchedRollout } from '../../../shared/api/contract.ts';
import type { SearchPages } from '../../data/useSearchPages.ts';
import { Button } from '../../ui/Controls.tsx';
import { count, counted } from '../../ui/numbers.ts';
import { type Tally, tallyOf } from './searchModel.ts';

interface SearchStatusProps {
  readonly search: SearchPages;
  readonly index: SearchState | undefined;
  /** Rollouts there are now, in what is searched. */
  readonly rollouts: number | undefined;
  readonly hasRegex: boolean;
}

export function SearchStatus({ search, index, rollouts, hasRegex }: SearchStatusProps) {
  const tally = tallyOf(search.pages);
  const unsearched = search.pages.flatMap((page) => page.unsearched);
  const come = search.isWhole && rollouts !== undefined ? rollouts - tally.total : 0;
  return (
    <div className="search-status">
      <p role="status">{foundWords(tally, search)}</p>
      {tally.scanned > 0 && (
        <p className="dim">
          {counted(tally.scanned, 'text')} read
          {hasRegex
            ? ': a regular expression is not in the index'
            : index === undefined || index.indexed >= index.rollouts
              ? ': not in the index then'
              : `: the index has ${count(index.indexed)} of ${count(index.rollouts)} rollouts so far`}
        </p>
      )}
      {unsearched.length > 0 && <p className="is-wrong">{unsearchedWords(unsearched)}</p>}
      {come > 0 && <Button onClick={search.again}>Search again: {counted(come, 'rollout')} more</Button>}
      {search.isSearching && (
        <span className="search-progress">
          <progress
            aria-label="Rollouts gone through"
            value={tally.total === 0 ? undefined : tally.passed / tally.total}
            max={1}
          />
          <Button onClick={search.stop}>Stop</Button>
        </span>
      )}
      {search.isStopped && !search.isWhole && <Button onClick={search.goOn}>Go on</Button>}
    </div>
  );
}

function foundWords({ rollouts, groups, passed, total }: Tally, search: SearchPages): string {
  const found = `${counted(rollouts, 'rollout')} in ${counted(groups, 'group')}`;
  if (search.isWhole && rollouts === 0) return `${counted(total, 'rollout')} searched`;
  if (search.isWhole) return `${found}, of ${counted(total, 'rollout')} searched`;
  const far = `${count(passed)} of ${counted(total, 'rollout')} gone through`;
  if (search.isStopped) return `${found} · stopped after ${count(passed)} of ${counted(total, 'rollout')}`;
  if (search.isSearching) return total === 0 ? 'Searching…' : `${found} · ${far}`;
  return `The first ${found} · ${far}; scroll for more`;
}

function unsearchedWords(unsearched: readonly UnsearchedRollout[]): string {
  const names = unsearched
    .slice(0, 3)
    .map(({ step, groupKey, ordinal }) => `step ${step} ${groupKey} #${ordinal}`)
    .join(', ');
  const more = unsearched.length > 3 ? ` and ${unsearched.length - 3} more` : '';
  return `Not searched, since the regular expression takes too long there: ${names}${more}`;
}
