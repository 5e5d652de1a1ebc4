import type { AvailableSignals } from '../../../../shared/api/contract.ts';
import type { SignalName } from '../../../../shared/domain/tokenSignal.ts';
import { pathOfPlace } from '../../../data/place.ts';
import { useUrlQuery } from '../../../data/usePlace.ts';
import { Button } from '../../../ui/Controls.tsx';
import { Link } from '../../../ui/Link.tsx';
import { counted } from '../../../ui/numbers.ts';
import { EmptyState } from '../../../ui/States.tsx';
import { OFFERED, SIGNAL_FACTS } from './signalWords.ts';
import type { ScopeLevel } from './useTokensScope.ts';

interface NoSignalProps {
  readonly signal: SignalName;
  readonly available: AvailableSignals;
  /** Rollouts that have tokens without it. */
  readonly withTokens: number;
  readonly scope: ScopeLevel;
}

/** What is not logged, and what it would take. Another signal is offered by its name, never put in its place. */
export function NoSignal({ signal, available, withTokens, scope }: NoSignalProps) {
  const [, setQuery] = useUrlQuery();
  const { label, needs } = SIGNAL_FACTS[signal];
  const others = OFFERED.filter(
    (name) => name !== signal && available.signals.some((one) => one.signal === name && one.withMask > 0),
  );
  return (
    <EmptyState
      title={
        withTokens > 0 || others.length > 0
          ? `No ${label} is logged in this ${scope}`
          : `Nothing is logged per token in this ${scope}`
      }
    >
      <p>
        {withTokens > 0 &&
          `${counted(withTokens, 'rollout')} ${withTokens === 1 ? 'has' : 'have'} tokens, but no ${label}, or no loss mask that tells the policy’s tokens from the environment’s. `}
        Needed: {needs}; and which tokens the policy sampled (the loss mask).
      </p>
      {others.length > 0 && (
        <p className="no-signal-others">
          Logged instead:{' '}
          {others.map((name) => (
            <Button key={name} onClick={() => setQuery({ signal: name })}>
              Show {SIGNAL_FACTS[name].label}
            </Button>
          ))}
        </p>
      )}
      <p>
        The recorder writes them all;{' '}
        <Link className="is-link" href={pathOfPlace({ view: 'formats' })}>
          the formats that are read
        </Link>{' '}
        say where others keep theirs.
      </p>
    </EmptyState>
  );
}
