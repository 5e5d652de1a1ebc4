/**
 * Statistics of the tokens of a run, a step, a group or a rollout: where the policy hesitates, and whether it reflects
 * on tool responses.
 *
 *   useTokensScope (scope) ─► useTokenStatistics (request) ─► SourceLine · TokenSections (distribution, reflection, …)
 *                                                          └► TopTokens │ PlacesOfToken beside them
 */
import type { ReactNode } from 'react';
import type { AvailableSignals } from '../../../shared/api/contract.ts';
import type { WantedTokens } from '../../../shared/domain/highestTokens.ts';
import { DEFAULT_LEXICON } from '../../../shared/domain/lexicon.ts';
import { DEFAULT_WINDOW } from '../../../shared/domain/reflection.ts';
import { AFTER } from '../../../shared/domain/signalStatistics.ts';
import type { SignalName } from '../../../shared/domain/tokenSignal.ts';
import { pathOfRoute, type ScopeLevel } from '../../data/route.ts';
import { useRequest } from '../../data/useRequest.ts';
import { goTo, useUrlQuery } from '../../data/useRoute.ts';
import { type StatisticsState, useTokenStatistics } from '../../data/useTokenStatistics.ts';
import { useCommands } from '../../shell/keys/commands.ts';
import { useTokenView } from '../../state/tokenView.ts';
import { Button } from '../../ui/Controls.tsx';
import { Link } from '../../ui/Link.tsx';
import { count, counted } from '../../ui/numbers.ts';
import { EmptyState, FailedState, WaitingState } from '../../ui/States.tsx';
import { SIGNAL_FACTS, sourceLabel } from '../../ui/signalSource.ts';
import { PlacesOfToken } from './PlacesOfToken.tsx';
import { Measured } from './SaveCsv.tsx';
import { chosenSignal, numbersLine, OFFERED } from './signalChoice.ts';
import { TokenSections } from './TokenSections.tsx';
import { TokensElsewhere } from './TokensElsewhere.tsx';
import { SourceLine, TokensHead } from './TokensHead.tsx';
import { TopTokens } from './TopTokens.tsx';
import { askedLeast, chosenSource, naturalOf, sourceKey } from './tokensModel.ts';
import { type TokensAddress, useTokensScope } from './useTokensScope.ts';
import './tokens.css';
import '../../widgets/roc/roc.css';

/**
 * Default for the least number of occurrences, since a mean of a few tokens says little. A rollout has few of each
 * token.
 */
const LEAST: Readonly<Record<ScopeLevel, number>> = { run: 10, step: 10, group: 5, rollout: 2 };
const MOST = 100_000;

export default function TokensView({ address }: { readonly address: TokensAddress }) {
  const { runKey } = address;
  const { level, run, scope, steps, ...found } = useTokensScope(address);
  const [query, setQuery] = useUrlQuery();
  const available = useRequest('token.signals', scope);
  const window = naturalOf(query.get('window'), DEFAULT_WINDOW, MOST);
  const words = useTokenView((store) => store.words) ?? DEFAULT_LEXICON;
  const least = Math.max(1, naturalOf(query.get('least'), LEAST[level], 1_000_000_000));
  const signal = available.data === undefined ? undefined : chosenSignal(query.get('signal'), available.data);
  const isStepped = run?.hasSteps === true;
  const hasSteps = isStepped && level === 'run' && (steps?.length ?? 0) > 1;
  const state = useTokenStatistics(
    scope === undefined || signal === undefined || steps === undefined
      ? undefined
      : { scope, hasSteps, signal, window, words, leastTokens: askedLeast(least) },
  );
  const { goToSibling } = found;
  useCommands({
    'sibling.next': goToSibling && (() => goToSibling(1)),
    'sibling.previous': goToSibling && (() => goToSibling(-1)),
  });

  if (found.error !== null)
    return (
      <FailedState
        isPage
        title={`This ${level} could not be opened`}
        error={found.error}
        onRetry={found.retry}
      />
    );
  if (available.error !== null) {
    return (
      <FailedState
        isPage
        title="The token signals could not be listed"
        error={available.error}
        onRetry={() => void available.refetch()}
      />
    );
  }
  if (run === undefined || scope === undefined || signal === undefined || available.data === undefined)
    return <WaitingState title="Listing token signals…" />;

  const sources = state.data?.sources ?? [];
  const source = chosenSource(sources, query.get('source'));
  const without = state.data?.withoutSignal ?? 0;
  const wanted = wantedTokens(query, window);
  return (
    <div className="page">
      <TokensHead
        address={address}
        level={level}
        hasSteps={isStepped}
        signal={signal}
        available={available.data}
      />
      <SourceLine
        source={source}
        sources={sources}
        without={without}
        signal={signal}
        onChoose={(one) => setQuery({ source: sourceKey(one) })}
      >
        <StatisticsProgress state={state} />
      </SourceLine>
      {source === undefined ? (
        <Nothing state={state}>
          <NoSignal signal={signal} available={available.data} withTokens={without} scope={level}>
            {level !== 'run' && <TokensElsewhere runKey={runKey} runId={run.runId} hasSteps={isStepped} />}
          </NoSignal>
        </Nothing>
      ) : (
        <Measured
          value={{
            source: `${routeLabel(run.name, address, isStepped)}: ${sourceLabel(source)}; ${numbersLine(source)}`,
            fileName: routeLabel(run.name, address, isStepped),
          }}
        >
          <div
            className={state.isFormer ? 'tokens-body is-stale' : 'tokens-body'}
            aria-busy={state.isRunning}
          >
            <TokenSections
              run={run}
              source={source}
              answer={state.data}
              window={window}
              level={level}
              hasSteps={hasSteps}
              onOpenStep={(to) => goTo({ view: 'stepTokens', runKey, step: to }, globalThis.location.search)}
            />
            {wanted === undefined ? (
              <TopTokens answer={state.data} source={source} least={least} />
            ) : (
              <PlacesOfToken
                runKey={runKey}
                wanted={wanted}
                scope={scope}
                source={source}
                level={level}
                hasSteps={isStepped}
              />
            )}
          </div>
        </Measured>
      )}
    </div>
  );
}

/** Parses `of=TOKEN`, or `after=error` for the reflection tokens after an error. */
function wantedTokens(query: URLSearchParams, window: number): WantedTokens | undefined {
  const reflection = AFTER.find((after) => after === query.get('after'));
  if (reflection !== undefined) return { reflection, window };
  const token = query.get('of') ?? '';
  return token === '' ? undefined : { token };
}

/** `demo, step 3, group p7, rollout #2`. */
function routeLabel(name: string, { step, groupKey, ordinal }: TokensAddress, hasSteps: boolean): string {
  const parts = [
    name,
    step === undefined || !hasSteps ? undefined : `step ${step}`,
    groupKey === undefined ? undefined : `group ${groupKey}`,
    ordinal === undefined ? undefined : `rollout #${ordinal}`,
  ];
  return parts.filter((part) => part !== undefined).join(', ');
}

/** The waiting state while loading. Then the reason why there is nothing. */
function Nothing({ state, children }: { readonly state: StatisticsState; readonly children: ReactNode }) {
  if (state.data !== undefined && !state.isFormer) return children;
  return state.isStopped || state.error !== null ? null : <WaitingState title="Reading the tokens…" />;
}

interface NoSignalProps {
  readonly signal: SignalName;
  readonly available: AvailableSignals;
  /** Number of rollouts that have tokens but not this signal. */
  readonly withTokens: number;
  readonly scope: ScopeLevel;
  /** Links to the steps that have tokens. */
  readonly children: ReactNode;
}

/** Explains that the signal is not logged and what it requires. Other signals are offered, never substituted. */
function NoSignal({ signal, available, withTokens, scope, children }: NoSignalProps) {
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
      {children}
      <p>
        The recorder writes them all;{' '}
        <Link className="is-link" href={pathOfRoute({ view: 'formats' })}>
          {' '}
          the supported formats{' '}
        </Link>{' '}
        list where other logs have them.
      </p>
    </EmptyState>
  );
}

/** Progress of all requests, with a stop button. Keeps its space when idle. */
function StatisticsProgress({ state }: { readonly state: StatisticsState }) {
  const { isRunning, isStopped, error, progress } = state;
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
        <span className="dim">
          {state.data === undefined ? 'Stopped.' : 'Stopped; an earlier result is shown.'}
        </span>
        <Button onClick={() => void state.restart()}>Continue</Button>
      </div>
    );
  }
  return (
    <div className="report-progress" aria-busy={isRunning}>
      {isRunning && (
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
