/** Words in the texts of all rollouts. The URL holds what is looked for; this component asks and lays out. */
import { useEffect, useMemo } from 'react';
import { wantedTextNodes } from '../../../shared/domain/filter/node.ts';
import { runCommand } from '../../app/commands.ts';
import { useFilterLink } from '../../data/filterLink.ts';
import { useUrlQuery } from '../../data/usePlace.ts';
import { useRequest } from '../../data/useRequest.ts';
import { useSearchPages } from '../../data/useSearchPages.ts';
import { useSearchState } from '../../data/useSearchState.ts';
import { EmptyState, FailedState, WaitingState } from '../../ui/States.tsx';
import { NothingFound, SearchStart } from './SearchEmpty.tsx';
import { SearchHead } from './SearchHead.tsx';
import { SearchResults } from './SearchResults.tsx';
import { SearchStatus } from './SearchStatus.tsx';
import { rowsOf } from './searchModel.ts';
import './search.css';

const NO_RUNS: readonly never[] = [];

export default function SearchView() {
  const { applied, node } = useFilterLink();
  const [query] = useUrlQuery();
  const runs = useRequest('run.list', {});
  const index = useSearchState();
  const runKey = query.get('run');
  const list = runs.data ?? NO_RUNS;
  const run = list.find((one) => one.runKey === runKey);
  const isRunMissing = runKey !== null && runs.data !== undefined && run === undefined;
  const isAsked = applied !== '' && runs.data !== undefined && !isRunMissing;
  const search = useSearchPages(isAsked ? applied : undefined, run?.runId);
  const rows = useMemo(() => rowsOf(search.pages), [search.pages]);
  const isStart = applied === '';
  useEffect(() => {
    if (isStart) runCommand('search.focus');
  }, [isStart]);
  const hasRegex = wantedTextNodes(node).some(({ form }) => form === 'regex');

  return (
    <div className="search-view">
      <SearchHead runs={list} run={run} />
      {isAsked && (
        <SearchStatus
          search={search}
          index={index}
          rollouts={run === undefined ? index?.rollouts : run.rollouts}
          hasRegex={hasRegex}
        />
      )}
      {body()}
    </div>
  );

  function body() {
    if (isRunMissing)
      return (
        <EmptyState title="There is no such run in this library">
          <p className="state-facts">{runKey}</p>
        </EmptyState>
      );
    if (isStart) return <SearchStart />;
    if (search.error !== null && rows.length === 0)
      return <FailedState title="The search failed" error={search.error} onRetry={search.again} />;
    if (rows.length > 0)
      return (
        <SearchResults
          rows={rows}
          runs={list}
          query={applied}
          list={`search ${runKey ?? ''} ${applied}`}
          onNearEnd={search.more}
        />
      );
    if (search.isWhole) return <NothingFound isInOneRun={run !== undefined} />;
    if (search.isStopped)
      return (
        <EmptyState title="Stopped before anything was found">
          <p>Go on above, or look for something else.</p>
        </EmptyState>
      );
    return <WaitingState title="Searching…" />;
  }
}
