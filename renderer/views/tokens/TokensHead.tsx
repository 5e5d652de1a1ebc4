import type { ReactNode } from 'react';
import type { AvailableSignals } from '../../../shared/api/contract.ts';
import type { SourceStatistics } from '../../../shared/domain/signalStatistics.ts';
import type { SignalName } from '../../../shared/domain/tokenSignal.ts';
import { pathOfRoute, type Route, SCOPE_LEVELS, type ScopeLevel, tokensRouteAt } from '../../data/route.ts';
import { useUrlQuery } from '../../data/useRoute.ts';
import { Segmented } from '../../ui/Controls.tsx';
import { Link } from '../../ui/Link.tsx';
import { plainLogText } from '../../ui/LogText.tsx';
import { count, counted } from '../../ui/numbers.ts';
import { SIGNAL_FACTS, sourceLabel } from '../../ui/signalSource.ts';
import { availabilityText, numbersLine, OFFERED, withoutText } from './signalChoice.ts';
import { sourceKey } from './tokensModel.ts';
import type { TokensAddress } from './useTokensScope.ts';

interface TokensHeadProps {
  readonly address: TokensAddress;
  readonly level: ScopeLevel;
  readonly hasSteps: boolean;
  readonly signal: SignalName;
  readonly available: AvailableSignals;
}

export function TokensHead({ address, level, hasSteps, signal, available }: TokensHeadProps) {
  const [, setQuery] = useUrlQuery();
  const has = (name: SignalName) => available.signals.some((one) => one.signal === name);
  const offered = OFFERED.includes(signal) ? OFFERED : [...OFFERED, signal];
  // Rollouts have a mean entropy only if entropy was logged. Bounds exist per token only.
  const isEntropyLogged = available.signals.some((one) => one.signal === 'entropy' && !one.isBound);
  const list = listOf(address, level, hasSteps);
  return (
    <header className="page-head">
      <h1 title={plainLogText(address.groupKey ?? '')}>{plainLogText(titleOf(address, level, hasSteps))}</h1>
      <ScopeLinks address={address} level={level} hasSteps={hasSteps} />
      <Segmented
        label="Signal"
        chosen={signal}
        onChoose={(chosen) => setQuery({ signal: chosen, source: undefined, of: undefined })}
        choices={offered.map((name) => ({
          id: name,
          label: <span className={has(name) ? undefined : 'is-absent'}>{SIGNAL_FACTS[name].label}</span>,
          title: `${SIGNAL_FACTS[name].meaning} ${availabilityText(name, available)}`,
        }))}
      />
      <div className="end">
        {list !== undefined && isEntropyLogged && (
          <Link className="is-link" href={`${pathOfRoute(list)}?tab=rollouts&sort=-meanEntropy`}>
            Rollouts by mean entropy
          </Link>
        )}
        {/* The line below has the number of rollouts that have tokens. */}
        {available.withTokens < available.rollouts && (
          <span>
            {count(available.withTokens)} of {counted(available.rollouts, 'rollout')} have tokens
          </span>
        )}
      </div>
    </header>
  );
}

/** The page that lists the scope's rollouts, sorted by the host. */
function listOf({ runKey, step }: TokensAddress, level: ScopeLevel, hasSteps: boolean): Route | undefined {
  if (level === 'run') return hasSteps ? undefined : { view: 'run', runKey };
  return level === 'step' && step !== undefined ? { view: 'step', runKey, step } : undefined;
}

function titleOf({ step, ordinal }: TokensAddress, level: ScopeLevel, hasSteps: boolean): string {
  switch (level) {
    case 'run':
      return 'Tokens';
    case 'step':
      return hasSteps ? `Tokens, step ${step}` : 'Tokens';
    case 'group':
      return 'Tokens of the group';
    case 'rollout':
      return `Tokens, rollout #${ordinal}`;
  }
}

/** The scope that all numbers of the page are of, and links to the same page for a wider one. */
function ScopeLinks({ address, level, hasSteps }: Pick<TokensHeadProps, 'address' | 'level' | 'hasSteps'>) {
  const [query] = useUrlQuery();
  const wider = SCOPE_LEVELS.slice(0, SCOPE_LEVELS.indexOf(level) + 1).filter(
    (one) => one !== 'step' || hasSteps,
  );
  const kept = new URLSearchParams(query);
  // Settings about a single token do not apply to another scope.
  for (const name of ['of', 'least', 'order']) kept.delete(name);
  const search = kept.size === 0 ? '' : `?${kept}`;
  const name = (one: ScopeLevel) =>
    one === 'step' ? `step ${address.step}` : one === 'run' ? 'whole run' : `this ${one}`;
  return (
    <nav className="scope-links" aria-label="Scope">
      scope:{' '}
      {wider.map((one, i) => (
        <span key={one}>
          {i > 0 && <span className="dim"> · </span>}
          {one === level ? (
            <b aria-current="page">{name(one)}</b>
          ) : (
            <Link className="is-link" href={pathOfRoute(tokensRouteAt(address, one)) + search}>
              {name(one)}
            </Link>
          )}
        </span>
      ))}
    </nav>
  );
}

interface SourceLineProps {
  readonly source: SourceStatistics | undefined;
  readonly sources: readonly SourceStatistics[];
  readonly without: number;
  readonly signal: SignalName;
  readonly onChoose: (source: SourceStatistics) => void;
  readonly children: ReactNode;
}

/** The source of all numbers on the page. Sources are shown one at a time, because they must not be added up. */
export function SourceLine({ source, sources, without, signal, onChoose, children }: SourceLineProps) {
  return (
    <div className="source-line">
      <p>
        {source === undefined ? (
          <span className="muted">{SIGNAL_FACTS[signal].meaning}</span>
        ) : (
          <>
            {sources.length > 1 ? (
              <select
                className="text-field"
                aria-label="Source"
                title={`${counted(sources.length, 'source')} in these logs; they are never added up`}
                value={sourceKey(source)}
                onChange={(event) => {
                  const chosen = sources.find((one) => sourceKey(one) === event.target.value);
                  if (chosen !== undefined) onChoose(chosen);
                }}
              >
                {sources.map((one) => (
                  <option key={sourceKey(one)} value={sourceKey(one)}>
                    {sourceLabel(one)} ({counted(one.tokens, 'token')})
                  </option>
                ))}
              </select>
            ) : (
              <b title={SIGNAL_FACTS[source.signal].meaning}>{sourceLabel(source)}</b>
            )}
            ; {numbersLine(source)}.
            {without > 0 && <span className="muted"> {withoutText(without, signal)}</span>}
          </>
        )}
      </p>
      {children}
    </div>
  );
}
