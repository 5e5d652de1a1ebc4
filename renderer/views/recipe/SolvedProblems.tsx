/**
 * Problems solved k of k times at a step. A recipe's last stage drops them, since they have no group-normalised
 * advantage.
 */

import { useMemo } from 'react';
import type { RunDetail, SolvedProblem } from '../../../shared/api/contract.ts';
import { plainQuestion, problemName } from '../../../shared/domain/question.ts';
import { pathOfRoute } from '../../data/route.ts';
import { useRequest } from '../../data/useRequest.ts';
import { goTo, useUrlQuery } from '../../data/useRoute.ts';
import { Button } from '../../ui/Controls.tsx';
import { saveText } from '../../ui/exportText.ts';
import { plainLogText } from '../../ui/LogText.tsx';
import { count, counted, percent, ratio } from '../../ui/numbers.ts';
import { EmptyState, FailedState, WaitingState } from '../../ui/States.tsx';
import { type Column, VirtualTable } from '../../ui/VirtualTable.tsx';
import { useTableCommands } from '../../widgets/tables/useTableCommands.ts';
import { solvedCsv } from './recipeModel.ts';

interface SolvedProblemsProps {
  readonly run: RunDetail;
  /** Ascending. Those in the library. */
  readonly steps: readonly number[];
  /** The run has more steps in the warehouse. */
  readonly isPart: boolean;
}

const COLUMNS: readonly Column<SolvedProblem>[] = [
  {
    id: 'problem',
    label: 'problem',
    minWidth: 180,
    grow: 1,
    cell: (row) => <span title={plainLogText(row.problemId)}>{problemName(row)}</span>,
  },
  {
    id: 'rollouts',
    label: 'solved',
    minWidth: 90,
    align: 'end',
    cell: (row) => `${row.rollouts} of ${row.rollouts}`,
  },
  { id: 'source', label: 'source', minWidth: 120, cell: (row) => row.source ?? null },
  { id: 'prompt', label: 'question', minWidth: 240, grow: 3, cell: (row) => plainQuestion(row.question) },
];

export function SolvedProblems({ run, steps, isPart }: SolvedProblemsProps) {
  const [query, setQuery] = useUrlQuery();
  const table = useTableCommands();
  const asked = Number(query.get('solved') ?? Number.NaN);
  const step = steps.includes(asked) ? asked : steps.at(-1);
  const answer = useRequest('problem.solved', step === undefined ? undefined : { runId: run.runId, step });
  const { data } = answer;
  const of = run.hasSteps ? `${run.name}, step ${step}` : run.name;
  const columns = useMemo(
    () =>
      COLUMNS.filter(({ id }) => id !== 'source' || data?.solved.some(({ source }) => source !== undefined)),
    [data],
  );
  const routeOf = (row: SolvedProblem) =>
    ({ view: 'group', runKey: run.runKey, step: step ?? 0, groupKey: row.groupKey }) as const;
  return (
    <section className="recipe-solved" aria-label="Problems solved by every rollout">
      <header>
        <h2>Problems solved k of k</h2>
        <label className="overview-field">
          at step
          <select value={step} onChange={({ target }) => setQuery({ solved: target.value })}>
            {steps.map((each) => (
              <option key={each} value={each}>
                {each}
              </option>
            ))}
          </select>
          {isPart && (
            <span title="Select other steps on the tab Steps and copy them">of those that are here</span>
          )}
        </label>
        {data !== undefined && (
          <span role="status">
            {count(data.solved.length)} of {counted(data.known, 'group')}
            {data.known > 0 && ` · ${percent(ratio(data.solved.length, data.known))} %`}
            {data.known < data.groups && ` · unknown for ${count(data.groups - data.known)} more`}
          </span>
        )}
        <Button
          disabled={data === undefined || data.solved.length === 0}
          onClick={() =>
            data !== undefined &&
            saveText(
              `${run.name}-solved-at-${step}.csv`.replaceAll(/[^\w.-]+/g, '-'),
              solvedCsv(of, data),
              'text/csv',
            )
          }
        >
          Save as CSV
        </Button>
      </header>
      {answer.error !== null ? (
        <FailedState
          title="The problems could not be read"
          error={answer.error}
          onRetry={() => void answer.refetch()}
        />
      ) : data === undefined ? (
        <WaitingState title="Reading the problems…" />
      ) : data.solved.length === 0 ? (
        <EmptyState title={`No problem is solved by every rollout at step ${step}`} />
      ) : (
        <div className="recipe-list">
          <VirtualTable
            key={`${run.runId} ${step}`}
            handle={table}
            label={`Problems solved k of k at step ${step}`}
            columns={columns}
            count={data.solved.length}
            rowAt={(index) => data.solved[index]}
            onOpen={(row) => goTo(routeOf(row))}
            hrefOf={(row) => pathOfRoute(routeOf(row))}
          />
        </div>
      )}
    </section>
  );
}
