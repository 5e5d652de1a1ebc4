import type { StatisticsState } from '../../../data/useTokenStatistics.ts';
import { Button } from '../../../ui/Controls.tsx';
import { count } from '../../../ui/numbers.ts';
import '../roc/roc.css';

/** How far all of it has come, with a way to stop. It keeps its place whether anything is computed or not. */
export function StatisticsProgress({ state }: { readonly state: StatisticsState }) {
  const { isComputing, isStopped, error, progress } = state;
  if (error !== null && !isComputing) {
    return (
      <div className="report-progress" role="alert">
        <span className="is-wrong">✕ {error.message}</span>
        <Button onClick={() => void state.compute()}>Try again</Button>
      </div>
    );
  }
  if (isStopped) {
    return (
      <div className="report-progress">
        <span className="dim">
          {state.answer === undefined ? 'Stopped.' : 'Stopped; what is shown answers a former question.'}
        </span>
        <Button onClick={() => void state.compute()}>Go on</Button>
      </div>
    );
  }
  return (
    <div className="report-progress" aria-busy={isComputing}>
      {isComputing && (
        <div className="waiting">
          <progress aria-label="Tokens read" value={progress?.share} max={1} />
          <span className="dim">
            {progress === undefined || progress.steps < 2
              ? 'reading the tokens'
              : `step ${count(progress.stepsDone + 1)} of ${count(progress.steps)}`}
          </span>
          <Button onClick={state.stop}>Cancel</Button>
        </div>
      )}
    </div>
  );
}
