/** What is looked for, where, and in which run. */
import type { RunSummary } from '../../../shared/api/contract.ts';
import { FilterBox } from '../../app/filter/FilterBox.tsx';
import { useFilterLink } from '../../data/filterLink.ts';
import { distinctNames } from '../../data/runNames.ts';
import { useUrlQuery } from '../../data/usePlace.ts';
import { counted } from '../../ui/numbers.ts';
import { SCOPE_WORDS, SCOPES, scopeOf, withScope } from './searchModel.ts';

interface SearchHeadProps {
  readonly runs: readonly RunSummary[];
  /** undefined: all of them. */
  readonly run: RunSummary | undefined;
}

export function SearchHead({ runs, run }: SearchHeadProps) {
  const { node, applied } = useFilterLink();
  const [, setQuery] = useUrlQuery();
  const scope = scopeOf(node);
  const names = distinctNames(runs);
  return (
    <header className="search-head">
      <h1>Search</h1>
      <div className="filters">
        <FilterBox runId={run?.runId} runKey={run?.runKey} what="all texts" verb="Search" />
        <label className="search-run">
          in{' '}
          <select
            aria-label="Run to search"
            value={run?.runKey ?? ''}
            onChange={(event) => setQuery({ run: event.target.value })}
          >
            <option value="">all runs</option>
            {runs.map((one, i) => (
              <option key={one.runKey} value={one.runKey}>
                {names[i]} · {counted(one.rollouts, 'rollout')}
              </option>
            ))}
          </select>
        </label>
      </div>
      {applied !== '' && (
        <fieldset className="segmented search-scopes" aria-label="Where to look for the words">
          {SCOPES.map((field) => (
            <button
              type="button"
              key={field}
              aria-pressed={field === scope}
              title={`In ${SCOPE_WORDS[field].place}`}
              onClick={() => setQuery({ q: withScope(node, field) })}
            >
              {SCOPE_WORDS[field].label}
            </button>
          ))}
        </fieldset>
      )}
    </header>
  );
}
