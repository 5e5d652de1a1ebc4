/**
 * Replay of one rollout. The URL holds the rollout and the turn. This component loads the rollout, changes the turn,
 * and passes plain values to the panes.
 */

import type { Route } from '../../data/route.ts';
import { usePage } from '../../data/usePage.ts';
import { useRequest } from '../../data/useRequest.ts';
import { useTokenView } from '../../state/tokenView.ts';
import { FailedState, WaitingState } from '../../ui/States.tsx';
import { CodeOf } from '../../widgets/CodeState.tsx';
import { RerunsOf } from '../../widgets/rerun/Reruns.tsx';
import { Replay } from './Replay.tsx';
import { signalParams } from './tokens/useTokenSeries.ts';
import './replay.css';

export default function ReplayView({ route }: { readonly route: Extract<Route, { view: 'rollout' }> }) {
  const { runKey, step, groupKey, ordinal } = route;
  const wanted = useTokenView((state) => state.signal);
  const vocabulary = useTokenView((state) => state.vocabulary);
  const signal = signalParams(wanted, vocabulary);
  // Keeps the previous rollout on screen until its sibling has loaded.
  const resolved = usePage({ runKey, step, groupKey, ordinal, show: 'replay', signal }, true);
  const rolloutId = resolved.data?.rolloutId;
  const rollout = useRequest('rollout.get', rolloutId === undefined ? undefined : { rolloutId }, {
    keepPrevious: true,
  });

  const error = resolved.error ?? rollout.error;
  if (error !== null) {
    return (
      <FailedState
        isPage
        title={`Rollout #${ordinal} could not be opened`}
        error={error}
        onRetry={() => void (resolved.error === null ? rollout.refetch() : resolved.refetch())}
      >
        <p>It may have been logged again, or be in another library. Esc opens its group.</p>
      </FailedState>
    );
  }
  if (rollout.data === undefined) return <WaitingState title="Opening the rollout…" />;
  return (
    <CodeOf detail={rollout.data}>
      <RerunsOf details={[rollout.data]}>
        <Replay route={route} detail={rollout.data} />
      </RerunsOf>
    </CodeOf>
  );
}
