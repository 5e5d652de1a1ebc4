/**
 * An evaluation: its logged results, pass@1 with its interval, pass@k, majority@k and response length. One panel per
 * benchmark.
 */
import type { RunDetail } from '../../../shared/api/contract.ts';
import { useFilterLink } from '../../data/filterLink.ts';
import { useLongQuery } from '../../data/useLongQuery.ts';
import { Button } from '../../ui/Controls.tsx';
import { saveText } from '../../ui/exportText.ts';
import { count } from '../../ui/numbers.ts';
import { EmptyState } from '../../ui/States.tsx';
import { FilterBox } from '../../widgets/filter/FilterBox.tsx';
import { BenchmarkPanel } from './BenchmarkPanel.tsx';
import { benchmarkName, chosenText, evaluationCsv } from './evaluationModel.ts';
import { LoggedResults } from './LoggedResults.tsx';
import './evaluation.css';

export function EvaluationView({ run }: { readonly run: RunDetail }) {
  const { applied: filter } = useFilterLink();
  const { data: answer, ...state } = useLongQuery('eval.summary', { runId: run.runId, filter });
  const panels = answer?.panels ?? [];
  const isWaiting = state.isRunning && (answer === undefined || state.isFormer);
  return (
    <div className="evaluation">
      <div className="filters">
        <FilterBox runId={run.runId} runKey={run.runKey} what="problems with a rollout that matches" />
        <Button
          disabled={panels.length === 0}
          onClick={() =>
            saveText(
              `${run.name}-evaluation.csv`.replaceAll(/[^\w.-]+/g, '-'),
              evaluationCsv(`${run.name}${chosenText(filter)}`, panels),
              'text/csv',
            )
          }
        >
          {' '}
          Download CSV{' '}
        </Button>
        {isWaiting && (
          <span className="overview-progress waiting" role="status">
            <progress
              aria-label="Steps read"
              value={state.progress?.stepsDone}
              max={state.progress?.steps ?? 1}
            />
            {state.progress === undefined
              ? 'reading…'
              : `${count(state.progress.stepsDone)} of ${count(state.progress.steps)} steps`}
            <Button onClick={state.stop}>Cancel</Button>
          </span>
        )}
        {(state.isStopped || (state.error !== null && !state.isRunning)) && (
          <span className="overview-progress" role="alert">
            {state.error === null ? 'Stopped.' : `✕ ${state.error.message}`}
            <Button onClick={() => void state.restart()}>Compute</Button>
          </span>
        )}
      </div>
      <div className="evaluation-panels">
        <LoggedResults run={run} />
        {filter !== '' && (
          <p className="dim evaluation-note">
            A problem counts with all its samples if a rollout of it matches at any step. A condition on{' '}
            <code>step</code> selects steps.
          </p>
        )}
        {answer !== undefined && panels.length === 0 && (
          <EmptyState title="No problem has a rollout that matches" />
        )}
        {panels.map((panel) => (
          <BenchmarkPanel key={benchmarkName(panel)} run={run} panel={panel} filter={filter} />
        ))}
      </div>
    </div>
  );
}
