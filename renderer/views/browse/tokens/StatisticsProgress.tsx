import type { StatisticsState } from '../../../data/useTokenStatistics.ts';
import { Button } from '../../../ui/Controls.tsx';
import '../roc/roc.css';

/** How far all of it has come, with a way to stop. It keeps its place whether anything is computed or not. */
export function StatisticsProgress({ state }: { readonly state: StatisticsState }) {
  const { isComputing, isStopped, error, share, words } = state;
  if (error !== null && !isComputing) {
    return (
      <div className="report-progress" role="alert">
        <span className="is-wrong">✕ {error.message}</span>
        <Button onClick={state.compute}>Try again</Button>
      </div>
    );
  }
  if (isStopped) {
    return (
      <div className="report-progress">
        <span className="dim">
          {state.segment === undefined ? 'Stopped.' : 'Stopped; what is shown is what had come.'}
        </span>
        <Button onClick={state.compute}>Go on</Button>
      </div>
    );
  }
  return (
    <div className="report-progress" aria-busy={isComputing}>
      {isComputing && (
        <div className="waiting">
          <progress aria-label="Tokens read" value={share} max={1} />
          <span className="dim">{words}</span>
          <Button onClick={state.stop}>Cancel</Button>
        </div>
      )}
    </div>
  );
}
