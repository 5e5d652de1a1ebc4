/**
 * Full-text search over all rollouts. The URL holds the query; this component requests the results and lays them out.
 */

import { useEffect, useMemo } from 'react';
import type { RunSummary, SearchState, UnsearchedRollout } from '../../../shared/api/contract.ts';
import { wantedTextNodes } from '../../../shared/domain/filter/node.ts';
import { useFilterLink } from '../../data/filterLink.ts';
import { distinctNames } from '../../data/runNames.ts';
import { useRequest } from '../../data/useRequest.ts';
import { useUrlQuery } from '../../data/useRoute.ts';
import { type SearchCounting, useSearchCount } from '../../data/useSearchCount.ts';
import { type SearchPages, useSearchPages, useSearchState } from '../../data/useSearchPages.ts';
import { useHasWarehouse } from '../../data/warehouse.ts';
import { runCommand } from '../../shell/keys/commands.ts';
import { Button } from '../../ui/Controls.tsx';
import { plainLogText } from '../../ui/LogText.tsx';
import { count, counted } from '../../ui/numbers.ts';
import { EmptyState, FailedState, WaitingState } from '../../ui/States.tsx';
import { FilterBox } from '../../widgets/filter/FilterBox.tsx';
import { useWayBack } from '../../widgets/useWayBack.ts';
import { MatchesByRun } from './MatchesByRun.tsx';
import { NothingFound, SearchStart } from './SearchEmpty.tsx';
import { SearchResults } from './SearchResults.tsx';
import {
  foundSentence,
  type MatchCount,
  matchCount,
  rowsOf,
  SCOPE_LABELS,
  SCOPES,
  scopeOf,
  tallyOf,
  withScope,
} from './searchModel.ts';
import { WholeRunNote } from './WholeRunNote.tsx';
import './search.css';

const NO_RUNS: readonly never[] = [];

export default function SearchView() {
  const { applied, node } = useFilterLink();
  const [query] = useUrlQuery();
  const runs = useRequest('run.list', {});
  const index = useSearchState();
  const runKey = query.get('run');
  const hasWarehouse = useHasWarehouse();
  const list = runs.data ?? NO_RUNS;
  const run = list.find((one) => one.runKey === runKey);
  const isRunMissing = runKey !== null && runs.data !== undefined && run === undefined;
  const isAsked = applied !== '' && runs.data !== undefined && !isRunMissing;
  const search = useSearchPages(isAsked ? applied : undefined, run?.runId);
  const rows = useMemo(() => rowsOf(search.pages), [search.pages]);
  // The count waits for the first results, and is not needed if these are complete.
  const isCountDue = !search.isRunning && !search.isStopped && !search.isWhole && search.error === null;
  const counting = useSearchCount(isAsked ? applied : undefined, run?.runId, isCountDue);
  const matches = useMemo(
    () =>
      matchCount(
        { parts: search.pages, isWhole: search.isWhole },
        { parts: counting.parts, isWhole: counting.isWhole },
      ),
    [search.pages, search.isWhole, counting.parts, counting.isWhole],
  );
  useWayBack(run === undefined ? { view: 'library' } : { view: 'run', runKey: run.runKey });
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
          counting={counting}
          matches={matches}
          index={index}
          rollouts={run === undefined ? index?.rollouts : run.rollouts}
          hasRegex={hasRegex}
        />
      )}
      {applied !== '' && hasWarehouse && <WholeRunNote runKey={runKey} runId={run?.runId} />}
      {isAsked && matches.rollouts > 0 && (
        <MatchesByRun matches={matches} runs={list} run={run} query={applied} />
      )}
      {body()}
    </div>
  );

  function body() {
    if (isRunMissing)
      return (
        <EmptyState title={hasWarehouse ? 'Nothing of this run is here' : 'No such run in this library'}>
          <p className="state-facts">{runKey}</p>
        </EmptyState>
      );
    if (isStart) return <SearchStart />;
    if (search.error !== null && rows.length === 0)
      return <FailedState title="The search failed" error={search.error} onRetry={search.startOver} />;
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
          <p>Continue above, or search for something else.</p>
        </EmptyState>
      );
    return <WaitingState title="Searching…" />;
  }
}

interface SearchHeadProps {
  readonly runs: readonly RunSummary[];
  /** Undefined: all runs. */
  readonly run: RunSummary | undefined;
}

/** The query, the texts to search, and the run. */
function SearchHead({ runs, run }: SearchHeadProps) {
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
                {plainLogText(names[i] ?? '')} · {counted(one.rollouts, 'rollout')}
              </option>
            ))}
          </select>
        </label>
      </div>
      {applied !== '' && (
        <div className="search-scope">
          <span className="dim">Search in</span>
          <fieldset className="segmented search-scopes" aria-label="Where to search">
            {SCOPES.map((field) => (
              <button
                type="button"
                key={field}
                aria-pressed={field === scope}
                title={`In ${SCOPE_LABELS[field].place}`}
                onClick={() => setQuery({ q: withScope(node, field) })}
              >
                {SCOPE_LABELS[field].label}
              </button>
            ))}
          </fieldset>
          {scope !== undefined && <span className="dim">{SCOPE_LABELS[scope].place}</span>}
        </div>
      )}
    </header>
  );
}

interface SearchStatusProps {
  readonly search: SearchPages;
  readonly counting: SearchCounting;
  readonly matches: MatchCount;
  readonly index: SearchState | undefined;
  /** Current number of rollouts in scope. */
  readonly rollouts: number | undefined;
  readonly hasRegex: boolean;
}

/** The number of matches, the progress of search and count, and what was read or skipped. */
function SearchStatus({ search, counting, matches, index, rollouts, hasRegex }: SearchStatusProps) {
  const tally = tallyOf(search.pages);
  const isWhole = search.isWhole || counting.isWhole;
  const come = isWhole && rollouts !== undefined ? rollouts - matches.total : 0;
  const isRunning = search.isRunning || counting.isRunning;
  return (
    <div className="search-status">
      <p role="status">{foundSentence(tally, matches, search)}</p>
      {tally.scanned > 0 && (
        <p className="dim">
          {counted(tally.scanned, 'text')} read
          {hasRegex
            ? ': the index cannot answer a regular expression'
            : index === undefined || index.indexed >= index.rollouts
              ? ': not in the index at that time'
              : `: the index has ${count(index.indexed)} of ${count(index.rollouts)} rollouts so far`}
        </p>
      )}
      {matches.unsearched.length > 0 && <p className="is-wrong">{unsearchedLabel(matches.unsearched)}</p>}
      {counting.error !== null && (
        <p className="is-wrong">Not counted to the end: {counting.error.message}</p>
      )}
      {come > 0 && (
        <Button
          onClick={() => {
            counting.startOver();
            search.startOver();
          }}
        >
          Search again: {counted(come, 'rollout')} more
        </Button>
      )}
      {isRunning && (
        <span className="search-progress">
          <progress
            aria-label={search.isRunning ? 'Rollouts searched' : 'Rollouts counted'}
            value={matches.total === 0 ? undefined : matches.passed / matches.total}
            max={1}
          />
          <Button onClick={search.stop}>Stop</Button>
        </span>
      )}
      {search.isStopped && !isWhole && <Button onClick={search.restart}>Continue</Button>}
    </div>
  );
}

function unsearchedLabel(unsearched: readonly UnsearchedRollout[]): string {
  const names = unsearched
    .slice(0, 3)
    .map(({ step, groupKey, ordinal }) => `step ${step} ${groupKey} #${ordinal}`)
    .join(', ');
  const more = unsearched.length > 3 ? ` and ${unsearched.length - 3} more` : '';
  return `Not searched, since the regular expression takes too long or needs too much memory there: ${names}${more}`;
}
