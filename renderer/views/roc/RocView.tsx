/**
 * Resample-on-Correct over a run or a step: what it kept, and the groups behind every number. The host computes it in
 * a worker. Meanwhile the previous report stays on screen.
 */
import { useMemo } from 'react';
import { choiceOfUrl, noChoice, rocQuery, useRocReport } from '../../data/rocChoice.ts';
import { pathOfRoute, type Route } from '../../data/route.ts';
import { useDebouncedValue } from '../../data/useDebouncedValue.ts';
import { useRequest } from '../../data/useRequest.ts';
import { goTo, useUrlQuery } from '../../data/useRoute.ts';
import { useCommands } from '../../shell/keys/commands.ts';
import { keyed } from '../../shell/keys/keysInForce.ts';
import { Button, Segmented } from '../../ui/Controls.tsx';
import { Link } from '../../ui/Link.tsx';
import { counted, seconds } from '../../ui/numbers.ts';
import { EmptyState, FailedState, WaitingState } from '../../ui/States.tsx';
import { ReportProgress } from '../../widgets/roc/ReportProgress.tsx';
import { SourceChip } from '../../widgets/roc/SourceChip.tsx';
import { WhatIfPanel } from '../../widgets/roc/WhatIfPanel.tsx';
import { WideEffects } from '../../widgets/roc/WideEffects.tsx';
import { GroupsBehind } from './GroupsBehind.tsx';
import { ReportBody } from './ReportBody.tsx';
import { numberNames } from './reportModel.ts';
import './report.css';

interface RocViewProps {
  readonly runKey: string;
  /** Absent: the whole run. */
  readonly step?: number;
}

const REST_MS = 400;

export default function RocView({ runKey, step }: RocViewProps) {
  const run = useRequest('run.get', { runKey });
  const steps = useRequest('step.list', run.data === undefined ? undefined : { runId: run.data.runId }).data;
  const [query, setQuery] = useUrlQuery();
  const choice = useMemo(() => choiceOfUrl(query), [query]);
  const wanted = JSON.stringify({ basis: choice.basis, whatIf: choice.whatIf });
  const settled = useDebouncedValue(wanted, REST_MS);
  const runId = run.data?.runId;
  const params = useMemo(
    () =>
      runId === undefined
        ? undefined
        : {
            runId,
            ...(step === undefined ? {} : { step }),
            ...(JSON.parse(settled) as Pick<typeof choice, 'basis' | 'whatIf'>),
          },
    [runId, step, settled],
  );
  const state = useRocReport(params);
  const { report } = state;
  const isOpen = choice.scope !== undefined;
  const flipPanel = () => setQuery({ whatif: isOpen ? undefined : step === undefined ? 'run' : 'step' });
  const goToStep = (by: number) => {
    const at = steps?.findIndex((row) => row.step === step) ?? -1;
    const next = at < 0 ? undefined : steps?.[at + by];
    if (next !== undefined) goTo({ view: 'stepRoc', runKey, step: next.step }, window.location.search);
  };
  useCommands({
    'whatIf.flip': flipPanel,
    'whatIf.reset': choice.chosen.length === 0 ? undefined : () => setQuery(noChoice()),
    'sibling.next': step === undefined ? undefined : () => goToStep(1),
    'sibling.previous': step === undefined ? undefined : () => goToStep(-1),
  });
  const names = useMemo(() => (report === undefined ? undefined : numberNames(report)), [report]);

  if (run.error !== null) {
    return (
      <FailedState
        isPage
        title="This run could not be opened"
        error={run.error}
        onRetry={() => void run.refetch()}
      />
    );
  }
  if (run.data === undefined) return <WaitingState title="Opening the run…" />;
  const key = query.get('of');
  const here: Route = step === undefined ? { view: 'roc', runKey } : { view: 'stepRoc', runKey, step };
  const wider: Route = step === undefined ? here : { view: 'roc', runKey };
  return (
    <div className={isOpen ? 'roc-page has-what-if' : 'roc-page'}>
      <div className="page">
        <header className="page-head">
          <h1>{step === undefined ? 'Resample-on-Correct' : `Resample-on-Correct, step ${step}`}</h1>
          {report !== undefined && report.source !== 'unknown' && report.recomputed.basis !== undefined && (
            <SourceChip source={report.source} basis={report.recomputed.basis} />
          )}
          {report?.source === 'logged' && (
            <Segmented
              label="Decisions"
              chosen={query.get('side') === 'recomputed' ? 'recomputed' : ''}
              onChoose={(side) => setQuery({ side })}
              choices={[
                { id: '', label: 'Logged' },
                { id: 'recomputed', label: 'Recomputed' },
              ]}
            />
          )}
          {step !== undefined && run.data.hasSteps && (
            <Link className="is-link" href={pathOfRoute(wider) + rocQuery(query)}>
              of the whole run
            </Link>
          )}
          <div className="end">
            {report !== undefined && (
              <span>
                {counted(report.rollouts, 'rollout')} · {counted(report.groups, 'group')} · computed in{' '}
                {seconds(report.elapsedMs)}
              </span>
            )}
            {!isOpen && (
              <Button
                title={keyed('Change settings and see what would be kept', 'whatIf.flip')}
                onClick={flipPanel}
              >
                What if{choice.chosen.length > 0 && `: ${counted(choice.chosen.length, 'change')}`}
              </Button>
            )}
          </div>
        </header>
        <div className={state.isRunning && report !== undefined ? 'report-scroll is-stale' : 'report-scroll'}>
          {report === undefined || state.isStopped ? (
            <div className="report-first">
              <ReportProgress state={state} />
            </div>
          ) : null}
          {report !== undefined &&
            (report.rollouts === 0 ? (
              <EmptyState title="No rollouts here yet" />
            ) : (
              <ReportBody
                of={step === undefined ? run.data.name : `${run.data.name}, step ${step}`}
                report={report}
                stages={run.data.stages}
                isExample={choice.isExample}
                rolloutsOf={(filter) =>
                  `${pathOfRoute(step === undefined ? { view: 'run', runKey } : { view: 'step', runKey, step })}?${new URLSearchParams({ tab: 'rollouts', q: filter })}`
                }
                onOpenStep={(to) => goTo({ view: 'stepRoc', runKey, step: to }, rocQuery(query))}
              />
            ))}
        </div>
        {report !== undefined && key !== null && (
          <GroupsBehind
            key={key}
            runKey={runKey}
            runId={report.runId}
            step={step}
            reportId={report.reportId}
            numberKey={key}
            title={names?.get(key) ?? key}
            showsStep={step === undefined && run.data.hasSteps}
            recompute={state.restart}
          />
        )}
      </div>
      {isOpen && (
        <WhatIfPanel
          runKey={runKey}
          step={step}
          basis={report?.recomputed.basis}
          whatIfBasis={choice.whatIf === undefined ? undefined : report?.whatIf?.basis}
          choice={choice}
          scopes={[]}
          scope={step === undefined ? 'run' : 'step'}
        >
          <WideEffects state={state} hasWhatIf={choice.whatIf !== undefined} />
        </WhatIfPanel>
      )}
    </div>
  );
}
