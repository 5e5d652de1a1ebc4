import type { ReportState } from '../../data/rocChoice.ts';
import { Button } from '../../ui/Controls.tsx';
import { count } from '../../ui/numbers.ts';

/** Progress of a report, with a stop button. Keeps its height when idle. */
export function ReportProgress({ state }: { readonly state: ReportState }) {
  const { isRunning, isStopped, progress, error } = state;
  if (error !== null && !isRunning) {
    return (
      <div className="report-progress" role="alert">
        <span className="is-wrong">✕ {error.message}</span>
        <Button onClick={() => void state.restart()}>Try again</Button>
      </div>
    );
  }
  if (isStopped) {
    return (
      <div className="report-progress">
        <span className="dim">Stopped.</span>
        <Button onClick={() => void state.restart()}>Compute</Button>
      </div>
    );
  }
  return (
    <div className="report-progress" aria-busy={isRunning}>
      {isRunning && (
        <div className="waiting">
          <progress
            aria-label="Steps recomputed"
            value={progress === undefined ? undefined : progress.stepsDone}
            max={progress?.steps ?? 1}
          />
          <span className="dim">
            {progress === undefined
              ? 'recomputing…'
              : `${count(progress.stepsDone)} of ${count(progress.steps)} steps`}
          </span>
          <Button onClick={state.stop}>Cancel</Button>
        </div>
      )}
    </div>
  );
}
