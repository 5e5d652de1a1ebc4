/** The matches of a search by run, and the SQL statement that counts them. */

import type { RunSummary } from '../../../shared/api/contract.ts';
import { pathOfRoute } from '../../data/route.ts';
import { distinctNames } from '../../data/runNames.ts';
import { useRequest } from '../../data/useRequest.ts';
import { runOnOpening } from '../../state/ownStatement.ts';
import { Link } from '../../ui/Link.tsx';
import { plainLogText } from '../../ui/LogText.tsx';
import { count, counted } from '../../ui/numbers.ts';
import type { MatchCount } from './searchModel.ts';

interface MatchesByRunProps {
  readonly matches: MatchCount;
  readonly runs: readonly RunSummary[];
  /** Undefined: all runs are searched. */
  readonly run: RunSummary | undefined;
  readonly query: string;
}

export function MatchesByRun({ matches, runs, run, query }: MatchesByRunProps) {
  const names = distinctNames(runs);
  const sql = useRequest('filter.parse', {
    filter: query,
    ...(run === undefined ? {} : { runId: run.runId }),
  }).data?.countSql;
  const unit = run === undefined ? 'run' : 'step';
  const read = (run === undefined ? runs : [run]).reduce((sum, { rollouts }) => sum + rollouts, 0);
  return (
    <div className="search-runs">
      <span className="dim">{matches.isExact ? 'By run:' : 'By run, so far:'}</span>
      <ul aria-label="Rollouts by run">
        {matches.runs.flatMap(({ runId, rollouts }) => {
          const at = runs.findIndex((one) => one.runId === runId);
          const found = runs[at];
          if (found === undefined) return [];
          const name = plainLogText(names[at] ?? '');
          const numbers = `${matches.isExact ? '' : 'at least '}${count(rollouts)}`;
          return [
            <li key={runId}>
              {run === undefined ? (
                <Link
                  className="is-link"
                  href={searchPath(query, found.runKey)}
                  title={`Only this run: ${name}, ${counted(found.rollouts, 'rollout')}`}
                >
                  {name}
                </Link>
              ) : (
                name
              )}{' '}
              <b>{numbers}</b>
            </li>,
          ];
        })}
      </ul>
      {run !== undefined && (
        <Link className="is-link" href={searchPath(query)}>
          All runs
        </Link>
      )}
      {sql !== undefined && (
        <span>
          <Link
            className="is-link"
            href={`${pathOfRoute({ view: 'sql' })}?${new URLSearchParams({ sql })}`}
            onClick={() => runOnOpening(sql)}
            title={`Runs a statement that counts these rollouts by ${unit}; its result can be drawn as a chart. The full-text index has no part in it`}
          >
            Count by {unit} in SQL
          </Link>{' '}
          <span className="dim">reads the texts of {counted(read, 'rollout')}, without the index</span>
        </span>
      )}
    </div>
  );
}

const searchPath = (query: string, runKey?: string): string =>
  `${pathOfRoute({ view: 'search' })}?${new URLSearchParams({ q: query, ...(runKey === undefined ? {} : { run: runKey }) })}`;
