/**
 * What the tokens of a run or a step are like: where the policy hesitates, and whether it reflects on what a tool said.
 *
 *   useTokenStatistics (asks) ─► SourceLine · TokenSections (distribution, reflection, segments, classes, steps)
 *                             └► TopTokens beside them
 */
import type { ReactNode } from 'react';
import { DEFAULT_WINDOW } from '../../../../shared/domain/reflection.ts';
import { useCommands } from '../../../app/commands.ts';
import { type Place, pathOfPlace } from '../../../data/place.ts';
import { goTo, useUrlQuery } from '../../../data/usePlace.ts';
import { useRequest } from '../../../data/useRequest.ts';
import { useSignalsOf } from '../../../data/useSignalsOf.ts';
import { type StatisticsState, useTokenStatistics } from '../../../data/useTokenStatistics.ts';
import { Segmented } from '../../../ui/Controls.tsx';
import { Link } from '../../../ui/Link.tsx';
import { counted } from '../../../ui/numbers.ts';
import { FailedState, WaitingState } from '../../../ui/States.tsx';
import { NoSignal } from './NoSignal.tsx';
import { SourceLine } from './SourceLine.tsx';
import { StatisticsProgress } from './StatisticsProgress.tsx';
import { chosenSignal, OFFERED, SIGNAL_FACTS } from './signalWords.ts';
import { TokenSections } from './TokenSections.tsx';
import { TopTokens } from './TopTokens.tsx';
import { askedLeast, chosenSource, naturalOf, rowsOf, sourceKey } from './tokensModel.ts';
import './tokens.css';

interface TokensViewProps {
  readonly runKey: string;
  /** Absent: the whole run. */
  readonly step?: number;
}

/** Rarer tokens are left out at first: the mean of a few says nothing. */
const LEAST = 10;
const MOST = 100_000;

export default function TokensView({ runKey, step }: TokensViewProps) {
  const run = useRequest('run.get', { runKey });
  const runId = run.data?.runId;
  const steps = useRequest('step.list', runId === undefined ? undefined : { runId }).data;
  const [query, setQuery] = useUrlQuery();
  const available = useSignalsOf(runId, step);
  const window = naturalOf(query.get('window'), DEFAULT_WINDOW, MOST);
  const least = Math.max(1, naturalOf(query.get('least'), LEAST, 1_000_000_000));
  const signal = available === undefined ? undefined : chosenSignal(query.get('signal'), available);
  const hasSteps = run.data?.hasSteps === true && step === undefined && (steps?.length ?? 0) > 1;
  const state = useTokenStatistics(
    runId === undefined || signal === undefined || steps === undefined
      ? undefined
      : { runId, step, signal, window, leastTokens: askedLeast(least) },
    hasSteps,
  );
  const goToStep = (by: number) => {
    const at = steps?.findIndex((row) => row.step === step) ?? -1;
    const next = at < 0 ? undefined : steps?.[at + by];
    if (next !== undefined) goTo({ view: 'stepTokens', runKey, step: next.step }, globalThis.location.search);
  };
  useCommands({
    'sibling.next': step === undefined ? undefined : () => goToStep(1),
    'sibling.previous': step === undefined ? undefined : () => goToStep(-1),
  });

  if (run.error !== null) {
    return (
      <FailedState
        title="This run could not be opened"
        error={run.error}
        onRetry={() => void run.refetch()}
      />
    );
  }
  if (run.data === undefined || signal === undefined || available === undefined)
    return <WaitingState title="Looking for what is logged per token…" />;

  const sources = state.segment?.sources ?? [];
  const source = chosenSource(sources, query.get('source'));
  const rollouts = step === undefined ? run.data.rollouts : steps?.find((row) => row.step === step)?.rollouts;
  const list: Place | undefined =
    step !== undefined
      ? { view: 'step', runKey, step }
      : run.data.hasSteps
        ? undefined
        : { view: 'run', runKey };
  return (
    <div className="page">
      <header className="page-head">
        <h1>{step === undefined || !run.data.hasSteps ? 'Tokens' : `Tokens, step ${step}`}</h1>
        <Segmented
          label="Signal"
          chosen={signal}
          onChoose={(chosen) => setQuery({ signal: chosen, source: undefined })}
          choices={(OFFERED.includes(signal) ? OFFERED : [...OFFERED, signal]).map((name) => ({
            id: name,
            label: (
              <span className={available.includes(name) ? undefined : 'is-absent'}>
                {SIGNAL_FACTS[name].label}
              </span>
            ),
            title: `${SIGNAL_FACTS[name].meaning}${available.includes(name) ? '' : ' Not found in this log.'}`,
          }))}
        />
        {step !== undefined && run.data.hasSteps && (
          <Link
            className="is-link"
            href={pathOfPlace({ view: 'tokens', runKey }) + globalThis.location.search}
          >
            of the whole run
          </Link>
        )}
        <div className="end">
          {list !== undefined && available.includes('entropy') && (
            <Link className="is-link" href={`${pathOfPlace(list)}?tab=rollouts&sort=-meanEntropy`}>
              Rollouts by mean entropy
            </Link>
          )}
          {rollouts !== undefined && <span>of {counted(rollouts, 'rollout')}</span>}
        </div>
      </header>
      <SourceLine
        source={source}
        sources={sources}
        without={state.segment?.withoutSignal ?? 0}
        signal={signal}
        onChoose={(one) => setQuery({ source: sourceKey(one) })}
      >
        <StatisticsProgress state={state} />
      </SourceLine>
      {source === undefined ? (
        <Nothing state={state}>
          <NoSignal
            signal={signal}
            available={available}
            withTokens={state.segment?.withoutSignal ?? 0}
            scope={step === undefined ? 'run' : 'step'}
          />
        </Nothing>
      ) : (
        <div
          className={state.isFormer ? 'tokens-body is-stale' : 'tokens-body'}
          aria-busy={state.isComputing}
        >
          <TokenSections
            run={run.data}
            source={source}
            state={state}
            window={window}
            hasSteps={hasSteps}
            onOpenStep={(to) => goTo({ view: 'stepTokens', runKey, step: to }, globalThis.location.search)}
          />
          <TopTokens
            answer={state.token}
            source={source}
            least={least}
            isComputing={state.isComputing}
            hasPlaces={rowsOf(state.segment, source).length > 0}
          />
        </div>
      )}
    </div>
  );
}

/** While nothing has come yet one waits; once it is known that there is nothing, it is said why. */
function Nothing({ state, children }: { readonly state: StatisticsState; readonly children: ReactNode }) {
  if (state.segment !== undefined && !state.isFormer) return children;
  return state.isStopped || state.error !== null ? null : <WaitingState title="Reading the tokens…" />;
}
